"""The argument of a job's function."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.cells import Cell, in_common


@dataclass(frozen=True)
class Task:
    """The cells of a job, what each uses, and the inputs."""

    cells: Mapping[Cell, Mapping[str, object]]  # each cell to its settings, in their order
    inputs: Mapping[str, str]  # paths by name
    ratings: Ratings | None = None  # those of the input called "ratings", None where there is none
    file: Path | None = None  # where the other file is to be written

    @property
    def cell(self) -> Cell:
        """The first cell, which is the only one if each job is one cell."""
        return next(iter(self.cells))

    @property
    def settings(self) -> dict[str, object]:
        """The settings that all cells have in common; all settings if each job is one cell."""
        return in_common(self.cells)
