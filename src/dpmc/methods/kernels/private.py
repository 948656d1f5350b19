"""Sums over ratings and small regressions of the calibrated methods.

One pass over the ratings adds each row's terms to the sums of the other side, as whole numbers
(:mod:`dpmc.privacy.sums`). The ratings need no second arrangement, and their order does not matter.
Loops are explicit, without fast-math.
"""

from functools import lru_cache, partial

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.blocks import Blocks, Source, total
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.privacy.sensitivity import row_norms
from dpmc.privacy.sums import TOGETHER, Sums, put, put_all
from dpmc.ratings import Compressed

_NOTHING = np.empty(0)
_upper = lru_cache(maxsize=4)(np.triu_indices)


@njit(cache=True, nogil=True)
def _add_gram(indptr, indices, weights, factors, per_step, together, parts):
    """Add f f^T of each row's factors f, upper triangle, to the blocks of its columns.

    Times the weight of the rating, if there are weights. Whole numbers of up to ``together`` rows
    are added in 64 bits, and their sum then in parts.
    """
    rank = factors.shape[1]
    size = rank * (rank + 1) // 2
    products, wholes = np.empty(size), np.empty(size, dtype=np.int64)
    held, added = np.zeros(len(parts), dtype=np.int64), 0
    for row in range(indptr.size - 1):
        entry = 0
        for f in range(rank):
            for g in range(f, rank):
                products[entry] = factors[row, f] * factors[row, g]
                wholes[entry] = np.int64(products[entry] * per_step)
                entry += 1
        for i in range(indptr[row], indptr[row + 1]):
            begin = indices[i] * size
            block = held[begin : begin + size]
            if weights.size:
                for e in range(size):
                    wholes[e] = np.int64(weights[i] * products[e] * per_step)
            for e in range(size):
                block[e] += wholes[e]
        # 64 bits hold the sums of so many users; then they go to the two exact parts
        added += 1
        if added == together:
            put_all(parts, held)
            added = 0
    put_all(parts, held)


@njit(cache=True, nogil=True)
def _add_residuals(indptr, indices, values, factors, theta, threshold, per_step, parts):
    """Add f psi(x - f^T theta) of each rating to the block of its column; theta may be empty."""
    rank = factors.shape[1]
    for row in range(indptr.size - 1):
        for i in range(indptr[row], indptr[row + 1]):
            column = indices[i]
            residual = values[i]
            for f in range(rank * (theta.size > 0)):
                residual -= factors[row, f] * theta[column, f]
            # clipping here is what the sensitivity rests on, whatever theta is
            residual = min(max(residual, -threshold), threshold)
            for f in range(rank):
                put(parts, column * rank + f, np.int64(factors[row, f] * residual * per_step))


@njit(cache=True, nogil=True)
def _add_values(indptr, indices, values, multiples, constant, per_step, parts, squares):
    """Add each rating, or a constant where there are no values, to the sum of its column.

    Times the row's multiple, if there are multiples. The square of what is added goes to
    ``squares``, by row.
    """
    for row in range(indptr.size - 1):
        multiple = multiples[row] if multiples.size else 1.0
        for i in range(indptr[row], indptr[row + 1]):
            value = values[i] if values.size else constant
            whole = np.int64(value * multiple * per_step)
            squares[row] += float(whole) * float(whole)
            put(parts, indices[i], whole)


def gram_sums(
    rows: Compressed, factors: np.ndarray, n_columns: int, bound: float, *,
    weighted: bool = False, threads: int = 1,
) -> np.ndarray:  # fmt: skip
    """Return, for each column, the sum of f f^T over the rows that rated it.

    Factors have shape (n_rows, rank). The result has the upper triangles row by row, shape
    (n_columns, rank (rank + 1) / 2). If ``weighted``, terms are multiplied by the rows' values. No
    number in a term is larger in absolute value than ``bound``.
    """
    rank = factors.shape[1]
    sums = Sums(n_columns * (rank * (rank + 1) // 2), bound)
    add = partial(_gram, factors=factors, weighted=weighted)
    return total(add, Blocks(rows, threads), sums).floats().reshape(n_columns, -1)


def _gram(sums, rows, first, *, factors, weighted):
    own = np.ascontiguousarray(factors[first : first + rows.n_rows])
    weights = rows.values if weighted else _NOTHING
    largest = _largest(own) ** 2 * (_largest(weights) if weighted else 1.0)
    sums.check_largest(largest)
    _add_gram(rows.indptr, rows.indices, weights, own, sums.per_step, TOGETHER, sums.parts)


def _largest(values):
    return float(np.abs(values).max(initial=0.0))


def residual_sums(
    rows: Compressed, factors: np.ndarray, n_columns: int, bound: float, *,
    theta: np.ndarray | None = None, threshold: float = np.inf, threads: int = 1,
) -> np.ndarray:  # fmt: skip
    """Return, for each column, the sum of f psi(x - f^T theta) over its ratings: (n_columns, rank).

    Factors f have shape (n_rows, rank) and theta (n_columns, rank). Without theta, the sums are the
    right-hand side of the regressions. psi clips to [-threshold, threshold]. No number in a term is
    larger in absolute value than ``bound``.
    """
    rank = factors.shape[1]
    theta = np.empty((0, rank)) if theta is None else np.ascontiguousarray(theta)
    if not (np.isfinite(factors).all() and np.isfinite(theta).all()):
        raise PrivacyViolation("residuals of factors that are no numbers cannot be bounded")
    add = partial(_residuals, factors=factors, theta=theta, threshold=float(threshold))
    sums = total(add, Blocks(rows, threads), Sums(n_columns * rank, bound))
    return sums.floats().reshape(n_columns, rank)


def _residuals(sums, rows, first, *, factors, theta, threshold):
    own = np.ascontiguousarray(factors[first : first + rows.n_rows])
    _add_residuals(
        rows.indptr, rows.indices, rows.values, own, theta, threshold, sums.per_step, sums.parts
    )


def column_sums(rows: Source, n_columns: int, bound: float) -> np.ndarray:
    """Return the sum of the values of each column, shape (n_columns,).

    No value is larger in size than ``bound``.
    """
    return total(_columns, rows, Sums(n_columns, bound)).floats()


def _columns(sums, rows, first):
    add_values(sums, 0, rows)


def add_values(
    sums: Sums, place: int, rows: Compressed, multiples: np.ndarray = _NOTHING,
    constant: float | None = None,
) -> np.ndarray:  # fmt: skip
    """Add the values of rows, or a constant for each rating, to the sums of columns from a place.

    The values of row i are multiplied by ``multiples[i]``, shape (n_rows,), if given. The result is
    the sum of squares of what each row added, in steps, shape (n_rows,).
    """
    squares = np.zeros(rows.n_rows)
    values = rows.values if constant is None else _NOTHING
    _add_values(
        rows.indptr, rows.indices, values, multiples, constant or 0.0, sums.per_step,
        sums.parts[place:], squares,
    )  # fmt: skip
    return squares


def column_counts(rows: Compressed, n_columns: int) -> np.ndarray:
    """Return the number of ratings of each column as float64, shape (n_columns,): exact."""
    return np.bincount(rows.indices, minlength=n_columns).astype(float)


class NoisedSystems:
    """Symmetric matrices as released, made positive semidefinite, plus lambda on the diagonal.

    The matrices are given as upper triangles, shape (n, rank (rank + 1) / 2). With noise they need
    not be positive semidefinite, so negative eigenvalues become 0; this is post-processing.
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
    rows, columns = _upper(rank)
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

    V is ``factors``, shape (n, rank), and ``size`` the root mean square of the columns that are
    returned. Directions without content stay 0.
    """
    values, vectors = np.linalg.eigh(factors.T @ factors / len(factors))
    largest = values.max(initial=0)
    scales = np.where(values > 1e-12 * largest, size / np.sqrt(np.maximum(values, 1e-300)), 0)
    return factors @ (vectors * scales) @ vectors.T
