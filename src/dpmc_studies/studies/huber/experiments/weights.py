"""Why A-IRLS equals ALS: how many of its weights are below 1, and what they change.

R-IRLS (paper, algorithm 3) weighs residuals and then adds noise to the right-hand side, so the
noise of one inner step reaches the residuals of the next only through theta. Where all weights are
1, theta_K depends on the noise of the last step alone, and A-IRLS is ALS with that noise. So an ALS
with that noise is fitted beside each A-IRLS: what differs is what the weights do, and nothing else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

from dpmc.ratings import Ratings
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.statistics.errors import rmse
from dpmc_studies.studies.huber.cells import COORDINATES, Cell
from dpmc_studies.studies.huber.experiments.common import papers_modules, ratings_of, rows_of
from dpmc_studies.studies.huber.experiments.grid import cell_settings, huber_cells
from dpmc_studies.studies.huber.trial import SHARED, make_method, split, synthetic_instance

WEIGHTS_COLUMNS = (
    *COORDINATES, "trial", "loss_parameter", "weights_first", "below_first", "weights_later",
    "below_later", "rmse_irls", "rmse_als",
)  # fmt: skip


def cells(section: Section) -> list[Cell]:
    """Return the A-IRLS cells of the grid with the usual K of their data."""
    mechanisms, real = section["weights"]["trials"], section["real"]
    return [
        cell
        for cell in huber_cells(section)
        if cell.method == "irls"
        and cell.mechanism in mechanisms
        and cell.irls_iterations == real.get(cell.dataset, section)["irls_iterations"]
    ]


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell uses. Real data run once: each trial has millions of weights."""
    own = section["weights"]
    trials = own["trials"][cell.mechanism] if cell.dataset == SYNTHETIC else 1
    counted = {"trials": trials, "counted_iterations": own["counted_iterations"]}
    return cell_settings(section, cell) | counted


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Count the weights of A-IRLS below 1, and fit ALS with the same noise."""
    return {"weights": rows_of(task, weights)}


def weights(
    cell: Cell, settings: Mapping, ratings: Ratings | None = None
) -> Iterator[dict[str, object]]:
    """Yield a row of the table of weights for every trial of an A-IRLS cell.

    ``settings`` are the settings of the cell and ``counted_iterations``. The training is divided
    into that many equal parts, and weights are counted in the last outer iteration of each.
    ``ratings`` is the whole data set of a real cell. Rows have the keys :data:`WEIGHTS_COLUMNS`.
    ``rmse_irls`` is the RMSE of the cell's trial in the study, ``rmse_als`` the RMSE of ALS with
    the noise of the last inner steps.
    """
    every = max(1, settings["iterations"] // settings["counted_iterations"])
    for trial in range(settings["trials"]):
        found = _trial(cell, settings, trial, every, ratings)
        yield cell.coordinates() | {"trial": trial} | found


def _trial(cell: Cell, settings: Mapping, trial: int, every: int, ratings) -> dict[str, object]:
    """Fit A-IRLS on the streams of a trial, and ALS on the same and its last noise."""
    from dpmc_studies.studies.huber.counting import CountingIRLS, Remembering, Replaying  # kernels

    if cell.dataset == SYNTHETIC:
        instance = synthetic_instance(cell.coordinates(), settings, trial)
        training, truth = instance.observed, instance.matrix()
    else:
        training, heldout = split(ratings, settings, cell, trial)

    def error(model):
        if cell.dataset == SYNTHETIC:
            return rmse(model.predict_matrix(), truth)
        return rmse(model.predict(heldout.users, heldout.items), heldout.values)

    model = CountingIRLS(every=every, **vars(make_method(cell, settings)))
    noisy = model.mechanism is not None
    if noisy:
        model.mechanism = Remembering(model.mechanism)
    noise_rng = cell.stream(settings["seed"], NOISE, trial=trial)

    def start():
        return cell.stream(settings["seed"], START, *SHARED, trial=trial)

    model.fit(training, rng=start(), noise_rng=noise_rng)
    plain = make_method(replace(cell, method="als", irls_iterations=None), settings)
    plain.mechanism = Replaying(model.mechanism.last) if noisy else None
    plain.fit(training, rng=start(), noise_rng=noise_rng)
    counts = model.counts_
    return {
        "loss_parameter": model.loss_parameter,
        "weights_first": int(counts.weights[0]),
        "below_first": int(counts.below[0]),
        "weights_later": int(counts.weights[1]),
        "below_later": int(counts.below[1]),
        "rmse_irls": error(model),
        "rmse_als": error(plain),
    }


TABLES = {"weights": WEIGHTS_COLUMNS}
CELL = Cell
BY = ("dataset",)
inputs = ratings_of
modules = papers_modules
