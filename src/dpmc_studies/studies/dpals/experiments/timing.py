"""CPU time of private factorisation and what it is compared with, by the size of the matrix.

Source: the read-me of the repository DP_Matrix_Completion_Alt_Min; [Chien 2021], section 3.2, for
the cost of an iteration.
"""

import time
from collections.abc import Iterator

import numpy as np

from dpmc.errors import InputError, refuse_unknown
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.hyperparameters import model_settings
from dpmc_studies.frame.jobs.seeds import DATA, NOISE, START, stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.dpals.cells import STANDARD, DpalsCell
from dpmc_studies.studies.dpals.methods import METHODS, make_model
from dpmc_studies.studies.dpals.settings import modules_of

EPSILON = 10.0  # of the private methods: only their CPU time is asked for
RATING_RANGE = (-10.0, 10.0)  # the deviation is 1
TIMING_COLUMNS = ("method", "users", "items", "ratings", "rank", "repeat", "seconds")


def settings(section: Section, cell: Cell | None = None) -> dict[str, object]:
    """Return the sizes, and the hyper-parameters of a data set "timing" for each method."""
    own = dict(section["timing"])
    refuse_unknown("method", own["methods"], METHODS)
    fits = {name: DpalsCell("timing", name, STANDARD, EPSILON) for name in own.pop("methods")}
    table = section["hyperparameters"]
    models = {name: model_settings(table, fit.coordinates()) for name, fit in fits.items()}
    budget = {"epsilon": EPSILON, "delta": float(section["delta"])}
    return {"seed": section["seed"], **budget, **own, "models": models}


def modules(section: Section, cell: Cell) -> list[str]:
    """Return the modules of the methods."""
    return [module for name in section["timing"]["methods"] for module in modules_of(name)]


def run(task: Task) -> Iterator[dict[str, object]]:
    """Yield CPU seconds per iteration for each method, which runs two iterations or more, and size.

    The seconds exclude the first fit of a method, which loads compiled kernels, and the grouping of
    the ratings by user and item, which all methods share.

    Rows have the keys :data:`TIMING_COLUMNS`. The seconds are the median time from the end of one
    iteration to the end of the next, so they exclude the preparations of a fit.
    """
    from dpmc_studies.frame.jobs.data import draw  # imports numba

    settings = task.settings
    for users in settings["users"]:
        entry = {
            "users": users,
            "items": settings["items"],
            "rank": settings["rank"],
            "ratings_factor": settings["ratings_factor"],
            "test_entries": 1,
        }
        rng = stream(settings["seed"], DATA, {"users": users})
        training = draw(rng, entry, "timing").training
        training.by_user, training.by_item  # noqa: B018
        for method, given in settings["models"].items():
            for repeat in range(-1 if users == settings["users"][0] else 0, settings["repeats"]):
                seconds = _seconds(settings, method, given, training, repeat)
                if repeat >= 0:
                    shape = users, training.n_items, len(training), settings["rank"]
                    yield dict(zip(TIMING_COLUMNS, (method, *shape, repeat, seconds), strict=True))


def _seconds(settings, method, given, training, repeat) -> float:
    """CPU seconds of an iteration of one fit."""
    model = make_model(
        method,
        given,
        rating_range=RATING_RANGE,
        epsilon=settings["epsilon"],
        delta=settings["delta"],
    )
    if model.iterations < 2:
        raise InputError(f"To time an iteration of {method}, give it at least 2 of them.")
    key = {"method": method, "users": training.n_users, "repeat": repeat}
    rng, noise_rng = (stream(settings["seed"], purpose, key) for purpose in (START, NOISE))
    noise = {"noise_rng": noise_rng} if METHODS[method].private else {}
    ends = []
    model.fit(training, rng=rng, callback=lambda *_: ends.append(time.process_time()), **noise)
    return float(np.median(np.diff(ends)))


TABLES = {"timing": TIMING_COLUMNS}
