"""Sums of outer products over users: added in blocks of whole numbers, packed, bounded."""

from functools import lru_cache

import numpy as np

from dpmc.compiled import njit
from dpmc.privacy.relations import USER_REPLACE
from dpmc.privacy.sums import TOGETHER, Sums, put_all
from dpmc.ratings import Compressed

TILE = 1 << 16
"""Numbers of the sum that pairs are added to at a time, so that they stay in a core's cache."""

SLACK = 1 + 1e-9
"""Rounding in a norm; clipping stays below its bound by more than that."""

SMALL = 1024
"""Columns up to which the places of pairs are kept for the next time: they take 12 MB."""


def margin(dtype: str | np.dtype) -> float:
    """Return the relative distance to keep from a bound that rounding must not exceed."""
    return 1e-6 if np.dtype(dtype) == np.float32 else 1e-12


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

    Matrices have shape (..., n, n), triangles (..., n (n + 1) / 2), row by row; only the upper
    triangles are read. Entries off the diagonal are multiplied by sqrt(2), because each represents
    two. Equal noise on all entries of the triangle is therefore, for the matrix, the noise (N +
    N^T)/2 with independent entries N: off the diagonal it has half the variance. With ``plain``,
    nothing is multiplied and all noise has the same variance.
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
    """Return the sensitivity of the sum of a a^T with |a| <= bound, in the Frobenius norm.

    Adding or removing one row changes the sum by a a^T, of norm |a|^2. If a becomes b, |a a^T - b
    b^T|^2 = |a|^4 + |b|^4 - 2 (a . b)^2 <= 2 bound^4, with equality for orthogonal rows. The plain
    upper triangle is at most as long as the whole matrix, and as long for unit a, b.
    """
    return bound**2 * (np.sqrt(2.0) if relation == USER_REPLACE else 1.0)
