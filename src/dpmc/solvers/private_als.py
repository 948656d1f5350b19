"""Alternating least squares with a privacy guarantee."""

import numpy as np

from dpmc.privacy.sensitivity import planned_releases
from dpmc.solvers.alternating import STARTS
from dpmc.solvers.base import FactorModel, check_choice, check_count, check_positive
from dpmc.solvers.kernels import Regressions
from dpmc.solvers.private import PrivateSolver
from dpmc.solvers.private_kernels import NoisedSystems, clip_rows


class PrivateALS(PrivateSolver, FactorModel):
    """ALS whose every statistic is noised (work in progress)."""

    def __init__(
        self,
        *,
        relation,
        epsilon,
        rating_range,
        rank,
        delta=1e-5,
        mechanism="gaussian",
        ratings_per_user=None,
        factor_bound=1.0,
        iterations=2,
        regularization=0.5,
        user_regularization=None,
        start="normal",
    ):
        super().__init__(
            relation=relation,
            epsilon=epsilon,
            delta=delta,
            mechanism=mechanism,
            rating_range=rating_range,
            ratings_per_user=ratings_per_user,
            factor_bound=factor_bound,
        )
        self.rank = check_count("rank", rank)
        self.iterations = check_count("iterations", iterations)
        self.regularization = check_positive("regularization", regularization)
        self.user_regularization = check_positive(
            "user_regularization",
            regularization if user_regularization is None else user_regularization,
        )
        self.start = check_choice("start", start, STARTS)

    @property
    def releases(self) -> int:
        return planned_releases(self.relation, iterations=self.iterations)

    def _fit(self, ratings, statistics, rng, callback):
        shape = (ratings.n_items, self.rank)
        start = rng.standard_normal(shape) if self.start == "normal" else rng.random(shape)
        by_user = self._by_user(ratings, rng)
        step = self._fit_user_level if self.bounds.user_level else self._fit_entry_level
        step(ratings, by_user, statistics, start, callback)

    def _fit_user_level(self, ratings, by_user, statistics, start, callback):
        """Users solve alone; only the items' statistics are released."""
        alone = Regressions(by_user, self.rank, self.user_regularization)
        self.item_factors_ = start
        self.user_factors_ = alone.solve(start)
        for iteration in range(1, self.iterations + 1):
            self.item_factors_ = self._item_step(by_user, statistics)
            self.user_factors_ = alone.solve(self.item_factors_)
            if callback is not None:
                callback(iteration, self)

    def _fit_entry_level(self, ratings, by_user, statistics, start, callback):
        """Both half-steps release their statistics."""
        by_item = self._bounded(ratings.by_item)
        self.item_factors_ = start
        for iteration in range(1, self.iterations + 1):
            self.user_factors_ = self._ridge_step(
                by_item, self.item_factors_, ratings.n_users, self.user_regularization, statistics
            )
            self.item_factors_ = self._item_step(by_user, statistics)
            if callback is not None:
                callback(iteration, self)

    def _item_step(self, by_user, statistics):
        """Return new item rows for the current user rows."""
        return self._ridge_step(
            by_user, self.user_factors_, self.shape_[1], self.regularization, statistics
        )

    def _ridge_step(self, rows, factors, n_columns, regularization, statistics):
        factors = clip_rows(factors, self.bounds.factor_bound, self.bounds.norm)
        gram = statistics.gram(rows, factors, n_columns)
        right = statistics.right_hand_side(rows, factors, n_columns, self.bounds.half_range)
        return NoisedSystems(gram, self.rank, regularization).solve(right)

    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, clipped to the public range, shape (n_users, n_items)."""
        return self._in_range(super().predict_matrix())

    def _predict_pairs(self, users, items):
        return self._in_range(super()._predict_pairs(users, items))
