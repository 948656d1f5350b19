"""Sums over ratings and small regressions of the calibrated methods.

One pass over the ratings adds each row's outer product to the blocks of the other side, so that
no second arrangement of the ratings is needed. Explicit loops in a fixed order, no fast-math.
"""

import numpy as np
from numba import njit

from dpmc.privacy.sensitivity import row_norms
from dpmc.ratings import Compressed


@njit(cache=True)
def _add_gram(indptr, indices, factors, total):
    """Add f f^T of each row's factors f, upper triangle, to the blocks of its columns."""
    rank = factors.shape[1]
    product = np.empty(rank * (rank + 1) // 2)
    for row in range(indptr.size - 1):
        entry = 0
        for f in range(rank):
            for g in range(f, rank):
                product[entry] = factors[row, f] * factors[row, g]
                entry += 1
        for i in range(indptr[row], indptr[row + 1]):
            column = indices[i]
            for e in range(product.size):
                total[column, e] += product[e]


@njit(cache=True)
def _add_residuals(indptr, indices, values, factors, theta, threshold, total):
    """Add f psi(x - f^T theta) of each rating to the block of its column."""
    rank = factors.shape[1]
    for row in range(indptr.size - 1):
        for i in range(indptr[row], indptr[row + 1]):
            column = indices[i]
            residual = values[i]
            for f in range(rank):
                residual -= factors[row, f] * theta[column, f]
            residual = min(max(residual, -threshold), threshold)
            for f in range(rank):
                total[column, f] += factors[row, f] * residual


def gram_sums(rows: Compressed, factors: np.ndarray, n_columns: int) -> np.ndarray:
    """Return, for each column, the sum of f f^T over the rows that rated it.

    From factors (n_rows, rank) to upper triangles, row by row: (n_columns, rank (rank + 1) / 2).
    """
    rank = factors.shape[1]
    total = np.zeros((n_columns, rank * (rank + 1) // 2))
    _add_gram(rows.indptr, rows.indices, np.ascontiguousarray(factors), total)
    return total


def residual_sums(
    rows: Compressed,
    factors: np.ndarray,
    theta: np.ndarray,
    threshold: float = np.inf,
) -> np.ndarray:
    """Return, for each column, the sum of f psi(x - f^T theta) over its ratings: (n_columns, rank).

    Factors f have shape (n_rows, rank) and theta (n_columns, rank); at zeros, this is the
    right-hand side of the regressions. psi clips to [-threshold, threshold].
    """
    total = np.zeros(theta.shape)
    _add_residuals(
        rows.indptr, rows.indices, rows.values, np.ascontiguousarray(factors),
        np.ascontiguousarray(theta), float(threshold), total,
    )  # fmt: skip
    return total


def column_sums(rows: Compressed, n_columns: int) -> np.ndarray:
    """Return the sum of the values of each column, shape (n_columns,), in order of rows."""
    return np.bincount(rows.indices, rows.values, minlength=n_columns)


def column_counts(rows: Compressed, n_columns: int) -> np.ndarray:
    """Return the number of ratings of each column as float64, shape (n_columns,)."""
    return np.bincount(rows.indices, minlength=n_columns).astype(float)


class NoisedSystems:
    """Symmetric matrices as released, made positive semidefinite, plus lambda on the diagonal.

    Parameters
    ----------
    triangles : float64 array, shape (n, rank (rank + 1) / 2)
        Upper triangles; with noise they need not be positive semidefinite any more, so negative
        eigenvalues become 0. This is post-processing.
    regularization : float
        lambda > 0.
    """

    def __init__(self, triangles: np.ndarray, rank: int, regularization: float):
        self.values, self.vectors = np.linalg.eigh(full_matrices(triangles, rank))
        self.values = np.maximum(self.values, 0) + regularization

    def solve(self, right: np.ndarray) -> np.ndarray:
        """Return the solutions for right-hand sides of shape (n, rank)."""
        coordinates = np.einsum("nfg,nf->ng", self.vectors, right) / self.values
        return np.einsum("nfg,ng->nf", self.vectors, coordinates)


def full_matrices(triangles: np.ndarray, rank: int) -> np.ndarray:
    """Return symmetric matrices, shape (n, rank, rank), of upper triangles."""
    rows, columns = np.triu_indices(rank)
    matrices = np.empty((len(triangles), rank, rank))
    matrices[:, rows, columns] = triangles
    matrices[:, columns, rows] = triangles
    return matrices


def clip_rows(factors: np.ndarray, bound: float, norm: int) -> np.ndarray:
    """Return rows scaled down to l1 or l2 norm ``bound`` where they are longer."""
    norms = row_norms(factors, norm)
    return factors * np.minimum(1, bound / np.maximum(norms, bound))[:, None]


def balance(factors: np.ndarray, size: float) -> np.ndarray:
    """Return V (V^T V / n)^(-1/2) size: the same span, columns uncorrelated and of equal size.

    V is ``factors``, shape (n, rank), and ``size`` the root mean square of the columns. Directions
    without any content stay so.
    """
    values, vectors = np.linalg.eigh(factors.T @ factors / len(factors))
    largest = values.max(initial=0)
    scales = np.where(values > 1e-12 * largest, size / np.sqrt(np.maximum(values, 1e-300)), 0)
    return factors @ (vectors * scales) @ vectors.T
