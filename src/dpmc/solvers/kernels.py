"""The regressions of one side of the matrix, exact and fast."""

import numpy as np

from dpmc.ratings import Compressed
from dpmc.solvers.lanes import solve_batches, workspace
from dpmc.solvers.simd import LANES


class Regressions:
    """A regression for every row of ratings on the factors of the other side.

    Computes theta_K of R-IRLS (paper, algorithm 3) for all rows; with an infinite threshold and
    one step it is the ridge regression of ALS (paper, algorithm 1). See
    :mod:`dpmc.solvers.lanes` for the two forms in which this is done. One thread, no BLAS.

    Parameters
    ----------
    rows : Compressed
        The ratings grouped by the side to solve for.
    rank : int
    regularization : float
        lambda > 0, added to the diagonal as it is.
    steps : int
        K.

    Attributes
    ----------
    counts : int64 array, shape (n_rows,)
        Number of ratings of each row.
    """

    def __init__(self, rows: Compressed, rank: int, regularization: float, steps: int = 1):
        self.rows, self.rank, self.regularization = rows, rank, float(regularization)
        self._shape = (rows.indptr.size - 1, rank)
        self.counts = np.diff(rows.indptr)
        order = np.argsort(self.counts, kind="stable")
        order = order[self.counts[order] > 0]
        # a batch needs eight rows: the last one stands in for those missing
        self._order = np.append(order, np.repeat(order[-1:], -order.size % LANES))
        most = int(self.counts.max(initial=0))
        self._work = workspace(most, rank, steps, max(rank, min(most, self._widest(rank))))
        self._no_noise, self._no_start = np.empty((0, *self._shape)), np.zeros(self._shape)

    @staticmethod
    def _widest(rank):
        """Return the number of ratings up to which rating space is faster (measured)."""
        return rank + rank // 2

    def solve(
        self,
        factors: np.ndarray,
        *,
        threshold: float = np.inf,
        start: np.ndarray | None = None,
        noise: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return theta_K of every row; rows without ratings get zeros.

        Parameters
        ----------
        factors : float64 array, shape (n_columns, rank)
        threshold : float
            Residuals beyond it get weight threshold / |residual|.
        start : float64 array, shape (n_rows, rank), optional
            theta_0, by which the first weights are computed; zeros if not given.
        noise : float64 array, shape (steps, n_rows, rank), optional
            What step k adds to the right-hand side of each row.

        Returns
        -------
        float64 array, shape (n_rows, rank)
        """
        if noise is None:
            noise = self._no_noise
            self._work.noise[:] = 0.0
        solution = np.zeros(self._shape)
        # With more ratings than factors, F F^T alone is singular and rating space loses digits
        # in proportion to |f|^2 / lambda.
        scale = self.rank * np.abs(factors).max(initial=0.0) ** 2
        stable = self.regularization > 1e-4 * scale
        solve_batches(
            self._order,
            self._widest(self.rank) if stable else self.rank,
            self.rows.indptr,
            self.rows.indices,
            self.rows.values,
            np.ascontiguousarray(factors),
            np.ascontiguousarray(noise),
            self._no_start if start is None else np.ascontiguousarray(start),
            float(threshold),
            self.regularization,
            self._work,
            solution,
        )
        return solution
