"""Cells: the points of the grid of the papers, and of the experiments beside it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from dpmc.frame.jobs import cells
from dpmc.frame.jobs.cells import SYNTHETIC


@dataclass(frozen=True, order=True)
class Cell(cells.Cell):
    """One (data set, rank, variance, observed fraction, method, mechanism) with all its trials.

    Attributes
    ----------
    dataset : str
        ``"synthetic"`` or the name of a data set.
    variance : float or None
        Variance of one coordinate of the noise; None without noise.
    observed_fraction : float
        Share of entries that is observed: of the matrix on synthetic data, of the available
        ratings on real data (MovieLens 100K carries the papers' label .051).
    mechanism : str
        ``"none"`` without noise.
    irls_iterations : int or None
        Inner iterations K of A-IRLS ("IRLS-2" is K = 2); None for other methods.
    """

    in_streams: ClassVar = {"method": "solver"}

    dataset: str
    rank: int
    variance: float | None
    observed_fraction: float
    method: str
    mechanism: str
    irls_iterations: int | None


@dataclass(frozen=True)
class Instances(cells.Cell):
    """The generated data of all trials of a rank and an observed fraction."""

    rank: int
    observed_fraction: float


@dataclass(frozen=True)
class DataCell(cells.Cell):
    """A data set that a job is about."""

    dataset: str


COORDINATES = Cell.names()


def huber_cells(huber: Mapping) -> list[Cell]:
    """Return every cell of the ``huber`` section of a configuration, baselines included.

    A cell without noise has no variance and appears once.
    """
    synthetic = [
        (SYNTHETIC, rank, fraction, combination)
        for rank in huber["ranks"]
        for fraction in huber["observed_fractions"]
        for combination in _combinations(huber, huber["variances"])
    ]
    real = [
        (name, entry["rank"], split["observed_fraction"], combination)
        for name, entry in huber["real"].items()
        for split in entry["splits"]
        for combination in _columns(huber, entry)
    ]
    found = [
        Cell(dataset, int(rank), variance, float(fraction), method, mechanism, inner)
        for dataset, rank, fraction, (method, mechanism, variance, inner) in synthetic + real
    ]
    return list(dict.fromkeys(found))


def _combinations(huber: Mapping, variances) -> list[tuple]:
    return [
        _combination(method, mechanism, variance, huber["irls_iterations"])
        for variance in variances
        for method in huber["methods"]
        for mechanism in huber["mechanisms"]
    ] + _baselines(huber)


def _columns(huber: Mapping, entry: Mapping) -> list[tuple]:
    inner = entry["irls_iterations"]
    return [
        _combination(
            column["method"],
            column["mechanism"],
            entry["variance"],
            column.get("irls_iterations", inner),
        )
        for column in entry["columns"]
    ] + _baselines(huber)


def _baselines(huber: Mapping) -> list[tuple]:
    return [(name, "none", None, None) for name in huber["baselines"]]


def _combination(method, mechanism, variance, inner) -> tuple:
    return (
        method,
        mechanism,
        None if mechanism == "none" else float(variance),
        int(inner) if method == "irls" else None,
    )
