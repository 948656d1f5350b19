"""Gradient perturbation by K, its number of noised gradients, which the paper does not state."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from dpmc.errors import refuse_unknown
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.onebit.cells import ONEBIT_COORDINATES, OneBitCell
from dpmc_studies.studies.onebit.ranks import BY_RANK
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
# what the table shows of each metric: its name, factor and digits
SHOWN = {
    "are_truncated": ("ARE, truncated", 1.0, 3),
    "are_raw": ("ARE, raw", 1.0, 3),
    "accuracy_truncated": ("signs right (%), truncated", 100.0, 1),
    "accuracy_raw": ("signs right (%), raw", 100.0, 1),
}


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


def table(rows: Sequence[Mapping], labels: Mapping[str, str]) -> Table:
    """Return the mean error by data set, link, epsilon and K, truncated to the least rank.

    ``labels`` are for readers.
    """
    values = defaultdict(list)
    least: dict[str, int] = {}  # the data set's own rank; real data have others beside it
    for row in rows:
        least[row["dataset"]] = min(row["rank"], least.get(row["dataset"], row["rank"]))
    for row in (each for each in rows if each["rank"] == least[each["dataset"]]):
        for metric in SHOWN:
            if np.isfinite(row[metric]):
                line = row["dataset"], row["link"], metric
                values[line, (row["epsilon"], row["steps"])].append(row[metric])
    lines, places = ({key[part]: None for key in values} for part in (0, 1))
    columns = tuple(
        Column(f"epsilon_{epsilon:g}_steps_{steps}", f"K = {steps}", f"ε = {epsilon:g}")
        for epsilon, steps in sorted(places)
    )
    headings = (("dataset", "Data"), ("link", "Link"))
    made = []
    for dataset, link, metric in lines:
        label, scale, digits = SHOWN[metric]
        found = (values.get(((dataset, link, metric), place)) for place in sorted(places))
        made.append(
            Row(
                (dataset, link),
                (labels.get(dataset, dataset), labels.get(link, link)),
                label,
                tuple(_mean(each, scale, digits) for each in found),
            )
        )
    about = (
        "Mean and standard error over trials. Each of the K gradients has noise of K times the "
        "scale, drawn from the same stream for every K; on a fixed split the errors leave out its "
        "variance."
    )
    title = "Gradient perturbation (GraP) by its number of steps K"
    return Table("table_onebit_7_steps", title, headings, columns, tuple(made), (about,))


def _mean(values: Sequence[float] | None, scale: float, digits: int) -> Cell:
    if values is None:
        return Cell()
    scaled = scale * np.asarray(values)
    error = scaled.std(ddof=1) / np.sqrt(len(scaled)) if len(scaled) > 1 else np.nan
    return Cell(float(scaled.mean()), float(error), len(scaled), digits)


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return ("dpmc.mechanisms.laplace",)


TABLES = {"gradient_steps": STEPS_COLUMNS}
CELL = StepsCell
BY = (*ONEBIT_COORDINATES[:4], "steps")
inputs = inputs_of
