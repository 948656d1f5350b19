"""Parts and splits of real ratings for the experiments on private factorisation at user level.

Sources: Chien et al., "Private alternating least squares" (ICML 2021), section 6.1; Liang,
Krishnan, Hoffman and Jebara, "Variational autoencoders for collaborative filtering" (WWW 2018),
section 4.2, for splits by users.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Ratings

TEST, VALIDATION = "test", "validation"
LIANG = "liang"  # the name of a split by users
LIKED, LEAST_LIKED = 4.0, 5


@dataclass(frozen=True, eq=False)
class Split:
    """What a trial learns from and what it is judged by.

    ``test`` are the entries that predictions are compared with. ``known``, with a split by users,
    whose users of ``test`` are not those of ``training``, are other ratings of them, from which
    their factors are found. The items of these are not recommended.
    """

    training: Ratings
    test: Ratings
    known: Ratings | None = None


def select(rng: np.random.Generator, ratings: Ratings, entry: Mapping) -> Ratings:
    """Return the part of a data set that an entry of the ``datasets`` of a section describes.

    The entry has ``users`` (the first so many), ``users_share`` (a random part, drawn by ``rng``),
    ``top_items`` (those with the most ratings: the numbers are used without privacy, as Chien et
    al. do) and ``rescale`` ((lowest, highest) that the range of the ratings is mapped to); each may
    be left out. The users and items that are left are renumbered, in their order.
    """
    users = _first("users", entry.get("users", ratings.n_users), ratings.n_users, ratings.name)
    if "users_share" in entry:
        number = max(1, round(entry["users_share"] * ratings.n_users))
        users = np.sort(rng.permutation(users)[:number])
    if users.size < ratings.n_users:
        ratings = restrict(ratings, users=users)
    if "top_items" in entry:
        ratings = top_items(ratings, entry["top_items"])
    return rescale(ratings, entry["rescale"]) if "rescale" in entry else ratings


def top_items(ratings: Ratings, number: int) -> Ratings:
    """Return the ratings of the items with the most ratings, of equal ones the first.

    The numbers of ratings are used as they are: choosing items so is not private.
    """
    _first("items", number, ratings.n_items, ratings.name)
    counts = np.bincount(ratings.items, minlength=ratings.n_items)
    return restrict(ratings, items=np.sort(np.argsort(-counts, kind="stable")[:number]))


def restrict(
    ratings: Ratings, *, users: np.ndarray | None = None, items: np.ndarray | None = None
) -> Ratings:
    """Return the ratings of some users and items only, renumbered in the order given.

    Those that stay are named once each; all if not given.
    """
    columns = {"users": ratings.users, "items": ratings.items}
    sizes = {"users": ratings.n_users, "items": ratings.n_items}
    labels = {"users": ratings.user_labels, "items": ratings.item_labels}
    kept = np.ones(len(ratings), dtype=bool)
    for side, chosen in (("users", users), ("items", items)):
        if chosen is None:
            continue
        number = np.full(sizes[side], -1, dtype=np.int32)
        number[chosen] = np.arange(chosen.size)
        columns[side] = number[columns[side]]
        kept &= columns[side] >= 0
        sizes[side] = chosen.size
        labels[side] = None if labels[side] is None else labels[side][chosen]
    return Ratings(
        columns["users"][kept],
        columns["items"][kept],
        ratings.values[kept],
        sizes["users"],
        sizes["items"],
        ratings.name,
        ratings.rating_range,
        labels["users"],
        labels["items"],
    )


def rescale(ratings: Ratings, limits: Sequence[float]) -> Ratings:
    """Return ratings whose range is mapped to other limits, linearly."""
    if ratings.rating_range is None:
        raise InputError(f"{ratings.name}: state the range of the ratings to rescale them.")
    (low, high), (least, most) = ratings.rating_range, map(float, limits)
    values = least + (ratings.values - low) * ((most - least) / (high - low))
    # rounding may leave the range by one bit
    return replace(ratings, values=np.clip(values, least, most), rating_range=(least, most))


def split_ratings(
    rng: np.random.Generator,
    ratings: Ratings,
    training_share: float,
    test_share: float,
    *,
    part: str = TEST,
) -> Split:
    """Split ratings at random into training, test and, with what is left, validation.

    The shares are of the ratings, together at most 1. ``part``, "test" or "validation", is which of
    the two is the ``test`` of the result. Hyper-parameters are chosen on validation ratings, on
    other seeds than those of the results.
    """
    size = len(ratings)
    first = round(training_share * size)
    second = round((training_share + test_share) * size)
    ends = (first, second) if part == TEST else (second, size)
    if first < 1 or ends[0] >= ends[1]:
        raise InputError(
            f"{ratings.name}: shares of {training_share:g} for training and {test_share:g} for the "
            f"test leave no ratings for training or {part}, of {size}."
        )
    order = rng.permutation(size)
    # masks keep the order of the ratings, and with it their grouping
    return Split(*(ratings.take(_mask(order[a:b], size)) for a, b in ((0, first), ends)))


def split_users(
    rng: np.random.Generator, ratings: Ratings, heldout_users: int, *, part: str = TEST
) -> Split:
    """Split users as Liang et al. (2018), section 4.2: ratings of 4 and more, as 1.

    Users with fewer than five of these are left out. ``heldout_users`` are drawn for validation
    and as many for the test; the others are for training. Items that none of these rated are left
    out. Of each user held out, a random fifth of the ratings is for testing.

    ``part``, "test" or "validation", is which of the two is the ``test`` of the result.
    """
    liked = ratings.take(ratings.values >= LIKED)
    liked = replace(liked, values=np.ones(len(liked)), rating_range=(0.0, 1.0))
    counts = np.bincount(liked.users, minlength=liked.n_users)
    users = rng.permutation(np.flatnonzero(counts >= LEAST_LIKED))
    if users.size <= 2 * heldout_users:
        raise InputError(
            f"{ratings.name}: {users.size} users have {LEAST_LIKED} ratings of {LIKED:g} or more; "
            f"two times {heldout_users} held out leave none for training."
        )
    training = restrict(liked, users=np.sort(users[2 * heldout_users :]))
    begin = 0 if part == TEST else heldout_users
    heldout = restrict(liked, users=np.sort(users[begin : begin + heldout_users]))
    items = np.unique(training.items)
    training, heldout = restrict(training, items=items), restrict(heldout, items=items)
    tested = _fifth(rng, heldout)
    return Split(training, heldout.take(tested), heldout.take(~tested))


def _fifth(rng, ratings) -> np.ndarray:
    """Mark a random fifth of the ratings of each user, rounded down."""
    order = np.lexsort((rng.random(len(ratings)), ratings.users))
    counts = np.bincount(ratings.users, minlength=ratings.n_users)
    place = np.arange(len(ratings)) - np.repeat(np.cumsum(counts) - counts, counts)
    marked = np.empty(len(ratings), dtype=bool)
    marked[order] = place < np.repeat(counts // 5, counts)
    return marked


def _first(what, number, size, name) -> np.ndarray:
    if not 1 <= number <= size:
        raise InputError(f"{name}: {number} {what} are wanted; it has {size}.")
    return np.arange(number)


def _mask(index, size) -> np.ndarray:
    mask = np.zeros(size, dtype=bool)
    mask[index] = True
    return mask
