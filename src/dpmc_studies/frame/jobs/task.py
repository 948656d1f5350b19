"""What a job is given."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.cells import Cell, in_common


@dataclass(frozen=True)
class Task:
    """The cells of a job, what each uses, and the inputs.

    Attributes
    ----------
    cells : mapping
        Each cell to its settings, in their order.
    inputs : mapping of str to str
        Paths by name.
    ratings : Ratings or None
        Those of the input called "ratings", None where there is none.
    file : path or None
        Where the other file is to be written.
    """

    cells: Mapping[Cell, Mapping[str, object]]
    inputs: Mapping[str, str]
    ratings: Ratings | None = None
    file: Path | None = None

    @property
    def cell(self) -> Cell:
        """The first cell: the only one where a job is a cell."""
        return next(iter(self.cells))

    @property
    def settings(self) -> dict[str, object]:
        """The settings that all cells have in common: all of them where a job is a cell."""
        return in_common(self.cells)
