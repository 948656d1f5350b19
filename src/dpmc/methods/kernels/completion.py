"""The best items of many users, each from that user's ratings and published items alone.

The functions do for many users what :class:`dpmc.released.PublishedItems` does for one, up to
rounding. They loop over one user's ratings and over items in a fixed order, without fast-math. A
user's result therefore has the same bits whatever other users there are.
"""

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.kernels.cholesky import factorise, substitute
from dpmc.ratings import Compressed
from dpmc.released import PublishedItems, PublishedRanking
from dpmc.ties import TOLERANCE

_ITEMS, _USERS = 1 << 10, 1 << 4
"""That are scored at a time: their factors and scores stay in a core's cache."""


def best_of(
    model: PublishedItems, rows: Compressed, n: int, *, include_rated: bool = False
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the n best items of many users.

    Items are ranked by the prediction before clipping, ties by the order of the items. ``rows``
    hold positions of each user's rated items, and the ratings. Returns the number of listed items
    per user, shape (n_users,), and, user by user, the items' positions and predictions, best first.
    """
    factors = np.ascontiguousarray(model.factors)
    users = np.zeros((rows.n_rows, factors.shape[1]))
    arrays = rows.indptr, rows.indices, rows.values
    columns = factors.T
    if isinstance(model, PublishedRanking):
        least = -np.inf if model.likes_from is None else model.likes_from
        sums_of_likes(*arrays, least, factors, users)
        columns = columns * model.scales
    else:
        precisions = np.empty(0) if model.precisions is None else model.precisions
        regressions(
            *arrays, model.offsets, factors, precisions, model.regularization,
            model.rating_range, users,
        )  # fmt: skip
    if model.n_new:  # one factor more, which the new items have and no other
        users = np.column_stack([users, model.higher(*arrays, users)])
        is_new = np.arange(len(model.labels)) >= len(model.labels) - model.n_new
        columns = np.vstack([columns, is_new])
    columns, most = np.ascontiguousarray(columns), min(n, len(model.labels))
    lists = best_lists(users, model.offsets, columns, *arrays[:2], include_rated, most)
    return *lists[:2], model.shown(lists[2])


@njit(cache=True, nogil=True)
def regressions(indptr, indices, values, offsets, factors, precisions, regularization, span, users):
    """Set each user's factors (V^T P V + lambda I)^-1 V^T P (x - offset).

    Ratings are clipped to the range ``span``. Without precisions, P is I, and residuals of ratings
    are clipped to half the range in both directions.
    """
    rank, (low, high) = factors.shape[1], span
    matrix, longest = np.empty((rank, rank)), (high - low) / 2
    for user in range(indptr.size - 1):
        begin, end = indptr[user], indptr[user + 1]
        right = users[user]
        matrix[:] = 0
        for c in range(rank):
            matrix[c, c] = regularization
        for i in range(begin, end):
            item, x = indices[i], min(max(values[i], low), high)
            left, weight = x - offsets[item], 1.0
            if precisions.size:
                weight = precisions[item]
            else:
                left = min(max(left, -longest), longest)
            for c in range(rank):
                weighted = weight * factors[item, c]
                right[c] += weighted * left
                for d in range(c + 1):
                    matrix[c, d] += weighted * factors[item, d]
        factorise(matrix, regularization / 2)
        substitute(matrix, right)


@njit(cache=True, nogil=True)
def sums_of_likes(indptr, indices, values, least, factors, users):
    """Set each user's sum of the factors of the items rated so much or more."""
    for user in range(indptr.size - 1):
        for i in range(indptr[user], indptr[user + 1]):
            if values[i] >= least:
                for c in range(users.shape[1]):
                    users[user, c] += factors[indices[i], c]


@njit(cache=True, nogil=True)
def score(users, offsets, columns, scores):
    """Set the scores of all items, shape (n_users, n_items): offset + factors . user factors.

    ``columns`` are the factors by column.
    """
    for begin in range(0, offsets.size, _ITEMS):
        end = min(begin + _ITEMS, offsets.size)
        for user in range(len(users)):
            own = scores[user, begin:end]
            own[:] = offsets[begin:end]
            for c in range(len(columns)):
                factor, column = users[user, c], columns[c, begin:end]
                for item in range(own.size):
                    own[item] += factor * column[item]


@njit(cache=True, nogil=True)
def best_lists(users, offsets, columns, indptr, indices, include, top):
    """Return the number of items listed for each user, and all positions and scores, user by user.

    The ``top`` best items are listed (see :func:`best`), without rated ones unless ``include``.
    """
    n_users, n_items = len(users), offsets.size
    scores, rated = np.empty((_USERS, n_items)), np.zeros(n_items, dtype=np.bool_)
    most = min(top, n_items)
    numbers, listed = np.empty(n_users, dtype=np.int64), 0
    places, values = np.empty(n_users * most, dtype=np.int32), np.empty(n_users * most)
    for first in range(0, n_users, _USERS):
        end = min(first + _USERS, n_users)
        score(users[first:end], offsets, columns, scores)
        for user in range(first, end):
            own = indices[indptr[user] : indptr[user + 1]]
            if not include:
                rated[own] = True
            found = best(scores[user - first], rated, top)
            if not include:
                rated[own] = False
            numbers[user] = found.size
            for place in found:
                places[listed], values[listed] = place, scores[user - first, place]
                listed += 1
    return numbers, places[:listed], values[:listed]


@njit(cache=True, nogil=True)
def best(scores, left_out, top):
    """Return the places of the largest scores, shape (at most top,), the largest first.

    The order is that of :mod:`dpmc.ties`. Items for which ``left_out`` is true are not listed, but
    count for the scale of a tie.
    """
    n_items, largest, held, least = scores.size, 0.0, 0, 0
    highest, bar = np.empty(min(top, n_items)), -np.inf
    for place in range(n_items):
        size = abs(scores[place])
        if size > largest and size < np.inf:
            largest = size
        if (scores[place] > bar or held < highest.size) and not left_out[place]:
            if held < highest.size:
                highest[held] = scores[place]
                held += 1
            else:
                highest[least] = scores[place]
            if held == highest.size:
                least = np.argmin(highest)
                bar = highest[least]
    tie, bound = TOLERANCE * largest, -np.inf
    if held == highest.size and held < n_items:
        bound = highest[least] - 2 * tie  # more than can round to the same
    candidates, number = np.empty(n_items, dtype=np.int64), 0
    for place in range(n_items):
        if scores[place] >= bound and not left_out[place]:
            candidates[number] = place
            number += 1
    candidates = candidates[:number]
    rounded = scores[candidates]
    if tie > 0:
        rounded = np.floor(rounded / tie + 0.5)
    return candidates[np.argsort(-rounded, kind="mergesort")[:top]]
