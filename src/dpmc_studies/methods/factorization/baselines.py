"""Baselines without noise that any private model should beat: means and biases."""

from dataclasses import field

import numpy as np

from dpmc.methods.base import Method, check_ratings, positive, with_parameters


@with_parameters
class UserItemBias(Method):
    """Predict mean + item bias + user bias, each bias a damped mean of residuals.

    The item bias is b_j = sum over its ratings of (x - mean) / (n_j + shrinkage). User biases are
    then computed in the same way from x - mean - b_j (Koren 2010, section 2.1).

    Parameters
    ----------
    shrinkage : float
        At least 0: how many ratings at the mean each user and item is credited with.

    Attributes
    ----------
    mean_ : float
    item_bias_ : float64 array, shape (n_items,)
    user_bias_ : float64 array, shape (n_users,)

    Raises
    ------
    InputError
        A negative shrinkage.
    """

    shrinkage: float = positive(5.0, zero=True)

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None):
        """Fit the model; the generators are not used. See :meth:`dpmc.methods.base.Method.fit`."""
        check_ratings(ratings)
        self.shape_ = (ratings.n_users, ratings.n_items)
        by_item = ratings.by_item  # one order, so that sums do not depend on that of the input
        users, values = by_item.indices, by_item.values
        items = by_item.per_rating(np.arange(ratings.n_items))
        self.mean_ = float(np.mean(values))
        self.item_bias_, self.user_bias_ = np.zeros(ratings.n_items), np.zeros(ratings.n_users)
        self._fit_biases(users, items, values - self.mean_)
        if callback is not None:
            callback(1, self)
        return self

    def _fit_biases(self, users, items, deviations):
        self.item_bias_ = self._damped_means(items, deviations, self.shape_[1])
        left = deviations - self.item_bias_[items]
        self.user_bias_ = self._damped_means(users, left, self.shape_[0])

    def _damped_means(self, index, values, size):
        sums = np.bincount(index, values, minlength=size)
        counts = np.bincount(index, minlength=size)
        # without ratings the bias is 0, also if shrinkage is 0
        return sums / np.maximum(counts + self.shrinkage, np.finfo(float).tiny)

    def predict_matrix(self):
        return self.mean_ + self.user_bias_[:, None] + self.item_bias_[None, :]

    def _predict_pairs(self, users, items):
        return self.mean_ + self.user_bias_[users] + self.item_bias_[items]


class ItemBias(UserItemBias):
    """Predict mean + item bias: :class:`UserItemBias` without the users."""

    def _fit_biases(self, users, items, deviations):
        self.item_bias_ = self._damped_means(items, deviations, self.shape_[1])


@with_parameters
class GlobalMean(UserItemBias):
    """Predict the mean of all ratings."""

    shrinkage: float = field(default=5.0, init=False)  # of which it makes no use

    def _fit_biases(self, users, items, deviations):
        pass
