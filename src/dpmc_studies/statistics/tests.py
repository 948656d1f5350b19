"""Means, intervals and tests over trials, for every table, figure and verdict.

RMSE is compared on the logarithmic scale, paired by trial. Two cells that share a trial share its
data, its mask and its starting values, so their difference is far less noisy than either value. A
missing number is NaN everywhere; a statistic that needs more trials than there are is NaN, too.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy import special

from dpmc.errors import InputError

CONFIDENCE = 0.95
LEVEL = 0.05  # at which a difference is more than chance


class Interval(NamedTuple):
    """An estimate with its standard error, its 95 % interval and its number of trials."""

    estimate: float
    standard_error: float
    low: float
    high: float
    trials: int


class RowTests(NamedTuple):
    """One t-test per row of a (cells, trials) matrix; every field has shape (cells,)."""

    mean: np.ndarray
    standard_error: np.ndarray
    low: np.ndarray
    high: np.ndarray
    p_value: np.ndarray
    trials: np.ndarray


def row_tests(values: np.ndarray, *, null: float = 0.0, confidence: float = CONFIDENCE) -> RowTests:
    """Test for each row whether its mean is ``null``: two-sided t-test and t-interval.

    In ``values``, shape (cells, trials), NaN marks a missing trial; rows may have different numbers
    of trials. ``confidence`` is that of each row's interval; with 1 - 0.05 / rows all intervals
    hold together (Bonferroni). ``p_value`` and the interval are NaN for a row with fewer than two
    trials. A row without any spread has p-value 1 if its mean is ``null`` and 0 otherwise.
    """
    values = np.atleast_2d(np.asarray(values, dtype=float))
    present = np.isfinite(values)
    trials = present.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(present, values, 0.0).sum(axis=1) / trials
        deviation = np.where(present, values - mean[:, None], 0.0)
        variance = np.square(deviation).sum(axis=1) / (trials - 1)
        standard_error = np.where(trials > 1, np.sqrt(variance / trials), np.nan)
        statistic = np.abs(mean - null) / standard_error
    statistic = np.where((standard_error == 0) & (mean == null), 0.0, statistic)
    freedom = np.maximum(trials - 1, 1)
    half = special.stdtrit(freedom, (1 + confidence) / 2) * standard_error
    p_value = 2 * special.stdtr(freedom, -statistic)
    return RowTests(mean, standard_error, mean - half, mean + half, p_value, trials)


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of a sample with its standard error and 95 % t-interval.

    NaN values are left out; with fewer than two values the interval is NaN.
    """
    tests = row_tests(np.asarray(values, dtype=float)[None, :])
    return Interval(
        *(float(field[0]) for field in (tests.mean, tests.standard_error, tests.low, tests.high)),
        int(tests.trials[0]),
    )


def holm(p_values: Sequence[float]) -> np.ndarray:
    """Return Holm's adjusted p-values (Holm 1979), in the order given.

    Rejecting adjusted values of at most 5 % keeps the probability of any false rejection at 5 %,
    whatever the dependence. NaN stays NaN and does not count as a test.
    """
    p_values = np.asarray(p_values, dtype=float)
    adjusted = np.full(p_values.shape, np.nan)
    tested = np.flatnonzero(np.isfinite(p_values))
    order = tested[np.argsort(p_values[tested], kind="stable")]
    steps = p_values[order] * np.arange(order.size, 0, -1)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps), 1.0)
    return adjusted


def trial_matrix(
    table: pd.DataFrame, values: Sequence[float], keys: Sequence[str]
) -> tuple[pd.DataFrame, np.ndarray]:
    """Arrange one value per row of a trials table as a matrix of cells by trials.

    The table has the columns ``keys``, which name a cell, and ``trial``. ``values`` have shape
    (rows,), or (kinds, rows) for several kinds. The result is the cells, one per row and sorted by
    ``keys``, and the matrix, (cells, trials) or (kinds, cells, trials), with NaN for missing
    trials. The order of the rows does not matter. Two rows for one trial of a cell raise
    InputError.
    """
    names, rows, numbers, columns = cells_and_trials(table, keys)
    values = np.asarray(values, dtype=float)
    matrix = np.full((*values.shape[:-1], len(names), numbers.size), np.nan)
    matrix[..., rows, columns] = values
    return names, matrix


def cells_and_trials(
    table: pd.DataFrame, keys: Sequence[str]
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray, np.ndarray]:
    """Number the cells and trials of a trials table, as :func:`trial_matrix` arranges them.

    Return the cells, the cell number of each row, the ordered trials, and the trial number of each
    row. A cell with two rows for one trial raises InputError.
    """
    keys = list(keys)
    rows = table.groupby(keys, dropna=False, sort=True).ngroup().to_numpy()
    numbers, columns = np.unique(table["trial"].to_numpy(), return_inverse=True)
    if len(np.unique(rows * max(numbers.size, 1) + columns)) < len(table):
        twice = table[table.duplicated([*keys, "trial"])].iloc[0]
        cell = ", ".join(f"{key} {twice[key]}" for key in keys if pd.notna(twice[key]))
        raise InputError(f"the trials table has trial {twice['trial']} of {cell} more than once")
    names = table[keys].iloc[np.unique(rows, return_index=True)[1]]
    return names.reset_index(drop=True), rows, numbers, columns


def log_positive(values: Sequence[float]) -> np.ndarray:
    """Return the logarithm, NaN where a value is missing, infinite or not positive."""
    values = np.asarray(values, dtype=float)
    usable = np.isfinite(values) & (values > 0)
    return np.where(usable, np.log(np.where(usable, values, 1.0)), np.nan)
