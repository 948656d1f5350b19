"""The papers' own metric: means of cells, differences between cells that share their trials."""

import numpy as np
import pandas as pd

from dpmc.statistics.tests import RowTests, holm, log_positive, row_tests, trial_matrix
from dpmc.studies.huber.cells import COORDINATES
from dpmc.study.cells import SYNTHETIC


def published_metric(trials: pd.DataFrame) -> pd.Series:
    """Return per row the RMSE that the papers print: all entries, or held out on real data."""
    synthetic = trials["dataset"] == SYNTHETIC
    return trials["rmse_all"].where(synthetic, trials["rmse_heldout"]).astype(float)


def cell_summary(trials: pd.DataFrame) -> pd.DataFrame:
    """Return mean, standard error, 95 % t-interval and number of trials of every cell.

    The metric is the published one, see :func:`published_metric`, on its own scale.
    """
    cells, matrix = trial_matrix(trials, published_metric(trials), COORDINATES)
    return cells.assign(**_described(row_tests(matrix)))


def paired_differences(
    trials: pd.DataFrame, column: str, first: object, second: object
) -> pd.DataFrame:
    """Compare two values of one coordinate in all cells that agree in the others.

    Parameters
    ----------
    trials : DataFrame
        The trials table.
    column : str
        The coordinate that differs, for example ``"mechanism"``.
    first, second : object
        Its two values, for example ``"huber"`` and ``"gaussian"``.

    Returns
    -------
    DataFrame
        One row per pair of cells: the other coordinates, then of log RMSE_first - log
        RMSE_second over the common trials ``mean, standard_error, low, high, p_value,
        trials`` and ``p_holm``, adjusted over the rows of the table.
    """
    keys = [name for name in COORDINATES if name != column]
    logs = trials.assign(log_rmse=log_positive(published_metric(trials)))
    sides = [
        logs.loc[logs[column] == value, [*keys, "trial", "log_rmse"]] for value in (first, second)
    ]
    merged = sides[0].merge(sides[1], on=[*keys, "trial"], suffixes=("_first", "_second"))
    cells, matrix = trial_matrix(merged, merged["log_rmse_first"] - merged["log_rmse_second"], keys)
    tests = row_tests(matrix)
    return cells.assign(**_described(tests), p_value=tests.p_value, p_holm=holm(tests.p_value))


def _described(tests: RowTests) -> dict[str, np.ndarray]:
    fields = ("mean", "standard_error", "low", "high", "trials")
    return {field: getattr(tests, field) for field in fields}


def log_by_trial(cell: pd.DataFrame) -> pd.Series:
    """Return log RMSE (published metric) of the trials of one cell, indexed by trial."""
    return pd.Series(log_positive(published_metric(cell)), index=cell["trial"].to_numpy())


def paired_difference(first: pd.DataFrame, second: pd.DataFrame) -> np.ndarray:
    """Return log RMSE of ``first`` minus that of ``second``, for the trials that both have.

    Both are trial tables of one cell each.
    """
    return (log_by_trial(first) - log_by_trial(second)).dropna().sort_index().to_numpy()
