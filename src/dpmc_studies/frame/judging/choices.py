"""Choices that rules make for every claim, and how another reading makes them.

Evidence holds the choices by which it is judged: a reading with other ones is other evidence.
"""

from dataclasses import dataclass

import numpy as np

from dpmc_studies.frame.judging.finding import NO_MORE_THAN, SHARE_BEYOND
from dpmc_studies.statistics.bootstrap import pooled_interval
from dpmc_studies.statistics.tests import CONFIDENCE, LEVEL, Interval, holm, row_tests


@dataclass(frozen=True)
class Choices:
    """What a reading may change."""

    # whether comparisons count by their inverse variance in what is pooled, or all alike
    weighted: bool = True
    widening: float = 1.0  # factor of every margin that we chose

    def widened(self, margin: float) -> float:
        """Return one of our margins as the reading has it, in its own unit and not as a log."""
        return self.widening * margin

    def margin(self) -> tuple[float, float]:
        """Return the log ratios within which an effect counts as none."""
        size = self.widened(NO_MORE_THAN)
        return np.log1p(-size), np.log1p(size)

    def pooled(self, values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
        """Return the pooled effect of comparisons by trial, see :func:`pooled_interval`."""
        return pooled_interval(values, confidence=confidence, weighted=self.weighted)

    def few_beyond(self, values: np.ndarray) -> bool:
        """Say whether at most 10 % of comparisons, or one, are significantly beyond the margin.

        Where more are, opposite effects may cancel in what is pooled. ``values`` has shape
        (comparisons, trials); a comparison has a t-test against the nearer side, Holm-corrected.
        """
        low, high = self.margin()
        nearer = np.where(row_tests(values).mean < 0, low, high)
        tests = row_tests(values - nearer[:, None])
        outward = tests.mean * nearer > 0
        beyond = (outward & (holm(tests.p_value) <= LEVEL)).sum()
        return bool(beyond <= max(1, SHARE_BEYOND * len(values)))


USUAL = Choices()
"""Those of a verdict itself."""
