"""Models with offsets of users and items, and factors of frequent items."""

import numpy as np

from dpmc.methods.user_level.predictions import UserLevelMethod


class OffsetModel(UserLevelMethod):
    """user offset + item offset + user factors . item factors; the user's mean for other items.

    Attributes
    ----------
    user_offsets_, user_means_ : float64 arrays, shape (n_users,)
    frequent_ : bool array, shape (n_items,)
        Which items have factors.
    """

    user_offsets_: np.ndarray
    user_means_: np.ndarray
    frequent_: np.ndarray

    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, clipped to the public range, shape (n_users, n_items)."""
        matrix = self.user_factors_ @ self.item_factors_.T
        matrix += self.item_offsets_
        matrix += self.user_offsets_[:, None]
        matrix[:, ~self.frequent_] = self.user_means_[:, None]
        return np.clip(matrix, *self.rating_range, out=matrix)

    def _predict_pairs(self, users, items):
        products = np.einsum("...r,...r->...", self.user_factors_[users], self.item_factors_[items])
        products += self.user_offsets_[users] + self.item_offsets_[items]
        predicted = np.where(self.frequent_[items], products, self.user_means_[users])
        return np.clip(predicted, *self.rating_range)

    def _of_all_items(self, factors: np.ndarray) -> np.ndarray:
        """Return factors of the frequent items with zeros for the others."""
        placed = np.zeros((self.frequent_.size, factors.shape[1]))
        placed[self.frequent_] = factors
        return placed
