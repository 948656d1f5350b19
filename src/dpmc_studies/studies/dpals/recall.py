"""Recall of recommended items for users that were not trained on.

Source: Liang, Krishnan, Hoffman and Jebara, "Variational autoencoders for collaborative filtering"
(WWW 2018), section 4.3.
"""

import numpy as np

from dpmc.ties import margin
from dpmc_studies.datasets.parts import Split

LENGTH = 20
USERS = 500  # that are scored at a time


def recall(model, split: Split, length: int = LENGTH) -> float:
    """Return the mean over users of |best items that were liked| / min(length, number liked).

    The model has either ``fold_in(rows)``, which returns factors of users from their ratings, and
    ``item_factors_``; or ``scores_``, which are the same for all users. The split is by users.
    Items of its ``known`` ratings are not recommended.
    """
    known, liked = split.known.by_user, split.test.by_user
    sizes = liked.sizes
    found = np.zeros(sizes.size)
    for first in range(0, sizes.size, USERS):
        last = min(first + USERS, sizes.size)
        theirs = known.some(first, last)
        if hasattr(model, "fold_in"):
            scores = model.fold_in(theirs) @ model.item_factors_.T
        else:
            scores = np.tile(model.scores_, (theirs.n_rows, 1))
        hits = _hits(scores, theirs, liked.some(first, last), length)
        found[first:last] = hits / np.maximum(np.minimum(sizes[first:last], length), 1)
    return float(found[sizes > 0].mean())


def _hits(scores, known, liked, length) -> np.ndarray:
    """Return how many of the best items each user liked; those known do not count.

    Items that tie for the last places share them: each counts by the chance to get one.
    """
    rows = np.arange(len(scores))
    scores[known.per_rating(rows), known.indices] = -np.inf
    length = min(length, scores.shape[1])
    last = np.partition(scores, -length, axis=1)[:, [-length]]
    tie = margin(scores, axis=1)
    above = scores > last + tie
    tied = ~above & (scores >= last - tie)
    wanted = np.zeros(scores.shape, dtype=bool)
    wanted[liked.per_rating(rows), liked.indices] = True
    chance = (length - above.sum(axis=1)) / tied.sum(axis=1)
    return (wanted & above).sum(axis=1) + chance * (wanted & tied).sum(axis=1)
