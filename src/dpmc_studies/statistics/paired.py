"""Comparisons of errors, paired by trial: which model has the least error at each place.

A *place*, such as a data set with a budget, is where several models were run on the same data. Its
errors are a frame with a row for each trial and a column for each model, NaN for a missing trial;
less is better. Errors are compared as logarithms, so that differences are relative.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd

from dpmc_studies.statistics.tests import LEVEL, cells_and_trials, holm, row_tests

COLUMNS = ("first", "second", "difference", "low", "high", "p_value", "trials", "p_adjusted")


def places(
    table: pd.DataFrame, errors: Sequence[float], names: Sequence[str], models: str | list[str]
) -> dict[tuple, pd.DataFrame]:
    """Arrange errors, one per row of ``table``, by place.

    ``table`` has a row for each place, model and trial. The columns ``names`` hold the place, with
    the budget last; a model without a budget counts at every budget. The columns ``models`` hold
    the model, and ``trial`` the trial. Two rows for one trial of a model raise InputError.
    """
    keys = [models] if isinstance(models, str) else models
    # numbered once: pandas would look for the names of models and trials again at every place
    cells, cell, trials, trial = cells_and_trials(table, [*names, *keys])
    named = pd.Index if isinstance(models, str) else pd.MultiIndex.from_frame
    labels = named(cells[models])
    rows = table[list(names)].assign(error=errors, cell=cell, trial=trial)

    def wide(here: pd.DataFrame) -> pd.DataFrame:
        column, columns = pd.factorize(here["cell"], sort=isinstance(models, str))
        line, lines = pd.factorize(here["trial"], sort=True)
        found = np.full((lines.size, columns.size), np.nan)
        found[line, column] = here["error"]
        return pd.DataFrame(found, pd.Index(trials[lines], name="trial"), labels[columns])

    found = {}
    *rest, budget = names
    for outer, there in rows.groupby(list(rest), sort=True):
        without = there[there[budget].isna()]
        free = None if without.empty else wide(without)
        for value, here in there.groupby(budget, sort=True):
            place = wide(here)
            if free is not None:
                others = [name for name in free.columns if name not in place.columns]
                place = place.join(free[others])
            found[(*outer, value)] = place
    return found


class Leader(NamedTuple):
    """The model with the least mean error at a place, and those statistically tied with it."""

    best: Hashable
    error: float  # its mean
    tied: tuple[Hashable, ...]  # paired t-tests, Holm; one trial ties with everything

    @property
    def leaders(self) -> tuple[Hashable, ...]:
        """The best and those tied with it."""
        return (self.best, *self.tied)


def leader(errors: pd.DataFrame, among: Collection | None = None) -> Leader | None:
    """Return the leader at a place among the models ``among`` (None for all), or None."""
    there = errors.dropna(axis="columns", how="all")
    if among is not None:
        there = there[[name for name in there.columns if name in set(among)]]
    if there.empty:
        return None
    means = there.mean()
    best = means.idxmin()
    others = there.drop(columns=[best])
    tests = row_tests(others.sub(there[best], axis="index").to_numpy().T)
    apart = holm(tests.p_value) <= LEVEL
    return Leader(best, float(means[best]), tuple(others.columns[~apart]))


class Pair(NamedTuple):
    """The best of one group of models against the best of another at one place."""

    first: Hashable
    second: Hashable
    differences: np.ndarray  # of errors by trial; below 0 the first is better


def pairs(
    places: Mapping[tuple, pd.DataFrame], first: Collection, second: Collection
) -> dict[tuple, Pair]:
    """Compare the best of one group with the best of another at each place that has both.

    The best model of a group has the least mean error at the place, over the compared trials.
    """
    groups = set(first), set(second)
    found = {}
    for place, errors in places.items():
        means = errors.mean().dropna().to_dict()
        sides = [[name for name in means if name in among] for among in groups]
        if all(sides):
            one, other = (min(names, key=means.get) for names in sides)
            found[place] = Pair(one, other, (errors[one] - errors[other]).to_numpy())
    return found


def compare(found: Mapping[tuple, Pair], names: Sequence[str]) -> pd.DataFrame:
    """Test the differences of :func:`pairs`: paired t-tests, Holm over all places.

    The table has a row for each place: the parts of its name under ``names``, then :data:`COLUMNS`.
    ``difference`` is a mean and comes with its 95 % interval.
    """
    frame = pd.DataFrame([*found], columns=list(names))
    sides = {side: [getattr(pair, side) for pair in found.values()] for side in ("first", "second")}
    tests = [row_tests(pair.differences) for pair in found.values()]
    fields = {"difference": "mean", "low": "low", "high": "high", "p_value": "p_value"}
    fields |= {"trials": "trials"}
    numbers = {name: [getattr(test, field)[0] for test in tests] for name, field in fields.items()}
    adjusted = holm(numbers["p_value"])
    return frame.assign(**sides, **numbers, p_adjusted=adjusted)


def less(table: pd.DataFrame, margin: float = 0.0) -> np.ndarray:
    """Return per row of :func:`compare` whether the first model has significantly less error."""
    return ((table["p_adjusted"] <= LEVEL) & (table["difference"] < -margin)).to_numpy()


def more(table: pd.DataFrame, margin: float = 0.0) -> np.ndarray:
    """Return per row of :func:`compare` whether the first model has significantly more error."""
    return ((table["p_adjusted"] <= LEVEL) & (table["difference"] > margin)).to_numpy()
