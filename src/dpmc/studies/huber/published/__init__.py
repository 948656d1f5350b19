"""What the papers print and claim, beside what we find."""

from dpmc.studies.dpals.claims.judge import judge_dpals, load_dpals_claims
from dpmc.studies.huber.claims.judge import judge, load_claims, stability
from dpmc.studies.huber.published.compare import agreement, compare
from dpmc.studies.huber.published.numbers import load
from dpmc.studies.onebit.claims.judge import judge_onebit, load_onebit_claims

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
