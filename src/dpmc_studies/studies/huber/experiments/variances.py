"""SweetRS at other noise variances than that of the grid: the papers do not state theirs."""

from collections.abc import Iterator

from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.common import (
    SWEETRS,
    papers_modules,
    ratings_of,
    rows_of,
)
from dpmc_studies.studies.huber.experiments.grid import cell_settings
from dpmc_studies.studies.huber.trial import TRIAL_COLUMNS, run_cell


def cells(section: Section) -> list[Cell]:
    """Return ALS without noise, and with Gaussian noise of each variance.

    Neither Huber noise of scale 1 nor its loss goes below 1.
    """
    if SWEETRS not in section["real"]:
        return []
    own = section["sweetrs_variances"]
    noises = [("none", 1.0), *(("gaussian", variance) for variance in own["variances"])]
    place = SWEETRS, section["real"][SWEETRS]["rank"], own["observed_fraction"]
    return [Cell.of(*place, "als", *noise, None) for noise in noises]


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell of the grid uses, with trials of its own."""
    return cell_settings(section, cell) | {"trials": section["sweetrs_variances"]["trials"]}


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run the cells."""
    return {"sweetrs_variances": rows_of(task, run_cell)}


NAME = "sweetrs_variances"
TABLES = {"sweetrs_variances": TRIAL_COLUMNS}
CELL = Cell
BY = ("dataset",)
inputs = ratings_of
modules = papers_modules
