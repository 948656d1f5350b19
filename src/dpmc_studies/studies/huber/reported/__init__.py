"""What the papers print, beside what we find."""

from dpmc_studies.studies.huber.reported.compare import agreement, compare
from dpmc_studies.studies.huber.reported.numbers import load

__all__ = ["agreement", "compare", "load"]
