"""What the papers print, beside what we find."""

from dpmc_studies.studies.huber.reported.compare import compare
from dpmc_studies.studies.huber.reported.numbers import load

__all__ = ["compare", "load"]
