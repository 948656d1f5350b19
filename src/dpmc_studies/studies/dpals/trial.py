"""What a trial of private factorisation at user level is: data, one fit, its errors.

Source: [Chien 2021], section 6. Only the entries to compare with are predicted.
"""

import time
from collections.abc import Mapping

import numpy as np

from dpmc.ratings import Ratings
from dpmc_studies.datasets.parts import LIANG, Split
from dpmc_studies.frame.jobs.data import make_split
from dpmc_studies.frame.jobs.entries import public_range
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.statistics.errors import rmse
from dpmc_studies.studies.dpals.cells import DPALS_COLUMNS, DpalsCell
from dpmc_studies.studies.dpals.data import Restricted, restricted, sampled
from dpmc_studies.studies.dpals.methods import METHODS, PREPARED, make_model
from dpmc_studies.studies.dpals.recall import recall


def run_fits(task: Task) -> dict[str, list[dict[str, object]]]:
    """Run all trials of a data set, method and variant at each of its budgets: both tables.

    All budgets use the same data of a trial. The rows of the trials come cell by cell; a value that
    does not apply is None. The seconds of a job's first fit can include loading compiled kernels.
    Only cells that ask for rows by iteration have them.
    """
    trials = {cell: [] for cell in task.cells}
    iterations = {cell: [] for cell in task.cells}
    for trial in range(max(settings["trials"] for settings in task.cells.values())):
        wanted = {cell: own for cell, own in task.cells.items() if trial < own["trials"]}
        cell, settings = next(iter(wanted.items()))
        split = make_split(cell.dataset, settings, trial, task.ratings)
        for cell, settings in wanted.items():
            row, steps = run_trial(cell, settings, trial, split)
            trials[cell].append(row)
            iterations[cell].extend(steps)
        del split  # before the next one is made: large ones take hundreds of megabytes
    tables = {"trials": trials, "iterations": iterations}
    return {name: [row for rows in each.values() for row in rows] for name, each in tables.items()}


def run_trial(
    cell: DpalsCell, settings: Mapping, trial: int, split: Split
) -> tuple[dict[str, object], list[dict[str, object]]]:
    """Fit once on the streams of a trial: the row of the trial table, and those by iteration."""
    clock = Clock(split.test if settings.get("by_iteration") else None)
    model = fit(cell, settings, trial, split.training, clock)
    guarantee = getattr(model, "guarantee_", None)
    by_users = settings["data"].get("split") == LIANG
    scores = {"recall": recall(model, split)} if by_users else errors(model, split.test)
    coordinates = cell.coordinates() | {"trial": trial}
    found = {
        **coordinates,
        "users": split.training.n_users,
        "items": split.training.n_items,
        "ratings": len(split.training),
        **scores,
        "iterations": getattr(model, "iterations", None),
        "seconds": clock.seconds,
    }
    if guarantee is not None:
        found |= {
            "claimed_epsilon": getattr(model, "claimed_epsilon_", guarantee.epsilon),
            "claimed_delta": settings["delta"],
            "actual_epsilon": guarantee.epsilon,
            "actual_delta": guarantee.delta,
        }
    row = {name: found.get(name) for name in DPALS_COLUMNS}
    return row, [coordinates | step for step in clock.steps]


def errors(model, test: Ratings) -> dict[str, float]:
    """Return RMSE and relative error ||x - y||/||y|| of predictions of test entries."""
    predicted = model.predict(test.users, test.items)
    found = rmse(predicted, test.values)
    return {"rmse": found, "rse": found / float(np.sqrt(np.mean(np.square(test.values))))}


class Clock:
    """CPU seconds of a fit; with test entries also the errors after each of its iterations.

    ``seconds`` excludes the time of computing errors; ``steps`` has iteration, rmse, rse, seconds.
    """

    def __init__(self, test: Ratings | None = None):
        self.test, self.seconds, self.steps = test, 0.0, []
        self.start()

    def start(self) -> None:
        """Begin to measure."""
        self._begin = time.process_time()

    def stop(self) -> None:
        """Add what has passed since the start."""
        self.seconds += time.process_time() - self._begin

    def record(self, iteration: int, model) -> None:
        """Add the errors of the model after an iteration, without the time that they take."""
        self.stop()
        found = errors(model, self.test)
        self.steps.append({"iteration": iteration, **found, "seconds": self.seconds})
        self.start()


def fit(cell: DpalsCell, settings: Mapping, trial: int, training: Ratings, clock: Clock):
    """Fit the model of a cell on the streams of a trial, measured by a clock.

    The result has ``predict``. It also has the attributes of the method's class, unless only some
    items were fitted.
    """
    rng = cell.stream(settings["seed"], START, trial=trial)
    noise_rng = cell.stream(settings["seed"], NOISE, trial=trial)
    given = settings["model"]
    model = make_model(
        cell.method,
        given,
        rating_range=public_range(settings["data"]),
        epsilon=cell.epsilon,
        delta=settings.get("delta"),
    )
    training.by_user, training.by_item  # noqa: B018  grouping is not the method's business
    clock.start()
    number = means = None
    prepared = PREPARED.get(cell.method, ())
    if "item_share" in prepared and given.get("item_share", 1) < 1:
        means = training.by_user.means(float(training.by_user.values.mean()))
        training, number = restricted(training, given["item_share"])

    def whole(inner):
        return inner if number is None else Restricted(inner, number, means)

    def record(iteration, inner):
        clock.record(iteration, whole(inner))

    more = {"noise_rng": noise_rng} if METHODS[cell.method].private else {}
    if "ratings_per_user" in prepared:
        sampling = given.get("sampling", "uniform")
        more["of_items"] = sampled(training, given["ratings_per_user"], sampling, rng)
    model.fit(training, rng=rng, callback=None if clock.test is None else record, **more)
    clock.stop()
    return whole(model)
