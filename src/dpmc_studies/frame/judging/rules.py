"""The rules that judge a claim, on our trials and on the paper's reported table.

Each returns a finding with effect, interval, reason and a verdict, from
:mod:`dpmc_studies.frame.judging.verdicts`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from dpmc_studies.frame.judging.chance import p_of_parts, p_of_range, p_of_rule
from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.finding import (
    ALL,
    CONTRADICTED,
    INCONCLUSIVE,
    MOST,
    NOT_AVAILABLE,
    OURS,
    POOLED,
    SOME,
    SUPPORTED,
    UNREPORTED,
    WITHIN,
    Finding,
)
from dpmc_studies.frame.judging.power import trials_needed, trials_to_settle
from dpmc_studies.frame.judging.verdicts import (
    Tally,
    all_verdict,
    combined,
    count,
    fewest,
    has_no_effect,
    most_verdict,
    obstacle_to,
    pooled_verdict,
    reported_verdict,
    tally,
    verdict_of,
)
from dpmc_studies.statistics.tests import LEVEL, Interval, row_tests

Rows = Mapping[str, np.ndarray]  # what is compared -> its comparison by trial
Formatter = Callable[[float], str]


class Sample(NamedTuple):
    """The comparisons of one claim, each below 0 if the claim holds."""

    ours: np.ndarray  # shape (comparisons, trials)
    reported: np.ndarray  # shape (comparisons, 1)
    choices: Choices = USUAL  # by which they are judged


def as_matrix(rows: Rows) -> np.ndarray:
    """Return comparisons as an array of shape (comparisons, trials), NaN for missing trials."""
    trials = max(map(len, rows.values()))
    matrix = np.full((len(rows), trials), np.nan)
    for row, values in zip(matrix, rows.values(), strict=True):
        row[: len(values)] = values
    return matrix


def judge_all(sample: Sample, threshold: float = 0.0) -> Finding:
    """Apply ALL to comparisons against a threshold."""
    return _judge(ALL, sample, threshold)


def judge_most(sample: Sample, below: float = 0.0) -> Finding:
    """Apply MOST; the pooled effect must be less than ``below``."""
    return _judge(MOST, sample, below=below)


def judge_pooled(sample: Sample) -> Finding:
    """Judge by the pooled effect alone, and the reported table by a majority of its comparisons."""
    return _judge(POOLED, sample)


def _judge(rule: str, sample: Sample, threshold: float = 0.0, below: float = 0.0) -> Finding:
    reported = count(sample.reported, threshold)
    found, ours, pooled = _found(rule, sample.ours, threshold, below, sample.choices)
    parts = [ours.obstacle] if ours.obstacle else []
    if np.isfinite(pooled.estimate) and not ours.obstacle:
        parts += [ours.formatted(), f"pooled {_with_plain(pooled, sample.ours, percent)}"]
    if reported.obstacle:
        parts.append(reported.obstacle)
    else:
        mean = percent(sample.reported.mean())
        parts.append(f"reported: {reported.wins} of {reported.total}, mean {mean}")
    verdict = reported_verdict(rule, sample.reported, threshold, sample.choices)
    return replace(found, reported_verdict=verdict, reason="; ".join(parts))


def _found(
    rule: str,
    values: np.ndarray,
    threshold: float = 0.0,
    below: float = 0.0,
    choices: Choices = USUAL,
) -> tuple[Finding, Tally, Interval]:
    """Judge comparisons by ALL, MOST or POOLED; the reason is left to the caller."""
    counts, pooled = tally(values, threshold), choices.pooled(values)
    none = threshold == 0 and has_no_effect(values, choices)
    if rule == ALL:
        verdict = all_verdict(counts, none)
    elif rule == MOST:
        verdict = most_verdict(counts, pooled, below, none)
    else:
        verdict = INCONCLUSIVE if counts.obstacle else pooled_verdict(pooled, no_effect=none)
    open_one = verdict == INCONCLUSIVE and not counts.obstacle
    finding = Finding(
        verdict,
        UNREPORTED,
        pooled.estimate,
        pooled.low,
        pooled.high,
        fewest(row_tests(values).trials),
        "",
        rule,
        threshold or choices.margin()[1],
        OURS,
        trials_needed(rule, values, threshold, choices) if open_one else np.nan,
        p_of_rule(rule, verdict, values, pooled, threshold, below),
    )
    return finding, counts, pooled


def _with_range(pooled: Interval, formatter: Formatter) -> str:
    if not np.isfinite(pooled.low):
        return formatter(pooled.estimate)
    return f"{formatter(pooled.estimate)} ({formatter(pooled.low)} to {formatter(pooled.high)})"


def _with_plain(pooled: Interval, values: np.ndarray, formatter: Formatter) -> str:
    """Format a pooled effect, and the plain mean beside it where comparisons weigh differently."""
    text, plain_mean = _with_range(pooled, formatter), float(np.mean(row_tests(values).mean))
    same = not np.isfinite(plain_mean) or np.isclose(plain_mean, pooled.estimate, atol=1e-12)
    return text if same else f"{text}, plain mean {formatter(plain_mean)}"


def all_of(findings: Sequence[Finding]) -> Finding:
    """Combine the parts of a claim: all must hold, and one that fails contradicts it.

    Effect, interval, n, rule and margin are those of the first part. An inconclusive claim needs
    the largest number of trials that a part needs.
    """
    first, verdict = findings[0], combined([finding.verdict for finding in findings])
    needed = np.fmax.reduce([finding.needed for finding in findings])
    return replace(
        first,
        verdict=verdict,
        reported_verdict=combined([finding.reported_verdict for finding in findings]),
        reason="; ".join(dict.fromkeys(finding.reason for finding in findings)),
        needed=needed if verdict == INCONCLUSIVE else np.nan,
        p_value=p_of_parts(findings, verdict),
    )


def mirrored(interval: Interval) -> Interval:
    """Return the interval of minus the estimate."""
    return interval._replace(estimate=-interval.estimate, low=-interval.high, high=-interval.low)


def percent(log_ratio: float) -> str:
    """Format a log ratio as a signed percentage."""
    return f"{100 * np.expm1(log_ratio):+.2f} %"


def points(difference: float) -> str:
    """Format a difference of shares in percentage points."""
    return f"{100 * difference:+.2f} points"


def times(log_ratio: float) -> str:
    """Format a log ratio as a factor."""
    return f"{np.exp(log_ratio):.3g}-fold"


def plain(value: float) -> str:
    """Format an RMSE or a recall."""
    return f"{value:.4f}"


def always_below(
    rows: Rows,
    threshold: float = 0.0,
    *,
    formatter: Formatter = percent,
    choices: Choices = USUAL,
) -> Finding:
    """Apply ALL: the claim holds if comparisons are below the threshold.

    The effect is pooled over comparisons, its interval bootstrapped over trials.
    """
    return _below(ALL, rows, threshold, formatter, choices)


def mostly_below(
    rows: Rows,
    below: float = 0.0,
    *,
    formatter: Formatter = percent,
    choices: Choices = USUAL,
) -> Finding:
    """Apply MOST: the pooled effect is less than ``below``, and most comparisons are below 0.

    The interval of the effect is bootstrapped over trials.
    """
    return _below(MOST, rows, 0.0, formatter, choices, below)


def some_below(rows: Rows, *, formatter: Formatter = percent, choices: Choices = USUAL) -> Finding:
    """Judge that at least one comparison is below 0, Holm-corrected; contradicted if all are above.

    The effect is the smallest comparison. There is no margin, so no choice changes it.
    """
    matrix = as_matrix(rows)
    counts, tests = tally(matrix), row_tests(matrix)
    trials = fewest(tests.trials)
    if counts.obstacle:
        return Finding(INCONCLUSIVE, n=trials, reason=counts.obstacle, rule=SOME)
    least = int(np.argmin(tests.mean))
    effect, low, high = (float(side[least]) for side in (tests.mean, tests.low, tests.high))
    opposite = CONTRADICTED if counts.losses == counts.total else INCONCLUSIVE
    return Finding(
        SUPPORTED if counts.wins else opposite, UNREPORTED, effect, low, high, trials,
        f"{counts.formatted()}; least {list(rows)[least]} {formatter(effect)} ({formatter(low)} to "
        f"{formatter(high)}); n = {trials}", SOME,
    )  # fmt: skip


def _below(
    rule: str,
    rows: Rows,
    threshold: float,
    formatter: Formatter,
    choices: Choices,
    below: float = 0.0,
) -> Finding:
    matrix = as_matrix(rows)
    found, counts, pooled = _found(rule, matrix, threshold, below, choices)
    reason = f"{counts.formatted()}; mean {_with_plain(pooled, matrix, formatter)}"
    if counts.losses:
        means = row_tests(matrix).mean
        worst = int(np.argmax(means))
        reason += f"; most against it {list(rows)[worst]} {formatter(means[worst])}"
    return replace(found, reason=counts.obstacle or f"{reason}; n = {found.n}")


def within(rows: Rows, margin: float) -> Finding:
    """Judge that mean log ratios are within +-margin, see :func:`inside`."""
    return inside(rows, -margin, margin)


def inside(
    rows: Rows,
    low: float = -np.inf,
    high: float = np.inf,
    *,
    formatter: Formatter = percent,
    margin_of: str = OURS,
) -> Finding:
    """Judge that means are in [low, high], by simultaneous t-intervals (Bonferroni, 95 %).

    The claim is supported if every interval is inside, and contradicted if any is wholly outside.
    The effect is the mean, with its interval, that is nearest to a bound or furthest beyond it,
    among the contradicting means if there are any. The margin is the upper bound, or the lower if
    there is no upper one; ``margin_of`` states whose margin it is.
    """
    margin = high if np.isfinite(high) else low
    tests = row_tests(as_matrix(rows), confidence=1 - LEVEL / len(rows))
    trials = fewest(tests.trials)
    obstacle = obstacle_to(tests.trials)
    if obstacle:
        means = f": {formatted_means(rows, formatter)}" if tests.trials.all() else ""
        return Finding(
            INCONCLUSIVE,
            n=trials,
            reason=obstacle + means,
            rule=WITHIN,
            margin=margin,
            margin_of=margin_of,
        )
    holds = (tests.low >= low) & (tests.high <= high)
    fails = (tests.high < low) | (tests.low > high)
    room = np.minimum(tests.mean - low, high - tests.mean)
    least = int(np.argmin(np.where(fails | ~fails.any(), room, np.inf)))
    effect, lower, upper = (float(side[least]) for side in (tests.mean, tests.low, tests.high))
    verdict = CONTRADICTED if fails.any() else SUPPORTED if holds.all() else INCONCLUSIVE
    return Finding(
        verdict,
        UNREPORTED,
        effect,
        lower,
        upper,
        trials,
        f"{_bounds(low, high, formatter)}: {holds.sum()} hold, {fails.sum()} do not, "
        f"{(~holds & ~fails).sum()} undecided of {len(rows)}; nearest or furthest off "
        f"{list(rows)[least]} {formatter(effect)} ({formatter(lower)} to {formatter(upper)}); "
        f"n = {trials}",
        WITHIN,
        margin,
        margin_of,
        trials_to_settle(tests, low, high) if verdict == INCONCLUSIVE else np.nan,
        p_of_range(verdict, tests, low, high),
    )


def formatted_means(rows: Rows, formatter: Formatter = plain) -> str:
    """Format mean values, "ε = 1: 0.9000, ε = 2: -"; "-" where there is none."""
    means = {name: row_tests(row).mean[0] for name, row in rows.items()}
    return ", ".join(
        f"{name}: {formatter(mean) if np.isfinite(mean) else '-'}" for name, mean in means.items()
    )


def _bounds(low: float, high: float, formatter: Formatter) -> str:
    if np.isinf(high):
        return f"at least {formatter(low)}"
    return (
        f"at most {formatter(high)}" if np.isinf(low) else f"{formatter(low)} to {formatter(high)}"
    )


def not_available(what: str) -> Finding:
    """Return the finding on a claim without results."""
    return Finding(INCONCLUSIVE, reason=f"{NOT_AVAILABLE} ({what})")


def fact(holds: bool, reason: str, **numbers: float) -> Finding:
    """Return the finding on a plain fact; ``numbers`` are fields of :class:`Finding`."""
    return Finding(verdict_of(holds), reason=reason, **numbers)


def explained(finding: Finding, text: str) -> Finding:
    """Add sentences about the numbers to the reason of a finding."""
    return replace(finding, reason=f"{finding.reason}. {text}")


def named(name: str, finding: Finding) -> Finding:
    """Add the subject of a finding to its reason."""
    return replace(finding, reason=f"{name}: {finding.reason}")
