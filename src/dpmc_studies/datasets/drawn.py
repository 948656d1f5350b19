"""Random matrices of known rank for experiments on user-level private factorisation.

Sources: Chien et al., "Private alternating least squares" (ICML 2021), section 6.1; Jain, Thakkar
and Thakurta, "Differentially private matrix completion revisited" (ICML 2018), section 5 (rank
one, unit max-norm).
"""

import math

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Compressed, Ratings
from dpmc_studies.compiled import njit
from dpmc_studies.datasets.parts import Split

BLOCK = 1 << 18  # entries that are drawn at a time, few enough for a core's cache


def share_observed(users: int, items: int, ratings_factor: float) -> float:
    """Return the probability that an entry is observed, ratings_factor x ln(users)/items."""
    return min(1.0, ratings_factor * math.log(users) / items)


def synthetic(
    rng: np.random.Generator,
    *,
    users: int,
    items: int,
    rank: int,
    share: float,
    test_entries: int,
    max_norm: bool = False,
    noise: float = 0.0,
    name: str = "synthetic",
) -> Split:
    """Return a random low-rank matrix: its observed entries for training, and others for testing.

    M = c P Q^T, where P and Q are orthonormal bases of uniformly distributed subspaces. c makes the
    root mean square of the entries 1 or, with ``max_norm``, their largest absolute value.

    ``share`` is the probability that an entry is observed, above 0 and below 1. ``rank`` is at most
    the smaller side. ``test_entries`` are distinct and at most half of the unobserved entries.
    ``max_norm`` is for rank 1 only. ``noise`` is the standard deviation of normal noise on the
    observed entries only. ``training`` is sorted by user; values are rounded to float32.
    """
    _check_sizes(users, items, rank, share)
    user_factors = np.linalg.qr(rng.standard_normal((users, rank)))[0]
    item_factors = np.linalg.qr(rng.standard_normal((items, rank)))[0]
    if max_norm:
        user_factors /= np.abs(user_factors).max()
        item_factors /= np.abs(item_factors).max()
    else:
        user_factors *= math.sqrt(users * items / rank)
    indptr, indices = _observed(rng, users, items, share)
    fresh = _fresh(rng, indptr, indices, items, test_entries)

    def values(rows, columns):
        return entries(user_factors, item_factors, rows, columns)

    rows = np.repeat(np.arange(users, dtype=np.int32), np.diff(indptr))
    seen = values(rows, indices)
    if noise:
        seen = np.float32(seen + noise * rng.standard_normal(seen.size)).astype(float)
    training = Compressed(indptr, indices, seen)
    return Split(
        Ratings.from_rows(training, items, name=name),
        Ratings(*fresh, values(*fresh), users, items, name),
    )


def _check_sizes(users, items, rank, share):
    if not 1 <= rank <= min(users, items):
        raise InputError(
            f"The rank must be at least 1 and at most users and items, got {rank} of {users} x "
            f"{items}."
        )
    if not 0 < share < 1:
        raise InputError(
            f"A share of {share:g} of the entries is observed; make it more than 0 and less than "
            "1, so that there is something to learn from and to test on."
        )


def _observed(rng, users, items, share) -> tuple[np.ndarray, np.ndarray]:
    """Which entries are observed: (indptr, indices) of compressed rows."""
    step = min(users, max(1, BLOCK // items))
    indptr, columns = np.zeros(users + 1, dtype=np.int64), []
    for first in range(0, users, step):
        seen = rng.random((min(step, users - first), items), dtype=np.float32) < np.float32(share)
        indptr[first + 1 : first + 1 + len(seen)] = np.count_nonzero(seen, axis=1)
        columns.append((np.flatnonzero(seen) % items).astype(np.int32))
    return np.cumsum(indptr, out=indptr), np.concatenate(columns)


def _fresh(rng, indptr, indices, items, number) -> tuple[np.ndarray, np.ndarray]:
    """Rows and columns of distinct entries that are not observed, each as likely."""
    size = (indptr.size - 1) * items
    hidden = size - indices.size
    if not 1 <= number <= hidden / 2:
        raise InputError(
            f"{number} test entries are wanted of {hidden} that are not observed; ask for at least "
            "1 and at most half of them."
        )
    taken = np.zeros(size, dtype=bool)
    taken[np.repeat(np.arange(0, size, items), np.diff(indptr)) + indices] = True
    found, count = np.empty(number, dtype=np.int64), 0
    while count < number:
        drawn = rng.integers(size, size=2 * number * size // hidden)
        count = _take_new(drawn, taken, found, count)
    return np.divmod(found, items)


@njit(cache=True)
def _take_new(drawn, taken, found, count):
    """Write to ``found`` from ``count`` on the drawn entries that are not taken, and take them.

    Return how many it holds then; it may be full before the last draw.
    """
    for entry in drawn:
        if count < found.size and not taken[entry]:
            taken[entry] = True
            found[count] = entry
            count += 1
    return count


@njit(cache=True)
def entries(user_factors, item_factors, rows, columns):
    """Return entries of a product of factors, rounded to float32, with the same bits on every CPU.

    Factors are float64, shapes (users, rank) and (items, rank); ``rows``, ``columns`` and the
    result have shape (n,).
    """
    values = np.empty(rows.size)
    for n in range(rows.size):
        total = 0.0
        for r in range(user_factors.shape[1]):
            total += user_factors[rows[n], r] * item_factors[columns[n], r]
        values[n] = np.float32(total)
    return values
