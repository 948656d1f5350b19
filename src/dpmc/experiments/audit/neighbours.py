"""Neighbouring data sets made to move what a solver releases as far as they can."""

import numpy as np

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
    check_relation,
)
from dpmc.ratings import Ratings

RANGE = (1.0, 5.0)
"""The public range that audited solvers are told."""
RATINGS_PER_USER = 2
"""What audited solvers are told at user level."""
USERS, ITEMS = 4, 2 * RATINGS_PER_USER
OUTSIDE = 100.0
"""A rating far beyond the range: what if nothing clips it?"""


def neighbours(relation: str, rng: np.random.Generator) -> dict[str, tuple[Ratings, Ratings]]:
    """Return named pairs of neighbouring data sets, which differ in the first user.

    - "extreme": all ratings at the upper end. The one that changes moves to the lower end; a user
      is replaced by one with lowest ratings of other items.
    - "opposite": the same, but a user is replaced by one with the opposite ratings, and nobody
      else rated the first item.
    - "outside": ratings far beyond the range on both sides; a user is replaced by one without any.
    - "random": random ratings, half of them observed.

    Parameters
    ----------
    relation : str
        One of :data:`dpmc.privacy.relations.RELATIONS`.
    rng : numpy.random.Generator
        Draws the random ones.

    Returns
    -------
    dict
        Name -> (ratings, neighbouring ratings), of one shape.
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
