"""Choices of the rules that apply to every claim and that a reading may change.

The evidence contains the choices. A reading with other choices is another evidence.
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
        """Return one of our margins under these choices, in its own unit and not as a log."""
        return self.widening * margin

    def margin(self) -> tuple[float, float]:
        """Return the limits of log ratios between which there is no effect."""
        size = self.widened(NO_MORE_THAN)
        return np.log1p(-size), np.log1p(size)

    def pooled(self, values: np.ndarray, confidence: float = CONFIDENCE) -> Interval:
        """Return the pooled effect of comparisons by trial, see :func:`pooled_interval`."""
        return pooled_interval(values, confidence=confidence, weighted=self.weighted)

    def few_beyond(self, values: np.ndarray) -> bool:
        """Return whether at most 10 % of comparisons, or one, are significantly beyond the margin.

        If there are more, opposite effects may cancel in the pooled effect. ``values`` has shape
        (comparisons, trials). The t-tests are against the nearer margin, Holm-corrected.
        """
        low, high = self.margin()
        nearer = np.where(row_tests(values).mean < 0, low, high)
        tests = row_tests(values - nearer[:, None])
        outward = tests.mean * nearer > 0
        beyond = (outward & (holm(tests.p_value) <= LEVEL)).sum()
        return bool(beyond <= max(1, SHARE_BEYOND * len(values)))


USUAL = Choices()
"""The choices of the verdict itself."""
