"""Which ratings of a user count for the items, and as how much: the user's own business.

Whatever is done here to one row depends on that row and on public numbers only, so that a user who
comes or goes changes nothing of the others.
"""

import numpy as np

from dpmc.methods.private_choice import keep_smallest
from dpmc.ratings import Compressed


def choose_rare(rows: Compressed, most: int, counts: np.ndarray) -> Compressed:
    """Keep at most ``most`` >= 1 ratings of each row: those of the columns with the least counts.

    ``counts``, shape (n_columns,), are released numbers of ratings. Source: Chien et al. 2021,
    section 5.1, adaptive sampling.
    """
    if not (rows.sizes > most).any():
        return rows
    rank = np.empty(counts.size, dtype=np.int64)
    rank[np.argsort(counts, kind="stable")] = np.arange(counts.size)
    return keep_smallest(rows, most, rank[rows.indices])


def clip_values(rows: Compressed, value_bound: float, row_bound: float | None) -> Compressed:
    """Return rows with values within the value bound, shortened to the l2 norm ``row_bound``."""
    below = 1 - margin(rows.values.dtype)
    clipped = rows.clipped(-value_bound * below, value_bound * below)
    if row_bound is None:
        return clipped
    shrink = row_bound * below / np.maximum(clipped.norms(), row_bound * below)
    clipped.values[...] *= rows.per_rating(shrink).astype(rows.values.dtype, copy=False)
    return clipped


def margin(dtype: str | np.dtype) -> float:
    """Return the relative distance to keep from a bound that rounding must not exceed."""
    return 1e-6 if np.dtype(dtype) == np.float32 else 1e-12
