"""What the papers print, beside what we find."""

from dpmc.studies.huber.published.compare import agreement, compare
from dpmc.studies.huber.published.numbers import load

__all__ = ["agreement", "compare", "load"]
