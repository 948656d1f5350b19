"""The simplest factor model without noise, a baseline for private ones."""

import numpy as np

from dpmc.methods.base import FactorModel, check_ratings, count, positive, with_parameters
from dpmc_studies.methods.kernels.regressions import Regressions


@with_parameters
class RankOne(FactorModel):
    """Rank-one alternating least squares without noise, from item factors of ones.

    Parameters
    ----------
    regularization : float
        lambda > 0.

    Attributes
    ----------
    user_factors_ : float64 array, shape (n_users, 1)
    item_factors_ : float64 array, shape (n_items, 1)
    """

    regularization: float = positive(0.5)
    iterations: int = count(50)

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None):
        """Fit the model; the generators are not used. See :meth:`dpmc.methods.base.Method.fit`."""
        check_ratings(ratings)
        self.shape_ = (ratings.n_users, ratings.n_items)
        for_users = Regressions(ratings.by_user, 1, self.regularization)
        for_items = Regressions(ratings.by_item, 1, self.regularization)
        self.item_factors_ = np.ones((ratings.n_items, 1))
        for iteration in range(1, self.iterations + 1):
            self.user_factors_ = for_users.solve(self.item_factors_)
            self.item_factors_ = for_items.solve(self.user_factors_)
            if callback is not None:
                callback(iteration, self)
        return self
