"""Choice, weights and clipping of the ratings of each user that count for the items.

Each function changes a row by that row and public numbers alone. Adding or removing a user
therefore leaves the rows of all others unchanged.
"""

import numpy as np

from dpmc.methods.private_choice import keep_smallest
from dpmc.methods.user_level.covariance import margin
from dpmc.ratings import Compressed


def choose_rare(rows: Compressed, most: int, counts: np.ndarray) -> Compressed:
    """Keep at most ``most`` >= 1 ratings of each row, from the columns with the lowest counts.

    ``counts``, shape (n_columns,), are released numbers of ratings. Source: Chien et al. 2021,
    section 5.1, adaptive sampling.
    """
    if not (rows.sizes > most).any():
        return rows
    rank = np.empty(counts.size, dtype=np.int64)
    rank[np.argsort(counts, kind="stable")] = np.arange(counts.size)
    return keep_smallest(rows, most, rank[rows.indices])


def weigh_rare(rows: Compressed, total: float, counts: np.ndarray, exponent: float) -> Compressed:
    """Return weights of all ratings, proportional to max(1, count of the item)^-exponent.

    The squared weights of each row sum to ``total``. ``counts``, shape (n_columns,), are released
    numbers of ratings. Source: Krichene et al. 2023, adaptive weights; their program, ``dpam.py``.
    """
    raw = rows.with_values((np.maximum(counts, 1) ** -exponent)[rows.indices])
    longest = np.sqrt(total) * (1 - margin(rows.values.dtype))
    weights = raw.values * raw.per_rating(longest / np.maximum(raw.norms(), 1e-300))
    return raw.with_values(weights).astype(rows.values.dtype)


def clip_values(
    rows: Compressed, value_bound: float, row_bound: float | None, weights: Compressed | None = None
) -> Compressed:
    """Return rows with values clipped to the value bound and l2 norms of at most ``row_bound``.

    With ``weights``, ``row_bound`` bounds the norm of the values times their weights.
    """
    below = 1 - margin(rows.values.dtype)
    clipped = rows.clipped(-value_bound * below, value_bound * below)
    if row_bound is None:
        return clipped
    sent = clipped if weights is None else clipped.with_values(clipped.values * weights.values)
    shrink = row_bound * below / np.maximum(sent.norms(), row_bound * below)
    clipped.values[...] *= rows.per_rating(shrink).astype(rows.values.dtype, copy=False)
    return clipped
