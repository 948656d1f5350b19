"""Verdicts by ALL, MOST and POOLED, from counts, intervals and reported numbers."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.finding import (
    ALL,
    CONTRADICTED,
    EQUIVALENCE,
    INCONCLUSIVE,
    MOST_OF_ALL,
    NO_EFFECT,
    NOT_AVAILABLE,
    NOT_REPORTED,
    SUPPORTED,
    UNREPORTED,
)
from dpmc_studies.statistics.tests import LEVEL, Interval, holm, row_tests


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
    """Return why comparisons with these numbers of trials allow no verdict, or ""."""
    missing, few = int((trials == 0).sum()), int((trials < needed).sum())
    if missing:
        return f"{NOT_AVAILABLE}: {missing} of {trials.size} comparisons"
    if few:
        return f"fewer than {needed} trials give no interval"
    return ""


def fewest(trials: np.ndarray) -> int:
    """Return the smallest number of trials of the comparisons that were run, or 0."""
    run = trials[trials > 0]
    return int(run.min()) if run.size else 0


def count(reported: np.ndarray, threshold: float = 0.0) -> Tally:
    """Count reported comparisons below and above a threshold; a tie is neither."""
    values = reported[:, 0]
    obstacle = NOT_REPORTED if np.isnan(values).any() else ""
    wins, losses = (values < threshold - 1e-12).sum(), (values > threshold + 1e-12).sum()
    return Tally(int(wins), int(losses), len(values), obstacle)


def all_verdict(counts: Tally, no_effect: bool = False) -> str:
    """Apply ALL: at least 90 % wins and no loss. Any loss contradicts; else maybe no effect."""
    if counts.obstacle:
        return _without(counts)
    if counts.losses:
        return CONTRADICTED
    if counts.wins >= MOST_OF_ALL * counts.total:
        return SUPPORTED
    return NO_EFFECT if no_effect else INCONCLUSIVE


def majority_verdict(counts: Tally) -> str:
    """Apply MOST to counts alone: more than half wins support, more than half losses contradict."""
    if counts.obstacle:
        return _without(counts)
    if 2 * counts.losses > counts.total:
        return CONTRADICTED
    return SUPPORTED if 2 * counts.wins > counts.total else INCONCLUSIVE


def _without(counts: Tally) -> str:
    return UNREPORTED if counts.obstacle == NOT_REPORTED else INCONCLUSIVE


def has_no_effect(values: np.ndarray, choices: Choices = USUAL) -> bool:
    """Return whether the 90 % interval of a pooled effect is inside +-1 %, with few outliers.

    Only few comparisons may be outside (:meth:`Choices.few_beyond`), because gains and losses with
    a mean near 0 are an effect. ``values`` has the shape (comparisons, trials).
    """
    inner = choices.pooled(values, EQUIVALENCE)
    low, high = choices.margin()
    return bool(low < inner.low and inner.high < high) and choices.few_beyond(values)


def pooled_verdict(
    pooled: Interval,
    below: float = 0.0,
    no_effect: bool | None = None,
    choices: Choices = USUAL,
) -> str:
    """Judge a pooled effect by its 95 % interval.

    An effect within 1 % is no effect. This is checked first, so even a significant effect of 0.5 %
    counts as none. An effect above 0 contradicts the claim, and an effect below ``below`` supports
    it. ``no_effect`` is the answer of :func:`has_no_effect` if the comparisons are known. Without
    it, the interval decides whether there is an effect.
    """
    if not np.isfinite(pooled.low):
        return INCONCLUSIVE
    if no_effect is None:
        low, high = choices.margin()
        no_effect = low < pooled.low and pooled.high < high
    if no_effect:
        return NO_EFFECT
    if pooled.low > 0:
        return CONTRADICTED
    return SUPPORTED if pooled.high < below else INCONCLUSIVE


def most_verdict(
    counts: Tally, pooled: Interval, below: float = 0.0, no_effect: bool | None = None
) -> str:
    """Apply MOST: the pooled effect is below 0 and more than half of the comparisons are wins.

    The pooled effect can give no effect or contradicted (see :func:`pooled_verdict`). Losses in
    more than half of the comparisons contradict, too.
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


def reported_verdict(
    rule: str, reported: np.ndarray, threshold: float = 0.0, choices: Choices = USUAL
) -> str:
    """Judge reported comparisons, of shape (comparisons, 1), by ALL, MOST or POOLED.

    The margin is ours. A mean within it is no effect, which ALL checks last.
    """
    counts = count(reported, threshold)
    low, high = choices.margin()
    none = threshold == 0 and not counts.obstacle and low < reported.mean() < high
    if rule == ALL:
        return all_verdict(counts, none)
    return NO_EFFECT if none else majority_verdict(counts)


def combined(verdicts: Sequence[str]) -> str:
    """Return the verdict on a conjunction, which one failing part contradicts."""
    for verdict in (CONTRADICTED, NO_EFFECT):
        if verdict in verdicts:
            return verdict
    return verdicts[0] if len(set(verdicts)) == 1 else INCONCLUSIVE


def verdict_of(holds: bool) -> str:
    """Return the verdict on a plain fact."""
    return SUPPORTED if holds else CONTRADICTED


def at_least(interval: Interval, threshold: float) -> str:
    """Judge "at least the threshold" by an interval."""
    if interval.low >= threshold:
        return SUPPORTED
    return CONTRADICTED if interval.high < threshold else INCONCLUSIVE
