"""Choices of ours that rules make for every claim, and how another reading makes them otherwise.

A rule asks here for its margins and its pooled effects. Inside of :func:`choosing` they are others,
so that a claim can be judged again without its predicate knowing why.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass

import numpy as np

from dpmc_studies.frame.judging.finding import NO_MORE_THAN, SHARE_BEYOND
from dpmc_studies.statistics.bootstrap import pooled_interval
from dpmc_studies.statistics.tests import CONFIDENCE, LEVEL, Interval, holm, row_tests


@dataclass(frozen=True)
class Choices:
    """What a reading may change.

    Attributes
    ----------
    weighted : bool
        Whether comparisons count by their inverse variance in what is pooled, or all alike.
    widening : float
        Factor of every margin of ours.
    """

    weighted: bool = True
    widening: float = 1.0


_OURS = Choices()
_CHOSEN = ContextVar("choices of the reading", default=_OURS)


@contextmanager
def choosing(choices: Choices) -> Iterator[None]:
    """Judge by other choices inside of a ``with`` block."""
    token = _CHOSEN.set(choices)
    try:
        yield
    finally:
        _CHOSEN.reset(token)


def chosen() -> Choices:
    """Return the choices in force."""
    return _CHOSEN.get()


def widened(margin: float) -> float:
    """Return a margin of ours as the reading has it; it is given in its own unit, not as a log."""
    return chosen().widening * margin


def margin() -> tuple[float, float]:
    """Return the log ratios within which an effect counts as none."""
    size = widened(NO_MORE_THAN)
    return np.log1p(-size), np.log1p(size)


def pooled(values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
    """Return the pooled effect of comparisons by trial, see :func:`pooled_interval`."""
    return pooled_interval(values, confidence=confidence, weighted=chosen().weighted)


def few_beyond(values: np.ndarray) -> bool:
    """Say whether at most 10 % of comparisons, or one, are beyond the margin by more than chance.

    Where more are, opposite effects may cancel in what is pooled. ``values`` has shape
    (comparisons, trials); a comparison has a t-test against the nearer side, Holm-corrected.
    """
    low, high = margin()
    nearer = np.where(row_tests(values).mean < 0, low, high)
    tests = row_tests(values - nearer[:, None])
    outward = tests.mean * nearer > 0
    beyond = (outward & (holm(tests.p_value) <= LEVEL)).sum()
    return bool(beyond <= max(1, SHARE_BEYOND * len(values)))
