"""The claim that needs fits at an equal total budget: H34."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.frame.judging.finding import INCONCLUSIVE, NOT_AVAILABLE, NOT_REPORTED, Finding
from dpmc.frame.judging.rules import Sample, all_of, judge_most, judge_pooled
from dpmc.statistics.tests import log_positive, trial_matrix
from dpmc.studies.equal_privacy.claims.evidence import Evidence, claim

METHODS = ("private_als", "private_irls")
NOISES = ("huber", "gaussian", "laplace")
STRICT, LOOSE = 1.0, 10.0  # total epsilon at most and at least
GROUP = ["dataset", "relation", "method"]
ROW = [*GROUP, "epsilon"]


@claim("H34")
def huber_is_the_best_trade_off(evidence: Evidence) -> Finding:
    """MOST rows against each other noise, by more at strict budgets than at loose ones."""
    rows, logs = log_rmse_by_noise(evidence.calibrated)
    if rows.empty:
        return Finding(
            INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (fits at equal total privacy); {NOT_REPORTED}"
        )
    deltas = {other: logs["huber"] - logs[other] for other in ("gaussian", "laplace")}
    parts = [
        replace(found, reason=f"against {other}: {found.reason}")
        for other, found in ((name, judge_most(_sample(d))) for name, d in deltas.items())
    ]
    trend = _strict_minus_loose(rows, (deltas["gaussian"] + deltas["laplace"]) / 2)
    if len(trend):
        slope = judge_pooled(_sample(trend))
        parts.append(replace(slope, reason=f"strict minus loose budgets: {slope.reason}"))
    else:
        parts.append(Finding(INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (strict and loose budgets)"))
    return all_of(parts)


def log_rmse_by_noise(
    calibrated: pd.DataFrame | None,
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Return the rows in which all three noises ran, and their log RMSE by noise.

    The rows have the columns ``dataset, relation, method, epsilon``; the logarithms are noise ->
    array of shape (rows, trials), NaN where a row has fewer trials. RMSE is on all entries where
    these are known, else on held-out ratings.
    """
    if calibrated is None:
        return pd.DataFrame(columns=ROW), {}
    table = calibrated[calibrated["method"].isin(METHODS) & calibrated["mechanism"].isin(NOISES)]
    complete = table.groupby(ROW)["mechanism"].transform("nunique") == len(NOISES)
    table = table[complete].reset_index(drop=True)
    if table.empty:
        return pd.DataFrame(columns=ROW), {}
    logs = log_positive(table["rmse_all"].fillna(table["rmse_heldout"]))
    cells, matrix = trial_matrix(table, logs, [*ROW, "mechanism"])
    # sorted by row, then noise: each noise has the same rows in the same order
    by_noise = {noise: matrix[(cells["mechanism"] == noise).to_numpy()] for noise in NOISES}
    return cells.loc[cells["mechanism"] == "huber", ROW].reset_index(drop=True), by_noise


def _strict_minus_loose(rows: pd.DataFrame, deltas: np.ndarray) -> np.ndarray:
    """Return by data, relation and method the mean delta at strict minus that at loose budgets."""
    epsilon = rows["epsilon"].to_numpy(dtype=float)
    trends = []
    for index in rows.groupby(GROUP).indices.values():
        strict, loose = (index[at[index]] for at in (epsilon <= STRICT, epsilon >= LOOSE))
        if len(strict) and len(loose):
            trends.append(deltas[strict].mean(axis=0) - deltas[loose].mean(axis=0))
    return np.array(trends)


def _sample(deltas: np.ndarray) -> Sample:
    return Sample(deltas, np.full((len(deltas), 1), np.nan))
