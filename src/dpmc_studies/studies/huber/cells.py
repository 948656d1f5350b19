"""Cells: the points of the grid of the papers, and of the experiments beside it."""

from dataclasses import dataclass
from typing import ClassVar, Self

from dpmc_studies.frame.jobs import cells

# of the sweep over Huber noise that the reference keeps (benchmarks/forensics.py): what names a
# row, and the noise of the right and of the printed inverse CDF
HUBER_KEYS = ("start", "noise", "variance", "reported_variance", "rank", "observed_fraction")
RIGHT, AS_PRINTED = "huber", "huber_as_printed"


@dataclass(frozen=True, order=True)
class Cell(cells.Cell):
    """One (data set, rank, variance, observed fraction, method, mechanism) with all its trials."""

    in_streams: ClassVar = {"method": "solver"}

    dataset: str  # `"synthetic"` or the name of a data set
    rank: int
    variance: float | None  # variance of one coordinate of the noise; None without noise
    # share of entries that is observed: of the matrix on synthetic data, of the available ratings
    # on real data (MovieLens 100K carries the papers' label .051)
    observed_fraction: float
    method: str
    mechanism: str  # `"none"` without noise
    # inner iterations K of A-IRLS ("IRLS-2" is K = 2); None for other methods
    irls_iterations: int | None

    @classmethod
    def of(
        cls,
        dataset: str,
        rank: int,
        observed_fraction: float,
        method: str,
        mechanism: str,
        variance: float | None,
        irls_iterations: int | None,
    ) -> Self:
        """Return a cell with a variance only where there is noise, and K only with A-IRLS."""
        level = None if mechanism == "none" else float(variance)
        inner = int(irls_iterations) if method == "irls" else None
        return cls(dataset, int(rank), level, float(observed_fraction), method, mechanism, inner)


@dataclass(frozen=True)
class DataCell(cells.Cell):
    """A data set that a job is about."""

    dataset: str


COORDINATES = Cell.names()
