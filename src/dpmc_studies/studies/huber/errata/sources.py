"""What the evidence of the errata is computed from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from dpmc.datasets import read, resolve
from dpmc.ratings import Ratings

PAPERS_DATA = ("ml-100k", "sweetrs")


@dataclass(frozen=True)
class Sources:
    """What evidence is computed from.

    ``published`` is as :func:`dpmc_studies.studies.huber.reported.load` returns it. ``raw_files``
    is data set name to its verified raw file; without an entry the data are not available. Other
    data sets than the papers' are ignored. ``trials`` and ``heldout`` are tables of the run.
    """

    published: pd.DataFrame
    raw_files: Mapping[str, Path] = field(default_factory=dict)
    trials: pd.DataFrame | None = None
    heldout: pd.DataFrame | None = None

    @cached_property
    def ratings(self) -> dict[str, Ratings]:
        """The papers' data sets, as far as they are available."""
        return {
            name: read(resolve(name), self.raw_files[name])
            for name in PAPERS_DATA
            if name in self.raw_files
        }

    def budgets(self, mechanism: str) -> pd.Series:
        """Return the epsilons reported in table 1, by variance."""
        table = self.published[
            (self.published["metric"] == "epsilon") & (self.published["mechanism"] == mechanism)
        ]
        return table.set_index("variance")["published"]
