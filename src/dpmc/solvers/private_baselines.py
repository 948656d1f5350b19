"""Means and biases with a privacy guarantee: what a private factor model should beat.

Sums and counts are released with noise; means are post-processing. All values are ratings minus
the middle of the public range.
"""

import numpy as np

from dpmc.privacy.relations import ENTRY_CHANGE
from dpmc.privacy.sensitivity import planned_releases
from dpmc.ratings import Compressed
from dpmc.solvers.base import check_positive
from dpmc.solvers.private import PrivateSolver


class _PrivateBias(PrivateSolver):
    """Predict mean + item bias + user bias, clipped to the public range."""

    def __init__(
        self, *, relation, epsilon, rating_range, delta, mechanism, ratings_per_user, shrinkage
    ):
        super().__init__(
            relation=relation,
            epsilon=epsilon,
            delta=delta,
            mechanism=mechanism,
            rating_range=rating_range,
            ratings_per_user=ratings_per_user,
            factor_bound=1.0,  # there are no factors
        )
        self.shrinkage = check_positive("shrinkage", shrinkage, zero=True)

    def _fit(self, ratings, statistics, rng, callback):
        self.mean_ = 0.0
        self.item_bias_, self.user_bias_ = np.zeros(self.shape_[1]), np.zeros(self.shape_[0])
        self._fit_biases(ratings, self._by_user(ratings, rng), statistics)
        if callback is not None:
            callback(1, self)

    def predict_matrix(self):
        """Return all predicted ratings, clipped to the public range, shape (n_users, n_items)."""
        return self._in_range(self.mean_ + self.user_bias_[:, None] + self.item_bias_[None, :])

    def _predict_pairs(self, users, items):
        return self._in_range(self.mean_ + self.user_bias_[users] + self.item_bias_[items])

    def _damped(self, sums, counts):
        """Return damped means; a noised count below 0 counts as 0."""
        return sums / np.maximum(np.maximum(counts, 0) + self.shrinkage, 1.0)


class PrivateGlobalMean(_PrivateBias):
    """Predict the mean of all ratings, from their noised sum and number.

    Parameters
    ----------
    relation, epsilon, delta, mechanism, rating_range, ratings_per_user
        See :class:`dpmc.solvers.private.PrivateSolver`.

    Attributes
    ----------
    mean_ : float
        Minus the middle of the range.
    """

    def __init__(
        self,
        *,
        relation,
        epsilon,
        rating_range,
        delta=1e-5,
        mechanism="gaussian",
        ratings_per_user=None,
    ):
        super().__init__(
            relation=relation,
            epsilon=epsilon,
            rating_range=rating_range,
            delta=delta,
            mechanism=mechanism,
            ratings_per_user=ratings_per_user,
            shrinkage=0.0,
        )

    @property
    def releases(self) -> int:
        return 1 if self.relation == ENTRY_CHANGE else 2

    def _fit_biases(self, ratings, by_user, statistics):
        mean = self._damped(statistics.total_sum(by_user), statistics.total_count(by_user))
        self.mean_ = float(np.clip(mean, -self.bounds.half_range, self.bounds.half_range))


class PrivateItemBias(_PrivateBias):
    """Predict the damped mean of each item, from noised sums and counts of its ratings.

    Items are damped towards the mean of all released sums, which costs nothing more.

    Parameters
    ----------
    relation, epsilon, delta, mechanism, rating_range, ratings_per_user
        See :class:`dpmc.solvers.private.PrivateSolver`.
    shrinkage : float
        At least 0: how many ratings at the mean each item is credited with.

    Attributes
    ----------
    mean_ : float
        Minus the middle of the range.
    item_bias_ : float64 array, shape (n_items,)
    """

    offset_sides = 1

    def __init__(
        self,
        *,
        relation,
        epsilon,
        rating_range,
        delta=1e-5,
        mechanism="gaussian",
        ratings_per_user=None,
        shrinkage=5.0,
    ):
        super().__init__(
            relation=relation,
            epsilon=epsilon,
            rating_range=rating_range,
            delta=delta,
            mechanism=mechanism,
            ratings_per_user=ratings_per_user,
            shrinkage=shrinkage,
        )

    @property
    def releases(self) -> int:
        return planned_releases(self.relation, iterations=0, offset_sides=self.offset_sides)

    def _fit_biases(self, ratings, by_user, statistics):
        half = self.bounds.half_range
        counts = statistics.counts(by_user, self.shape_[1])
        sums = statistics.sums(by_user, self.shape_[1])
        mean = sums.sum() / max(counts.sum(), 1.0)
        self.mean_ = float(np.clip(mean, -half, half))
        bias = self._damped(sums - self.mean_ * counts, counts)
        self.item_bias_ = np.clip(self.mean_ + bias, -half, half) - self.mean_


class PrivateUserItemBias(PrivateItemBias):
    """Predict mean + item bias + user bias.

    Items as in :class:`PrivateItemBias`. At user level each user computes the own bias from the
    released items alone and keeps it; at entry level the users' sums (and counts) of what is left
    over, clipped to the half-range, are released with noise too.

    Parameters
    ----------
    relation, epsilon, delta, mechanism, rating_range, ratings_per_user, shrinkage
        See :class:`PrivateItemBias`; the shrinkage is that of users too.

    Attributes
    ----------
    mean_, item_bias_
        As :class:`PrivateItemBias`.
    user_bias_ : float64 array, shape (n_users,)
    """

    offset_sides = 2

    def _fit_biases(self, ratings, by_user, statistics):
        super()._fit_biases(ratings, by_user, statistics)
        by_item, half = self._bounded(ratings.by_item), self.bounds.half_range
        items = np.repeat(self.mean_ + self.item_bias_, np.diff(by_item.indptr))
        left = np.clip(by_item.values - items, -half, half)
        rest = Compressed(by_item.indptr, by_item.indices, left)
        if self.bounds.user_level:
            counts = np.bincount(rest.indices, minlength=self.shape_[0])
            sums = np.bincount(rest.indices, left, minlength=self.shape_[0])
        else:
            counts = statistics.counts(rest, self.shape_[0])
            sums = statistics.sums(rest, self.shape_[0])
        self.user_bias_ = self._damped(sums, counts)
