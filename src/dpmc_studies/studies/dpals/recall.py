"""Recall of recommended items for users that were not trained on.

Source: Liang, Krishnan, Hoffman and Jebara, "Variational autoencoders for collaborative filtering"
(WWW 2018), section 4.3.
"""

import numpy as np

from dpmc.ratings import Compressed
from dpmc.ties import margin
from dpmc_studies.datasets.parts import Split

LENGTH = 20
USERS = 500  # that are scored at a time


def recall(model, split: Split, length: int = LENGTH) -> float:
    """Return the mean over users of |best items that were liked| / min(length, number liked).

    The model has ``fold_in(rows)``, which returns the factors of users with other ratings, and
    ``item_factors_``; or ``scores_``, the same for all users. The split is one by users, with
    ``known`` ratings, whose items are not recommended.
    """
    known, liked = split.known.by_user, split.test.by_user
    sizes = liked.sizes
    found = np.zeros(sizes.size)
    for first in range(0, sizes.size, USERS):
        users = slice(first, min(first + USERS, sizes.size))
        theirs = _part(known, users)
        hits = _hits(_scores(model, theirs), theirs, _part(liked, users), length)
        found[users] = hits / np.maximum(np.minimum(sizes[users], length), 1)
    return float(found[sizes > 0].mean())


def _scores(model, known: Compressed) -> np.ndarray:
    """Score all items for some users, shape (n_users, n_items)."""
    if hasattr(model, "fold_in"):
        return model.fold_in(known) @ model.item_factors_.T
    return np.tile(model.scores_, (known.n_rows, 1))


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


def _part(rows: Compressed, part: slice) -> Compressed:
    ends = rows.indptr[part.start : part.stop + 1]
    inside = slice(ends[0], ends[-1])
    return Compressed(ends - ends[0], rows.indices[inside], rows.values[inside])
