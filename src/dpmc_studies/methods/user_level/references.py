"""Matrix completion without privacy, to compare private methods with."""

import math
from abc import abstractmethod
from dataclasses import field

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

from dpmc.methods.base import (
    FactorModel,
    Method,
    check_ratings,
    count,
    positive,
    with_parameters,
)
from dpmc.methods.user_level.predictions import observed
from dpmc_studies.methods.factorization.baselines import GlobalMean, UserItemBias

_DENSE = 64
"""Matrices with at most so many rows or columns are decomposed as a whole."""


class Trivial(GlobalMean):
    """Predict the mean of the training ratings."""


@with_parameters
class UserMean(UserItemBias):
    """Predict the mean of the user's ratings, that of all ratings for a user without any."""

    shrinkage: float = field(default=0.0, init=False)

    def _fit_biases(self, users, items, deviations):
        self.user_bias_ = self._damped_means(users, deviations, self.shape_[0])


class Popularity(Method):
    """Score items by their number of ratings, alike for all users: for rankings only.

    Attributes
    ----------
    scores_ : float64 array, shape (n_items,)
    """

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None):
        """Fit the model; the generators are not used. See :meth:`dpmc.methods.base.Method.fit`."""
        check_ratings(ratings)
        self.shape_ = (ratings.n_users, ratings.n_items)
        self.scores_ = np.bincount(ratings.items, minlength=ratings.n_items).astype(float)
        if callback is not None:
            callback(1, self)
        return self

    def predict_matrix(self):
        return np.tile(self.scores_, (self.shape_[0], 1))

    def _predict_pairs(self, users, items):
        return self.scores_[items]


class CentredFactors(FactorModel):
    """Mean of all ratings + user factors . item factors.

    Attributes
    ----------
    mean_ : float
    user_factors_ : float64 array, shape (n_users, rank)
    item_factors_ : float64 array, shape (n_items, rank)
    """

    mean_: float

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None):
        """Fit the model; the generators are not used. See :meth:`dpmc.methods.base.Method.fit`."""
        check_ratings(ratings)
        self.shape_ = (ratings.n_users, ratings.n_items)
        rows = ratings.by_user  # one order, so that sums do not depend on that of the input
        self.mean_ = float(np.mean(rows.values))
        centred = rows.with_values(rows.values - self.mean_)

        def report(iteration):
            if callback is not None:
                callback(iteration, self)

        self._fit(centred, ratings.n_items, report)
        return self

    @abstractmethod
    def _fit(self, rows, n_items, report) -> None:
        """Set the factors; call ``report(iteration)`` after each iteration."""

    def predict_matrix(self):
        return self.mean_ + super().predict_matrix()

    def _predict_pairs(self, users, items):
        return self.mean_ + super()._predict_pairs(users, items)


@with_parameters
class TruncatedSVD(CentredFactors):
    """The best approximation of a rank to the matrix of ratings with zeros where there are none."""

    rank: int = count()

    def _fit(self, rows, n_items, report):
        matrix = rows.matrix(n_items)
        left, right, values = top_singular(matrix, self.rank)
        self.user_factors_ = _padded(left * values, self.rank)
        self.item_factors_ = _padded(right, self.rank)
        report(1)


@with_parameters
class SVT(CentredFactors):
    """Singular value thresholding: the exact fit X with the least tau |X|_* + |X|_F^2 / 2.

    Each iteration sets X = D_tau(Y), which subtracts tau from the singular values, and Y <- Y +
    delta P(M - X). Y starts at the multiple of P(M) that the first steps, where X = 0, would reach.

    Source: Cai, Candes and Shen, "A singular value thresholding algorithm for matrix completion"
    (SIAM J. Optim. 20(4), 2010), equations 2.7 and 5.3, section 5.1.1.

    Parameters
    ----------
    threshold : float, optional
        tau; 5 sqrt(n_users n_items) if not given.
    step : float, optional
        delta; 1.2 / (share of the entries that is observed) if not given.

    Attributes
    ----------
    mean_, user_factors_, item_factors_
        See :class:`CentredFactors`; the rank is what it turns out to be.
    """

    threshold: float | None = positive(None)
    step: float | None = positive(None)
    iterations: int = count(200)

    def _fit(self, rows, n_items, report):
        matrix = rows.matrix(n_items)
        entries = matrix.shape[0] * n_items
        threshold = 5 * math.sqrt(entries) if self.threshold is None else self.threshold
        step = 1.2 * entries / matrix.nnz if self.step is None else self.step
        norm = top_singular(matrix, 1)[2][0]
        dual = step * (math.ceil(threshold / (step * norm)) if norm else 1) * rows.values
        rank = 1
        for iteration in range(1, self.iterations + 1):
            left, right, values = self._above(matrix, dual, threshold, rank)
            rank = max(values.size, 1)
            self.user_factors_, self.item_factors_ = left * (values - threshold), right
            report(iteration)
            dual = dual + step * (rows.values - observed(rows, self.user_factors_, right))

    @staticmethod
    def _above(matrix, dual, threshold, rank):
        """Return the singular triplets whose values are above the threshold."""
        matrix = csr_array((dual, matrix.indices, matrix.indptr), matrix.shape)
        asked = rank + 1
        while True:
            left, right, values = top_singular(matrix, asked)
            above = values > threshold
            if not above.all() or values.size < asked or asked == min(matrix.shape):
                return left[:, above], right[:, above], values[above]
            asked = min(asked + 5, *matrix.shape)


@with_parameters
class FastTri(CentredFactors):
    """Fast tri-factorisation: X = L D R^T with orthonormal L, R and singular values of D shrunk.

    It minimises |P(M - X)|_F^2 / 2 + lambda |X|_* over matrices of the given rank. With Z = X + P(M
    - X), kept as factors and a sparse part, each iteration sets L to the Q factor of Z R, R to the
    Q factor of Z^T L, and D to L^T Z R with lambda subtracted from its singular values.

    Source: Liu, Jiao and Shang, "A fast tri-factorization method for low-rank matrix recovery and
    completion" (Pattern Recognition 46(1), 2013), with the penalty in place of the constraint and
    its multipliers.

    Parameters
    ----------
    regularization : float
        lambda >= 0, in units of singular values.
    """

    rank: int = count()
    regularization: float = positive(1.0, zero=True)
    iterations: int = count(100)

    def _fit(self, rows, n_items, report):
        matrix = rows.matrix(n_items)
        left, right, values = top_singular(matrix, self.rank)
        middle = np.diag(values)
        for iteration in range(1, self.iterations + 1):
            residual = rows.values - observed(rows, left @ middle, right)
            sparse = csr_array((residual, matrix.indices, matrix.indptr), matrix.shape)
            new_left = np.linalg.qr(sparse @ right + left @ middle)[0]
            turned = middle.T @ (left.T @ new_left)
            new_right = np.linalg.qr(sparse.T @ new_left + right @ turned)[0]
            core = new_left.T @ (sparse @ new_right) + turned.T @ (right.T @ new_right)
            rotation, values, other = np.linalg.svd(core)
            middle = (rotation * np.maximum(values - self.regularization, 0)) @ other
            left, right = without_empty(matrix, new_left, new_right)
            self.user_factors_ = _padded(left @ middle, self.rank)
            self.item_factors_ = _padded(right, self.rank)
            report(iteration)


def _padded(factors: np.ndarray, rank: int) -> np.ndarray:
    return np.pad(factors, ((0, 0), (0, rank - factors.shape[1])))


def top_singular(matrix: csr_array, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the top left and right singular vectors and the singular values of a sparse matrix.

    For an (n, m) matrix the shapes are (n, r), (m, r) and (r,) with r = min(rank, n, m). Values are
    descending. Empty rows and columns have zeros in the vectors.
    """
    rank, smaller = min(rank, *matrix.shape), min(matrix.shape)
    if smaller <= max(_DENSE, 2 * rank):
        left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
        left, values, right = left[:, :rank], values[:rank], right[:rank].T
    else:
        start = np.ones(smaller)
        left, values, right = svds(matrix, k=rank, v0=start)
        left, values, right = left[:, ::-1], values[::-1], right[::-1].T
    return *without_empty(matrix, left, right), values


def without_empty(matrix: csr_array, left: np.ndarray, right: np.ndarray) -> tuple:
    """Return factors with exact zeros for rows and columns without entries."""
    rows = np.diff(matrix.indptr) > 0
    columns = np.bincount(matrix.indices, minlength=len(right)) > 0
    return left * rows[:, None], right * columns[:, None]
