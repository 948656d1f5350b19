"""Alternating least squares with a privacy guarantee."""

import math
from dataclasses import field

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import STARTS, choice, count, flag, positive, with_parameters
from dpmc.methods.factorization.private_offsets import item_offsets, user_offsets
from dpmc.methods.kernels.private import NoisedSystems, balance, clip_rows, row_norms
from dpmc.methods.normal import solve_rows
from dpmc.methods.private import PrivateMethod
from dpmc.methods.publishable import ROUNDING
from dpmc.privacy.sensitivity import planned_releases
from dpmc.ratings import Compressed
from dpmc.released import RIDGE

OFFSET_SHRINKAGE = 5.0

BALANCED = 1e-6
"""Relative, by which balanced columns are longer than they should be, for rounding."""

LEAST_REGULARIZATION = 1e-6
"""Of users who solve alone, in units of Gamma^2, for results that are published. The last digits of
what a user centres ratings by may depend on where in memory the user stands; regularization keeps
such a difference from growing until a user who leaves moves others."""


@with_parameters
class PrivateALS(PrivateMethod):
    """ALS within a privacy budget.

    The model is: item offset + user offset + u . v. With ``offsets``, noised sums and counts of the
    items are released first (at entry level also of the users; see
    :mod:`dpmc.methods.factorization.private_offsets`). The factors fit the residuals, clipped to a
    smaller bound. T iterations follow:

    1. Item factors are rotated and scaled to V^T V = n_items Gamma^2 / rank^(2/p) I. This is
       post-processing that keeps their span. Without it, strong directions would use up the users'
       norm Gamma, and weak ones would be lost in noise.
    2. Users fit u by ridge regression. At user level each user does so alone and without noise. The
       user's offset is fitted at the same time, as the coefficient of a constant column. At entry
       level item factors are clipped to norm Gamma, and users' Gram matrices and right-hand sides
       are noised.
    3. Rows u are clipped to norm Gamma. Gram matrices and right-hand sides of all items, also of
       empty ones, are noised; v = (S + lambda I)^-1 h, with S made positive semidefinite.

    At user level, users then fit once more, for themselves. There are 2 T + 2 releases at user
    level and 4 T + 4 at entry level. If only values of ratings change, half as many are made,
    because Gram matrices and counts are then public.

    The source is Gowtham et al. 2022, algorithm 1, which noises only right-hand sides of items and
    bounds nothing. :mod:`dpmc.privacy.sensitivity` derives the sensitivities. Removing offsets
    before adding noise is from McSherry and Mironov, "Differentially private recommender systems"
    (KDD 2009), sections 4.1 and 4.2.

    Parameters
    ----------
    relation, epsilon, delta, mechanism, rating_range, ratings_per_user
        See :class:`dpmc.methods.private.PrivateMethod`.
    rank : int
        Rank of the factors, not counting the column of user offsets.
    factor_bound : float, optional
        Gamma. If not given, sqrt(residual_bound), at user level half of that: there, short users
        cost nothing as only directions count.
    residual_bound : float, optional
        Bound of residuals of ratings in step 3: half the half-range if not given, or all of it
        without offsets.
    iterations : int
        T.
    regularization : float
        lambda > 0, the regularization of items.
    user_regularization : float, optional
        Regularization of users, who have no noise at user level; that of items if not given.
    start : {"normal", "uniform"}
        Distribution of the entries of V_0.

    Raises
    ------
    InputError
        A parameter out of its range, or taken from the data.
    """

    rank: int = count()
    factor_bound: float | None = positive(None)
    residual_bound: float | None = positive(None)
    iterations: int = count(2)
    inner_iterations: int = field(default=1, init=False)  # as one step is exact
    regularization: float = positive(0.5)
    user_regularization: float | None = positive(None)
    offsets: bool = flag(True)
    start: str = choice(STARTS, "normal")

    fixed = ("offsets", "start")
    way = RIDGE
    planned = ("rating_range", "ratings_per_user", "iterations", "factor_bound", "residual_bound")

    def __post_init__(self):
        super().__post_init__()
        if self.user_regularization is None:
            self.user_regularization = self.regularization
        half_range = self.bounds.half_range
        if self.residual_bound is None:
            self.residual_bound = half_range / 2 if self.offsets else half_range
        if self.residual_bound > half_range:
            raise InputError(
                f"residual_bound must be at most {half_range:g}, half the rating range, got "
                f"{self.residual_bound:g}."
            )
        if self.factor_bound is None:
            shorter = 2 if self.bounds.user_level else 1
            self.factor_bound = math.sqrt(self.residual_bound) / shorter
        self.bounds = self._bounds(self.factor_bound)

    @property
    def n_factors(self) -> int:
        """The rank, and a column for the offsets of users."""
        return self.rank + self.offsets

    @property
    def releases(self) -> int:
        return planned_releases(
            self.relation,
            iterations=self.iterations,
            inner_iterations=self.inner_iterations,
            offset_sides=2 * self.offsets,
        )

    def item_sensitivities(self, bounds):
        right, gram = bounds.right_hand_side(self.residual_bound), bounds.gram()
        return {"right_hand_side": right} | ({"gram": gram} if gram else {})

    def check_settings(self):
        super().check_settings()
        least = LEAST_REGULARIZATION * self.factor_bound**2
        if self.bounds.user_level and self.user_regularization < least:
            raise InputError(
                f"user_regularization must be at least {least:g}, a millionth of the square of "
                f"factor_bound, or rounding errors void the guarantee; got "
                f"{self.user_regularization:g}."
            )

    def _fit(self, ratings, statistics, randomness, callback):
        shape = (ratings.n_items, self.rank)
        rng = randomness.rng
        start = rng.standard_normal(shape) if self.start == "normal" else rng.random(shape)
        chosen = self._chosen(ratings, randomness)
        offsets = np.zeros(ratings.n_items)
        if self.offsets:
            offsets = item_offsets(statistics, chosen, offsets.size, OFFSET_SHRINKAGE)
        self.item_offsets_ = self.centre + offsets
        alternate = self._of_users if self.bounds.user_level else self._of_entries
        steps = alternate(ratings, chosen, offsets, start, statistics)
        for iteration, (self.user_factors_, self.item_factors_) in enumerate(steps, start=1):
            if callback is not None:
                callback(iteration, self)

    def _of_users(self, ratings, chosen, offsets, factors, statistics):
        """Yield (user rows, item rows) of each iteration at user level.

        Users alone may use all of their ratings, also those that do not count.
        """
        bound, skipped = self.bounds.half_range, int(self.offsets)
        chosen = chosen.minus(columns=offsets).clipped(-bound, bound)
        own = self._bounded(ratings.by_user).minus(columns=offsets).clipped(-bound, bound)
        design = self._design(factors)
        users = solve_rows(own, design, self.user_regularization, threads=self.threads)
        for iteration in range(self.iterations):
            # items are fitted to what is left of users' own offsets, clipped to the smaller bound
            own_offsets = users[:, :skipped] @ design[0, :skipped]
            left = chosen.minus(rows=own_offsets)
            left = left.clipped(-self.residual_bound, self.residual_bound)
            clipped = self._clipped(users[:, skipped:])
            before = design[:, skipped:] * (iteration > 0)  # the start says nothing of the items
            design = self._design(self._items(left, clipped, before, statistics))
            users = solve_rows(own, design, self.user_regularization, threads=self.threads)
            yield users, design

    def _design(self, factors):
        """Return what users fit ratings to: balanced factors beside a column for their offset."""
        size = self._size
        if not self.offsets:
            return balance(factors, size)
        constant = np.full((len(factors), 1), size)  # stands for the mean of the factors, too
        return np.hstack([constant, balance(factors - factors.mean(axis=0), size)])

    @property
    def _size(self):
        """Root mean square of a column of what users fit ratings to."""
        return self.factor_bound / (self.rank + self.offsets) ** (1 / self.bounds.p)

    def impossible_items(self, items):
        own, skipped = items.factors[:, int(self.offsets) :], int(self.offsets)
        constant = self._size if self.bounds.user_level else 1.0
        if (np.abs(items.factors[:, :skipped] - constant) > ROUNDING * constant).any():
            return f"the first factor of an item is not {constant:g}"
        longest = self._size * len(own) ** 0.5 * (1 + BALANCED)
        if self.bounds.user_level and (np.linalg.norm(own, axis=0) > longest).any():
            return "its columns of factors are longer than balanced ones"
        return super().impossible_items(items)

    def impossible_users(self, factors):
        offsets, own = factors[:, : int(self.offsets)], factors[:, int(self.offsets) :]
        if (np.abs(offsets) > self.bounds.half_range * (1 + ROUNDING)).any():
            return "a user's offset is above half the rating range"
        if (row_norms(own, self.bounds.p) > self.factor_bound * (1 + ROUNDING)).any():
            return "a user's factors are longer than factor_bound"
        return None

    def _of_entries(self, ratings, by_user, offsets, factors, statistics):
        """Yield (user rows, item rows) of each iteration at entry level."""
        by_item, n_users = self._bounded(ratings.by_item), ratings.n_users
        of_users = np.zeros((n_users, int(self.offsets)))
        if self.offsets:
            noised = user_offsets(statistics, by_item, offsets, n_users, OFFSET_SHRINKAGE)
            of_users[:, 0] = noised
        total, bound, p = of_users.sum(axis=1), self.residual_bound, self.bounds.p
        by_user = by_user.minus(rows=total, columns=offsets).clipped(-bound, bound)
        by_item = by_item.minus(rows=offsets, columns=total).clipped(-bound, bound)
        ones = np.ones((len(factors), int(self.offsets)))
        for iteration in range(self.iterations):
            items = balance(factors, self.factor_bound / self.rank ** (1 / p))
            items = self._clipped(items)
            users = self._ridge(by_item, items, n_users, self.user_regularization, statistics)
            users = self._clipped(users)
            factors = self._items(by_user, users, items * (iteration > 0), statistics)
            yield np.hstack([of_users, users]), np.hstack([ones, factors])

    def _clipped(self, factors) -> np.ndarray:
        """Return rows of factors, none longer than Gamma."""
        return clip_rows(factors, self.factor_bound, self.bounds.p)

    def _items(self, rows: Compressed, users, before, statistics) -> np.ndarray:
        """Return new item factors for clipped user rows; ``before`` are those that users
        fitted, zero at first."""
        return self._ridge(rows, users, len(before), self.regularization, statistics)

    def _ridge(self, rows, factors, n_columns, regularization, statistics):
        gram = statistics.gram(rows, factors, n_columns)
        right = statistics.right_hand_side(rows, factors, n_columns, self.residual_bound)
        return NoisedSystems(gram, self.rank, regularization).solve(right)
