"""Which ratings of a user count for the items, and as how much: the user's own business.

Whatever is done here to one row depends on that row and on public numbers only, so that a user who
comes or goes changes nothing of the others.
"""

import numpy as np

from dpmc.methods.private_choice import keep_smallest
from dpmc.ratings import Compressed


def take_columns(rows: Compressed, columns: np.ndarray, n_columns: int) -> Compressed:
    """Return the ratings of some columns, which are numbered anew.

    Parameters
    ----------
    rows : Compressed
    columns : integer array
        Ascending.
    n_columns : int
        Of ``rows``.
    """
    if columns.size == n_columns:
        return rows
    number = np.full(n_columns, -1, dtype=np.int32)
    number[columns] = np.arange(columns.size, dtype=np.int32)
    kept = keep(rows, number[rows.indices] >= 0)
    return Compressed(kept.indptr, number[kept.indices], kept.values)


def keep(rows: Compressed, kept: np.ndarray) -> Compressed:
    """Return the ratings where a mask, shape (n_ratings,), is true."""
    indptr = np.concatenate([[0], np.cumsum(kept)])[rows.indptr]
    return Compressed(indptr, rows.indices[kept], rows.values[kept])


def choose_rare(rows: Compressed, most: int, counts: np.ndarray) -> Compressed:
    """Keep at most ``most`` ratings of each row: those of the least popular columns.

    Source: Chien et al., "Private alternating least squares" (ICML 2021), section 5.1, adaptive
    sampling.

    Parameters
    ----------
    rows : Compressed
    most : int
        At least 1.
    counts : float64 array, shape (n_columns,)
        Released numbers of ratings of the columns.
    """
    if not (np.diff(rows.indptr) > most).any():
        return rows
    rank = np.empty(counts.size, dtype=np.int64)
    rank[np.argsort(counts, kind="stable")] = np.arange(counts.size)
    return keep_smallest(rows, most, rank[rows.indices])


def clip_values(rows: Compressed, value_bound: float, row_bound: float | None) -> Compressed:
    """Return rows with values within the value bound, shortened to the l2 norm ``row_bound``."""
    below = 1 - margin(rows.values.dtype)
    values = np.clip(rows.values, -value_bound * below, value_bound * below)
    if row_bound is not None:
        norms = np.sqrt(squared_norms(Compressed(rows.indptr, rows.indices, values)))
        scales = row_bound * below / np.maximum(norms, row_bound * below)
        values *= np.repeat(scales, np.diff(rows.indptr)).astype(values.dtype)
    return Compressed(rows.indptr, rows.indices, values)


def margin(dtype: str | np.dtype) -> float:
    """Return the relative distance to keep from a bound that rounding must not exceed."""
    return 1e-6 if np.dtype(dtype) == np.float32 else 1e-12


def less(rows: Compressed, of_rows: np.ndarray, dtype: str) -> Compressed:
    """Return rows with one number for each taken off all of its values, as ``dtype``."""
    values = rows.values - np.repeat(of_rows, np.diff(rows.indptr))
    return Compressed(rows.indptr, rows.indices, values.astype(dtype, copy=False))


def means_of_rows(rows: Compressed, default: float) -> np.ndarray:
    """Return the mean of each row's values, shape (n_rows,); ``default`` for empty rows."""
    sizes = np.diff(rows.indptr)
    return np.where(sizes > 0, _sums(rows, rows.values) / np.maximum(sizes, 1), default)


def squared_norms(rows: Compressed) -> np.ndarray:
    """Return the sum of squares of each row's values, shape (n_rows,)."""
    return _sums(rows, rows.values.astype(float) ** 2)


def _sums(rows, values):
    """Return the sum of one value for each rating, by row."""
    sums = np.zeros(rows.indptr.size - 1)
    filled = np.flatnonzero(np.diff(rows.indptr))
    if filled.size:
        sums[filled] = np.add.reduceat(values, rows.indptr[filled], dtype=float)
    return sums
