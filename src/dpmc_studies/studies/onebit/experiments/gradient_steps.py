"""Gradient perturbation by K, its number of noised gradients, which the paper does not state."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from dpmc.errors import refuse_unknown
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.onebit.cells import ONEBIT_COORDINATES, OneBitCell
from dpmc_studies.studies.onebit.sample import BY_RANK
from dpmc_studies.studies.onebit.settings import cell_settings, inputs_of
from dpmc_studies.studies.onebit.trial import run_curve

MECHANISM = "grap"


@dataclass(frozen=True)
class StepsCell(OneBitCell):
    """A cell of the grid with a K of its own."""

    steps: int

    def on_grid(self) -> OneBitCell:
        """Return the cell of the grid, whose data and standard noise every K has."""
        return OneBitCell(**{name: getattr(self, name) for name in ONEBIT_COORDINATES})


STEPS_COLUMNS = (
    *StepsCell.names(), "trial", "rank",
    "are_raw", "are_truncated", "accuracy_raw", "accuracy_truncated", "actual_epsilon",
)  # fmt: skip


def cells(section: Section) -> list[StepsCell]:
    """Return the chosen cells of the grid with each K; none where the grid leaves them out.

    Of a data set those where the least is observed.

    Raises
    ------
    InputError
        An unknown data set.
    """
    own = section["gradient_steps"]
    refuse_unknown("data set in onebit.datasets", own["datasets"], section["datasets"])
    least: dict[str, float] = {}
    for cell in section["cells"]:
        fraction = least.get(cell.dataset, cell.observed_fraction)
        least[cell.dataset] = min(fraction, cell.observed_fraction)
    chosen = [
        cell
        for cell in section["cells"]
        if cell.mechanism == MECHANISM
        and cell.dataset in own["datasets"]
        and cell.epsilon in own["epsilons"]
        and cell.observed_fraction == least[cell.dataset]
    ]
    return [StepsCell(**cell.coordinates(), steps=k) for cell in chosen for k in own["steps"]]


def settings(section: Section, cell: StepsCell) -> dict[str, object]:
    """Return what the cell of the grid uses, with this K and fewer trials."""
    own = {"trials": section["gradient_steps"]["trials"], "iterations": cell.steps}
    return cell_settings(section, cell.on_grid()) | own


def run(task: Task) -> Iterator[dict[str, object]]:
    """Run one K with all its epsilons."""
    made = run_curve([cell.on_grid() for cell in task.cells], task.settings, ratings=task.ratings)
    return (row for each in made for row in _at_ranks(each, task.cell.steps, task.settings["rank"]))


def _at_ranks(row: Mapping, steps: int, rank: int) -> Iterator[dict[str, object]]:
    """Yield the row of a trial with the errors of outputs truncated to each rank."""
    by_rank = row.get(BY_RANK, {rank: row["accuracy_truncated"]})
    for each, accuracy in by_rank.items():
        found = row | {"steps": steps, "rank": each, "accuracy_truncated": accuracy}
        yield {name: found[name] for name in STEPS_COLUMNS}


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return ("dpmc.mechanisms.laplace",)


TABLES = {"gradient_steps": STEPS_COLUMNS}
CELL = StepsCell
BY = (*ONEBIT_COORDINATES[:4], "steps")
inputs = inputs_of
