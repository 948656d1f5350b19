"""Which method has less error: ratios of errors, paired by trial."""

from collections.abc import Collection

import numpy as np
import pandas as pd

from dpmc.statistics.tests import holm, log_positive, row_tests

LEVEL = 0.05
COLUMNS = ["epsilon", "ratio", "low", "high", "p_value", "trials"]


def errors_by_trial(here: pd.DataFrame, metric: str = "rmse") -> pd.DataFrame:
    """Return log errors of one data set and variant: trials by (method, epsilon).

    Epsilon is infinite for what has none.
    """
    logs = here.assign(log=log_positive(here[metric]), epsilon=here["epsilon"].fillna(np.inf))
    return logs.pivot(index="trial", columns=["method", "epsilon"], values="log")


def ratios(here: pd.DataFrame, first: str, second: str, metric: str = "rmse") -> pd.DataFrame:
    """Return the error of one method over that of another, for every epsilon of the first.

    Parameters
    ----------
    here : DataFrame
        Rows of one data set and variant.
    first, second : str
        Methods; one without epsilon stands against all of the other's.
    metric : str

    Returns
    -------
    DataFrame
        Columns :data:`COLUMNS`: geometric means of the ratios with 95 % t intervals, and the
        p-value of "they are equal" (NaN with a single trial).
    """
    table = errors_by_trial(here, metric)
    rows = []
    for epsilon in _budgets(table, first):
        other = epsilon if (second, epsilon) in table else np.inf
        if (second, other) not in table:
            continue
        tests = row_tests((table[first, epsilon] - table[second, other]).to_numpy())
        if tests.trials[0]:
            ends = [float(np.exp(field[0])) for field in (tests.mean, tests.low, tests.high)]
            rows.append((epsilon, *ends, float(tests.p_value[0]), int(tests.trials[0])))
    return pd.DataFrame(rows, columns=COLUMNS)


def _budgets(table: pd.DataFrame, method: str) -> list[float]:
    return [] if method not in table else sorted(table[method].columns)


def less(table: pd.DataFrame) -> pd.Series:
    """Say per row of :func:`ratios` whether the first has significantly less error (Holm)."""
    return (table["ratio"] < 1) & (np.nan_to_num(holm(table["p_value"]), nan=1.0) < LEVEL)


def more(table: pd.DataFrame) -> pd.Series:
    """Say per row of :func:`ratios` whether the first has significantly more error (Holm)."""
    return (table["ratio"] > 1) & (np.nan_to_num(holm(table["p_value"]), nan=1.0) < LEVEL)


def best_of(here: pd.DataFrame, methods: Collection[str], metric: str = "rmse") -> pd.DataFrame:
    """Return the method of least mean log error by epsilon.

    Parameters
    ----------
    here : DataFrame
        Rows of one data set and variant.
    methods : collection of str
        Private ones.
    metric : str

    Returns
    -------
    DataFrame
        Columns ``epsilon``, ``best``, ``error`` (geometric mean), ``alone`` (whether it is
        significantly better than each of the others: paired t-tests, Holm).
    """
    private = here[here["method"].isin(list(methods)) & here["epsilon"].notna()]
    table = errors_by_trial(private, metric).swaplevel(axis="columns").sort_index(axis="columns")
    rows = []
    for epsilon in table.columns.get_level_values("epsilon").unique():
        wide = table[epsilon].dropna(axis="columns", how="all")
        best = wide.mean().idxmin()
        others = wide.columns.drop(best)
        tests = row_tests((wide[others].to_numpy() - wide[[best]].to_numpy()).T)
        significant = np.nan_to_num(holm(tests.p_value), nan=1.0) < LEVEL
        rows.append((epsilon, best, float(np.exp(wide[best].mean())), bool(significant.all())))
    return pd.DataFrame(rows, columns=["epsilon", "best", "error", "alone"])
