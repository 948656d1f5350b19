"""The rules by which a claim is judged, on our trials and on the paper's own reported table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from dpmc.statistics.bootstrap import pooled_interval
from dpmc.statistics.tests import Interval, holm, row_tests

SUPPORTED, CONTRADICTED, INCONCLUSIVE = "supported", "contradicted", "inconclusive"
NOT_AVAILABLE = "data not available"
NOT_REPORTED = "the papers report no number for it"
LEVEL = 0.05
MOST_OF_ALL = 0.9  # share of wins that "always" needs
MARGIN = np.log1p(-0.01), np.log1p(0.01)  # an effect inside +-1 % is not worth naming


@dataclass(frozen=True)
class Finding:
    """What became of one claim: two verdicts and the numbers behind them.

    ``n`` is the number of trials behind the effect (the fewest of any cell), or of repeats,
    starts or samples where the claim is not about trials.
    """

    verdict: str
    reported_verdict: str = INCONCLUSIVE
    effect: float = np.nan
    interval_low: float = np.nan
    interval_high: float = np.nan
    n: float = np.nan
    reason: str = ""


class Sample(NamedTuple):
    """The comparisons of one claim, each below 0 where the claim holds."""

    ours: np.ndarray  # shape (comparisons, trials)
    reported: np.ndarray  # shape (comparisons, 1)


class Tally(NamedTuple):
    """How many comparisons are significantly below (wins) or above (losses) a threshold."""

    wins: int
    losses: int
    total: int
    obstacle: str  # why no verdict is possible, or empty

    def formatted(self) -> str:
        """Format the counts."""
        undecided = self.total - self.wins - self.losses
        return f"{self.wins} wins, {self.losses} losses, {undecided} undecided of {self.total}"


def tally(matrix: np.ndarray, threshold: float = 0.0) -> Tally:
    """Count wins and losses of paired t-tests, Holm-corrected over the rows at 5 %."""
    tests = row_tests(matrix, null=threshold)
    significant = holm(tests.p_value) <= LEVEL
    return Tally(
        int((significant & (tests.mean < threshold)).sum()),
        int((significant & (tests.mean > threshold)).sum()),
        len(matrix),
        obstacle_to(tests.trials),
    )


def obstacle_to(trials: np.ndarray, needed: int = 2) -> str:
    """Say why comparisons with these numbers of trials allow no verdict, or return ""."""
    missing, few = int((trials == 0).sum()), int((trials < needed).sum())
    if missing:
        return f"{NOT_AVAILABLE} ({missing} of {trials.size} comparisons)"
    if few:
        return f"fewer than {needed} trials give no interval"
    return ""


def count(reported: np.ndarray, threshold: float = 0.0) -> Tally:
    """Count reported comparisons below and above a threshold; a tie is neither."""
    values = reported[:, 0]
    obstacle = NOT_REPORTED if np.isnan(values).any() else ""
    wins, losses = (values < threshold - 1e-12).sum(), (values > threshold + 1e-12).sum()
    return Tally(int(wins), int(losses), len(values), obstacle)


def all_verdict(counts: Tally) -> str:
    """ALL: at least 90 % wins and no loss; any loss contradicts."""
    if counts.obstacle:
        return INCONCLUSIVE
    if counts.losses:
        return CONTRADICTED
    return SUPPORTED if counts.wins >= MOST_OF_ALL * counts.total else INCONCLUSIVE


def majority_verdict(counts: Tally) -> str:
    """Return MOST by counts alone: more than half wins; more losses than wins contradict."""
    if counts.obstacle:
        return INCONCLUSIVE
    if counts.losses > counts.wins:
        return CONTRADICTED
    return SUPPORTED if 2 * counts.wins > counts.total else INCONCLUSIVE


def pooled_verdict(pooled: Interval, below: float = 0.0) -> str:
    """Judge a pooled effect by its 95 % interval.

    Contradicted above 0 or inside +-1 % (checked first: a real effect of half a percent is
    still none worth naming), supported below ``below``.
    """
    if not np.isfinite(pooled.low):
        return INCONCLUSIVE
    if pooled.low > 0 or (pooled.low > MARGIN[0] and pooled.high < MARGIN[1]):
        return CONTRADICTED
    return SUPPORTED if pooled.high < below else INCONCLUSIVE


def most_verdict(counts: Tally, pooled: Interval, below: float = 0.0) -> str:
    """MOST: the pooled effect is below 0 and more than half of the comparisons are wins.

    Contradicted by the pooled effect (see :func:`pooled_verdict`) or by more losses than wins.
    """
    if counts.obstacle:
        return INCONCLUSIVE
    effect = pooled_verdict(pooled, below)
    if CONTRADICTED in (effect, majority_verdict(counts)):
        return CONTRADICTED
    wins = 2 * counts.wins > counts.total
    return SUPPORTED if wins and effect == SUPPORTED else INCONCLUSIVE


def judge_all(sample: Sample, threshold: float = 0.0) -> Finding:
    """Apply ALL to comparisons against a threshold."""
    ours, reported = tally(sample.ours, threshold), count(sample.reported, threshold)
    return _finding(sample, ours, reported, all_verdict(ours), all_verdict(reported))


def judge_most(sample: Sample, below: float = 0.0) -> Finding:
    """Apply MOST; ``below`` asks for a pooled effect that is that large."""
    ours, reported = tally(sample.ours), count(sample.reported)
    verdict = most_verdict(ours, pooled_interval(sample.ours), below)
    return _finding(sample, ours, reported, verdict, majority_verdict(reported))


def judge_pooled(sample: Sample) -> Finding:
    """Judge by the pooled effect alone; the reported table by a majority of its comparisons."""
    ours, reported = tally(sample.ours), count(sample.reported)
    verdict = INCONCLUSIVE if ours.obstacle else pooled_verdict(pooled_interval(sample.ours))
    return _finding(sample, ours, reported, verdict, majority_verdict(reported))


def both(findings: Sequence[Finding]) -> Finding:
    """Combine the parts of a claim: all must hold, and one that fails contradicts it.

    Effect, interval and n are those of the first part.
    """
    first = findings[0]
    return Finding(
        combined([finding.verdict for finding in findings]),
        combined([finding.reported_verdict for finding in findings]),
        first.effect,
        first.interval_low,
        first.interval_high,
        first.n,
        "; ".join(dict.fromkeys(finding.reason for finding in findings)),
    )


def combined(verdicts: Sequence[str]) -> str:
    """Return the verdict on a conjunction."""
    if CONTRADICTED in verdicts:
        return CONTRADICTED
    return SUPPORTED if set(verdicts) == {SUPPORTED} else INCONCLUSIVE


def verdict_of(holds: bool) -> str:
    """Return the verdict on a plain fact."""
    return SUPPORTED if holds else CONTRADICTED


def at_least(interval: Interval, threshold: float) -> str:
    """Judge "at least the threshold" by an interval."""
    if interval.low >= threshold:
        return SUPPORTED
    return CONTRADICTED if interval.high < threshold else INCONCLUSIVE


def mirrored(interval: Interval) -> Interval:
    """Return the interval of minus the estimate."""
    return interval._replace(estimate=-interval.estimate, low=-interval.high, high=-interval.low)


def percent(log_ratio: float) -> str:
    """Format a log ratio as a signed percentage."""
    return f"{100 * np.expm1(log_ratio):+.2f} %"


def _finding(sample: Sample, ours: Tally, reported: Tally, verdict: str, theirs: str) -> Finding:
    pooled = pooled_interval(sample.ours)
    trials = row_tests(sample.ours).trials
    return Finding(
        verdict,
        theirs,
        pooled.estimate,
        pooled.low,
        pooled.high,
        int(trials.min()),
        _reason(ours, reported, pooled),
    )


def _reason(ours: Tally, reported: Tally, pooled: Interval) -> str:
    parts = [ours.obstacle] if ours.obstacle else []
    if np.isfinite(pooled.estimate):
        parts.append(ours.formatted())
        parts.append(f"pooled {percent(pooled.estimate)}{_range(pooled)}")
    parts.append(reported.obstacle or f"reported: {reported.wins} of {reported.total}")
    return "; ".join(parts)


def _range(pooled: Interval) -> str:
    if not np.isfinite(pooled.low):
        return ""
    return f" ({percent(pooled.low)} to {percent(pooled.high)})"


Rows = Mapping[str, np.ndarray]  # what is compared -> its comparison by trial


Formatter = Callable[[float], str]


def points(difference: float) -> str:
    """Format a difference of shares in percentage points."""
    return f"{100 * difference:+.2f} points"


def always_below(rows: Rows, threshold: float = 0.0, *, formatter: Formatter = percent) -> Finding:
    """Apply ALL: comparisons are below the threshold where the claim holds.

    The effect is the mean over comparisons, its interval bootstrapped over trials.
    """
    matrix = np.array(list(rows.values()))
    counts = tally(matrix, threshold)
    pooled = pooled_interval(matrix)
    tests = row_tests(matrix)
    trials = int(tests.trials.min())
    found = f"{counts.formatted()}; mean {formatter(pooled.estimate)}"
    if np.isfinite(pooled.low):
        found += f" ({formatter(pooled.low)} to {formatter(pooled.high)})"
    if counts.losses:
        worst = int(np.argmax(tests.mean))
        found += f"; most against it {list(rows)[worst]} {formatter(tests.mean[worst])}"
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
