"""Offsets of items and users from noised sums and counts of ratings."""

import numpy as np

from dpmc.methods.blocks import Source
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed

PRIOR_SHARE = 0.25
"""Standard deviation of item offsets, as a share of half the rating range: a public guess."""


def noised_mean(total: float, count: float, bound: float) -> float:
    """Return total / count within [-bound, bound]; a count below 1, which noise makes, is 1."""
    return float(np.clip(total / max(count, 1.0), -bound, bound))


def damped_offsets(
    sums: np.ndarray, counts: np.ndarray, shrinkage: float, noise: float, prior: float
) -> np.ndarray:
    """Return damped means b = n D / (n^2 + shrinkage n + (noise / prior)^2).

    D are ``sums`` and n ``counts``, of the same shape; negative counts become 0. ``shrinkage`` is
    at least 0, ``noise`` is the standard deviation of the noise in D, and ``prior`` > 0. Without
    noise, b is D / (n + shrinkage), the damped mean of Koren 2010, section 2.1. With noise, b is
    the posterior mean of b ~ N(0, prior^2) given D = n b + error, where the error has variance n
    prior^2 shrinkage + noise^2. A count hidden by noise gives an offset near 0.
    """
    counts = np.maximum(counts, 0)
    denominators = counts**2 + shrinkage * counts + (noise / prior) ** 2
    return counts * sums / np.maximum(denominators, np.finfo(float).tiny)


def item_offsets(statistics, rows: Source, n_items: int, shrinkage: float) -> np.ndarray:
    """Release sums and counts of the items; return the mean plus each item's damped offset.

    ``rows`` are ratings by user, clipped and centred. The result has shape (n_items,) and is
    relative to the centre of the range, within the range.
    """
    bound = statistics.bounds.half_range
    sums, counts = statistics.sums(rows, n_items), statistics.counts(rows, n_items)
    mean = noised_mean(sums.sum(), counts.sum(), bound)
    noise = statistics.noise_std(statistics.bounds.sums())
    offsets = damped_offsets(sums - counts * mean, counts, shrinkage, noise, PRIOR_SHARE * bound)
    return _bounded(mean + offsets, bound)


def user_offsets(
    statistics, rows: Compressed, of_items: np.ndarray, n_users: int, shrinkage: float
) -> np.ndarray:
    """Release sums and counts of the users, at entry level; return their damped offsets.

    ``rows`` are ratings by item, clipped and centred, and ``of_items`` the result of
    :func:`item_offsets`. The offsets, shape (n_users,), are at most half the range in size.
    """
    bound = statistics.bounds.half_range
    left = rows.minus(rows=of_items).clipped(-bound, bound)
    sums, counts = statistics.sums(left, n_users), statistics.counts(left, n_users)
    noise = statistics.noise_std(statistics.bounds.sums())
    return _bounded(damped_offsets(sums, counts, shrinkage, noise, PRIOR_SHARE * bound), bound)


def own_offsets(
    rows: Compressed, first: int, *, of_items: np.ndarray, shrinkage: float, bound: float
) -> np.ndarray:
    """Return :func:`user_offsets` without noise, as users compute them alone.

    ``rows`` are ratings by user, of a block.
    """
    left, sums = rows.minus(columns=of_items).clipped(-bound, bound), Sums(rows.n_rows, bound)
    sums.add_at(left.per_rating(np.arange(rows.n_rows)), sums.whole(left.values))
    offsets = damped_offsets(sums.floats(), rows.sizes, shrinkage, 0.0, PRIOR_SHARE * bound)
    return _bounded(offsets, bound)


def _bounded(values, bound):
    return np.clip(values, -bound, bound)
