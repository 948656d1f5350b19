"""Held-out error by iteration on real data: is the papers' T = 20 where overfitting begins?"""

from collections.abc import Iterator, Mapping

from dpmc.ratings import Ratings
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.statistics.errors import rmse
from dpmc_studies.studies.huber.cells import COORDINATES, Cell
from dpmc_studies.studies.huber.experiments.common import (
    MOVIELENS,
    papers_modules,
    ratings_of,
    rows_of,
)
from dpmc_studies.studies.huber.experiments.grid import cell_settings
from dpmc_studies.studies.huber.trial import fit, split

HELDOUT_COLUMNS = (*COORDINATES, "trial", "iteration", "rmse_heldout")
# ALS without noise, and the models with the noise that is theirs in the papers' table 4
MODELS = (("als", "none"), ("als", "gaussian"), ("irls", "huber"))


def cells(section: Section) -> list[Cell]:
    """Return the models on the first split of MovieLens; none where the section leaves it out."""
    if MOVIELENS not in section["real"]:
        return []
    entry = section["real"][MOVIELENS]
    place = MOVIELENS, entry["rank"], entry["splits"][0]["observed_fraction"]
    noise = entry["variance"], entry["irls_iterations"]
    return [Cell.of(*place, *model, *noise) for model in MODELS]


def settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell of the grid uses, with more iterations and fewer trials."""
    own = {name: section["heldout"][name] for name in ("trials", "iterations")}
    return cell_settings(section, cell) | own


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run the errors on held-out ratings by iteration."""
    return {"heldout": rows_of(task, errors_by_iteration)}


def errors_by_iteration(
    cell: Cell, settings: Mapping, ratings: Ratings
) -> Iterator[dict[str, object]]:
    """Yield RMSE on held-out ratings after each outer iteration, in rating units.

    Streams are those of the cell's trials, so that the first iterations are theirs.
    """
    for trial in range(settings["trials"]):
        training, heldout = split(ratings, settings, cell, trial)
        errors = []

        def record(_iteration, model, heldout=heldout, errors=errors):
            errors.append(rmse(model.predict(heldout.users, heldout.items), heldout.values))

        fit(cell, settings, trial, training, record)
        for iteration, error in enumerate(errors, start=1):
            found = {"trial": trial, "iteration": iteration, "rmse_heldout": error}
            yield cell.coordinates() | found


TABLES = {"heldout": HELDOUT_COLUMNS}
CELL = Cell
BY = ("dataset",)
inputs = ratings_of
modules = papers_modules
