"""Effects pooled over many cells, how they are judged and how they are formatted."""

from dataclasses import dataclass

import numpy as np

from dpmc.statistics.tests import Interval

HOLDS, FAILS, OPEN = "holds", "fails", "open"
WORTH_NAMING = 0.01  # an effect within one per cent is none, as for the claims


@dataclass(frozen=True)
class Finding:
    """One line of the answer: whether it holds, in a few words, and the numbers behind it."""

    verdict: str
    title: str
    text: str


def judged(interval: Interval) -> str:
    """Judge "the first has the lower error" by a pooled interval of log ratios.

    Holds if the interval lies below 0 and the effect is worth naming; fails if the interval
    excludes every advantage worth naming; open otherwise.
    """
    if interval.high < 0 and interval.estimate < -WORTH_NAMING:
        return HOLDS
    return FAILS if interval.low > -WORTH_NAMING else OPEN


def effect_text(interval: Interval) -> str:
    """Format a log ratio with its interval in per cent."""
    if not np.isfinite(interval.estimate):
        return "not run"
    if not np.isfinite(interval.low):
        return f"{signed(interval.estimate)} (too few trials for an interval)"
    low, high = (f"{100 * np.expm1(value):+.2f}" for value in (interval.low, interval.high))
    return f"{signed(interval.estimate)} [{low}, {high}]".replace("-", "−")


def signed(log_ratio: float, digits: int = 2) -> str:
    """Format a log ratio in per cent with its sign."""
    if not np.isfinite(log_ratio):
        return "–"
    return f"{100 * np.expm1(log_ratio):+.{digits}f} %".replace("-", "−")
