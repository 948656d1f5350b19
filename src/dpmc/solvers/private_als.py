"""Alternating least squares with a privacy guarantee."""

import math

import numpy as np

from dpmc.errors import InputError
from dpmc.privacy.sensitivity import planned_releases
from dpmc.ratings import Compressed
from dpmc.solvers.alternating import STARTS
from dpmc.solvers.base import check_choice, check_count, check_positive
from dpmc.solvers.kernels import Regressions
from dpmc.solvers.private import PrivateSolver
from dpmc.solvers.private_kernels import NoisedSystems, balance, clip_rows
from dpmc.solvers.private_offsets import item_offsets, less

OFFSET_SHRINKAGE = 5.0


class PrivateALS(PrivateSolver):
    """ALS within a privacy budget.

    The model is: item offset + user offset + u . v. With ``offsets``, sums and counts of the
    items are released first (see :func:`dpmc.solvers.private_offsets.item_offsets`) and the
    factors work on what is left, which needs a smaller bound. Then T times:

    1. Item factors are rotated and scaled such that V^T V = n_items Gamma^2 / rank I. This is
       post-processing that keeps their span: without it, noise in directions that matter little
       would outweigh them when users are clipped.
    2. Users fit the offset and u to ratings less item offsets by ridge regression, the offset as
       coefficient of a column of Gamma / sqrt(rank). At user level each does so alone, without
       noise; at entry level from noised Gram matrices and right-hand sides.
    3. Rows u are clipped to norm Gamma, what is left of the ratings to residual_bound; Gram
       matrices and right-hand sides of all items are noised (empty ones too), and
       v = (S + lambda I)^-1 h with S made positive semidefinite.

    At user level users then fit once more, for themselves. Releases: 2 T, 4 T, 2 T (values of
    ratings change; ratings come and go; user level) and 1, 2, 2 for the offsets. Statistics of
    value changes are released without Gram matrices and counts, which are public there.

    Source: Gowtham et al., "Introducing the Huber mechanism for differentially private low-rank
    matrix completion" (arXiv 2206.07910), algorithm 1, which noises right-hand sides of items
    only and bounds nothing; sensitivities: :mod:`dpmc.privacy.sensitivity`. Removing offsets
    before noise: McSherry and Mironov, "Differentially private recommender systems" (KDD 2009),
    sections 4.1 and 4.2.

    Parameters
    ----------
    relation, epsilon, delta, mechanism, rating_range, ratings_per_user
        See :class:`dpmc.solvers.private.PrivateSolver`.
    rank : int
        Of the factors, not counting the column of user offsets.
    factor_bound : float, optional
        Gamma. If not given, sqrt(residual_bound), at user level half of that: there, short users
        cost nothing as only directions count.
    residual_bound : float, optional
        To which what is left of ratings is clipped in step 3: half the half-range if not given,
        all of it without offsets.
    iterations : int
        T.
    regularization : float
        lambda > 0 of items.
    user_regularization : float, optional
        Of users, who alone have no noise at user level; that of items if not given.
    offsets : bool
    start : {"normal", "uniform"}
        Law of the entries of V_0.

    Raises
    ------
    InputError
        A parameter out of its range, or taken from the data.
    """

    inner_iterations = 1

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
        factor_bound=None,
        residual_bound=None,
        iterations=2,
        regularization=0.5,
        user_regularization=None,
        offsets=True,
        start="normal",
    ):
        super().__init__(
            relation=relation,
            epsilon=epsilon,
            delta=delta,
            mechanism=mechanism,
            rating_range=rating_range,
            ratings_per_user=ratings_per_user,
        )
        self.rank = check_count("rank", rank)
        self.iterations = check_count("iterations", iterations)
        self.regularization = check_positive("regularization", regularization)
        self.user_regularization = check_positive(
            "user_regularization",
            regularization if user_regularization is None else user_regularization,
        )
        self.offsets = check_choice("offsets", offsets, (True, False))
        self.start = check_choice("start", start, STARTS)
        half_range = self.bounds.half_range
        if residual_bound is None:
            residual_bound = half_range / 2 if offsets else half_range
        self.residual_bound = check_positive("residual_bound", residual_bound)
        if self.residual_bound > half_range:
            raise InputError(
                f"residual_bound must be at most {half_range:g}, half the rating range, got "
                f"{residual_bound:g}."
            )
        if factor_bound is None:
            factor_bound = math.sqrt(self.residual_bound) / (2 if self.bounds.user_level else 1)
        self.factor_bound = check_positive("factor_bound", factor_bound)
        self.bounds = self._bounds(self.factor_bound)

    @property
    def releases(self) -> int:
        return planned_releases(
            self.relation,
            iterations=self.iterations,
            inner_iterations=self.inner_iterations,
            offset_sides=int(self.offsets),
        )

    def _fit(self, ratings, statistics, rng, callback):
        shape = (ratings.n_items, self.rank)
        factors = rng.standard_normal(shape) if self.start == "normal" else rng.random(shape)
        chosen = self._chosen(ratings, rng)
        offsets = np.zeros(ratings.n_items)
        if self.offsets:
            offsets += item_offsets(statistics, chosen, offsets.size, OFFSET_SHRINKAGE)
        self.item_offsets_ = self.centre + offsets
        chosen = less(chosen, self.bounds.half_range, of_columns=offsets)
        solve_users = self._user_step(ratings, offsets, statistics)
        at_user_level = self.bounds.user_level
        for iteration in range(1, self.iterations + 1):
            if iteration == 1 or not at_user_level:
                design = self._design(factors)
                users = solve_users(design)
            factors, users = self._items(chosen, users, design, statistics)
            design = self._design(factors) if at_user_level else self._with_column(factors)
            if at_user_level:
                users = solve_users(design)
            self.user_factors_, self.item_factors_ = users, design
            if callback is not None:
                callback(iteration, self)

    @property
    def _size(self) -> float:
        """Root mean square of the columns of the users' design: rows are about Gamma long."""
        return self.factor_bound / (self.rank + self.offsets) ** (1 / self.bounds.norm)

    def _design(self, factors):
        """Return what users fit ratings to: balanced item factors beside a constant column.

        At entry level, where users' statistics are noised, rows are clipped to norm Gamma by
        clipping the part beside the constant.
        """
        if self.offsets:
            factors = factors - factors.mean(axis=0)  # the constant column stands for the mean
        factors = balance(factors, self._size)
        if not self.bounds.user_level:
            p, constant = self.bounds.norm, self._size * self.offsets
            rest = (self.factor_bound**p - constant**p) ** (1 / p)
            factors = clip_rows(factors, rest, p)
        return self._with_column(factors)

    def _with_column(self, factors):
        """Return item factors beside the constant column of user offsets, if there is one."""
        constant = np.full((len(factors), int(self.offsets)), self._size)
        return np.hstack([constant, factors])

    def _user_step(self, ratings, offsets, statistics):
        """Return the function that solves for user rows, given the design of items.

        At user level, users alone may use all of their ratings, also those that do not count.
        """
        width, bound = self.rank + self.offsets, self.bounds.half_range
        if self.bounds.user_level:
            by_user = less(self._bounded(ratings.by_user), bound, of_columns=offsets)
            return Regressions(by_user, width, self.user_regularization).solve
        by_item = less(self._bounded(ratings.by_item), bound, of_rows=offsets)

        def solve(design):
            gram = statistics.gram(by_item, design, ratings.n_users)
            right = statistics.right_hand_side(by_item, design, ratings.n_users, bound)
            return NoisedSystems(gram, width, self.user_regularization).solve(right)

        return solve

    def _items(self, chosen, users, design, statistics):
        """Return new item factors, and the user rows, clipped, that they were made with."""
        user_offsets = self._size * users[:, 0] if self.offsets else None
        left = less(chosen, self.residual_bound, of_rows=user_offsets)
        skipped = int(self.offsets)
        clipped = clip_rows(users[:, skipped:], self.factor_bound, self.bounds.norm)
        factors = self._item_step(left, clipped, design[:, skipped:], statistics)
        return factors, np.hstack([users[:, :skipped], clipped])

    def _item_step(self, rows: Compressed, users, items, statistics) -> np.ndarray:
        """Return new item factors for clipped user rows; ``items`` are the ones before."""
        gram = statistics.gram(rows, users, len(items))
        right = statistics.right_hand_side(rows, users, len(items), self.residual_bound)
        return NoisedSystems(gram, self.rank, self.regularization).solve(right)
