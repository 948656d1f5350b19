"""Models to compare local EASE with: private popularity alone, and EASE without privacy."""

import numpy as np

from dpmc.methods.base import Method, check_ratings, number, positive, with_parameters
from dpmc.methods.blocks import in_blocks
from dpmc.methods.user_level.local_ease import counts
from dpmc.methods.user_level.local_ease.method import LocalEase


class PrivatePopularity(LocalEase):
    """The first release of local EASE with the whole budget: items rank alike for all users."""

    def _fit(self, ratings, statistics, randomness, callback):
        own = in_blocks(ratings, self.threads)
        rows = own.then(randomness.choices(self.ratings_per_user))
        sent = counts.statistic(rows, ratings.n_items)
        popularity = counts.read(*self._ask(statistics, "counts", sent, 1.0))
        self._publish(own, popularity, None, None)


@with_parameters
class EASE(Method):
    """EASE (Steck, WWW 2019), without privacy: a dense matrix of all pairs of items.

    Parameters
    ----------
    ridge : float
        In users.
    likes_from : float, optional
        Smallest rating that is a like; all ratings are likes if not given.

    Attributes
    ----------
    item_weights_ : float64 array, shape (n_items, n_items)
        B, zero on the diagonal.
    """

    ridge: float = positive(300.0)
    likes_from: float | None = number(None)

    ranks = True

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None):
        """Fit the model; the generators are not used. See :meth:`dpmc.methods.base.Method.fit`."""
        check_ratings(ratings)
        self.shape_ = (ratings.n_users, ratings.n_items)
        rows = ratings.by_user
        if self.likes_from is not None:
            rows = rows.keep(rows.values >= self.likes_from)
        likes = rows.with_values(np.ones(rows.values.size)).matrix(ratings.n_items)
        gram = (likes.T @ likes).toarray()
        inverse = np.linalg.inv(gram + self.ridge * np.eye(ratings.n_items))
        self.item_weights_ = -inverse / np.diag(inverse)
        np.fill_diagonal(self.item_weights_, 0)
        self._likes = likes
        if callback is not None:
            callback(1, self)
        return self

    def predict_matrix(self):
        """Return the scores of all items, shape (n_users, n_items)."""
        return self._likes @ self.item_weights_

    def _predict_pairs(self, users, items):
        own, place = np.unique(users, return_inverse=True)
        return (self._likes[own] @ self.item_weights_)[place.reshape(users.shape), items]
