"""Sums of outer products over users: made in blocks, bounded, and released with noise."""

from functools import lru_cache

import numpy as np
from numba import njit
from scipy.linalg import eigh
from scipy.linalg.blas import dsyrk

from dpmc.errors import InputError
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.privacy.relations import USER_REPLACE
from dpmc.ratings import Compressed

BLOCK = 1 << 22
"""Numbers in a block of dense rows."""

PAIR = 12
"""What adding one pair of numbers of a row costs, in pairs of a product of matrices."""

TILE = 1 << 17
"""Numbers of the sum that pairs are added to at a time, so that they stay in a core's cache."""

FULL = 10
"""From a mean share of 1/10 of the columns on, rows are added whole and not pair by pair."""

HELD = 1 << 18
"""Numbers of rows that are added whole at a time, so that they stay in a core's cache."""

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
        raise PrivacyViolation(f"a row has l2 norm {longest:g}, above the bound {bound:g}")


def outer_sum(rows: Compressed, n_columns: int) -> np.ndarray:
    """Return the upper triangle of the sum of a a^T over the rows a, zeros below it.

    Its shape is (n_columns, n_columns). Short rows are added one after the other, pair by pair or
    whole, which gives the same bits; long ones as a product of matrices, for which they are written
    out in blocks.
    """
    check_columns(n_columns)
    total = np.zeros((n_columns, n_columns), order="F")
    long = PAIR * rows.sizes**2 > n_columns**2
    short, sizes = np.flatnonzero(~long), rows.sizes[~long]
    whole = n_columns * sizes.sum() <= FULL * np.square(sizes).sum()
    add, held = (_add_whole, HELD) if whole else (_add_pairs, TILE)
    held = max(1, held // max(1, n_columns))
    add(rows.indptr, rows.indices, rows.values, short, held, total)
    places, height = np.flatnonzero(long), max(1, BLOCK // n_columns)
    for first in range(0, places.size, height):
        some = places[first : first + height]
        block = np.zeros((some.size, n_columns))
        for place, row in enumerate(some):
            own = slice(rows.indptr[row], rows.indptr[row + 1])
            block[place, rows.indices[own]] = rows.values[own]
        total = dsyrk(1.0, block.T, beta=1.0, c=total, overwrite_c=True)
    return total


def release_outer_sum(
    what: str, rows: Compressed, n_columns: int, ledger: Ledger, bound: float, relation: str,
    weight: float,
) -> np.ndarray:  # fmt: skip
    """Return the noised sum of a a^T over rows a, shape (n_columns, n_columns).

    ``what`` names the release, ``weight`` is that of its noise. A row longer than ``bound`` is a
    PrivacyViolation.
    """
    check_row_lengths(rows, bound)
    exact = pack(outer_sum(rows, n_columns))
    noised = ledger.release(what, exact, outer_sensitivity(relation, bound), weight=weight)
    return unpack(noised, n_columns)


def check_columns(n_columns: int) -> None:
    """Raise InputError if a matrix of all pairs of columns takes too much memory."""
    if n_columns > MOST_COLUMNS:
        raise InputError(
            f"A matrix of all pairs of {n_columns} items takes too much memory: give item_share "
            f"and counts_share, so that at most {MOST_COLUMNS} items get factors."
        )


@njit(cache=True)
def _add_pairs(indptr, indices, values, chosen, width, total):
    """Add a a^T of each chosen row a to the upper triangle, ``width`` columns at a time.

    Places in ``total`` are unsigned: for signed ones numba asks of each whether it is negative.
    """
    n_columns, entries = np.uint64(total.shape[1]), total.T.reshape(-1)
    following = indptr[chosen]
    for end in range(width, total.shape[1] + width, width):
        for place, row in enumerate(chosen):
            first, i = indptr[row], following[place]
            while i < indptr[row + 1] and indices[i] < end:
                column, value = np.uint64(indices[i]) * n_columns, values[i]
                for j in range(np.uint64(first), np.uint64(i + 1)):
                    entries[column + np.uint64(indices[j])] += value * values[j]
                i += 1
            following[place] = i


@njit(cache=True)
def _add_whole(indptr, indices, values, chosen, height, total):
    """Add a a^T of each chosen row a to the upper triangle, ``height`` rows at a time.

    To a column of the sum the rows that have it add themselves written out, which the compiler
    turns into vector code; eight in one pass, as most of the time goes to reading and writing the
    sum. Each number gets its terms in the order of the rows, and zeros between them.
    """
    columns, height = total.T, max(1, min(height, chosen.size))
    dense = np.zeros((height, columns.shape[0]))
    following = np.empty(columns.shape[0] + 1, dtype=np.int64)
    for first in range(0, chosen.size, height):
        some = chosen[first : first + height]
        following[:] = 0
        for place, row in enumerate(some):
            for k in range(indptr[row], indptr[row + 1]):
                dense[place, indices[k]] = values[k]
                following[indices[k] + 1] += 1
        following = np.cumsum(following)
        owners = np.empty(following[-1], dtype=np.int64)
        for place, row in enumerate(some):  # afterwards a column's own end where its places do
            for k in range(indptr[row], indptr[row + 1]):
                owners[following[indices[k]]] = place
                following[indices[k]] += 1
        begin = 0
        for column in range(columns.shape[0]):
            sums, end = columns[column, : column + 1], following[column]
            while begin + 8 <= end:
                _add_eight(dense, owners[begin : begin + 8], column, sums)
                begin += 8
            for place in owners[begin:end]:
                value, row = dense[place, column], dense[place]
                for i in range(sums.size):
                    sums[i] += value * row[i]
            begin = end
        for place, row in enumerate(some):
            dense[place, indices[indptr[row] : indptr[row + 1]]] = 0.0


@njit(cache=True)
def _add_eight(dense, places, column, sums):
    """Add eight rows of ``dense`` times their entry in a column, one after the other."""
    a, b, c, d = dense[places[0]], dense[places[1]], dense[places[2]], dense[places[3]]
    e, f, g, h = dense[places[4]], dense[places[5]], dense[places[6]], dense[places[7]]
    at_a, at_b, at_c, at_d = a[column], b[column], c[column], d[column]
    at_e, at_f, at_g, at_h = e[column], f[column], g[column], h[column]
    for i in range(sums.size):
        found = sums[i] + at_a * a[i]
        found += at_b * b[i]
        found += at_c * c[i]
        found += at_d * d[i]
        found += at_e * e[i]
        found += at_f * f[i]
        found += at_g * g[i]
        sums[i] = found + at_h * h[i]


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
