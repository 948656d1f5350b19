"""Replays with a private list of items, and ratings of a user with items of their own."""

from dataclasses import dataclass, field

import numpy as np

from dpmc.privacy.ledger import FloatNoise, Replay
from dpmc.privacy.relations import USER_REPLACE
from dpmc.privacy.selection import Selection
from dpmc.ratings import Ratings
from dpmc_studies.studies.audit.neighbours import RANGE, RATINGS_PER_USER, of_people

COMMON_ITEMS, OWN_ITEMS = 4, RATINGS_PER_USER + 1
CROWD = 30
"""Users with common items alone: enough for most of these to be listed."""


@dataclass(frozen=True)
class Followed(Selection):
    """A choice of items that notes the labels which were counted."""

    counted: list = field(default_factory=list, compare=False, repr=False)

    def select(self, labels, counts, ledger):
        self.counted.append(np.asarray(labels)[np.flatnonzero(counts)])
        return super().select(labels, counts, ledger)


class ReplayOfList(Replay):
    """Replay with a private choice of items: it reuses counts by label.

    ``labels`` name the counts that the run made. Items that only the replay's data contain are
    never listed. ``selection`` is the replay's own choice of items, which knows the labels of its
    counts. The threshold is computed from ``mechanism``, the noise of the run.
    """

    def __init__(self, outputs, labels, selection, mechanism):
        super().__init__(outputs)
        self._counts = dict(zip(labels.tolist(), next(self._outputs), strict=True))
        self._selection = selection
        self.mechanism = mechanism

    def upper(self, probability, sensitivity, changed):
        return FloatNoise(self.mechanism, None).upper(probability, sensitivity, changed)

    def add(self, query, sensitivity, changed=None):
        if changed is None:
            return super().add(query, sensitivity)
        labels = self._selection.counted[-1].tolist()
        return np.array([self._counts.get(label, -np.inf) for label in labels])


def carriers(relation: str, rng: np.random.Generator) -> tuple[Ratings, Ratings]:
    """Return neighbouring ratings as they are read from files, one user of which has own items.

    A file contains only rated items, so the lists of items differ, too. The relation is at user
    level.
    """
    n_items = COMMON_ITEMS + 2 * OWN_ITEMS
    rows = rng.uniform(*RANGE, (CROWD + 2, n_items))
    rows[:CROWD, COMMON_ITEMS:] = np.nan
    rows[CROWD, COMMON_ITEMS + OWN_ITEMS :] = np.nan
    rows[CROWD + 1, COMMON_ITEMS : COMMON_ITEMS + OWN_ITEMS] = np.nan
    # own items stand among the others, so that without them the others are renumbered
    rows = rows[:, rng.permutation(n_items)]
    labels = np.array([f"person {number}" for number in rng.permutation(CROWD + 2)])
    crowd = np.arange(CROWD)
    without = np.append(crowd, CROWD + 1) if relation == USER_REPLACE else crowd
    orders = rng.permutation(np.append(crowd, CROWD)), rng.permutation(without)
    return tuple(_as_read(of_people(rows[order], labels[order])) for order in orders)


def _as_read(ratings: Ratings) -> Ratings:
    return ratings.take_items(np.unique(ratings.items))
