"""Sums of outer products over users: made in blocks, bounded, and released with noise."""

from functools import lru_cache, partial

import numpy as np
from scipy.linalg import eigh

from dpmc.compiled import njit
from dpmc.errors import InputError
from dpmc.methods.blocks import Source, total
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.privacy.relations import USER_REPLACE
from dpmc.privacy.sums import TOGETHER, Sums, put_all
from dpmc.ratings import Compressed

TILE = 1 << 16
"""Numbers of the sum that pairs are added to at a time, so that they stay in a core's cache."""

SLACK = 1 + 1e-9
"""Rounding in a norm; clipping stays below its bound by more than that."""

SMALL = 1024
"""Columns up to which the places of pairs are kept for the next time: they take 12 MB."""

MOST_COLUMNS = 2**15
"""Of whose pairs a matrix takes 8 GiB."""


def check_row_lengths(rows: Compressed, bound: float) -> None:
    """Raise PrivacyViolation unless every row has l2 norm at most ``bound``."""
    longest = rows.norms().max(initial=0.0)
    if not longest <= bound * SLACK:
        raise PrivacyViolation(f"a row has an l2 norm above the bound {bound:g}")


def outer_sum(rows: Source, n_columns: int, bound: float, *, plain: bool = False) -> np.ndarray:
    """Return the sum of a a^T over the rows a, packed as :func:`pack` does.

    Each product of two numbers of a row is truncated to a whole number of steps of
    :class:`dpmc.privacy.sums.Sums`; none is larger in size than ``bound``^2.
    """
    return packed(outer_sums(rows, n_columns, bound), plain=plain)


def outer_sums(rows: Source, n_columns: int, bound: float) -> Sums:
    """Return :func:`outer_sum` as exact sums, of the upper triangle row by row."""
    check_columns(n_columns)
    sums = Sums(n_columns * (n_columns + 1) // 2, bound**2)
    return total(partial(add_outer, n_columns=n_columns), rows, sums)


def packed(sums: Sums, *, plain: bool = False) -> np.ndarray:
    """Return an upper triangle as :func:`pack` would return the matrix."""
    entries = sums.floats()
    if not plain:
        n_columns = round((2 * entries.size + 0.25) ** 0.5 - 0.5)
        entries *= _places(n_columns)[1]
    return entries


def add_outer(sums: Sums, rows: Compressed, first: int, *, n_columns: int) -> None:
    """Add a a^T of each row to the sums of an upper triangle, row by row."""
    sums.check_largest(float(np.abs(rows.values).max(initial=0.0)) ** 2)
    width = max(1, TILE // max(1, n_columns))
    _add_pairs(
        rows.indptr, rows.indices, rows.values, n_columns, width, TOGETHER, sums.per_step,
        sums.parts,
    )  # fmt: skip


def release_outer_sum(
    what: str, rows: Compressed, n_columns: int, ledger: Ledger, bound: float, relation: str,
    weight: float,
) -> np.ndarray:  # fmt: skip
    """Return the noised sum of a a^T over rows a, shape (n_columns, n_columns).

    ``what`` names the release, ``weight`` is that of its noise. A row longer than ``bound`` is a
    PrivacyViolation.
    """
    check_row_lengths(rows, bound)
    exact = outer_sum(rows, n_columns, bound)
    noised = ledger.release(what, exact, outer_sensitivity(relation, bound), weight=weight)
    return unpack(noised, n_columns)


def check_columns(n_columns: int) -> None:
    """Raise InputError if a matrix of all pairs of columns takes too much memory."""
    if n_columns > MOST_COLUMNS:
        raise InputError(
            f"A matrix of all pairs of {n_columns} items takes too much memory: give item_share "
            f"and counts_share, so that at most {MOST_COLUMNS} items get factors."
        )


@njit(cache=True, nogil=True)
def _add_pairs(indptr, indices, values, n_columns, height, together, per_step, parts):
    """Add a a^T of each row a to the upper triangle, ``height`` rows of the triangle at a time.

    Whole numbers of up to ``together`` users are added in 64 bits, and their sum then in parts.
    Places are unsigned: for signed ones numba asks of each whether it is negative.
    """
    following = indptr[:-1].copy()
    tile = np.zeros(height * n_columns, dtype=np.int64)
    for top in range(0, n_columns, height):
        end = min(top + height, n_columns)
        begin, added = top * n_columns - top * (top - 1) // 2, 0
        size = end * n_columns - end * (end - 1) // 2 - begin
        for row in range(following.size):
            i, last = following[row], indptr[row + 1]
            if i == last or indices[i] >= end:
                continue
            while i < last and indices[i] < end:
                # of the triangle's row c, column j has the place c n - c (c - 1) / 2 + j - c
                c, value = np.int64(indices[i]), values[i]
                place = c * n_columns - c * (c + 1) // 2 - begin
                for j in range(i, last):
                    tile[np.uint64(place + indices[j])] += np.int64(value * values[j] * per_step)
                i += 1
            following[row] = i
            added += 1
            if added == together:
                put_all(parts[begin : begin + size], tile[:size])
                added = 0
        put_all(parts[begin : begin + size], tile[:size])


def pack(matrices: np.ndarray, *, plain: bool = False) -> np.ndarray:
    """Return upper triangles whose l2 norm is the Frobenius norm of the symmetric matrices.

    From (..., n, n), of which only upper triangles are read, to (..., n (n + 1) / 2), row by row.
    Entries off the diagonal are multiplied by sqrt(2), as they stand for two. So noise that is
    equal for all entries of what is returned is, for the matrix, that of (N + N^T)/2 with
    independent entries N: off the diagonal it has half the variance. ``plain`` multiplies nothing:
    the noise off the diagonal has the variance of that on it.
    """
    upper, multiples = _places(matrices.shape[-1])
    entries = matrices[..., upper[0], upper[1]]
    return entries if plain else entries * multiples


def unpack(triangles: np.ndarray, n: int, *, plain: bool = False) -> np.ndarray:
    """Return the symmetric matrices, shape (..., n, n), of what :func:`pack` returned."""
    upper, multiples = _places(n)
    entries = triangles if plain else triangles / multiples
    matrices = np.empty((*triangles.shape[:-1], n, n))
    matrices[..., upper[0], upper[1]] = entries
    matrices[..., upper[1], upper[0]] = entries
    return matrices


def _places(n):
    """Return where the upper triangle is, and what its entries are multiplied by."""
    return _small_places(n) if n <= SMALL else _find_places(n)


def _find_places(n):
    upper = np.triu_indices(n)
    return upper, np.where(upper[0] == upper[1], 1.0, np.sqrt(2.0))


_small_places = lru_cache(maxsize=4)(_find_places)


def outer_sensitivity(relation: str, bound: float) -> float:
    """Return how far one user moves the sum of a a^T with |a| <= bound, in the Frobenius norm.

    One row more or less changes the sum by a a^T, of norm |a|^2. If a becomes b,
    |a a^T - b b^T|^2 = |a|^4 + |b|^4 - 2 (a . b)^2 <= 2 bound^4, attained by orthogonal rows. The
    plain upper triangle is never longer than the whole matrix, and as long for unit vectors a, b.
    """
    return bound**2 * (np.sqrt(2.0) if relation == USER_REPLACE else 1.0)


def top_eigenvectors(matrix: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the largest eigenvalues, descending, and their vectors as columns.

    Signs are such that the entry of a vector that is largest in size is positive.
    """
    n = len(matrix)
    check_rank(rank, n)
    values, vectors = eigh(matrix, subset_by_index=(n - rank, n - 1))
    vectors = vectors[:, ::-1]
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(rank)]
    return values[::-1], vectors * np.where(largest < 0, -1.0, 1.0)


def check_rank(rank: int, n_items: int) -> None:
    """Raise InputError if there are fewer items than columns of factors."""
    if rank > n_items:
        raise InputError(f"rank must be at most {n_items}, the number of items, got {rank}.")
