"""What the papers print and claim, beside what we find."""

from dpmc.published.claims.judge import judge, load_claims, stability
from dpmc.published.compare import agreement, compare
from dpmc.published.numbers import load

__all__ = ["agreement", "compare", "judge", "load", "load_claims", "stability"]
