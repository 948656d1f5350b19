"""CPU time of private factorisation and what it is compared with, by the size of the matrix.

Source: the read-me of the repository DP_Matrix_Completion_Alt_Min; [Chien 2021], section 3.2, for
the cost of an iteration.
"""

import time
from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.errors import InputError
from dpmc.frame.jobs.seeds import DATA, NOISE, START, stream
from dpmc.frame.jobs.task import Task
from dpmc.studies.dpals.data import draw
from dpmc.studies.dpals.methods import METHODS, make_model

RATING_RANGE = (-10.0, 10.0)  # the deviation is 1


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Return the rows of the table ``timing``."""
    return {"timing": timing(task.settings)}


def timing(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield CPU seconds of an iteration of each method, of two iterations or more, at each size.

    The first fit of a method is not counted: it loads compiled kernels. Nor is the grouping of the
    ratings by user and item, which all methods share.

    Rows have the keys :data:`dpmc.studies.dpals.cells.TIMING_COLUMNS`; the seconds are the median
    from the end of an iteration to that of the next, so that a fit's preparations are not in them.
    ``settings`` is what :func:`dpmc.studies.dpals.settings.timing_settings` returns.
    """
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
                    yield {
                        "method": method,
                        "users": users,
                        "items": training.n_items,
                        "ratings": len(training),
                        "rank": settings["rank"],
                        "repeat": repeat,
                        "seconds": seconds,
                    }


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
