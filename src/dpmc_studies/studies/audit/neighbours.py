"""Neighbouring data sets that change a method's releases as much as possible."""

from dataclasses import replace

import numpy as np

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_LEVEL,
    USER_REPLACE,
    check_relation,
)
from dpmc.ratings import Ratings

RANGE = (1.0, 5.0)
"""The public range that audited methods are told."""
RATINGS_PER_USER = 2
"""What audited methods are told at user level."""
USERS, ITEMS = 4, 2 * RATINGS_PER_USER
OUTSIDE = 100.0
"""A rating far beyond the range: what if nothing clips it?"""
MANY_USERS, MANY_ITEMS = 7, 4 * RATINGS_PER_USER
"""Of the labelled neighbours: users have more ratings than count, so that the choice matters."""


def neighbours(relation: str, rng: np.random.Generator) -> dict[str, tuple[Ratings, Ratings]]:
    """Return named pairs of neighbouring data sets, which differ in the first user.

    - "extreme": all ratings are at the upper end of the range. The rating that changes moves to the
      lower end. A user who replaces another one gives the lowest ratings to other items.
    - "opposite": like "extreme", but a replacing user gives the opposite ratings, and nobody else
      rated the first item.
    - "outside": ratings are far outside the range at both ends; a replacing user has none.
    - "random": ratings are random, and half of them are observed.

    ``relation`` is one of :data:`dpmc.privacy.relations.RELATIONS`; ``rng`` draws the random ones.
    The result is name -> (ratings, neighbouring ratings), of one shape.
    """
    check_relation(relation)
    everyone = np.full((USERS, ITEMS), RANGE[1])
    lonely = everyone.copy()
    lonely[1:, 0] = np.nan
    outside = np.where(np.arange(ITEMS) % 2, OUTSIDE, -OUTSIDE) * np.ones((USERS, 1))
    drawn = rng.uniform(*RANGE, (USERS + 1, ITEMS))
    drawn[rng.random(drawn.shape) < 0.5] = np.nan
    drawn[0, 0] = rng.uniform(*RANGE)
    random, another = drawn[:-1], drawn[-1]
    halves = np.arange(ITEMS) < RATINGS_PER_USER
    first = everyone[0]
    replaced = {
        "extreme": (np.where(halves, first, np.nan), np.where(halves, np.nan, _opposite(first))),
        "opposite": (first, _opposite(first)),
        "outside": (outside[0], np.full(ITEMS, np.nan)),
        "random": (random[0], another),
    }
    matrices = {"extreme": everyone, "opposite": lonely, "outside": outside, "random": random}
    pairs = {}
    for name, matrix in matrices.items():
        rows = replaced[name] if relation == USER_REPLACE else _change(relation, matrix[0])
        pairs[name] = tuple(_ratings(np.vstack([row, matrix[1:]])) for row in rows)
    return pairs


def labelled_neighbours(
    relation: str, rng: np.random.Generator
) -> dict[str, tuple[Ratings, Ratings]]:
    """Return named pairs of neighbouring data sets as they are read from files: with labels.

    At user level the number of users changes, and so do the numbers of the other users. Users keep
    their labels, and the list of items stays the same:

    - "leaves": one user's row is removed, and all later users move up by one.
    - "leaves_reordered": one user's row is removed, and the others are put in another order.
    - "joins_in_front": a new user is inserted before all others.
    - "replaced": a user with another label and other items takes the place of a user.
    - "replaced_reordered": a user is replaced, and all users are put in another order.

    The first three pairs are for the relation that adds or removes a user, the last two for the
    relation that replaces a user. Each pair exists with ratings at the ends of the range
    ("extreme") and anywhere in it ("random"); only the user rated the first item. At entry level
    the pairs are those of :func:`neighbours`.

    ``relation`` is one of :data:`dpmc.privacy.relations.RELATIONS`. The result is name -> (ratings,
    neighbouring ratings), both with labels.
    """
    if check_relation(relation) not in USER_LEVEL:
        pairs = neighbours(relation, rng)
        return {name: tuple(with_labels(each) for each in pair) for name, pair in pairs.items()}
    pairs = {}
    for law in ("extreme", "random"):
        rows, labels = _people(law, rng)
        for kind, pair in _user_changes(relation, rows, labels, rng).items():
            pairs[f"{kind}, {law}"] = pair
    return pairs


def with_labels(ratings: Ratings) -> Ratings:
    """Return ratings with labels of users and items that only number them."""
    users = np.array([f"user {number}" for number in range(ratings.n_users)])
    items = np.array([f"item {number}" for number in range(ratings.n_items)])
    return replace(ratings, user_labels=users, item_labels=items)


def of_people(rows: np.ndarray, labels: np.ndarray) -> Ratings:
    """Return ratings of users with ``labels``, shape (n_users,), and numbered items.

    ``rows`` has shape (n_users, n_items); nan: not observed.
    """
    return replace(with_labels(_ratings(rows)), user_labels=np.asarray(labels, dtype=str))


def _people(law, rng):
    """Return ratings and labels of all users; the last row can replace another user."""
    shape = (MANY_USERS + 1, MANY_ITEMS)
    rows = rng.choice(RANGE, shape) if law == "extreme" else rng.uniform(*RANGE, shape)
    missing = rng.random(shape).argsort(axis=1) < rng.integers(MANY_ITEMS // 4, size=(shape[0], 1))
    rows[missing] = np.nan
    who = MANY_USERS // 2
    rows[:, 0], rows[who, 0] = np.nan, RANGE[1]
    rows[-1] = _opposite(rows[-1])
    rows[-1, ::2] = np.nan  # other items than those of the one who goes
    labels = rng.choice(10_000, shape[0], replace=False)
    return rows, np.array([f"person {label}" for label in labels])


def _user_changes(relation, rows, labels, rng):
    """Return the pairs of one kind of ratings; the user in the middle changes."""
    who, other = MANY_USERS // 2, MANY_USERS
    everyone = np.arange(MANY_USERS)
    rest = np.delete(everyone, who)
    if relation == USER_REPLACE:
        swapped = np.where(everyone == who, other, everyone)
        there = {"replaced": swapped, "replaced_reordered": rng.permutation(swapped)}
    else:
        front = np.append(other, everyone)
        there = {"leaves": rest, "leaves_reordered": rng.permutation(rest), "joins_in_front": front}
    here = of_people(rows[everyone], labels[everyone])
    return {name: (here, of_people(rows[order], labels[order])) for name, order in there.items()}


def _change(relation: str, row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the ratings of the first user on both sides (nan: not observed)."""
    there = row.copy()
    if relation == ENTRY_CHANGE:
        there[0] = _opposite(row[0])
    elif relation == ENTRY_ADD_REMOVE:
        there[0] = np.nan
    elif relation == USER_ADD_REMOVE:
        there[:] = np.nan
    return row, there


def _opposite(ratings):
    return sum(RANGE) - ratings


def _ratings(matrix: np.ndarray) -> Ratings:
    users, items = np.nonzero(~np.isnan(matrix))
    return Ratings(users, items, matrix[users, items], *matrix.shape, name="audit")
