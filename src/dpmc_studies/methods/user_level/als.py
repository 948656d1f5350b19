"""Alternating least squares without privacy, for millions of ratings: explicit and implicit."""

from abc import abstractmethod

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import (
    FactorModel,
    check_generator,
    check_ratings,
    choice,
    count,
    positive,
    with_parameters,
)
from dpmc.methods.normal import solve_rows
from dpmc.ratings import Compressed, Ratings

CENTRINGS = ("none", "global", "user")
DTYPES = ("float32", "float64")


@with_parameters
class LeastSquares(FactorModel):
    """The loop: all user rows from the item rows, then all item rows from the user rows.

    A user or an item without ratings gets the zero row. Beside the ratings, grouped by user and
    by item, and the factors it needs little memory: 10 million ratings at rank 128 stay below
    1 GiB.

    Attributes
    ----------
    user_factors_ : array of ``dtype``, shape (n_users, rank)
    item_factors_ : array of ``dtype``, shape (n_items, rank)
    """

    rank: int = count()
    regularization: float = positive(0.1)
    iterations: int = count(10)
    dtype: str = choice(DTYPES, "float64")
    threads: int = count(1)

    def fit(self, ratings, *, rng, noise_rng=None, callback=None, of_items=None):
        """Fit the model; ``noise_rng`` is not used. See :meth:`dpmc.methods.base.Method.fit`.

        Item rows are fitted to the ratings ``of_items`` if given, some of ``ratings``, and users
        to all of theirs, as in DPALS.
        """
        check_ratings(ratings)
        rng = check_generator("rng", rng)
        self.shape_ = (ratings.n_users, ratings.n_items)
        by_user, by_item = self._targets(ratings, ratings if of_items is None else of_items)
        start = self._start_scale() * rng.standard_normal((ratings.n_items, self.rank))
        self.item_factors_ = start.astype(self.dtype)
        for iteration in range(1, self.iterations + 1):
            self.user_factors_ = self._solve(by_user, self.item_factors_)
            self.item_factors_ = self._solve(by_item, self.user_factors_)
            if callback is not None:
                callback(iteration, self)
        if not (np.isfinite(self.user_factors_).all() and np.isfinite(self.item_factors_).all()):
            raise InputError(
                f"{ratings.name}: the factors overflowed; raise the regularization above "
                f"{self.regularization:g} or take dtype 'float64'."
            )
        return self

    @abstractmethod
    def _targets(self, ratings: Ratings, of_items: Ratings) -> tuple[Compressed, Compressed]:
        """Return what users and items shall predict, grouped by user and by item."""

    @abstractmethod
    def _start_scale(self) -> float:
        """Return the standard deviation of the entries of the first item rows."""

    @abstractmethod
    def _solve(self, rows: Compressed, factors: np.ndarray) -> np.ndarray:
        """Return the best factors of the rows, given those of the columns."""


@with_parameters
class AlternatingLeastSquares(LeastSquares):
    """Factors that minimise sum (x - b_i - u_i . v_j)^2 + lambda (sum |u_i|^2 + sum |v_j|^2).

    Source: the non-private form of Chien et al. 2021, section 3.

    Parameters
    ----------
    regularization : float
        lambda > 0.
    centring : {"none", "global", "user"}
        b_i: 0, the mean of all ratings, or the mean of the user's ratings (that of all ratings
        for a user without any).
    dtype : {"float32", "float64"}

    Attributes
    ----------
    user_factors_, item_factors_
        See :class:`LeastSquares`.
    user_offsets_ : float64 array, shape (n_users,)
        b.
    """

    centring: str = choice(CENTRINGS, "none")

    def predict_matrix(self):
        return self.user_offsets_[:, None] + super().predict_matrix()

    def _predict_pairs(self, users, items):
        return self.user_offsets_[users] + super()._predict_pairs(users, items)

    def _targets(self, ratings, of_items):
        by_user, by_item = ratings.by_user, of_items.by_item
        self.user_offsets_ = self._offsets(by_user)
        if self.centring == "none":
            return by_user, by_item
        offsets = self.user_offsets_
        return by_user.minus(rows=offsets), by_item.minus(columns=offsets)

    def _offsets(self, by_user):
        n_users = self.shape_[0]
        if self.centring == "none":
            return np.zeros(n_users)
        mean = np.mean(by_user.values)  # grouped, so that the order of the input does not matter
        return np.full(n_users, mean) if self.centring == "global" else by_user.means(mean)

    def _start_scale(self):
        return 1.0

    def _solve(self, rows, factors):
        return solve_rows(rows, factors, self.regularization, threads=self.threads)


@with_parameters
class ImplicitALS(LeastSquares):
    """Scores of what a user has rated at all, from the places of the ratings and not their values.

    Minimises sum over ratings of (1 - u_i . v_j)^2 + alpha sum over all pairs of (u_i . v_j)^2 +
    lambda (sum |u_i|^2 + sum |v_j|^2).

    Source: Hu, Koren and Volinsky, "Collaborative filtering for implicit feedback datasets" (ICDM
    2008), section 4, with one weight for all ratings, as in Chien et al. 2021, section 2.

    Parameters
    ----------
    regularization : float
        lambda > 0.
    unobserved_weight : float
        alpha > 0.
    dtype : {"float32", "float64"}
    """

    regularization: float = positive(0.01)
    unobserved_weight: float = positive(0.1)
    dtype: str = choice(DTYPES, "float32")

    def fold_in(self, rows: Compressed) -> np.ndarray:
        """Return the factors of other users, given what each of them rated."""
        ones = np.ones(rows.indices.size, self.dtype)
        return self._solve(rows.with_values(ones), self.item_factors_)

    def _targets(self, ratings, of_items):
        rows, columns = ratings.by_user, of_items.by_item
        return (
            rows.with_values(np.ones(len(ratings), self.dtype)),
            columns.with_values(np.ones(len(of_items), self.dtype)),
        )

    def _start_scale(self):
        return 0.1 / np.sqrt(self.rank)

    def _solve(self, rows, factors):
        base = self.unobserved_weight * (factors.T @ factors)
        return solve_rows(rows, factors, self.regularization, base=base, threads=self.threads)
