"""What the evidence of the errata is computed from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from dpmc.datasets import read, resolve
from dpmc.ratings import Ratings

PAPERS_DATA = ("ml-100k", "restaurant")


@dataclass(frozen=True)
class Sources:
    """What the evidence is computed from.

    ``raw_files`` is data set name to its verified raw file; where there is none, or None, the data
    are not available. Other data sets than the paper's are ignored. ``change`` and ``attack`` are
    what one flip does to the solution, and the attack on output perturbation; None where they have
    not been run.
    """

    raw_files: Mapping[str, str | Path | None] = field(default_factory=dict)
    change: pd.DataFrame | None = None
    attack: pd.DataFrame | None = None

    @cached_property
    def ratings(self) -> dict[str, Ratings]:
        """The paper's data sets, as far as they are available."""
        return {
            name: read(resolve(name), Path(self.raw_files[name]))
            for name in PAPERS_DATA
            if self.raw_files.get(name)
        }
