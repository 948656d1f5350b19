"""Matrix completion over the nuclear-norm ball by the Frank-Wolfe method, private and not.

The objective is |P(Y - X)|_F^2 over the matrices Y of nuclear norm at most K. X are the ratings,
and P keeps the observed entries. Each step moves towards -K u v^T, with (u, v) the top singular
vectors of the residual A = P(Y - X). v is the top eigenvector of A^T A, a sum over users.
"""

import math
from dataclasses import replace
from functools import cached_property

import numpy as np
from scipy.sparse.linalg import eigsh

from dpmc.mechanisms import Gaussian
from dpmc.methods.base import choice, count, flag, positive, with_parameters
from dpmc.methods.user_level.covariance import outer_sensitivity, unpack
from dpmc.privacy.calibration import Calibration
from dpmc_studies.compiled import njit
from dpmc_studies.methods.user_level.joint import JointMethod
from dpmc_studies.methods.user_level.outer_sums import (
    check_row_lengths,
    outer_sum,
    top_eigenvectors,
)
from dpmc_studies.methods.user_level.references import CentredFactors, top_singular
from dpmc_studies.methods.user_level.sampling import clip_values

NOISES = ("exact", "jain", "residual_clip")
FAILURE = 0.01
"""beta, the probability with which the published slack of the eigenvalue may be too small."""
SMALL = 64
"""Up to so many items the whole covariance is decomposed; Lanczos' method would not be faster."""


@with_parameters
class PrivateFrankWolfe(JointMethod):
    """Frank-Wolfe steps whose directions come from a noised covariance of residuals.

    Each user's ratings x are scaled down to length L. Then T times: users send a a^T of their
    residuals a = P(y - x), the sum W of these is noised, and (lambda^2, v) is its top eigenpair.
    Each user alone takes the step y <- (1 - 1/T) y - (K/T) (a . v / lambda') v and scales y down
    until |P(y)| <= L. With the slack, lambda' is lambda + sqrt(sigma log(m/beta)) m^(1/4), with
    sigma the standard deviation of the noise and m the number of items; then with high probability
    no user steps too far. Without the slack, lambda' = lambda.

    **Sensitivity.** As |x| <= L and |P(y)| <= L, |a| <= 2 L; at the first step, where y = 0, |a| <=
    L. W changes by a a^T, whose Frobenius norm |a|^2 is at most 4 L^2, and L^2 at the first step.
    If a user is replaced, it changes by at most sqrt(2) times that norm
    (:func:`dpmc.methods.user_level.covariance.outer_sensitivity`). Given the earlier outputs, a
    user's a depends on the user's own ratings alone.

    Source: Jain et al. 2018, section 3, where only the upper triangle of the covariance is noised.

    Parameters that are not listed are those of
    :class:`dpmc_studies.methods.user_level.joint.JointMethod`.

    Parameters
    ----------
    row_bound : float
        L > 0.
    nuclear_bound : float
        K > 0, a public constant, although the best value grows with the number of users.
    iterations : int
        T.
    noise : {"exact", "jain", "residual_clip"}
        "exact" is the noise of the budget. So is "residual_clip", but each a is also scaled down to
        length L before it is sent, so that L^2 bounds the sensitivity of every step. "jain" is the
        published standard deviation L^2 sqrt(64 n log(1/delta))/epsilon, for n releases and the
        claimed epsilon, on upper triangles; ``guarantee_`` states its true epsilon.
    rescale : bool
        Scale predictions back up for users whose ratings were scaled down, for them alone.

    Attributes
    ----------
    claimed_epsilon_ : float
        The requested epsilon; ``guarantee_`` has the true one.
    """

    row_bound: float = positive()
    nuclear_bound: float = positive()
    iterations: int = count(5)
    noise: str = choice(NOISES, "exact")
    slack: bool = flag(False)
    rescale: bool = flag(True)

    @property
    def n_factors(self) -> int:
        """One for each step."""
        return self.iterations

    @property
    def releases(self) -> int:
        """As many as steps."""
        return self.iterations

    def _residual_bound(self, step: int) -> float:
        """Return the largest length of what a user sends at a step, counted from 0."""
        doubled = step > 0 and self.noise != "residual_clip"
        return self.row_bound * (2 if doubled else 1)

    def _sensitivity(self, step: int) -> float:
        return outer_sensitivity(self.relation, self._residual_bound(step))

    @property
    def _published_std(self) -> float:
        """The standard deviation of Jain et al., who bound every |a|^2 by 4 L^2."""
        factor = math.sqrt(-64 * self.releases * math.log(self.delta)) / self.epsilon
        return self.row_bound**2 * factor

    @cached_property
    def calibration(self) -> Calibration:
        """The noise at sensitivity 1, and the budget that it keeps to.

        The published noise is equal in all steps, although the first step has a lower sensitivity.
        For it, the result is the noise that gives the same guarantee with equal weights.
        """
        asked_for = super().calibration
        if self.noise != "jain":
            return asked_for
        squares = [self._sensitivity(step) ** 2 for step in range(self.iterations)]
        share = (1 - self.counts_share) / (sum(squares) / self.iterations)
        noise = Gaussian(self._published_std * math.sqrt(share))
        epsilon = noise.epsilon(math.sqrt(self.releases), self.delta)
        return replace(asked_for, noise=noise, epsilon=epsilon)

    def _guarantee(self, ledger):
        return replace(super()._guarantee(ledger), epsilon=self.calibration.epsilon)

    def _fit(self, ratings, statistics, randomness, callback):
        self.claimed_epsilon_ = self.epsilon
        start = randomness.rng.standard_normal(ratings.n_items)
        # row_bound bounds what a user sends, so all ratings count; k is for the counts of items
        _, rows = self._prepare(ratings, statistics, randomness)
        direction = start[self.frequent_]
        ratings_of = clip_values(rows, np.inf, self.row_bound)
        lengths = rows.norms()
        stretch = np.maximum(lengths / self.row_bound, 1) if self.rescale else np.ones(lengths.size)
        fitted = np.zeros(rows.values.size)
        left = rows.with_values(fitted - ratings_of.values)
        users = np.zeros((lengths.size, self.iterations))
        items = np.zeros((direction.size, self.iterations))
        share = 1 / self.iterations
        for step in range(self.iterations):
            size, direction = self._direction(left, direction, step, statistics)
            rate = -share * self.nuclear_bound / size
            users *= 1 - share
            places = rows.indptr, rows.indices
            users[:, step] = _step(*places, left.values, fitted, 1 - share, rate, direction)
            norms = rows.with_values(fitted).norms()
            shrink = np.minimum(1, self.row_bound / np.maximum(norms, 1e-300))
            _shrink(rows.indptr, fitted, shrink, ratings_of.values, left.values)
            users *= shrink[:, None]
            items[:, step] = direction
            self.item_factors_ = self._of_all_items(items)
            self.user_factors_ = users * stretch[:, None]
            if callback is not None:
                callback(step + 1, self)

    def _direction(self, left, before, step, statistics):
        """Return lambda' and v from what is left of the ratings."""
        bound, n_items, plain = self._residual_bound(step), before.size, self.noise == "jain"
        if self.noise == "residual_clip":
            left = clip_values(left, np.inf, bound)
        check_row_lengths(left, bound)
        sensitivity = self._sensitivity(step)
        of_one = statistics.noise_std(sensitivity)
        std = self._published_std if plain else of_one * self._weight(1 / self.releases)
        noised = statistics.ledger.release(
            "covariance", outer_sum(left, n_items, bound, plain=plain), sensitivity,
            weight=std / of_one,
        )  # fmt: skip
        value, direction = _top_eigenpair(unpack(noised, n_items, plain=plain), before)
        size = math.sqrt(max(value, std))  # a noised eigenvalue may lie below its noise, or 0
        if self.slack:
            size += math.sqrt(std * math.log(n_items / FAILURE)) * n_items**0.25
        return size, direction


def _top_eigenpair(matrix, start):
    """Return the largest eigenvalue and its vector, to rounding.

    One vector of a thousand takes Lanczos' method half of the time of a decomposition. It begins
    at ``start``, so that the same noise gives the same vector; it cannot begin with a matrix of
    zeros.
    """
    lanczos = len(matrix) > SMALL and matrix.any()
    pair = eigsh(matrix, 1, which="LA", v0=start) if lanczos else top_eigenvectors(matrix, 1)
    return pair[0][0], pair[1][:, 0]


@njit(cache=True)
def _step(indptr, indices, left, fitted, kept, rate, direction):
    """Add to ``kept`` times the fitted entries each user's move, ``rate`` a . v; return these."""
    moves = np.empty(indptr.size - 1)
    for row in range(moves.size):
        along = 0.0
        for k in range(indptr[row], indptr[row + 1]):
            along += left[k] * direction[indices[k]]
        moves[row] = rate * along
        for k in range(indptr[row], indptr[row + 1]):
            fitted[k] = kept * fitted[k] + moves[row] * direction[indices[k]]
    return moves


@njit(cache=True)
def _shrink(indptr, fitted, factors, values, left):
    """Multiply each row's fitted entries by its factor, and write what is left of the values."""
    for row in range(factors.size):
        for k in range(indptr[row], indptr[row + 1]):
            fitted[k] *= factors[row]
            left[k] = fitted[k] - values[k]


@with_parameters
class FrankWolfe(CentredFactors):
    """Frank-Wolfe without privacy: exact top singular vectors and the best step length.

    Parameters
    ----------
    nuclear_bound : float
        K > 0.
    """

    nuclear_bound: float = positive(100.0)
    iterations: int = count(50)

    @property
    def rank(self) -> int:
        """Of the factors: one column for each iteration."""
        return self.iterations

    def _fit(self, rows, n_items, report):
        fitted = np.zeros(rows.values.size)
        self.user_factors_ = np.zeros((rows.n_rows, self.iterations))
        self.item_factors_ = np.zeros((n_items, self.iterations))
        for step in range(self.iterations):
            left = rows.with_values(rows.values - fitted)
            user, item, _ = top_singular(left.matrix(n_items), 1)
            user, item = self.nuclear_bound * user[:, 0], item[:, 0]
            change = rows.per_rating(user) * item[rows.indices] - fitted
            length = change @ change
            share = min(max(change @ left.values / length, 0.0), 1.0) if length else 0.0
            fitted += share * change
            self.user_factors_ *= 1 - share
            self.user_factors_[:, step] = share * user
            self.item_factors_[:, step] = item
            report(step + 1)
