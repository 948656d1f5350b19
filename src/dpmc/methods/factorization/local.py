"""Completing one's own ratings from published item factors, without anybody else's data.

With a guarantee at user level only the item factors may be published. Each user then solves one
small ridge regression with them (Kearns, Pai, Roth and Ullman, "Mechanism design in large games",
ITCS 2014: the billboard lemma): what comes out depends on the user's own ratings and on what is
public, and is meant for that user alone.
"""

from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from dpmc.ratings import Compressed


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
        Predictions are clipped to it.
    regularization : float
        lambda > 0 of a user's regression.
    own_mean : bool
        Whether users take the mean of their own ratings off, instead of the items' offsets.
    """

    labels: list[str]
    offsets: np.ndarray
    factors: np.ndarray
    rating_range: tuple[float, float]
    regularization: float
    own_mean: bool = False

    @cached_property
    def _places(self) -> dict[str, int]:
        return {label: index for index, label in enumerate(self.labels)}

    @cached_property
    def _columns(self) -> np.ndarray:
        """The factors, one by one: products with a vector take half the time."""
        return np.ascontiguousarray(self.factors.T)

    def complete(self, ratings: dict[str, float]) -> np.ndarray:
        """Return predictions of all items for one user.

        Parameters
        ----------
        ratings : dict
            The user's own ratings by item label; may be empty. Those of items that have no factors
            are left out.

        Returns
        -------
        float64 array, shape (n_items,)
        """
        known = {self._places[label]: x for label, x in ratings.items() if label in self._places}
        items, values = np.array(list(known), dtype=int), np.array(list(known.values()), float)
        return self.complete_rows(Compressed(np.array([0, items.size]), items, values))[0]

    def complete_rows(self, rows: Compressed) -> np.ndarray:
        """Return predictions of all items for many users, each from that user's ratings alone.

        One matrix product for all would be little faster, and the last digits of a user's
        predictions would depend on who else is there.

        Parameters
        ----------
        rows : Compressed
            Of each user: positions of the rated items, and the ratings.

        Returns
        -------
        float64 array, shape (n_users, n_items)
        """
        users, offsets = self.solve_rows(rows)
        matrix = np.empty((len(users), len(self.labels)))
        for user, row in zip(users, matrix, strict=True):
            np.matmul(user, self._columns, out=row)
        matrix += offsets
        return np.clip(matrix, *self.rating_range, out=matrix)

    def solve_rows(self, rows: Compressed) -> tuple[np.ndarray, np.ndarray]:
        """Return users' factors (V^T V + lambda I)^-1 V^T (x - offset), and the offsets.

        Parameters
        ----------
        rows : Compressed
            As for :meth:`complete_rows`. Ratings x are clipped to the range, and less the items'
            offsets to half its length either way.

        Returns
        -------
        users : float64 array, shape (n_users, rank)
        offsets : float64 array, shape (n_items,) or (n_users, n_items)
            What items are predicted at by factors that are zero.
        """
        low, high = self.rating_range
        values = np.clip(rows.values, low, high)
        offsets = self.offsets
        if self.own_mean:
            counts = np.diff(rows.indptr)
            owners = np.repeat(np.arange(counts.size), counts)
            sums = np.bincount(owners, values, minlength=counts.size)
            means = sums / np.maximum(counts, 1)
            left = values - means[owners]
            offsets = np.where(counts[:, None] > 0, means[:, None], offsets)
        else:
            left = np.clip(values - offsets[rows.indices], (low - high) / 2, (high - low) / 2)
        factors = self.factors[rows.indices]
        rank, n_users = factors.shape[1], rows.indptr.size - 1
        systems, targets = np.empty((n_users, rank, rank)), np.empty((n_users, rank, 1))
        for user, (begin, end) in enumerate(pairwise(rows.indptr.tolist())):
            own = factors[begin:end]
            systems[user] = own.T @ own
            targets[user, :, 0] = own.T @ left[begin:end]
        systems += self.regularization * np.eye(rank)
        return np.linalg.solve(systems, targets)[..., 0], offsets
