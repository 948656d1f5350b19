"""The exact privacy loss of the item rows that the published algorithms release.

The papers state a budget for one noised right-hand side that changes by at most 5. A run releases
more: the item rows of every iteration, and with A-IRLS those of every inner iteration, because each
has its own noise and counts in the papers' budgets. Users' rows have no noise. They are functions
of the ratings and of earlier item rows, so we can compute the log density of all item rows, both on
the ratings and on neighbouring ratings. The difference of the two log densities is the privacy loss
of the run. Under (epsilon, delta)-differential privacy, it exceeds epsilon + t with probability at
most delta / (1 - exp(-t)), for every t > 0. For the published algorithms the loss has no bound,
because users' rows are not clipped and the Gram matrices have no noise.

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
    "neighbours", "releases", "nominal_epsilon", "total_pld", "median", "largest",
    "share_above_nominal", "share_above_total",
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
    """Yield the row of one cell; a neighbour moves one rating to the far end of its range.

    The runs are trials 0, 1, ... of the reproduction, until there are as many neighbours as wanted.
    A run gives at most as many neighbours as it has users, with ratings chosen at random.
    ``ratings`` is the whole data set of a real cell. Rows have the keys :data:`TRANSCRIPT_COLUMNS`.
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
    yield cell.coordinates() | _summary(cell, settings, np.array(losses))


def _training(cell, settings, trial, ratings) -> tuple[Ratings, tuple[float, float]]:
    """Return what a trial trains on, with its range; drawn ratings have that of the matrix."""
    if cell.dataset == SYNTHETIC:
        instance = synthetic_instance(cell.coordinates(), settings, trial)
        matrix = instance.matrix()
        return instance.observed, (matrix.min(), matrix.max())
    training, _ = split(ratings, settings, cell, trial)
    return training, ratings.rating_range or (ratings.values.min(), ratings.values.max())


def _summary(cell: Cell, settings: Mapping, losses: np.ndarray) -> dict[str, object]:
    """Return what the papers state per release, what that adds up to in a run, and the losses.

    The total grants the papers their assumption: one coordinate, which changes by SENSITIVITY.
    """
    delta, releases = settings["delta"], settings["iterations"] * (cell.irls_iterations or 1)
    rows = table_one([cell.variance], SENSITIVITY, delta)
    (nominal,) = (
        row["epsilon_published_form"] for row in rows if row["mechanism"] == cell.mechanism
    )
    of_a_run = Releases(make_mechanism(cell.mechanism, cell.variance), SENSITIVITY, releases)
    total = epsilon(of_a_run, delta, relation=ENTRY_CHANGE, accountant="pld").epsilon
    return {
        "neighbours": losses.size,
        "releases": releases,
        "nominal_epsilon": nominal,
        "total_pld": total,
        "median": float(np.median(losses)),
        "largest": float(losses.max()),
        "share_above_nominal": float(np.mean(losses > nominal)),
        "share_above_total": float(np.mean(losses > total)),
    }


TABLES = {"transcript_loss": TRANSCRIPT_COLUMNS}
CELL = Cell
BY = ("dataset", "rank", "method")  # most cells take less than starting Python
inputs = ratings_of
