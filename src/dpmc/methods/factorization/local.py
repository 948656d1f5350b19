"""Completing one's own ratings from published item factors, without anybody else's data.

With a guarantee at user level only the item factors may be published. Each user then solves one
small ridge regression with them (the billboard lemma: Hsu et al. 2014, see
:mod:`dpmc.privacy.relations`): what comes out depends on the user's own ratings and on what is
public, and is meant for that user alone.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpmc.datasets.readers.columns import Labelled
from dpmc.methods.kernels.completion import best_lists, regressions, score, sums_of_likes
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

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def _factors(self) -> np.ndarray:
        return np.ascontiguousarray(self.factors)

    @cached_property
    def _columns(self) -> np.ndarray:
        """The factors, one by one."""
        return np.ascontiguousarray(self.factors.T)

    def of_users(self, rows: Compressed) -> tuple[np.ndarray, np.ndarray]:
        """Return the factors of users, each from that user's ratings alone, and their levels.

        See :func:`dpmc.methods.kernels.completion.regressions`.

        Parameters
        ----------
        rows : Compressed
            Of each user: positions of the rated items, and the ratings.

        Returns
        -------
        users : float64 array, shape (n_users, rank)
        levels : float64 array, shape (n_users,)
            What items are predicted at by factors that are zero; NaN: at their offsets.
        """
        users = np.zeros((rows.n_rows, self.factors.shape[1]))
        levels = np.full(rows.n_rows, np.nan)
        precisions = np.empty(0) if self.precisions is None else self.precisions
        regressions(
            rows.indptr, rows.indices, rows.values, self.offsets, self._factors, precisions,
            self.regularization, self.rating_range, self.own_mean, users, levels,
        )  # fmt: skip
        return users, levels

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
        return self.complete_rows(self._rows(ratings), clipped=clipped)[0]

    def _rows(self, ratings: dict[str, float]) -> Compressed:
        """Return one user's ratings of items that are here, in the order of the items."""
        known = {self._places[each]: x for each, x in ratings.items() if each in self._places}
        items = np.array(sorted(known), dtype=np.int32)
        values = np.array([known[item] for item in items.tolist()], dtype=float)
        return Compressed(np.array([0, items.size]), items, values)

    def complete_rows(self, rows: Compressed, *, clipped: bool = True) -> np.ndarray:
        """Return predictions of all items for many users, each from that user's ratings alone.

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
        score(*self.of_users(rows), self.offsets, self._columns, matrix)
        return self.shown(matrix) if clipped else matrix

    def best_of(
        self, rows: Compressed, n: int, *, include_rated: bool = False
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the n best items of many users, each from that user's ratings alone.

        Ranked by the prediction before it is clipped, ties in the order of the items.

        Parameters
        ----------
        rows : Compressed
            See :meth:`complete_rows`.
        include_rated : bool
            List items that a user rated, too.

        Returns
        -------
        numbers : int64 array, shape (n_users,)
            Of items listed.
        places, shown : arrays, shape (numbers.sum(),)
            Positions of items and what is told of them, user by user, the best one first.
        """
        numbers, places, values = best_lists(
            *self.of_users(rows), self.offsets, self._columns, rows.indptr, rows.indices,
            include_rated, n,
        )  # fmt: skip
        return numbers, places, self.shown(values)

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
        _, places, shown = self.best_of(self._rows(ratings), n)
        return dict(zip((self.labels[each] for each in places), shown.tolist(), strict=True))


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

    def of_users(self, rows):
        """Return the sum of the factors of each user's likes, and no levels."""
        users = np.zeros((rows.n_rows, self.factors.shape[1]))
        least = -np.inf if self.likes_from is None else self.likes_from
        sums_of_likes(rows.indptr, rows.indices, rows.values, least, self._factors, users)
        return users, np.full(rows.n_rows, np.nan)


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
