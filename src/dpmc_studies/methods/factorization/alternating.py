"""The loop that ALS and A-IRLS share: users without noise, then items."""

from abc import abstractmethod

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import (
    STARTS,
    FactorModel,
    check_generator,
    check_ratings,
    choice,
    count,
    parameter,
    positive,
    with_parameters,
)
from dpmc.ratings import Ratings
from dpmc_studies.methods.kernels.regressions import Regressions


def check_noise(name: str, value: object) -> object:
    """Return a mechanism, or raise InputError."""
    if not callable(getattr(value, "rvs", None)):
        raise InputError(f"{name} must be None or have a method rvs(size, rng), got {value!r}.")
    return value


@with_parameters
class AlternatingMethod(FactorModel):
    """Alternate between user rows, by ridge regression, and item rows, which subclasses fit.

    Each outer iteration computes all user rows u_i = (V_i^T V_i + lambda I)^-1 V_i^T x_i from the
    current item rows, without noise, then all item rows (paper, algorithms 1 and 2). Users come
    first, from random item rows V_0. ``rng`` draws V_0 before anything else, so that all methods
    start from the same V_0. lambda I is added unscaled: the objective is 1/2 sum r^2 + lambda/2
    (||U||^2 + ||V||^2), whereas the paper's objective (6) lacks the halves. By the formulas, a user
    without ratings gets the zero row and an item without ratings gets noise / lambda. Without noise
    such items are predicted as 0.
    """

    rank: int = count()
    regularization: float = positive(0.5)
    iterations: int = count(50)
    mechanism: object = parameter(check_noise, None)
    start: str = choice(STARTS, "normal")

    @abstractmethod
    def _item_regressions(self, ratings: Ratings):
        """Return what solves for the item rows of these ratings."""

    @abstractmethod
    def _update_items(self, regressions, rng, noise_rng) -> np.ndarray:
        """Return new item rows for the current user rows."""

    def fit(self, ratings, *, rng, noise_rng=None, callback=None):
        check_ratings(ratings)
        rng = check_generator("rng", rng)
        if self.mechanism is not None:
            noise_rng = check_generator("noise_rng", noise_rng)
        self.shape_ = (ratings.n_users, ratings.n_items)
        for_users = Regressions(ratings.by_user, self.rank, self.regularization)
        for_items = self._item_regressions(ratings)
        self.item_factors_ = self._draw_start(rng)
        for iteration in range(1, self.iterations + 1):
            self.user_factors_ = for_users.solve(self.item_factors_)
            self.item_factors_ = self._update_items(for_items, rng, noise_rng)
            if callback is not None:
                callback(iteration, self)
        if not (np.isfinite(self.user_factors_).all() and np.isfinite(self.item_factors_).all()):
            raise InputError(
                f"{ratings.name}: the factors overflowed; raise the regularization above "
                f"{self.regularization:g} or lower the noise."
            )
        return self

    def _draw_start(self, rng):
        shape = (self.shape_[1], self.rank)
        return rng.standard_normal(shape) if self.start == "normal" else rng.random(shape)

    def training_loss(self, ratings: Ratings) -> float:
        """Return the regularised loss sum rho(x - u^T v) + lambda/2 (||U||^2 + ||V||^2).

        rho is the loss of the item rows, see :meth:`_rho`.
        """
        residuals = ratings.values - self.predict(ratings.users, ratings.items)
        squares = np.sum(self.user_factors_**2) + np.sum(self.item_factors_**2)
        return float(np.sum(self._rho(residuals)) + self.regularization / 2 * squares)

    @staticmethod
    def _rho(residuals):
        """Return the squared loss, half the squares."""
        return residuals**2 / 2
