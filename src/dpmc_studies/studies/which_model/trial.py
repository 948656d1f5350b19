"""What a trial is: data, one fit, its error on test ratings."""

import time
from collections.abc import Callable, Mapping

from dpmc_studies.datasets.parts import Split
from dpmc_studies.frame.jobs.data import make_split
from dpmc_studies.frame.jobs.entries import public_range
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import variant
from dpmc_studies.statistics.errors import rmse
from dpmc_studies.studies.which_model.cells import COLUMNS, FitCell


def budget_of(cell: FitCell, settings: Mapping) -> dict[str, object]:
    """Return what every private method is constructed with."""
    return {
        "relation": "user_add_remove",
        "epsilon": cell.epsilon,
        "delta": settings["delta"],
        "mechanism": "gaussian",
        "rating_range": public_range(settings["data"]),
    }


def make_model(cell: FitCell, settings: Mapping):
    """Construct the model of a cell."""
    method = variant(cell.method)
    given = {**budget_of(cell, settings), **settings["model"], **method.settings}
    return method.factory()(**given)


def run_fits(task: Task) -> list[dict[str, object]]:
    """Run all trials of a data set, method and variant at each of its budgets."""

    def fit(cell, settings, trial, split):
        rng = cell.stream(settings["seed"], START, trial=trial)
        noise_rng = cell.stream(settings["seed"], NOISE, trial=trial)
        model = make_model(cell, settings)
        return model.fit(split.training, rng=rng, noise_rng=noise_rng)

    return run_trials(task, fit)


def row_of(cell, settings, trial, split, model, seconds) -> dict[str, object]:
    """Return the row of the table of trials."""
    predicted = model.predict(split.test.users, split.test.items)
    row = {
        **cell.coordinates(),
        "trial": trial,
        "users": split.training.n_users,
        "items": split.training.n_items,
        "ratings": len(split.training),
        "rmse": rmse(predicted, split.test.values),
        "claimed_epsilon": model.guarantee_.epsilon,
        "claimed_delta": settings["delta"],
        "actual_epsilon": model.guarantee_.epsilon,
        "actual_delta": model.guarantee_.delta,
        "seconds": seconds,
    }
    return {name: row[name] for name in COLUMNS}


def run_trials(
    task: Task,
    fit: Callable[[FitCell, Mapping, int, Split], object],
    row: Callable[..., dict[str, object]] = row_of,
) -> list[dict[str, object]]:
    """Return the row of every trial, cell by cell; the data of a trial are the same for all cells.

    ``fit`` fits the model of a cell, ``row`` makes the row.
    """
    rows = {cell: [] for cell in task.cells}
    for trial in range(max(settings["trials"] for settings in task.cells.values())):
        wanted = {cell: own for cell, own in task.cells.items() if trial < own["trials"]}
        first = next(iter(wanted))
        split = make_split(first.dataset, wanted[first], trial, task.ratings)
        split.training.by_user, split.training.by_item  # noqa: B018  not the method's business
        for cell, settings in wanted.items():
            begin = time.process_time()
            model = fit(cell, settings, trial, split)
            seconds = time.process_time() - begin
            rows[cell].append(row(cell, settings, trial, split, model, seconds))
    return [row for found in rows.values() for row in found]
