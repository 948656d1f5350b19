"""The verdict on one claim with its evidence, and the thresholds that all rules share."""

from dataclasses import dataclass

import numpy as np

SUPPORTED, CONTRADICTED = "supported", "contradicted"
NO_EFFECT, INCONCLUSIVE = "no effect", "inconclusive"
NOT_RUN = "not run"
VERDICTS = (SUPPORTED, CONTRADICTED, NO_EFFECT, INCONCLUSIVE, NOT_RUN)
AGREES, DEVIATES, NOT_COMPARED = "agrees", "deviates", NOT_RUN
STATUSES = (AGREES, DEVIATES, NOT_COMPARED)  # of our number beside a published one
NOT_AVAILABLE = "not part of this run"
NOT_REPORTED = "the papers report no number for it"
UNREPORTED = "not reported"  # the verdict on numbers that a paper does not give
MOST_OF_ALL = 0.9  # share of wins that "always" needs
NO_MORE_THAN = 0.01  # an effect within 1 % counts as none
MARGIN = np.log1p(-NO_MORE_THAN), np.log1p(NO_MORE_THAN)
SHARE_BEYOND = 0.1  # of comparisons beyond the margin, up to which there may be no effect
EQUIVALENCE = 0.9  # confidence of the interval that has to lie inside: two one-sided tests at 5 %
OURS, PAPERS = "ours", "the paper's"
ALL, MOST, SOME, POOLED, WITHIN, FACT = "all", "most", "some", "pooled", "within", "fact"


@dataclass(frozen=True)
class Finding:
    """The verdicts on one claim, by our trials and by the reported table, with their evidence."""

    # on our trials, one of `VERDICTS`. "No effect" is as firm as the first two: the whole 90 %
    # interval lies inside the margin, and so do all but few of the comparisons.
    verdict: str
    # on the papers' own numbers; `UNREPORTED` where they give none
    reported_verdict: str = UNREPORTED
    # effect, interval_low, interval_high: with its 95 % interval
    effect: float = np.nan
    interval_low: float = np.nan
    interval_high: float = np.nan
    # trials behind the effect (the fewest of any cell), or repeats, starts or samples where the
    # claim is not about trials
    n: float = np.nan
    reason: str = ""
    rule: str = FACT  # by which it was judged
    # below which an effect counts as none, or that the claim names, in units of the effect
    margin: float = np.nan
    margin_of: str = ""  # whose margin that is, `OURS` or `PAPERS`; empty without one
    # about how many trials would decide, if means and spreads stayed what they are; NaN if it is
    # decided or cannot be by more of them
    needed: float = np.nan
    # of the verdict, see `chance.py`; NaN where no rule of trials gave it
    p_value: float = np.nan

    @property
    def status(self) -> str:
        """The verdict, or :data:`NOT_RUN` if results or data are missing."""
        lacking = self.verdict == INCONCLUSIVE and NOT_AVAILABLE in self.reason.lower()
        return NOT_RUN if lacking else self.verdict
