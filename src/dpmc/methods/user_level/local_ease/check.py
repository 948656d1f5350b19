"""The third statistic: do lists of the model hold more of what users like than popularity?

A part of each user's likes, by a hash of the user's own label, has no part in the other two
statistics. The user ranks all other items by the model and by popularity and sends the NDCG of the
first less that of the second, on the likes held out: a number within 1 either way; another user in
the same place moves the sum by at most 2.

**Likes held out must rank the same wherever in memory the user stands**, because a place of the
list is no continuous function of a score: :func:`statistic` adds up in one order, user by user.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.blocks import Source, total
from dpmc.methods.kernels.top_lists import LENGTH, on_top
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed

Divided = Callable[[int, Compressed], tuple[Compressed, Compressed]]

NORM = 1.0
"""Of what a user sends, at most."""

REPLACED = 2 * NORM
"""How far another user in the same place moves the sum."""


def statistic(rows: Source, divided: Divided, shares, offsets, scales, factors):
    """Return the sum over users of NDCG by the model less that by popularity, and a norm.

    Parameters
    ----------
    rows : Source
        Likes by user.
    divided : callable
        (number of the first user, rows) -> likes that the user ranks by, and those that should
        stand on top.
    shares : float64 array, shape (n_items,)
        Popularity.
    offsets, scales, factors : float64 arrays
        The model, of all items.

    Returns
    -------
    total : float64 array, shape (1,)
    longest : float
        Largest size of what a user adds.
    """
    inside = np.flatnonzero(factors.any(axis=1))
    model = (shares, offsets, inside, scales, np.ascontiguousarray(factors))
    sums = total(partial(_add, divided=divided, model=model), rows, Sums(1, NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, divided, model):
    args = [part for each in divided(first, rows) for part in (each.indptr, each.indices)]
    sent = sums.whole(_differences(*args, *model))
    sums.add(0, sent)
    sums.saw(sent)


@njit(cache=True, nogil=True)
def _differences(ptr, indices, out_ptr, out_indices, shares, offsets, inside, scales, factors):
    sent = np.zeros(ptr.size - 1)
    for user in range(sent.size):
        wanted = out_indices[out_ptr[user] : out_ptr[user + 1]]
        if wanted.size == 0:
            continue
        own = indices[ptr[user] : ptr[user + 1]]
        total = np.zeros(factors.shape[1])
        for item in own:
            for k in range(total.size):
                total[k] += factors[item, k]
        scores = offsets.copy()
        for item in inside:
            product = 0.0
            for k in range(total.size):
                product += factors[item, k] * total[k]
            scores[item] += scales[item] * product
        ours = on_top(scores, own, wanted, LENGTH)[1]
        sent[user] = ours - on_top(shares, own, wanted, LENGTH)[1]
    return sent
