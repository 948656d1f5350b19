"""Which mechanism needs the least noise for a budget: a map over releases and epsilon."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dpmc.privacy.calibration import best_of, smallest_variances
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.task import Task

COLUMNS = (
    "releases", "epsilon", "delta", "laplace", "gaussian", "huber", "huber_a", "huber_scale",
    "ratio", "best",
)  # fmt: skip


@dataclass(frozen=True)
class Releases(Cell):
    """A number of releases: one job of the frontier."""

    releases: int


def settings(section: Section, cell: Releases) -> dict[str, object]:
    """Return the arguments of :func:`frontier_table`."""
    frontier = {"epsilons": section["frontier"]["epsilons"], "delta": section["delta"]}
    return {"releases": [cell.releases]} | frontier


def run(task: Task) -> list[dict[str, object]]:
    """Find the smallest variances; the settings are the arguments of :func:`frontier_table`."""
    return frontier_table(**task.settings)


def frontier_table(
    releases: Iterable[int], epsilons: Iterable[float], delta: float = 1e-5
) -> list[dict[str, object]]:
    """Return the smallest variances at sensitivity 1 for each number of releases and budget.

    Budgets are of all releases together. Rows have the keys COLUMNS: the variances of the three
    mechanisms (Huber noise optimised over both its parameters), those parameters, Huber's variance
    over the smaller of the other two, and the name of the best.
    """
    epsilons = list(epsilons)
    return [_row(count, epsilon, delta) for count in releases for epsilon in epsilons]


def _row(count: int, epsilon: float, delta: float) -> dict[str, object]:
    found = smallest_variances(count, epsilon, delta)
    variances = {mechanism: one.noise.var() for mechanism, one in found.items()}
    huber = found["huber"].noise
    return {
        "releases": count,
        "epsilon": float(epsilon),
        "delta": delta,
        **variances,
        "huber_a": huber.a,
        "huber_scale": huber.scale,
        "ratio": variances["huber"] / min(variances["gaussian"], variances["laplace"]),
        "best": best_of(variances),
    }


def cells(section: Mapping) -> Iterable[Releases]:
    """Return a cell for each number of releases."""
    return map(Releases, section["frontier"]["releases"])


TABLES = {"frontier": COLUMNS}
CELL = Releases
