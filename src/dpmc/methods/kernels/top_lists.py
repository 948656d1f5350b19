"""Recall and NDCG of the top of a ranking of all items.

Every item is a candidate unless it is left out. Tied items are in random order, and the functions
return expectations over this order. The results therefore do not depend on how items are numbered,
and a model that gives all items the same score gets the result of chance.

Discounted gain follows Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques"
(ACM TOIS 20(4), 2002). Recall over min(length, number liked) follows Liang, Krishnan, Hoffman and
Jebara, "Variational autoencoders for collaborative filtering" (WWW 2018), section 4.3.
"""

from decimal import Context

import numpy as np

from dpmc.compiled import njit
from dpmc.ratings import Compressed
from dpmc.ties import TOLERANCE

LENGTH = 20
"""Of a list."""

_DIGITS = Context(prec=30)

DISCOUNTS = np.array(
    [float(_DIGITS.divide(_DIGITS.ln(2), _DIGITS.ln(place))) for place in range(2, 258)]
)
"""Of the first places, 1 / log2(1 + place), from decimal digits: the same on all machines."""

SCORES = 2**12
"""That are made at a time: of one user at least."""


@njit(cache=True, nogil=True)
def on_top(scores: np.ndarray, left_out: np.ndarray, liked: np.ndarray, length: int):
    """Return recall and NDCG of one user's list of the ``length`` best items, at most 256.

    ``left_out`` are items outside the candidates and outside ``liked``, which is not empty.
    """
    candidate = np.ones(scores.size, dtype=np.bool_)
    candidate[left_out] = False
    largest = 0.0
    best = np.full(length, -np.inf)  # the least of them first
    for item in range(scores.size):
        if candidate[item]:
            largest = max(largest, abs(scores[item]))
            place = 0
            while place < length and scores[item] > best[place]:
                if place:
                    best[place - 1] = best[place]
                best[place] = scores[item]
                place += 1
    tie = TOLERANCE * largest
    gains = np.zeros(length + 1)  # of the first places together
    for place in range(length):
        gains[place + 1] = gains[place] + DISCOUNTS[place]
    hits, gain = 0.0, 0.0
    for item in liked:
        if best[0] > scores[item] + tie:
            continue  # so many are above it that it stands on no list
        above, beside = 0, 0
        for other in range(scores.size):
            if candidate[other]:
                above += scores[other] > scores[item] + tie
                beside += abs(scores[other] - scores[item]) <= tie
        first, last = min(above, length), min(above + beside, length)
        hits += (last - first) / beside
        gain += (gains[last] - gains[first]) / beside
    most = min(liked.size, length)
    return hits / most, gain / gains[most]


def mean_on_top(scored, n_items: int, known: Compressed, liked: Compressed) -> tuple[float, float]:
    """Return the means over users who liked anything of :func:`each_on_top`; NaN if nobody did."""
    found = each_on_top(scored, n_items, known, liked)
    return tuple(np.mean(found, axis=0).tolist()) if len(found) else (np.nan, np.nan)


def each_on_top(scored, n_items: int, known: Compressed, liked: Compressed) -> np.ndarray:
    """Return recall and NDCG of each user who liked anything, shape (n, 2).

    ``scored`` takes some users and returns their scores of all items, shape (n, n_items). ``known``
    are the items, by user, that are not candidates, and ``liked`` those that should rank high.
    """
    users = np.flatnonzero(liked.sizes)
    rows = (known.indptr, known.indices, liked.indptr, liked.indices)
    found, number = [np.empty((0, 2))], max(1, SCORES // n_items)
    for begin in range(0, users.size, number):
        block = users[begin : begin + number]
        scores = np.ascontiguousarray(scored(block), dtype=float)
        found.append(_on_top_each(scores, block, *rows))
    return np.concatenate(found)


@njit(cache=True, nogil=True)
def _on_top_each(scores, users, ptr, indices, liked_ptr, liked_indices):
    """Return :func:`on_top` of each user, shape (n, 2)."""
    found = np.empty((users.size, 2))
    for row in range(users.size):
        user = users[row]
        own = indices[ptr[user] : ptr[user + 1]]
        wanted = liked_indices[liked_ptr[user] : liked_ptr[user + 1]]
        found[row] = on_top(scores[row], own, wanted, LENGTH)
    return found
