"""Why A-IRLS equals ALS: the effect of its weights, and how many of them are below 1.

R-IRLS (paper, algorithm 3) weighs the residuals and then adds noise to the right-hand side. The
noise of an inner step therefore reaches the residuals of the next step only through theta. If all
weights are 1, theta_K depends on the noise of the last step alone, and A-IRLS is ALS with that
noise. So we fit ALS with the noise of the last steps next to each A-IRLS; differences come from the
weights.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.statistics.errors import rmse
from dpmc_studies.studies.huber.cells import COORDINATES, Cell
from dpmc_studies.studies.huber.experiments.common import papers_modules
from dpmc_studies.studies.huber.experiments.grid import cell_settings, huber_cells
from dpmc_studies.studies.huber.trial import SHARED, make_method, synthetic_instance

WEIGHTS_COLUMNS = (*COORDINATES, "trial", "below_one", "rmse_irls", "rmse_als")


class Remembering:
    """A mechanism that remembers the noise of the last inner step of every outer iteration."""

    def __init__(self, mechanism):
        self.mechanism, self.last = mechanism, []

    def rvs(self, size, rng):
        """Draw noise of shape (K, items, rank)."""
        noise = self.mechanism.rvs(size=size, rng=rng)
        self.last.append(noise[-1])
        return noise


class Replaying:
    """A mechanism that gives remembered noise again, shape (items, rank) at each call."""

    def __init__(self, noise):
        self._noise = iter(noise)

    def rvs(self, size, rng):
        """Return the next of the noise."""
        return next(self._noise)


def cells(section: Section) -> list[Cell]:
    """Return the synthetic cells of A-IRLS with Huber noise."""
    wanted = (SYNTHETIC, "irls", "huber")
    return [
        cell
        for cell in huber_cells(section)
        if (cell.dataset, cell.method, cell.mechanism) == wanted
    ]


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell uses."""
    return cell_settings(section, cell) | {"trials": section["weights"]["trials"]}


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Fit A-IRLS, and ALS with the same noise."""
    return {"weights": (row for each in task.cells.items() for row in weights(*each))}


def weights(cell: Cell, settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield a row of the table of weights for every trial of a synthetic A-IRLS cell with noise.

    Rows have the keys :data:`WEIGHTS_COLUMNS`. ``below_one`` is the share of ratings whose weight
    would be below 1 in one more inner step. ``rmse_irls`` is the RMSE of the cell's trial in the
    study, and ``rmse_als`` the RMSE of ALS with the noise of the last inner steps.
    """
    for trial in range(settings["trials"]):
        instance = synthetic_instance(cell.coordinates(), settings, trial)
        training, truth = instance.observed, instance.matrix()
        model = make_method(cell, settings)
        plain = make_method(replace(cell, method="als", irls_iterations=None), settings)
        model.mechanism = Remembering(model.mechanism)
        noise_rng = cell.stream(settings["seed"], NOISE, trial=trial)
        starts = [cell.stream(settings["seed"], START, *SHARED, trial=trial) for _ in range(2)]
        model.fit(training, rng=starts[0], noise_rng=noise_rng)
        plain.mechanism = Replaying(model.mechanism.last)
        plain.fit(training, rng=starts[1], noise_rng=noise_rng)
        residuals = training.values - model.predict(training.users, training.items)
        yield cell.coordinates() | {
            "trial": trial,
            "below_one": float(np.mean(np.abs(residuals) > model.threshold)),
            "rmse_irls": rmse(model.predict_matrix(), truth),
            "rmse_als": rmse(plain.predict_matrix(), truth),
        }


TABLES = {"weights": WEIGHTS_COLUMNS}
CELL = Cell
BY = ("dataset",)
modules = papers_modules
