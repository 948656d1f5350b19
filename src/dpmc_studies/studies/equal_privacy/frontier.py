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


def cells(section: Mapping) -> Iterable[Releases]:
    """Return a cell for each number of releases."""
    return map(Releases, section["frontier"]["releases"])


def settings(section: Section, cell: Releases) -> dict[str, object]:
    """Return exactly what a cell uses."""
    frontier = {"epsilons": section["frontier"]["epsilons"], "delta": section["delta"]}
    return {"releases": [cell.releases]} | frontier


def run(task: Task) -> list[dict[str, object]]:
    """Return the smallest variances at sensitivity 1 for each budget of all releases together.

    Both parameters of Huber noise are optimised and returned; ``ratio`` is its variance over the
    smaller of the other two.
    """
    (count,), delta = task.settings["releases"], task.settings["delta"]
    rows = []
    for epsilon in task.settings["epsilons"]:
        found = smallest_variances(count, epsilon, delta)
        variances = {mechanism: one.noise.var() for mechanism, one in found.items()}
        huber = found["huber"].noise
        rows.append(
            {
                "releases": count,
                "epsilon": float(epsilon),
                "delta": delta,
                **variances,
                "huber_a": huber.a,
                "huber_scale": huber.scale,
                "ratio": variances["huber"] / min(variances["gaussian"], variances["laplace"]),
                "best": best_of(variances),
            }
        )
    return rows


TABLES = {"frontier": COLUMNS}
CELL = Releases
