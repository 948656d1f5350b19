"""More trials of the cells of the grid that H8 reads, which was open at those of the grid.

They follow on the trials of the grid, on streams of their own, so that no other number moves. No
claim but H8 reads them, and no table or figure.
"""

from collections.abc import Iterator

from dpmc.frame.api import Job, Section, Settings
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.jobs.task import Task
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.experiments.common import (
    METHODS,
    in_proportion_to,
    papers_modules,
    rows_of,
)
from dpmc.studies.huber.experiments.grid import cell_settings, huber_cells
from dpmc.studies.huber.trial import TRIAL_COLUMNS, run_cell

FRACTIONS = (0.05, 0.15)  # the ends of the range, which H8 compares


def cells(section: Section) -> list[Cell]:
    """Return the synthetic cells with Huber noise at both ends, none if one is not in the grid."""
    if not section["more_trials"] or not {*FRACTIONS} <= {*section["observed_fractions"]}:
        return []
    return [
        cell
        for cell in huber_cells(section)
        if (cell.dataset, cell.mechanism) == (SYNTHETIC, "huber")
        and cell.method in METHODS
        and cell.observed_fraction in FRACTIONS
    ]


def settings(section: Section, cell: Cell) -> Settings:
    """Return what a cell of the grid uses, its trials among it, and how many follow on them."""
    return cell_settings(section, cell) | {"more_trials": section["more_trials"]}


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run the trials after those of the grid."""
    return {"more_trials": rows_of(task, following)}


def following(cell: Cell, settings: Settings, ratings: None = None) -> Iterator[dict[str, object]]:
    """Yield the rows of the trials of a cell that follow on those of the grid."""
    first = settings["trials"]
    return run_cell(cell, settings, trials=range(first, first + settings["more_trials"]))


JOB = Job(
    name="more_trials",
    run=f"{__name__}:run",
    tables={"more_trials": TRIAL_COLUMNS},
    cell=Cell,
    cells=cells,
    by=("rank", "observed_fraction"),
    settings=settings,
    modules=papers_modules,
    seconds=16.0,
    effort=in_proportion_to("more_trials"),
)
