"""What the papers print and claim, beside what we find."""

from dpmc.published.claims.judge import judge, load_claims, stability
from dpmc.published.compare import agreement, compare
from dpmc.published.dpals_claims.judge import judge_dpals, load_dpals_claims
from dpmc.published.numbers import load
from dpmc.published.onebit_claims.judge import judge_onebit, load_onebit_claims

__all__ = [
    "agreement",
    "compare",
    "judge",
    "judge_dpals",
    "judge_onebit",
    "load",
    "load_claims",
    "load_dpals_claims",
    "load_onebit_claims",
    "stability",
]
