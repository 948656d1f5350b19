"""Many starts on one and the same data: does Huber noise leave local minima?"""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.jobs.seeds import NOISE, START, stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.common import (
    MECHANISMS,
    METHODS,
    method_settings,
    papers_modules,
)
from dpmc_studies.studies.huber.trial import make_method, synthetic_instance

STARTS_COLUMNS = (
    "rank", "variance", "observed_fraction", "method", "mechanism", "trial", "start",
    "settled_loss",
)  # fmt: skip


class Stopping:
    """A mechanism whose noise stops after so many draws, one for each outer iteration."""

    def __init__(self, mechanism, draws: int):
        self.mechanism, self.left = mechanism, draws

    def rvs(self, size, rng):
        """Draw noise, zeros once it has stopped."""
        self.left -= 1
        return self.mechanism.rvs(size=size, rng=rng) if self.left >= 0 else np.zeros(size)


def cells(section: Section) -> list[Cell]:
    """Return every method and mechanism at each rank."""
    own = section["starts"]
    return [
        Cell.of(
            SYNTHETIC, rank, own["observed_fraction"], method, mechanism, own["variance"],
            section["irls_iterations"],
        )
        for rank in own["ranks"]
        for method in METHODS
        for mechanism in MECHANISMS
    ]  # fmt: skip


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell uses: data and noise are those of the first trial alone."""
    used = method_settings(section, "starts")
    return {name: value for name, value in used.items() if name not in ("ranks", "trials")}


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run many starts on the same data."""
    return {"starts": (row for each in task.cells.items() for row in starts(*each))}


def starts(cell: Cell, settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the training loss that fits of the same data reach from many random starts.

    Start number s is the same for every mechanism; each fit has its own noise. After the papers'
    number of iterations, a fit runs for as many iterations again without noise, which lead it to
    the nearest minimum. ``settled_loss`` is the loss at that minimum.
    """
    noisy = settings["iterations"]
    observed = synthetic_instance(cell.coordinates(), settings, 0).observed
    for start in range(settings["count"]):
        key = {"experiment": "starts", "start": start}
        model = make_method(cell, {**settings, "iterations": 2 * noisy})
        if model.mechanism is not None:
            model.mechanism = Stopping(model.mechanism, noisy)
        model.fit(
            observed,
            rng=stream(settings["seed"], START, key),
            noise_rng=cell.stream(settings["seed"], NOISE, **key),
        )
        found = {"trial": 0, "start": start, "settled_loss": model.training_loss(observed)}
        row = cell.coordinates() | found
        yield {name: row[name] for name in STARTS_COLUMNS}


TABLES = {"starts": STARTS_COLUMNS}
CELL = Cell
BY = ("rank",)
modules = papers_modules
