"""How much of what users like stands on top of a ranking of all items: recall and NDCG.

Every item is a candidate but those that are left out. Items that tie stand in any order with equal
chance, and expectations over that are returned; so nothing hangs on how items are numbered, and a
model that tells no items apart gets what chance gets.

Source: Jarvelin and Kekalainen, "Cumulated gain-based evaluation of IR techniques" (ACM TOIS 20(4),
2002) for discounted gain; Liang, Krishnan, Hoffman and Jebara, "Variational autoencoders for
collaborative filtering" (WWW 2018), section 4.3, for recall over min(length, number liked).
"""

import numpy as np
from numba import njit

from dpmc.ratings import Compressed
from dpmc.ties import TOLERANCE

LENGTH = 20
"""Of a list."""


@njit(cache=True)
def on_top(scores: np.ndarray, left_out: np.ndarray, liked: np.ndarray, length: int):
    """Return recall and NDCG of one user's list of the ``length`` best items.

    Parameters
    ----------
    scores : float64 array, shape (n_items,)
    left_out : integer array
        Items that are no candidates; none of those liked.
    liked : integer array
        At least one.
    """
    candidate = np.ones(scores.size, dtype=np.bool_)
    candidate[left_out] = False
    largest = 0.0
    for item in range(scores.size):
        if candidate[item]:
            largest = max(largest, abs(scores[item]))
    tie = TOLERANCE * largest
    gains = np.zeros(length + 1)  # of the first places together
    for place in range(length):
        gains[place + 1] = gains[place] + 1 / np.log2(place + 2)
    hits, gain = 0.0, 0.0
    for item in liked:
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


def mean_on_top(scored, known: Compressed, liked: Compressed) -> tuple[float, float]:
    """Return the means over users who liked anything of recall and NDCG; NaN if nobody did.

    Parameters
    ----------
    scored : callable
        User -> scores of all items, shape (n_items,).
    known, liked : Compressed
        By user: the items that are no candidates, and those that should stand on top.
    """
    found = []
    for user in np.flatnonzero(liked.sizes):
        own, wanted = (
            rows.indices[rows.indptr[user] : rows.indptr[user + 1]] for rows in (known, liked)
        )
        found.append(on_top(np.asarray(scored(user), dtype=float), own, wanted, LENGTH))
    return tuple(np.mean(found, axis=0).tolist()) if found else (np.nan, np.nan)
