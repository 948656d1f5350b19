"""RMSE and seconds after each iteration of the methods in chapter 3 of the thesis.

The methods are singular value thresholding (section 3.2), truncated singular value decomposition
(3.3.1), fast tri-factorisation (3.3.2) and alternating least squares (3.4.1), all without noise.
The chapter contains no experiment and does not name a data set.
"""

import time
from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.ratings import Ratings
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.seeds import START, stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_class, method_module
from dpmc_studies.statistics.errors import rmse
from dpmc_studies.studies.huber.cells import Cell, DataCell
from dpmc_studies.studies.huber.experiments.common import MOVIELENS, ratings_of
from dpmc_studies.studies.huber.trial import split

THESIS_COLUMNS = ("dataset", "name", "trial", "iteration", "seconds", "rmse_heldout", "rse_heldout")


def cells(section: Section) -> list[DataCell]:
    """Return MovieLens; nothing where the section leaves it out."""
    return [DataCell(MOVIELENS)] if MOVIELENS in section["real"] else []


def settings(section: Section, cell: DataCell) -> dict[str, object]:
    """Return the methods, and the first split of MovieLens."""
    first = section["real"][cell.dataset]["splits"][0]
    fraction = first["observed_fraction"]
    return dict(section["thesis_methods"]) | {
        "seed": section["seed"],
        "dataset": cell.dataset,
        "observed_fraction": fraction,
        "training_share": first.get("training_share", fraction),
    }


def modules(section: Section, cell: DataCell) -> list[str]:
    """Return the modules of the methods, which are imported by name."""
    entries = section["thesis_methods"]["methods"].values()
    return [method_module(entry["method"]) for entry in entries]


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run the methods of the thesis's chapter 3."""
    return {"thesis_methods": thesis_methods(task.settings, task.ratings)}


def thesis_methods(settings: Mapping, ratings: Ratings) -> Iterator[dict[str, object]]:
    """Yield the errors of every method after each of its iterations, and its seconds until then.

    Rows have the keys :data:`THESIS_COLUMNS`. They hold the RMSE on held-out ratings, in rating
    units, and the relative error |P(M - X)|_F / |P(M)|_F on them. Seconds are for the fit only.
    """
    cell = Cell(settings["dataset"], 1, None, settings["observed_fraction"], "", "none", None)
    for name, entry in settings["methods"].items():
        factory, own = method_class(entry["method"]), entry["settings"]
        short = own | {name: 1 for name in own if name == "iterations"}
        training, _ = split(ratings, settings, cell, 0)
        factory(**short).fit(training, rng=np.random.default_rng(0))  # loads what is compiled
        for trial in range(settings["trials"]):
            training, heldout = split(ratings, settings, cell, trial)
            key = {"experiment": "thesis_methods", "trial": trial}
            rng = stream(settings["seed"], START, key)
            for row in _by_iteration(factory(**own), rng, training, heldout):
                yield {"dataset": cell.dataset, "name": name, "trial": trial} | row


def _by_iteration(model, rng, training: Ratings, heldout: Ratings) -> list[dict[str, float]]:
    rows, spent = [], 0.0
    size = float(np.sqrt(np.mean(np.square(heldout.values))))
    begin = time.perf_counter()

    def record(iteration, model):
        nonlocal spent, begin
        spent += time.perf_counter() - begin
        error = rmse(model.predict(heldout.users, heldout.items), heldout.values)
        errors = {"rmse_heldout": error, "rse_heldout": error / size}
        rows.append({"iteration": iteration, "seconds": spent} | errors)
        begin = time.perf_counter()

    model.fit(training, rng=rng, callback=record)
    return rows


TABLES = {"thesis_methods": THESIS_COLUMNS}
CELL = DataCell
inputs = ratings_of
ALONE = True
