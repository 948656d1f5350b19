"""How the one-bit paper's claims are judged: "always below", "within a margin", on both outputs."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from dpmc.statistics.bootstrap import pooled_interval
from dpmc.statistics.tests import row_tests
from dpmc.studies.huber.claims.rules import (
    CONTRADICTED,
    INCONCLUSIVE,
    LEVEL,
    NOT_PRINTED,
    SUPPORTED,
    Finding,
    all_verdict,
    obstacle_to,
    percent,
    tally,
)
from dpmc.studies.onebit.claims.evidence import OneBitEvidence, Outputs

Rows = Mapping[str, np.ndarray]  # what is compared -> its comparison by trial
Spell = Callable[[float], str]


def points(difference: float) -> str:
    """Spell a difference of shares in percentage points."""
    return f"{100 * difference:+.2f} points"


def always_below(rows: Rows, threshold: float = 0.0, *, spell: Spell = percent) -> Finding:
    """Apply ALL: comparisons are below the threshold where the claim holds.

    The effect is the mean over comparisons, its interval bootstrapped over trials.
    """
    matrix = np.array(list(rows.values()))
    counts = tally(matrix, threshold)
    pooled = pooled_interval(matrix)
    tests = row_tests(matrix)
    trials = int(tests.trials.min())
    found = f"{counts.spelled()}; mean {spell(pooled.estimate)}"
    if np.isfinite(pooled.low):
        found += f" ({spell(pooled.low)} to {spell(pooled.high)})"
    if counts.losses:
        worst = int(np.argmax(tests.mean))
        found += f"; most against it {list(rows)[worst]} {spell(tests.mean[worst])}"
    return Finding(
        all_verdict(counts),
        INCONCLUSIVE,
        pooled.estimate,
        pooled.low,
        pooled.high,
        trials,
        counts.obstacle or f"{found}; n = {trials}",
    )


def within(rows: Rows, margin: float) -> Finding:
    """Judge that mean log ratios lie within +-margin, by simultaneous t-intervals (Bonferroni).

    Supported if every interval lies inside, contradicted if any lies wholly outside. The effect
    is the mean furthest from 0, with its simultaneous interval.
    """
    matrix = np.array(list(rows.values()))
    tests = row_tests(matrix, confidence=1 - LEVEL / len(rows))
    trials = int(tests.trials.min())
    obstacle = obstacle_to(tests.trials)
    if obstacle:
        return Finding(INCONCLUSIVE, n=trials, reason=obstacle)
    inside = (tests.low > -margin) & (tests.high < margin)
    outside = (tests.low > margin) | (tests.high < -margin)
    far = int(np.argmax(np.abs(tests.mean)))
    effect, low, high = (float(field[far]) for field in (tests.mean, tests.low, tests.high))
    verdict = CONTRADICTED if outside.any() else SUPPORTED if inside.all() else INCONCLUSIVE
    return Finding(
        verdict,
        INCONCLUSIVE,
        effect,
        low,
        high,
        trials,
        f"{inside.sum()} within {100 * np.expm1(margin):.3g} %, {outside.sum()} outside, "
        f"{(~inside & ~outside).sum()} undecided of {len(rows)}; furthest {list(rows)[far]} "
        f"{percent(effect)} ({percent(low)} to {percent(high)}); n = {trials}",
    )


def named(name: str, finding: Finding) -> Finding:
    """Say in the reason what a finding is about."""
    return replace(finding, reason=f"{name}: {finding.reason}")


def on_both_outputs(evidence: OneBitEvidence, judge: Callable[[Outputs], Finding]) -> Finding:
    """Judge the truncated outputs, and name in the reason what the raw ones would give."""
    found, raw = judge(evidence.truncated), judge(evidence.raw)
    return replace(
        found,
        reason=f"truncated outputs: {found.reason}. Raw outputs ({raw.verdict}): {raw.reason}. "
        f"{NOT_PRINTED.capitalize()}",
    )
