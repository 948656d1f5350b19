"""The third statistic: do lists of the model contain more liked items than lists by popularity?

A part of each user's likes, chosen by a hash of the user's own label, is held out of the pairs. The
user ranks all other items three times: by popularity, by the model with much popularity in its
scores, and by the model with little
(:data:`~dpmc.methods.user_level.local_ease.constants.POPULAR`). The user sends two gains in NDCG on
the held-out likes: from the first list to the second, and from the second to the third. Both are
clipped at :data:`LARGEST` and scaled so that the two numbers have norm at most 1. Replacing a user
changes the sum by at most 2.

**Why so small a bound?** One like that enters or leaves a list changes a user's NDCG by 0.2 to 1,
and the noise would have to cover that. Most lists differ by less. With a small bound, users vote
for a list, and noise hides far fewer of their votes. The loss is that a user for whom a list is
much better counts no more than others.

**The ranks of held-out likes must not depend on where a user is in memory**, because a rank is not
a continuous function of a score. :func:`statistic` therefore adds up users in a fixed order.
"""

from collections.abc import Callable
from functools import partial

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.blocks import Source, total
from dpmc.methods.kernels.top_lists import LENGTH, on_top
from dpmc.methods.user_level.local_ease.constants import LARGEST, POPULAR, SURE
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed

Divided = Callable[[int, Compressed], tuple[Compressed, Compressed]]

NORM = 1.0
"""Largest norm of what a user sends."""

REPLACED = 2 * NORM
"""Largest change of the sum if a user is replaced."""


def statistic(rows: Source, divided: Divided, shares, scales, factors):
    """Return the sums over users of the gains in NDCG from list to list, and a norm.

    Each gain adds at most 2^-1/2, reached from :data:`LARGEST` on. ``divided`` takes the number of
    the first user and rows; it returns the likes to rank by and the likes that should rank high.
    ``shares`` is the popularity of all items, ``scales`` and ``factors`` are the model.
    """
    with_pairs = factors.any(axis=1)
    order = np.argsort(-shares, kind="stable")
    # without pairs an item ranks by popularity in all lists: the most popular are enough
    items = np.flatnonzero(with_pairs), order[~with_pairs[order]]
    model = (*items, shares, np.array(POPULAR), scales, np.ascontiguousarray(factors))
    sums = total(partial(_add, divided=divided, model=model), rows, Sums(len(POPULAR), NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, divided, model):
    args = [part for each in divided(first, rows) for part in (each.indptr, each.indices)]
    gained = np.clip(_gains(*args, *model) / LARGEST, -1, 1)
    sent = sums.whole(gained * len(POPULAR) ** -0.5)
    sums.add(0, sent)
    sums.saw(sent)


@njit(cache=True, nogil=True)
def _gains(
    ptr, indices, out_ptr, out_indices, inside, outside, shares, popular, scales, factors
):  # fmt: skip
    gained = np.zeros((ptr.size - 1, popular.size))
    nothing = np.empty(0, dtype=np.int64)
    new, left_out = -1, -2
    place = np.full(shares.size, new)  # among the candidates
    for user in range(ptr.size - 1):
        wanted = out_indices[out_ptr[user] : out_ptr[user + 1]]
        if wanted.size == 0:
            continue
        own = indices[ptr[user] : ptr[user + 1]]
        total = np.zeros(factors.shape[1])
        for item in own:
            place[item] = left_out
            for k in range(total.size):
                total[k] += factors[item, k]
        popular_ones = outside[: LENGTH + own.size]
        candidates = np.empty(inside.size + popular_ones.size + wanted.size, dtype=np.int64)
        number = 0
        for some in (inside, popular_ones, wanted.astype(np.int64)):
            for item in some:
                if place[item] == new:
                    place[item] = number
                    candidates[number] = item
                    number += 1
        candidates = candidates[:number]
        likes = place[wanted]
        personal = np.zeros(number)
        for n in range(number):
            item = candidates[n]
            product = 0.0
            for k in range(total.size):
                product += factors[item, k] * total[k]
            personal[n] = scales[item] * product
        before = on_top(shares[candidates], nothing, likes, LENGTH)[1]
        for k in range(popular.size):
            scores = popular[k] * shares[candidates] + personal
            after = on_top(scores, nothing, likes, LENGTH)[1]
            gained[user, k] = after - before
            before = after
        place[own] = new
        place[candidates] = new
    return gained


def better(noised: np.ndarray, noise: float) -> float | None:
    """Return which of :data:`POPULAR` makes the best lists, as a noised :func:`statistic` says.

    None is popularity alone. Each step away from it has to gain more than the noise does.
    """
    gained = np.cumsum(noised - np.array(SURE) * noise)
    best = int(np.argmax(gained))
    return POPULAR[best] if gained[best] > 0 else None
