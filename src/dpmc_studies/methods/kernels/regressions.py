"""The regressions of one side of the matrix, exact and fast."""

from typing import NamedTuple

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.kernels.simd import LANES, lane_zeros
from dpmc.ratings import Compressed
from dpmc_studies.methods.kernels.lanes import CHUNK, solve_batches


class Workspace(NamedTuple):
    """Buffers of the kernels for up to n - 1 ratings, rank r, K steps and systems of order size."""

    factors: np.ndarray  # (n, r) factors of the other side, a row per rating
    columns: np.ndarray  # (n,) int64: which rows of the factors they are
    values: np.ndarray  # (n,)
    noise: np.ndarray  # (K, r) in rating space times -1/lambda
    theta: np.ndarray  # (r,)
    matrix: np.ndarray  # (size, size) F F^T or F^T F
    lower: np.ndarray  # (size, size) its factor L
    pivots: np.ndarray  # (size,) 1 / diagonal of the factorization
    shift: np.ndarray  # (size,) what is added to the diagonal: lambda D or lambda
    targets: np.ndarray  # (K, size) right-hand sides
    weights: np.ndarray  # (n,)
    listed: np.ndarray  # (n,) int64: ratings whose weight is not 1
    some_columns: np.ndarray  # (CHUNK,) the same for some ratings ...
    some_factors: np.ndarray  # (CHUNK, r)
    some_values: np.ndarray  # (CHUNK,)
    some_weights: np.ndarray  # (CHUNK,) ... but weights to add
    chunk: np.ndarray  # (r, CHUNK) factors, a column per rating
    weighted: np.ndarray  # (r, CHUNK) times weights


def workspace(most_ratings: int, rank: int, steps: int, size: int) -> Workspace:
    """Allocate the buffers for rows of up to ``most_ratings`` and systems of up to ``size``."""
    n = most_ratings + 1  # one for padding
    return Workspace(
        factors=lane_zeros(n, rank),
        columns=np.zeros((n, LANES), dtype=np.int64),
        values=lane_zeros(n),
        noise=lane_zeros(steps, rank),
        theta=lane_zeros(rank),
        matrix=lane_zeros(size, size),
        lower=lane_zeros(size, size),
        pivots=lane_zeros(size),
        shift=lane_zeros(size),
        targets=lane_zeros(steps, size),
        weights=lane_zeros(n),
        listed=np.zeros((n, LANES), dtype=np.int64),
        some_columns=np.zeros((CHUNK, LANES), dtype=np.int64),
        some_factors=lane_zeros(CHUNK, rank),
        some_values=lane_zeros(CHUNK),
        some_weights=lane_zeros(CHUNK),
        chunk=lane_zeros(rank, CHUNK),
        weighted=lane_zeros(rank, CHUNK),
    )


class Regressions:
    """A regression for every row of ratings on the factors of the other side.

    It computes theta_K of R-IRLS (Gowtham et al. 2022, algorithm 3) for all rows. With an infinite
    threshold and one step, that is the ridge regression of ALS (algorithm 1). The two forms are in
    :mod:`dpmc_studies.methods.kernels.lanes`. It uses one thread and no BLAS.

    Parameters
    ----------
    rows : Compressed
        The ratings grouped by the side to solve for.
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
        self.rows, self.rank, self.steps = rows, rank, steps
        self.regularization = float(regularization)
        self.counts = rows.sizes
        self._n_columns = int(rows.indices.max(initial=-1)) + 1
        order = np.argsort(self.counts, kind="stable")
        self._empty, order = np.split(order, [np.count_nonzero(self.counts == 0)])
        # a batch needs eight rows: the last one stands in for those missing
        self._order = np.append(order, np.repeat(order[-1:], -order.size % LANES))
        # up to this many ratings rating space is faster (measured at ranks 5 to 32)
        self._widest = rank + rank // 2
        most = int(self.counts.max(initial=0))
        self._work = workspace(most, rank, steps, max(rank, min(most, self._widest)))

    def solve(
        self,
        factors: np.ndarray,
        *,
        threshold: float = np.inf,
        start: np.ndarray | None = None,
        noise: np.ndarray | None = None,
    ) -> np.ndarray:
        """Return theta_K of every row.

        By the formula, a row without ratings gets t_K / lambda, which is zero without noise.

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
        shape = (self.counts.size, self.rank)
        factors = _array("factors", factors, (max(len(factors), self._n_columns), self.rank))
        start = np.zeros(shape) if start is None else _array("start", start, shape)
        if noise is None:
            noise = np.zeros((0, *shape))
        else:
            noise = _array("noise", noise, (self.steps, *shape))
        solution = np.zeros(shape)
        if len(noise):
            solution[self._empty] = noise[-1, self._empty] / self.regularization
        self._solve(factors, float(threshold), start, noise, solution)
        return solution

    def _solve(self, factors, threshold, start, noise, solution):
        """Write theta_K to ``solution``; noise of shape (0, n_rows, rank) means none."""
        if len(noise) == 0:
            self._work.noise[:] = 0.0
        # With more ratings than factors, F F^T alone is singular and rating space loses digits
        # in proportion to |f|^2 / lambda.
        scale = self.rank * np.abs(factors).max(initial=0.0) ** 2
        widest = self._widest if self.regularization > 1e-4 * scale else self.rank
        with_padding = np.vstack([factors, np.zeros(self.rank)])
        solve_batches(
            self._order, widest, self.rows.indptr, self.rows.indices, self.rows.values,
            with_padding, noise, start, threshold, self.regularization, self._work, solution,
        )  # fmt: skip


def _array(name, array, shape):
    """Return a C-contiguous float64 array of this shape: compiled code does not check bounds."""
    array = np.ascontiguousarray(array, dtype=np.float64)
    if array.shape != shape:
        raise InputError(f"{name} must have shape {shape}, got {array.shape}.")
    return array
