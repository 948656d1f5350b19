"""Completing one's own ratings from published item factors, without anybody else's data.

With a guarantee at user level only the item factors may be published. Each user then solves one
small ridge regression with them (the billboard lemma: Hsu et al. 2014, see
:mod:`dpmc.privacy.relations`): what comes out depends on the user's own ratings and on what is
public, and is meant for that user alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice, pairwise

import numpy as np

from dpmc import ties
from dpmc.datasets.readers.columns import Labelled
from dpmc.ratings import Compressed, Ratings


@dataclass(frozen=True, eq=False)
class PublishedItems:
    """Item factors with the public constants that it takes to use them.

    Attributes
    ----------
    labels : list of str
        Of the items.
    offsets : float64 array, shape (n_items,)
        What an item is rated by a user whose factors are zero.
    factors : float64 array, shape (n_items, rank)
    rating_range : (float, float)
        Predictions are clipped to it, after items were ranked by them.
    regularization : float
        lambda > 0 of a user's regression.
    own_mean : bool
        Whether users take the mean of their own ratings off, instead of the items' offsets.
    precisions : float64 array, shape (n_items,), optional
        Weights of ratings in a user's regression, on what the items' offsets leave of them,
        unclipped; 1 if not given.
    """

    labels: list[str]
    offsets: np.ndarray
    factors: np.ndarray
    rating_range: tuple[float, float]
    regularization: float
    own_mean: bool = False
    precisions: np.ndarray | None = None

    value = "prediction"
    """What :meth:`complete` tells of an item, in a word."""

    rated = True
    """Whether it asks users for their ratings, and not only for what they like."""

    @property
    def clipped_to(self) -> tuple[float, float] | None:
        """The range that ratings and predictions are clipped to; None where neither is."""
        return self.rating_range

    def shown(self, values: np.ndarray) -> np.ndarray:
        """Return what is told of items that are ranked by these values."""
        return np.clip(values, *self.rating_range)

    def unknown(self, labels: np.ndarray, then: str = "ratings of such were left out") -> list[str]:
        """Return a remark on how many of these items are not here, if there are any."""
        count = sum(label not in self._places for label in labels.tolist())
        have = "item has" if count == 1 else "items have"
        return [f"{count} {have} no factors; {then}"] if count else []

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def _columns(self) -> np.ndarray:
        """The factors, one by one: products with a vector take half the time."""
        return np.ascontiguousarray(self.factors.T)

    def solve(self, items: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return one user's factors (V^T P V + lambda I)^-1 V^T P (x - offset), and the offsets.

        Parameters
        ----------
        items : integer array, shape (n,)
            Positions of the rated items.
        values : array, shape (n,)
            Ratings; clipped to the range, and less the items' offsets to half its length either
            way.

        Returns
        -------
        user : float64 array, shape (rank,)
        offsets : float64 array, shape (n_items,)
            What items are predicted at by factors that are zero.
        """
        rows = self.factors[items]
        low, high = self.rating_range
        values = np.clip(values, low, high)
        of_user = self.own_mean and values.size
        offsets = np.full_like(self.offsets, values.mean()) if of_user else self.offsets
        left = values - offsets[items]
        if not of_user and self.precisions is None:
            left = np.clip(left, (low - high) / 2, (high - low) / 2)
        weighted = rows if self.precisions is None else rows * self.precisions[items, None]
        system = weighted.T @ rows + self.regularization * np.eye(rows.shape[1])
        return np.linalg.solve(system, weighted.T @ left), offsets

    def complete(self, ratings: dict[str, float], *, clipped: bool = True) -> np.ndarray:
        """Return predictions of all items for one user.

        Parameters
        ----------
        ratings : dict
            The user's own ratings by item label; may be empty. Those of items that have no factors
            are left out.
        clipped : bool
            See :meth:`complete_rows`.

        Returns
        -------
        float64 array, shape (n_items,)
        """
        known = {label: value for label, value in ratings.items() if label in self._places}
        items = np.array([self._places[label] for label in known], dtype=int)
        values = np.array(list(known.values()), dtype=float)
        rows = Compressed(np.array([0, items.size]), items, values)
        return self.complete_rows(rows, clipped=clipped)[0]

    def complete_rows(self, rows: Compressed, *, clipped: bool = True) -> np.ndarray:
        """Return predictions of all items for many users, each from that user's ratings alone.

        User by user: one product of matrices for all would save a second of five for 70,000 users
        and 10,000 items, and the last digits of a user's predictions would depend on who else is
        there.

        Parameters
        ----------
        rows : Compressed
            Of each user: positions of the rated items, and the ratings.
        clipped : bool
            To the range. Items are ranked without: all beyond an end of it would be alike.

        Returns
        -------
        float64 array, shape (n_users, n_items)
        """
        matrix = np.empty((rows.n_rows, len(self.labels)))
        for row, (begin, end) in zip(matrix, pairwise(rows.indptr.tolist()), strict=True):
            user, offsets = self.solve(rows.indices[begin:end], rows.values[begin:end])
            np.matmul(user, self._columns, out=row)
            row += offsets
        return self.shown(matrix) if clipped else matrix

    def predict(self, own: Ratings, users: Labelled, items: Labelled) -> np.ndarray:
        """Return the predicted rating of each pair, made of that user's own ratings.

        Parameters
        ----------
        own : Ratings
            The users' own ratings, of items that are here.
        users, items : Labelled
            The pairs. A user without own ratings is predicted what the items are like; of an item
            that is not here see :meth:`elsewhere`.

        Returns
        -------
        float64 array, shape (n_pairs,)
        """
        known = {label: index for index, label in enumerate(own.user_labels.tolist())}
        place = [self._places.get(each, -1) for each in items.labels.tolist()]
        place = np.array(place, dtype=int)
        unknown = self.complete({})
        predicted = np.empty(users.codes.size)
        for user, rows in _rows_of_each(users):
            mine = ratings_of(own, known[user]) if user in known else {}
            values = self.complete(mine) if mine else unknown
            at = place[items.codes[rows]]
            predicted[rows] = np.where(at >= 0, values[at], self.elsewhere(mine, values))
        return predicted

    def elsewhere(self, ratings: dict[str, float], values: np.ndarray) -> float:
        """Return what is told of an item that is not here, of one user's ratings and predictions:
        the mean of the former, or without any of the latter.
        """
        return float(np.mean([*ratings.values()] or values))

    def best(self, ratings: dict[str, float], n: int) -> dict[str, float]:
        """Return item -> prediction of the n best that a user did not rate, the best one first.

        Ranked by the prediction before it is clipped, ties in the order of the items.

        Parameters
        ----------
        ratings : dict
            See :meth:`complete`.
        """
        values = self.complete(ratings, clipped=False)
        order = ties.descending(values, ties.margin(values)).tolist()
        chosen = islice((each for each in order if self.labels[each] not in ratings), n)
        shown = self.shown(values)
        return {self.labels[each]: float(shown[each]) for each in chosen}


@dataclass(frozen=True, eq=False)
class PublishedRanking(PublishedItems):
    """What it takes to rank items by one's own likes.

    A user's score of item j is offset_j + scale_j factors_j . sum of the factors of the own likes:
    of no unit, and not clipped.

    Attributes
    ----------
    scales : float64 array, shape (n_items,)
    likes_from : float or None
        From this rating on a rating is a like; None: whatever a user names is one.
    """

    scales: np.ndarray | None = None
    likes_from: float | None = None

    value = "score"
    clipped_to = None

    @property
    def rated(self) -> bool:
        return self.likes_from is not None

    def shown(self, values):
        return values

    def elsewhere(self, ratings, values):
        """Return the mean score of the items that are here."""
        return float(np.mean(values))

    @cached_property
    def _columns(self):
        return np.ascontiguousarray((self.scales[:, None] * self.factors).T)

    def solve(self, items, values):
        """Return the sum of the factors of one user's likes, and the offsets."""
        if self.likes_from is not None:
            items = items[values >= self.likes_from]
        return self.factors[items].sum(axis=0), self.offsets


def ratings_of(ratings: Ratings, user: int) -> dict[str, float]:
    """Return the ratings of one user, by number, as a dict by item."""
    rows = ratings.by_user
    own = slice(rows.indptr[user], rows.indptr[user + 1])
    items = ratings.item_labels[rows.indices[own]].tolist()
    return dict(zip(items, rows.values[own].tolist(), strict=True))


def _rows_of_each(users: Labelled) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the label of each user and the places of the user's rows."""
    order = np.argsort(users.codes, kind="stable")
    ends = np.cumsum(np.bincount(users.codes, minlength=users.labels.size))
    for label, first, end in zip(users.labels.tolist(), [0, *ends], ends, strict=False):
        yield label, order[first:end]
