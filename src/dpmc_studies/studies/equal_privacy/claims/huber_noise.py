"""The papers' claims at an equal total budget: H34 and H47; and P9, which is H34 for users."""

from collections.abc import Collection, Sequence

import numpy as np
import pandas as pd

from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.finding import INCONCLUSIVE, NOT_AVAILABLE, NOT_REPORTED, Finding
from dpmc_studies.frame.judging.rules import (
    Sample,
    all_of,
    explained,
    judge_most,
    judge_pooled,
    named,
    percent,
)
from dpmc_studies.frame.showing.frames import MECHANISM_LABELS
from dpmc_studies.statistics.paired import compare, less, more, pairs
from dpmc_studies.statistics.tests import log_positive, row_tests, trial_matrix
from dpmc_studies.studies.equal_privacy.claims.evidence import Evidence, claim
from dpmc_studies.studies.equal_privacy.claims.own import listed
from dpmc_studies.studies.equal_privacy.comparisons import factor_models
from dpmc_studies.studies.equal_privacy.frames import CELL, EVENTS, HUBER, dataset_label

METHODS = ("private_als", "private_irls")
NOISES = ("huber", "gaussian", "laplace")
STRICT, LOOSE = 1.0, 10.0  # total epsilon at most and at least
GROUP = ["dataset", "relation", "method"]
ROW = [*GROUP, "epsilon"]
ENTRY_LEVEL = tuple(name for name in RELATIONS if name not in USER_LEVEL)


@claim("H34")
def huber_is_the_best_trade_off(evidence: Evidence) -> Finding:
    """MOST entry-level rows against each other noise, by more at strict budgets than at loose ones.

    The papers' neighbours differ in a single element.
    """
    return _best_trade_off(evidence, ENTRY_LEVEL)


@claim("P9")
def huber_is_the_best_trade_off_for_users(evidence: Evidence) -> Finding:
    """As H34, at user level."""
    return _best_trade_off(evidence, USER_LEVEL)


@claim("H47")
def irls_is_more_accurate_at_the_same_budget(evidence: Evidence) -> Finding:
    """MOST rows by data, relation, noise and budget: A-IRLS against ALS."""
    rows, logs = log_rmse_by_noise(evidence.calibrated)
    if rows.empty:
        return _missing()
    both = rows.groupby(CELL)["method"].transform("nunique") == len(METHODS)
    als, irls = ((both & (rows["method"] == name)).to_numpy() for name in METHODS)
    deltas = [logs[noise][irls] - logs[noise][als] for noise in NOISES]
    here = rows[irls].reset_index(drop=True)
    parts = [
        f"{_spread([delta[index] for delta in deltas])} on {dataset_label(dataset)} "
        f"{EVENTS.get(relation, relation)}"
        for (dataset, relation), index in here.groupby(["dataset", "relation"]).indices.items()
    ]
    found = judge_most(_sample(np.concatenate(deltas), evidence.choices))
    return explained(found, f"Means (and ends) by data and relation: {'; '.join(parts)}.")


def _spread(deltas: Sequence[np.ndarray]) -> str:
    """Format the mean of comparisons, and the least and the largest of them."""
    means = row_tests(np.concatenate(deltas)).mean
    return f"{percent(means.mean())} ({percent(means.min())} to {percent(means.max())})"


def _best_trade_off(evidence: Evidence, relations: Collection[str]) -> Finding:
    rows, logs = log_rmse_by_noise(evidence.calibrated)
    here = rows["relation"].isin(relations).to_numpy() if len(rows) else np.zeros(0, dtype=bool)
    if not here.any():
        return _missing()
    rows = rows[here].reset_index(drop=True)
    deltas = {other: (logs["huber"] - logs[other])[here] for other in ("gaussian", "laplace")}
    parts = []
    for other, each in deltas.items():
        found = judge_most(_sample(each, evidence.choices))
        name = f"against {MECHANISM_LABELS[other]} noise ({found.verdict})"
        parts.append(named(name, found))
    trend = _strict_minus_loose(rows, (deltas["gaussian"] + deltas["laplace"]) / 2)
    if len(trend):
        parts.append(
            named("strict minus loose budgets", judge_pooled(_sample(trend, evidence.choices)))
        )
    else:
        parts.append(Finding(INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (strict and loose budgets)"))
    return explained(all_of(parts), _where_huber_differs(evidence, relations))


def _missing() -> Finding:
    return Finding(
        INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (fits at equal total privacy); {NOT_REPORTED}"
    )


def _where_huber_differs(evidence: Evidence, relations: Collection[str]) -> str:
    """Say at which budgets the best model with Huber noise and that with Gaussian noise differ."""
    huber, gaussian = (factor_models(evidence.calibrated, [name]) for name in (HUBER, "gaussian"))
    here = {place: errors for place, errors in evidence.places.items() if place[1] in relations}
    table = compare(pairs(here, huber, gaussian), CELL)
    size = evidence.choices.margin()[1]
    wins, losses = table[less(table, size)], table[more(table, size)]
    return (
        f"Of the best of ALS and A-IRLS, by over 1 %: Huber noise beats Gaussian noise at "
        f"{len(wins)} of {len(table)} budgets ({listed(wins)}) and loses to it at {len(losses)} "
        f"({listed(losses)})."
    )


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


def _sample(deltas: np.ndarray, choices: Choices) -> Sample:
    return Sample(deltas, np.full((len(deltas), 1), np.nan), choices)
