"""The rules by which a claim is judged, on our trials and on the paper's own reported table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from scipy import special

from dpmc.statistics.bootstrap import pooled_interval
from dpmc.statistics.tests import Interval, RowTests, holm, row_tests

SUPPORTED, CONTRADICTED = "supported", "contradicted"
NO_EFFECT, INCONCLUSIVE = "no effect", "inconclusive"
VERDICTS = (SUPPORTED, CONTRADICTED, NO_EFFECT, INCONCLUSIVE)
NOT_AVAILABLE = "data not available"
NOT_REPORTED = "the papers report no number for it"
LEVEL = 0.05
MOST_OF_ALL = 0.9  # share of wins that "always" needs
MARGIN = np.log1p(-0.01), np.log1p(0.01)  # an effect inside +-1 % is not worth naming
EQUIVALENCE = 0.9  # confidence of the interval that has to lie inside: two one-sided tests at 5 %
OURS, PAPERS = "ours", "the paper's"
ALL, MOST, POOLED, WITHIN, AT_LEAST, FACT = "all", "most", "pooled", "within", "at least", "fact"


@dataclass(frozen=True)
class Finding:
    """What became of one claim: two verdicts and what is behind them.

    Attributes
    ----------
    verdict : str
        On our trials, one of :data:`VERDICTS`. "No effect" is as firm as the first two: the whole
        90 % interval lies inside the margin.
    reported_verdict : str
        On the papers' own numbers.
    effect, interval_low, interval_high : float
        With its 95 % interval.
    n : float
        Trials behind the effect (the fewest of any cell), or repeats, starts or samples where the
        claim is not about trials.
    reason : str
    rule : str
        By which it was judged.
    margin : float
        Below which an effect counts as none, or that the claim names, in units of the effect.
    margin_of : str
        Whose margin that is, :data:`OURS` or :data:`PAPERS`; empty without one.
    needed : float
        About how many trials would decide, if means and spreads stayed what they are; NaN if it is
        decided or cannot be by more of them.
    """

    verdict: str
    reported_verdict: str = INCONCLUSIVE
    effect: float = np.nan
    interval_low: float = np.nan
    interval_high: float = np.nan
    n: float = np.nan
    reason: str = ""
    rule: str = FACT
    margin: float = np.nan
    margin_of: str = ""
    needed: float = np.nan


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


def all_verdict(counts: Tally, no_effect: bool = False) -> str:
    """ALL: at least 90 % wins and no loss; any loss contradicts; else there may be no effect."""
    if counts.obstacle:
        return INCONCLUSIVE
    if counts.losses:
        return CONTRADICTED
    if counts.wins >= MOST_OF_ALL * counts.total:
        return SUPPORTED
    return NO_EFFECT if no_effect else INCONCLUSIVE


def majority_verdict(counts: Tally) -> str:
    """Return MOST by counts alone: more than half wins; more losses than wins contradict."""
    if counts.obstacle:
        return INCONCLUSIVE
    if counts.losses > counts.wins:
        return CONTRADICTED
    return SUPPORTED if 2 * counts.wins > counts.total else INCONCLUSIVE


def has_no_effect(values: np.ndarray) -> bool:
    """Say whether the whole 90 % interval of a pooled effect lies inside +-1 %.

    Parameters
    ----------
    values : array, shape (comparisons, trials)
    """
    inner = pooled_interval(values, confidence=EQUIVALENCE)
    return bool(MARGIN[0] < inner.low and inner.high < MARGIN[1])


def pooled_verdict(pooled: Interval, below: float = 0.0, no_effect: bool = False) -> str:
    """Judge a pooled effect by its 95 % interval.

    No effect inside +-1 % (checked first: a real effect of half a percent is still none worth
    naming), contradicted above 0, supported below ``below``.
    """
    if not np.isfinite(pooled.low):
        return INCONCLUSIVE
    if no_effect or (pooled.low > MARGIN[0] and pooled.high < MARGIN[1]):
        return NO_EFFECT
    if pooled.low > 0:
        return CONTRADICTED
    return SUPPORTED if pooled.high < below else INCONCLUSIVE


def most_verdict(
    counts: Tally, pooled: Interval, below: float = 0.0, no_effect: bool = False
) -> str:
    """MOST: the pooled effect is below 0 and more than half of the comparisons are wins.

    No effect or contradicted by the pooled effect (see :func:`pooled_verdict`); contradicted by
    more losses than wins.
    """
    if counts.obstacle:
        return INCONCLUSIVE
    effect = pooled_verdict(pooled, below, no_effect)
    if effect == NO_EFFECT:
        return NO_EFFECT
    if CONTRADICTED in (effect, majority_verdict(counts)):
        return CONTRADICTED
    wins = 2 * counts.wins > counts.total
    return SUPPORTED if wins and effect == SUPPORTED else INCONCLUSIVE


def judge_all(sample: Sample, threshold: float = 0.0) -> Finding:
    """Apply ALL to comparisons against a threshold."""
    ours, reported = tally(sample.ours, threshold), count(sample.reported, threshold)
    verdict = all_verdict(ours, threshold == 0 and has_no_effect(sample.ours))
    return _finding(ALL, sample, ours, reported, verdict, all_verdict(reported), threshold)


def judge_most(sample: Sample, below: float = 0.0) -> Finding:
    """Apply MOST; ``below`` asks for a pooled effect that is that large."""
    ours, reported = tally(sample.ours), count(sample.reported)
    pooled, none = pooled_interval(sample.ours), has_no_effect(sample.ours)
    verdict = most_verdict(ours, pooled, below, none)
    return _finding(MOST, sample, ours, reported, verdict, majority_verdict(reported))


def judge_pooled(sample: Sample) -> Finding:
    """Judge by the pooled effect alone; the reported table by a majority of its comparisons."""
    ours, reported = tally(sample.ours), count(sample.reported)
    pooled, none = pooled_interval(sample.ours), has_no_effect(sample.ours)
    verdict = INCONCLUSIVE if ours.obstacle else pooled_verdict(pooled, no_effect=none)
    return _finding(POOLED, sample, ours, reported, verdict, majority_verdict(reported))


def both(findings: Sequence[Finding]) -> Finding:
    """Combine the parts of a claim: all must hold, and one that fails contradicts it.

    Effect, interval, n, rule and margin are those of the first part; what is needed is needed by
    the part that needs most.
    """
    first = findings[0]
    return replace(
        first,
        verdict=combined([finding.verdict for finding in findings]),
        reported_verdict=combined([finding.reported_verdict for finding in findings]),
        reason="; ".join(dict.fromkeys(finding.reason for finding in findings)),
        needed=np.fmax.reduce([finding.needed for finding in findings]),
    )


def combined(verdicts: Sequence[str]) -> str:
    """Return the verdict on a conjunction: one part that does not hold is enough."""
    for verdict in (CONTRADICTED, NO_EFFECT):
        if verdict in verdicts:
            return verdict
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


def trials_needed(rule: str, values: np.ndarray, threshold: float = 0.0) -> float:
    """Return about how many trials would decide, if means and spreads stayed what they are.

    The least of what would show that there is no effect, and of what would decide by the rule:
    POOLED and MOST by an interval off 0, MOST also by wins of more than half of the comparisons,
    ALL by wins of 90 % of them or by one loss.

    Parameters
    ----------
    rule : {"all", "most", "pooled"}
    values : array, shape (comparisons, trials)
    threshold : float
        What comparisons are tested against.

    Returns
    -------
    float
        Two significant digits; NaN with fewer trials than an interval needs, infinite if no number
        of trials would do.
    """
    tests, pooled = row_tests(values, null=threshold), pooled_interval(values)
    trials = int(tests.trials.min())
    if trials < 2 or (rule != ALL and not np.isfinite(pooled.low)):
        return np.nan
    with np.errstate(divide="ignore", invalid="ignore"):
        width = (pooled.high - pooled.low) / 2
        by_effect = (width / np.abs(pooled.estimate - threshold)) ** 2
        half = special.stdtrit(trials - 1, 1 - LEVEL / (2 * len(values))) * tests.standard_error
        by_row = (half / np.abs(tests.mean - threshold)) ** 2
    wins, losses = np.sort(by_row[tests.mean < threshold]), by_row[tests.mean > threshold]
    if rule == ALL:
        enough = int(np.ceil(MOST_OF_ALL * len(values)))
        won = wins[enough - 1] if enough <= len(wins) else np.inf
        decided = min(won, losses.min(initial=np.inf))
    elif rule == MOST and pooled.estimate < threshold:
        enough = len(values) // 2 + 1
        decided = max(by_effect, wins[enough - 1]) if enough <= len(wins) else np.inf
    else:
        decided = by_effect
    room = MARGIN[1] - abs(pooled.estimate)
    quantiles = special.stdtrit(trials - 1, [(1 + EQUIVALENCE) / 2, 1 - LEVEL / 2])
    none = (width * quantiles[0] / quantiles[1] / room) ** 2 if room > 0 else np.inf
    none = none if threshold == 0 and np.isfinite(none) else np.inf
    factor = min(decided, none)
    return _two_digits(max(trials * factor, trials + 1)) if np.isfinite(factor) else np.inf


def trials_off_zero(interval: Interval) -> float:
    """Return about how many trials would take 0 out of an interval, as :func:`trials_needed`."""
    half = (interval.high - interval.low) / 2
    if not (np.isfinite(half) and interval.estimate):
        return np.inf
    return _two_digits(max(interval.trials * (half / interval.estimate) ** 2, interval.trials + 1))


def _two_digits(number: float) -> float:
    unit = 10.0 ** max(np.floor(np.log10(number)) - 1, 0)
    return float(np.ceil(number / unit) * unit)


def _finding(
    rule: str,
    sample: Sample,
    ours: Tally,
    reported: Tally,
    verdict: str,
    theirs: str,
    threshold: float = 0.0,
) -> Finding:
    pooled = pooled_interval(sample.ours)
    trials = row_tests(sample.ours).trials
    open_one = verdict == INCONCLUSIVE and not ours.obstacle
    return Finding(
        verdict,
        theirs,
        pooled.estimate,
        pooled.low,
        pooled.high,
        int(trials.min()),
        _reason(ours, reported, pooled),
        rule,
        threshold or MARGIN[1],
        OURS,
        trials_needed(rule, sample.ours, threshold) if open_one else np.nan,
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
    return _below(ALL, rows, threshold, formatter)


def mostly_below(rows: Rows, *, formatter: Formatter = percent) -> Finding:
    """Apply MOST: the mean over comparisons, and more than half of them, are below 0.

    The effect is that mean, its interval bootstrapped over trials.
    """
    return _below(MOST, rows, 0.0, formatter)


def _below(rule: str, rows: Rows, threshold: float, formatter: Formatter) -> Finding:
    matrix = np.array(list(rows.values()))
    counts = tally(matrix, threshold)
    pooled = pooled_interval(matrix)
    tests = row_tests(matrix)
    trials = int(tests.trials.min())
    none = threshold == 0 and has_no_effect(matrix)
    if rule == MOST:
        verdict = most_verdict(counts, pooled, no_effect=none)
    else:
        verdict = all_verdict(counts, none)
    open_one = verdict == INCONCLUSIVE and not counts.obstacle
    found = f"{counts.formatted()}; mean {formatter(pooled.estimate)}"
    if np.isfinite(pooled.low):
        found += f" ({formatter(pooled.low)} to {formatter(pooled.high)})"
    if counts.losses:
        worst = int(np.argmax(tests.mean))
        found += f"; most against it {list(rows)[worst]} {formatter(tests.mean[worst])}"
    return Finding(
        verdict,
        INCONCLUSIVE,
        pooled.estimate,
        pooled.low,
        pooled.high,
        trials,
        counts.obstacle or f"{found}; n = {trials}",
        rule,
        threshold or MARGIN[1],
        OURS,
        trials_needed(rule, matrix, threshold) if open_one else np.nan,
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
        return Finding(
            INCONCLUSIVE, n=trials, reason=obstacle, rule=WITHIN, margin=margin, margin_of=OURS
        )
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
        WITHIN,
        margin,
        OURS,
        trials_to_settle(tests, -margin, margin) if verdict == INCONCLUSIVE else np.nan,
    )


def trials_to_settle(tests: RowTests, low: float, high: float) -> float:
    """Return about how many trials would decide whether all means lie in [low, high].

    If means and spreads stayed what they are: until one interval lies wholly outside, if a mean
    does, or all lie inside. Two significant digits; infinite if a mean is at a bound.
    """
    room = np.minimum(tests.mean - low, high - tests.mean)  # below 0 outside
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(room == 0, np.inf, np.square((tests.high - tests.mean) / room))
    factor = factor[room < 0].min() if (room < 0).any() else factor.max()
    trials = int(tests.trials.min())
    return _two_digits(max(trials * factor, trials + 1)) if np.isfinite(factor) else np.inf


def named(name: str, finding: Finding) -> Finding:
    """Say in the reason what a finding is about."""
    return replace(finding, reason=f"{name}: {finding.reason}")
