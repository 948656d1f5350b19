"""Judging the claims at an equal total budget: P1 to P9, H34 and H47.

P1 to P8, except P7, are declared as data. Their rows are places (data set, relation, epsilon); each
row is a difference of log RMSE, paired by trial. If a side has several models, the one with the
lowest mean counts, chosen on the compared trials; the table ``comparisons`` has all rows. Rows of
the other claims are fits of one method, also paired by trial.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.claims import judge_all, registering
from dpmc_studies.frame.judging.comparing import Comparison, at_places, compared_claims
from dpmc_studies.frame.judging.finding import (
    INCONCLUSIVE,
    NOT_AVAILABLE,
    NOT_REPORTED,
    Finding,
)
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.frame.judging.rules import (
    Rows,
    Sample,
    all_of,
    explained,
    fact,
    judge_most,
    judge_pooled,
    named,
    not_available,
    percent,
)
from dpmc_studies.frame.showing.frames import (
    FACTOR_MODELS,
    MECHANISM_LABELS,
    PRIVATE_BASELINES,
    in_list,
)
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.statistics.paired import Pair, compare
from dpmc_studies.statistics.tests import log_positive, row_tests, trial_matrix
from dpmc_studies.studies.equal_privacy.frames import (
    CELL,
    DATASETS,
    EVENTS,
    HUBER,
    MODEL,
    NAMES,
    REFERENCE_LABELS,
    TRIVIAL,
    UNTUNED,
    dataset_label,
    error,
    places_and_references,
)
from dpmc_studies.yaml_files import beside

COLUMNS = ("claim", *CELL, "first", "second", "difference", "low", "high", "p_value", "trials")
METHODS = REFERENCE_LABELS | UNTUNED | PRIVATE_BASELINES | FACTOR_MODELS
COORDINATES = {
    "dataset": DATASETS,
    "relation": {name: EVENTS[name].replace("if", "neighbours where") for name in RELATIONS},
    "epsilon": (),
    "method": METHODS,
    "mechanism": {name: f"{MECHANISM_LABELS[name]} noise" for name in MECHANISM_LABELS},
}
GROUPS = {
    "private factorisations": FACTOR_MODELS,
    "private baselines": PRIVATE_BASELINES,
    "private biases": [name for name in PRIVATE_BASELINES if name != TRIVIAL],
    "models without noise": REFERENCE_LABELS,
}
"""What ``claims.yaml`` calls several models."""
FACTORS, NOISES = ("private_als", "private_irls"), ("huber", "gaussian", "laplace")
STRICT, LOOSE = 1.0, 10.0  # total epsilon at most and at least
GROUP = ["dataset", "relation", "method"]
ROW = [*GROUP, "epsilon"]
ENTRY_LEVEL = tuple(name for name in RELATIONS if name not in USER_LEVEL)
CHOICES = {"margins times two": Choices(widening=2.0)}


@dataclass(frozen=True)
class Evidence:
    """The tables that the predicates judge, None where they have not been made."""

    calibrated: pd.DataFrame | None = None
    frontier: pd.DataFrame | None = None
    choices: Choices = USUAL

    @cached_property
    def places(self) -> dict[tuple, pd.DataFrame]:
        """Log RMSE of all models by (data set, relation, epsilon)."""
        return places_and_references(self.calibrated)


PREDICATES: dict[str, Callable[[Evidence], Finding]] = {}
claim = registering(PREDICATES)


def run(folder: Path, settings: object) -> dict[str, pd.DataFrame]:
    """Judge the claims on the tables of a run, which lie in ``folder``; no setting is used.

    The table ``comparisons`` has what they are judged on, by claim and place.
    """
    evidence = Evidence(**read_results(folder, NAMES))
    return {"claims": judge(evidence), "comparisons": compared_places(evidence)}


def judge(evidence: Evidence) -> pd.DataFrame:
    """Judge all claims, columns :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS`."""
    readings = {}
    if evidence.calibrated is not None:
        cells = {"calibrated": (*CELL, *MODEL, "trial")}
        changed = on_trials({"calibrated": evidence.calibrated}, cells)
        readings = {name: replace(evidence, **tables) for name, tables in changed}
    readings |= {name: replace(evidence, choices=other) for name, other in CHOICES.items()}
    return judge_all(__file__, PREDICATES, evidence, readings)


# -- A against B -----------------------------------------------------------------------------------


def compared(evidence: Evidence, comparison: Comparison) -> dict[tuple, Pair]:
    """Set the best of some models against the best of others, where both were run."""
    if evidence.calibrated is None:
        return {}
    return at_places(comparison, evidence.places, CELL, MODEL)


def judged(evidence: Evidence, comparison: Comparison) -> Finding:
    """Judge a comparison at all its places."""
    return comparison.judge(rows_of(compared(evidence, comparison)), evidence.choices)


def rows_of(found: Mapping[tuple, Pair]) -> Rows:
    """Return the differences by the name of their place."""
    return {
        f"{in_list(dataset_label(dataset))}, {EVENTS.get(relation, relation)}, ε = {epsilon:g}": (
            pair.differences
        )
        for (dataset, relation, epsilon), pair in found.items()
    }


COMPARED = compared_claims(beside(__file__, "claims.yaml"), judged, COORDINATES, GROUPS, MODEL)
PREDICATES.update(COMPARED)


def compared_places(evidence: Evidence) -> pd.DataFrame:
    """Return what is compared for all claims, columns :data:`COLUMNS`: a row a claim and place."""
    tables = [
        compare(here, CELL).assign(claim=name)
        for name, predicate in COMPARED.items()
        if (here := compared(evidence, predicate.parts[0]))
    ]
    if not tables:
        return pd.DataFrame(columns=list(COLUMNS))
    table = pd.concat(tables, ignore_index=True)[list(COLUMNS)]
    return table.assign(**{side: table[side].map(" + ".join) for side in ("first", "second")})


# -- claims of Huber noise -------------------------------------------------------------------------


@claim("P7")
def huber_noise_needs_least_variance_somewhere(evidence: Evidence) -> Finding:
    """FACT: some numbers of releases and budgets at which its least variance is the lowest."""
    frontier = evidence.frontier
    if frontier is None:
        return not_available("the table of least variances")
    wins, best = frontier["best"] == HUBER, frontier.loc[frontier["ratio"].idxmin()]
    if not wins.any():
        return fact(False, f"Huber noise wins nowhere on these {len(frontier)} points.")
    where = (
        f"Huber noise wins at {wins.sum()} of {len(frontier)} points, by "
        f"{100 * (1 - best['ratio']):.1f} % of the variance at most, at {best['releases']:,g} "
        f"releases and ε = {best['epsilon']:g} with a = {best['huber_a']:.2f}."
    )
    text = "It needs its scale chosen for the budget; the papers fix it at 1."
    return fact(True, f"{where} {text}")


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
    both = rows.groupby(CELL)["method"].transform("nunique") == len(FACTORS)
    als, irls = ((both & (rows["method"] == name)).to_numpy() for name in FACTORS)
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
    return all_of(parts)


def _missing() -> Finding:
    return Finding(
        INCONCLUSIVE, reason=f"{NOT_AVAILABLE} (fits at equal total privacy); {NOT_REPORTED}"
    )


def log_rmse_by_noise(
    calibrated: pd.DataFrame | None,
) -> tuple[pd.DataFrame, dict[str, np.ndarray]]:
    """Return the rows in which all three noises ran, and their log RMSE by noise.

    The rows have the columns ``dataset, relation, method, epsilon``. The second value maps a noise
    to its log RMSE, an array of shape (rows, trials) with NaN where a row has fewer trials.
    """
    if calibrated is None:
        return pd.DataFrame(columns=ROW), {}
    table = calibrated[calibrated["method"].isin(FACTORS) & calibrated["mechanism"].isin(NOISES)]
    complete = table.groupby(ROW)["mechanism"].transform("nunique") == len(NOISES)
    table = table[complete].reset_index(drop=True)
    if table.empty:
        return pd.DataFrame(columns=ROW), {}
    logs = log_positive(error(table))
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
