"""Linear combinations of log RMSE, and the two tables they are evaluated on."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.statistics.tests import log_positive, trial_matrix
from dpmc_studies.studies.huber.cells import COORDINATES, Cell
from dpmc_studies.studies.huber.experiments.common import METHODS
from dpmc_studies.studies.huber.reported.numbers import IRLS_ITERATIONS, as_run, cells_of
from dpmc_studies.studies.huber.statistics import published_metric

RANKS = (5, 10, 20)
TABLE_3 = (5,)  # its rank
VARIANCES = (1.0, 2.0)
FRACTIONS = (0.05, 0.1, 0.15)


class Contrast:
    """A weighted sum of log RMSE over cells; contrasts add, subtract and scale.

    Most claims are about ``delta(a, b)``. A trend is a difference of two deltas, and an average
    effect is a mean of several.
    """

    def __init__(self, weights: dict[Cell, float]):
        self.weights = {cell: weight for cell, weight in weights.items() if weight != 0}

    def __add__(self, other: "Contrast") -> "Contrast":
        cells = [*self.weights, *other.weights]
        return Contrast(
            {cell: self.weights.get(cell, 0) + other.weights.get(cell, 0) for cell in cells}
        )

    def __mul__(self, factor: float) -> "Contrast":
        return Contrast({cell: factor * weight for cell, weight in self.weights.items()})

    def __sub__(self, other: "Contrast") -> "Contrast":
        return self + other * -1


def delta(first: Cell, second: Cell) -> Contrast:
    """Return the contrast log RMSE_first - log RMSE_second: below 0 if the first is better."""
    return Contrast({first: 1.0}) - Contrast({second: 1.0})


def average(contrasts: Sequence[Contrast]) -> Contrast:
    """Return the mean of contrasts."""
    return sum(contrasts, Contrast({})) * (1 / len(contrasts))


class LogRmse:
    """The log RMSE of every cell by trial, NaN where a trial is missing.

    ``matrix`` has shape (cells, trials). ``per_variance`` says whether a noiseless cell exists once
    per variance, as the papers print it, or once.
    """

    def __init__(self, cells: list[Cell], matrix: np.ndarray, *, per_variance: bool):
        self._rows = dict(zip(cells, matrix, strict=True))
        self._missing = np.full(matrix.shape[1], np.nan)
        self._per_variance = per_variance

    @classmethod
    def of_trials(cls, trials: pd.DataFrame) -> "LogRmse":
        """Read our trials table."""
        names, matrix = trial_matrix(trials, log_positive(published_metric(trials)), COORDINATES)
        return cls(cells_of(names), matrix, per_variance=False)

    @classmethod
    def of_published(cls, published: pd.DataFrame) -> "LogRmse":
        """Read the published numbers; each counts as one trial."""
        rmse = published[published["metric"] != "epsilon"]
        matrix = log_positive(rmse["published"])[:, None]
        return cls(cells_of(rmse), matrix, per_variance=True)

    @property
    def trials(self) -> int:
        """The number of trials, missing ones included."""
        return self._missing.size

    def row(self, cell: Cell) -> np.ndarray:
        """Return the log RMSE of one cell, shape (trials,), all NaN if the cell is unknown."""
        real = cell.dataset != SYNTHETIC
        known = cell if self._per_variance and not real else as_run(cell)
        return self._rows.get(known, self._missing)

    def matrix(self, contrasts: Iterable[Contrast]) -> np.ndarray:
        """Evaluate contrasts, shape (contrasts, trials).

        Contrasts that are one and the same in this table (noiseless cells at two variances)
        count once.
        """
        if not self._per_variance:
            contrasts = _distinct(contrasts)
        start = np.zeros(self.trials)
        return np.array(
            [
                sum((weight * self.row(cell) for cell, weight in contrast.weights.items()), start)
                for contrast in contrasts
            ]
        )


def synthetic_cell(
    rank: int, variance: float, fraction: float, method: str, mechanism: str
) -> Cell:
    """Return a synthetic cell of the papers' grid."""
    inner = IRLS_ITERATIONS if method == "irls" else None
    return Cell(SYNTHETIC, rank, variance, fraction, method, mechanism, inner)


def synthetic_grid(
    mechanism: str,
    *,
    ranks: Sequence[int] = RANKS,
    variances: Sequence[float] = VARIANCES,
    fractions: Sequence[float] = FRACTIONS,
    methods: Sequence[str] = METHODS,
) -> list[Cell]:
    """Return the cells of one mechanism in the papers' grid, or in a part of it."""
    return [
        synthetic_cell(rank, variance, fraction, method, mechanism)
        for rank in ranks
        for variance in variances
        for fraction in fractions
        for method in methods
    ]


def deltas(first: Sequence[Cell], second: Sequence[Cell]) -> list[Contrast]:
    """Return the deltas of two lists of cells, pair by pair."""
    return [delta(a, b) for a, b in zip(first, second, strict=True)]


def between(first: str, second: str, **part: Sequence) -> list[Contrast]:
    """Return the deltas of two noises in the papers' grid, or in a part of it."""
    return deltas(synthetic_grid(first, **part), synthetic_grid(second, **part))


def _distinct(contrasts: Iterable[Contrast]) -> list[Contrast]:
    merged = [
        sum((Contrast({as_run(cell): w}) for cell, w in each.weights.items()), Contrast({}))
        for each in contrasts
    ]
    return list({frozenset(contrast.weights.items()): contrast for contrast in merged}.values())
