"""What the published algorithms reveal: the exact privacy loss of the item rows they release.

The papers state a budget for one noised right-hand side, at a change of it by at most 5. What a
run releases are the item rows of every iteration (with A-IRLS the inner ones too: each has noise
of its own and counts in the papers' budgets). Users' rows have no noise and are functions of the
ratings and of the item rows before them, so the log density of all item rows can be written down
on the ratings and on neighbouring ones. The difference along a run is its privacy loss: under
(epsilon, delta)-differential privacy it exceeds epsilon hardly more often than delta. Nothing
bounds it for the published algorithms, because nothing clips users' rows and the Gram matrices
have no noise.

Source of the algorithms: [Gowtham 2022], algorithms 1 to 3, and Table 1 for the budgets.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.mechanisms import make_mechanism, mechanism_module
from dpmc.privacy.accounting import Releases, epsilon
from dpmc.privacy.nominal import table_one
from dpmc.privacy.relations import ENTRY_CHANGE
from dpmc.ratings import Ratings
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_module
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.common import METHODS, NOISES, ratings_of, rows_of
from dpmc_studies.studies.huber.experiments.grid import cell_settings, huber_cells
from dpmc_studies.studies.huber.trial import split, synthetic_instance

TRANSCRIPT_COLUMNS = (
    "dataset", "rank", "variance", "observed_fraction", "method", "mechanism", "irls_iterations",
    "neighbours", "releases", "nominal_epsilon", "nominal_delta",
    "total_basic", "total_rdp", "total_pld", "median", "lower_quartile", "upper_quartile",
    "largest", "share_above_nominal", "share_above_total",
)  # fmt: skip
NEIGHBOURS = "transcript neighbours"
SENSITIVITY = 5.0
"""The change of a right-hand side that the papers assume (Table 1)."""


def cells(section: Section) -> list[Cell]:
    """Return the papers' algorithms with noise, whose releases have a density.

    On synthetic data they are those of one rank and fraction.
    """
    own = section["transcript"]
    here = section | {"ranks": [own["rank"]], "observed_fractions": [own["observed_fraction"]]}
    return [
        cell for cell in huber_cells(here) if cell.method in METHODS and cell.mechanism in NOISES
    ]


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell of the grid uses, and how many neighbours of its data are looked at."""
    own = {name: section["transcript"][name] for name in ("neighbours", "delta")}
    used = cell_settings(section, cell) | own
    del used["trials"]  # as many as have the neighbours
    return used


def modules(section: Section, cell: Cell) -> list[str]:
    """Return the modules of the part's method and of all its mechanisms."""
    return [method_module(cell.method), *map(mechanism_module, NOISES)]


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Measure the cells of one data set, rank and method."""
    return {"transcript_loss": rows_of(task, transcript_loss)}


def transcript_loss(
    cell: Cell, settings: Mapping, *, ratings: Ratings | None = None
) -> Iterator[dict[str, object]]:
    """Yield the row of one cell: neighbouring data have a rating at the far end of its range.

    The runs are trial 0 of the reproduction and as many further ones as are needed for the wanted
    number of neighbours; at most one for each user of a run, at random.

    Parameters
    ----------
    cell : Cell
        Method "als" or "irls", with noise.
    settings : mapping
        What :func:`settings` returns: ``neighbours`` is how many there are at least, ``delta`` that
        of the budgets.
    ratings : Ratings, optional
        The whole data set of a real cell.

    Yields
    ------
    dict
        Keys :data:`TRANSCRIPT_COLUMNS`. ``share_above_total`` is that of losses above
        ``total_pld``, the least of the totals.
    """
    from dpmc_studies.studies.huber.transcript_run import far_changes, privacy_losses, record

    losses: list[float] = []
    trial = 0
    while len(losses) < settings["neighbours"]:
        training, limits = _training(cell, settings, trial, ratings)
        run = record(cell, settings, trial, training)
        rng = cell.stream(settings["seed"], NEIGHBOURS, trial=trial)
        count = min(np.unique(training.users).size, settings["neighbours"], len(training))
        losses.extend(privacy_losses(run, far_changes(training, limits, count, rng)))
        trial += 1
    budgets = _budgets(cell, settings)
    yield cell.coordinates() | budgets | _summary(np.array(losses), budgets)


def _training(cell, settings, trial, ratings) -> tuple[Ratings, tuple[float, float]]:
    """Return what a trial trains on, with its range; drawn ratings have that of the matrix."""
    if cell.dataset == SYNTHETIC:
        instance = synthetic_instance(cell.coordinates(), settings, trial)
        matrix = instance.matrix()
        return instance.observed, (matrix.min(), matrix.max())
    training, _ = split(ratings, settings, cell, trial)
    return training, ratings.rating_range or (ratings.values.min(), ratings.values.max())


def _budgets(cell: Cell, settings: Mapping) -> dict[str, object]:
    """Return what the papers state per release, and what that adds up to in a run.

    The totals grant the papers their assumption: one coordinate, which changes by SENSITIVITY.
    """
    delta, releases = settings["delta"], settings["iterations"] * (cell.irls_iterations or 1)
    nominal = next(
        row
        for row in table_one([cell.variance], SENSITIVITY, delta)
        if row["mechanism"] == cell.mechanism
    )
    budgets = {
        "releases": releases,
        "nominal_epsilon": nominal["epsilon_published_form"],
        "nominal_delta": nominal["delta"],
    }
    of_a_run = Releases(make_mechanism(cell.mechanism, cell.variance), SENSITIVITY, releases)
    for accountant in ("basic", "rdp", "pld"):
        answer = epsilon(of_a_run, delta, relation=ENTRY_CHANGE, accountant=accountant)
        budgets[f"total_{accountant}"] = answer.epsilon
    return budgets


def _summary(losses: np.ndarray, budgets: Mapping) -> dict[str, object]:
    lower, median, upper = np.quantile(losses, [0.25, 0.5, 0.75])
    return {
        "neighbours": losses.size,
        "median": float(median),
        "lower_quartile": float(lower),
        "upper_quartile": float(upper),
        "largest": float(losses.max()),
        "share_above_nominal": float(np.mean(losses > budgets["nominal_epsilon"])),
        "share_above_total": float(np.mean(losses > budgets["total_pld"])),
    }


TABLES = {"transcript_loss": TRANSCRIPT_COLUMNS}
CELL = Cell
BY = ("dataset", "rank", "method")  # most cells take less than starting Python
inputs = ratings_of
