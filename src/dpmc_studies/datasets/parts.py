"""Parts and splits of real ratings for experiments on user-level private factorisation.

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
    """The training and test ratings of a trial.

    ``test`` are the entries that predictions are compared with. After a split by users, the users
    of ``test`` are not in ``training``. ``known`` then holds other ratings of these users, from
    which their factors are fitted; items in ``known`` are not recommended.
    """

    training: Ratings
    test: Ratings
    known: Ratings | None = None


def select(rng: np.random.Generator, ratings: Ratings, entry: Mapping) -> Ratings:
    """Return the part of a data set that an entry of the ``datasets`` of a section describes.

    Four keys of the entry are optional. ``users`` keeps so many users, the first ones, and
    ``users_share`` a random share of them. ``top_items`` keeps so many items, those with the most
    ratings; as in Chien et al., this choice is not private. ``rescale`` has the new limits (lowest,
    highest) of the ratings. The remaining users and items are renumbered in their order.
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
    """Return the ratings of the ``number`` items with the most ratings; ties keep the first.

    The numbers of ratings are used without noise, so this choice is not private.
    """
    _first("items", number, ratings.n_items, ratings.name)
    counts = np.bincount(ratings.items, minlength=ratings.n_items)
    return restrict(ratings, items=np.sort(np.argsort(-counts, kind="stable")[:number]))


def restrict(
    ratings: Ratings, *, users: np.ndarray | None = None, items: np.ndarray | None = None
) -> Ratings:
    """Return the ratings of some users and items, renumbered in the order given.

    ``users`` and ``items`` name each user and item that stays once; None keeps all.
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
    """Split ratings at random into training, test and, with the rest, validation ratings.

    The shares are shares of all ratings, together at most 1. ``part``, "test" or "validation", is
    the part that the result holds as ``test``. Hyper-parameters are chosen on validation ratings,
    with other seeds than those of the results.
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
    """Split users as in Liang et al. (2018), section 4.2, with ratings of 4 and more set to 1.

    Users with fewer than five such ratings are left out. ``heldout_users`` random users are for
    validation, as many for the test, and the others for training. Items without training ratings
    are left out. A random fifth of each held-out user's ratings is for testing.

    ``part``, "test" or "validation", is the part that the result holds as ``test``.
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
