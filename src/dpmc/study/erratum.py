"""One erratum, and what its evidence is computed from."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import pandas as pd

from dpmc.datasets import read, resolve
from dpmc.ratings import Ratings

NOT_AVAILABLE = "data not available"
PAPERS_DATA = ("ml-100k", "sweetrs", "restaurant")


@dataclass(frozen=True)
class Erratum:
    """Something printed that is not right.

    Attributes
    ----------
    id, title : str
    place : str
        Where it is printed: section, table, equation.
    published, correct : str
        What is printed and what is right, or what was settled where nothing is stated.
    evidence : str
        A sentence or two with the numbers that show it.
    numbers : dict
        The same numbers by name, unrounded; a number that needs absent data is missing.
    """

    id: str
    title: str
    place: str
    published: str
    correct: str
    evidence: str
    numbers: Mapping[str, float]


@dataclass(frozen=True)
class Sources:
    """What evidence is computed from.

    Attributes
    ----------
    published : DataFrame
        As :func:`dpmc.studies.huber.published.load` returns it.
    raw_files : mapping
        Data set name to its verified raw file; without an entry the data are not available. Other
        data sets than the papers' are ignored.
    trials : DataFrame or None
        The trial table of the full run.
    onebit : mapping
        The tables of the one-bit part, as :func:`dpmc.studies.onebit.frames.read_onebit` returns
        them; empty if it has not been run.
    dpals : mapping
        The tables of the DPALS part, as :func:`dpmc.studies.dpals.frames.read_dpals` returns them;
        empty if it has not been run.
    """

    published: pd.DataFrame
    raw_files: Mapping[str, Path] = field(default_factory=dict)
    trials: pd.DataFrame | None = None
    onebit: Mapping[str, pd.DataFrame | None] = field(default_factory=dict)
    dpals: Mapping[str, pd.DataFrame | None] = field(default_factory=dict)

    @cached_property
    def ratings(self) -> dict[str, Ratings]:
        """The papers' data sets, as far as they are at hand."""
        return {
            name: read(resolve(name), self.raw_files[name])
            for name in PAPERS_DATA
            if name in self.raw_files
        }

    def budgets(self, mechanism: str) -> pd.Series:
        """Return the epsilons printed in table 1, by variance."""
        table = self.published[
            (self.published["metric"] == "epsilon") & (self.published["mechanism"] == mechanism)
        ]
        return table.set_index("variance")["published"]


def listed(values, digits: int) -> str:
    """Spell numbers as "1.23, 4.56 and 7.89"."""
    spelled = [f"{value:.{digits}f}" for value in values]
    return f"{', '.join(spelled[:-1])} and {spelled[-1]}" if len(spelled) > 1 else spelled[0]
