"""The job of a curve: all trials of a data set, method and variant at each of its budgets."""

from dpmc.studies.dpals.cells import cells_of
from dpmc.studies.dpals.data import ratings_of
from dpmc.studies.dpals.trial import run_curve
from dpmc.study.task import Task


def fit(task: Task) -> dict[str, list[dict[str, object]]]:
    """Return the rows of the tables ``trials`` and ``iterations``."""
    cells = cells_of(task.coordinates, task.settings)
    trials, iterations = run_curve(cells, ratings=ratings_of(task))
    return {"trials": trials, "iterations": iterations}
