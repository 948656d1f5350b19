"""Chance as an explanation of a verdict: p-values, many claims at once, and power.

The p-value of a verdict is the smallest level at which its rule would still give the verdict. At 5
% this is the rule itself, except that the rule uses bootstrapped instead of t-intervals.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd
from scipy import special

from dpmc_studies.frame.judging.finding import (
    ALL,
    FACT,
    INCONCLUSIVE,
    MARGIN,
    MOST,
    MOST_OF_ALL,
    NO_EFFECT,
    NOT_RUN,
    POOLED,
    SUPPORTED,
    Finding,
)
from dpmc_studies.statistics.tests import LEVEL, Interval, RowTests, holm, row_tests

POWER = 0.8


def detectable(standard_error: np.ndarray, trials: np.ndarray, level: float = LEVEL) -> np.ndarray:
    """Return the smallest difference that a two-sided t-test would detect with 80 % power.

    It is (t(1 - level / 2) + t(0.8)) standard errors, both quantiles with n - 1 degrees of freedom:
    Bloom, "Minimum detectable effects" (Evaluation Review 19, 1995). NaN with fewer than two
    trials.
    """
    freedom = np.asarray(trials, dtype=float) - 1
    known = freedom >= 1
    freedom = np.where(known, freedom, 1.0)
    factor = special.stdtrit(freedom, 1 - level / 2) + special.stdtrit(freedom, POWER)
    return np.where(known, factor * np.asarray(standard_error, dtype=float), np.nan)


def _standard_error(low: np.ndarray, high: np.ndarray, trials: np.ndarray) -> np.ndarray:
    """Return the standard error behind a 95 % interval."""
    return (high - low) / 2 / special.stdtrit(np.maximum(trials - 1, 1), 1 - LEVEL / 2)


def p_of_effect(verdict: str, pooled: Interval, below: float = 0.0) -> float:
    """Return the p-value of a verdict on a pooled effect, NaN without an interval.

    For no effect, the p-value is the larger of the two one-sided tests against the margin. For
    supported, the test is two-sided against ``below``; for contradicted, two-sided against 0.
    """
    if not np.isfinite(pooled.low):
        return np.nan
    error = _standard_error(pooled.low, pooled.high, pooled.trials)
    if verdict == NO_EFFECT:
        sides, room = 1, min(pooled.estimate - MARGIN[0], MARGIN[1] - pooled.estimate)
    else:
        sides, room = 2, abs(pooled.estimate - (below if verdict == SUPPORTED else 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        return float(min(1.0, sides * special.stdtr(pooled.trials - 1, -room / error)))


def p_of_rule(
    rule: str,
    verdict: str,
    values: np.ndarray,
    pooled: Interval,
    threshold: float = 0.0,
    below: float = 0.0,
) -> float:
    """Return the p-value of a verdict by ALL, MOST or POOLED, NaN if inconclusive.

    ``values`` has shape (comparisons, trials), and ``pooled`` is their pooled effect. The other
    arguments are those of the rules.
    """
    if verdict == INCONCLUSIVE:
        return np.nan
    if verdict == NO_EFFECT or rule == POOLED:
        return p_of_effect(verdict, pooled, below)
    tests = row_tests(values, null=threshold)
    adjusted = holm(tests.p_value)
    wins = np.sort(adjusted[tests.mean < threshold])
    losses = np.sort(adjusted[tests.mean > threshold])
    count = len(adjusted)
    if rule == ALL:
        needed = int(np.ceil(MOST_OF_ALL * count))
        return float(wins[needed - 1] if verdict == SUPPORTED else losses[0])
    if verdict == SUPPORTED:
        return float(max(wins[count // 2], p_of_effect(verdict, pooled, below)))
    by_effect = p_of_effect(verdict, pooled) if pooled.low > 0 else np.inf
    more = losses[count // 2 :][:1]  # more than half
    return float(min([by_effect, *more]))


def p_of_range(verdict: str, tests: RowTests, low: float, high: float) -> float:
    """Return the p-value of a verdict on whether all means are in [low, high].

    Each mean has its own test, with Bonferroni's correction.
    """
    if verdict == INCONCLUSIVE:
        return np.nan
    room = np.minimum(tests.mean - low, high - tests.mean)
    with np.errstate(divide="ignore", invalid="ignore"):
        statistic = np.where(room == 0, 0.0, np.abs(room) / tests.standard_error)
    each = 2 * special.stdtr(np.maximum(tests.trials - 1, 1), -statistic)
    worst = each.max() if verdict == SUPPORTED else each[room < 0].min()
    return float(min(1.0, len(each) * worst))


def p_of_parts(findings: Sequence[Finding], verdict: str) -> float:
    """Return the p-value of a verdict on a conjunction.

    If the conjunction holds, the largest p-value of its parts counts. One part is enough against
    it: the smallest p-value counts, times the number of parts. Plain facts are certain. The result
    is NaN if a part that counts has no p-value.
    """
    if verdict == INCONCLUSIVE:
        return np.nan
    counted = [each for each in findings if each.verdict == verdict]
    found = np.array([0.0 if _is_certain(each) else each.p_value for each in counted])
    if verdict != SUPPORTED and np.isfinite(found).any():
        return float(min(1.0, len(findings) * np.nanmin(found)))
    return float(found.max())


def _is_certain(finding: Finding) -> bool:
    return finding.rule == FACT and not np.isfinite(finding.interval_low)


def with_chance(claims: pd.DataFrame, own: pd.Series) -> pd.DataFrame:
    """Add the columns ``holm`` and ``detectable`` to a table of claims.

    ``holm`` is the p-value after Holm's correction over all claims of the papers that have one, or
    over all of our own. ``detectable`` is the smallest pooled effect that rules on trials would
    have found, for verdicts of no effect, see :func:`detectable`.
    """
    adjusted = pd.Series(np.nan, index=claims.index)
    for family in (own, ~own):
        adjusted[family] = holm(claims.loc[family, "p_value"].to_numpy(dtype=float))
    low, high, trials = (
        claims[name].to_numpy(dtype=float, na_value=np.nan)
        for name in ("interval_low", "interval_high", "n")
    )
    shown = detectable(_standard_error(low, high, trials), trials)
    none = (claims["verdict"] == NO_EFFECT) & claims["rule"].isin([ALL, MOST, POOLED])
    return claims.assign(holm=adjusted, detectable=np.where(none, shown, np.nan))


def standing(claims: pd.DataFrame) -> tuple[int, int, list[str]]:
    """Count decided claims and those with a p-value, and name those that the correction undoes.

    The ids are those of claims that are decided at 5 %, but not after Holm's correction.
    """
    decided = claims[~claims["verdict"].isin([INCONCLUSIVE, NOT_RUN])]
    tested = decided[decided["p_value"].notna()]
    return len(decided), len(tested), list(tested["id"][tested["holm"] > LEVEL])
