"""Smoothed alternating least squares: medians over groups of users, and items that stay spread."""

from dataclasses import field

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import check_count, count, positive, with_parameters
from dpmc.methods.kernels.private import clip_rows, full_matrices, gram_sums, residual_sums
from dpmc.methods.normal import solve_rows
from dpmc.methods.user_level.covariance import pack, unpack
from dpmc_studies.methods.user_level.item_step import solve_items
from dpmc_studies.methods.user_level.joint import JointMethod
from dpmc_studies.methods.user_level.outer_sums import check_rank
from dpmc_studies.methods.user_level.sampling import clip_values


@with_parameters
class DPSAltLS(JointMethod):
    """Hardt's smoothed alternating least squares, with noise on what groups of users sum up.

    Users are split into t groups at random. V_0 is a random normal matrix after SmoothQR. T times:

    1. Every user alone fits u = (sum v v^T + lambda_u I)^-1 sum v x with sqrt(n_items) V, and clips
       u to norm Gamma_u and the ratings that count to [-Gamma_M, Gamma_M].
    2. Every group sums u u^T and u x of each item, adds noise, and solves (H + lambda I) v = w,
       with H made positive semidefinite.
    3. MedianLS: V is the entrywise median over the groups. SmoothQR: V is made orthonormal. While
       its coherence (n_items/rank) max_j |v_j|^2 exceeds ``coherence``, normal noise is added to V
       and V is made orthonormal again. The standard deviation starts at |V|/sqrt(n_items)/100 and
       doubles each time. This noise is not for privacy.

    **Sensitivity.** All groups are released together. A user is in one group only, so the sums
    change as the sums of one group do. u u^T changes k blocks by at most Gamma_u^2 each, in the
    Frobenius norm: sqrt(k) Gamma_u^2 in all. u x changes them by sqrt(k) Gamma_u Gamma_M in all. If
    a user is replaced, in whatever group, the bounds are sqrt(2 k) Gamma_u^2, as inner products of
    u u^T and w w^T are not negative, and 2 sqrt(k) Gamma_u Gamma_M. Groups do not depend on the
    ratings, and everything else is computed from released values.

    As published (read-me of DP_Matrix_Completion_Alt_Min), noise with a free standard deviation is
    added to the factors before the last SmoothQR. One half of the ratings is split into T parts,
    and the factors of users are medians, too. Here users solve alone, and all steps use all
    ratings.

    Source: Hardt 2014, algorithms 2 to 4 (SAltLS, MedianLS, SmoothQR).

    Parameters that are not listed are those of
    :class:`dpmc_studies.methods.user_level.joint.JointMethod`.

    Parameters
    ----------
    ratings_per_user, groups, iterations : int
        k, t and T.
    coherence : float
        At least 1, the coherence of factors of equal length.
    value_bound, factor_bound, user_regularization : float
        Gamma_M (half the range if not given), Gamma_u and lambda_u, above 0.
    item_regularization : float
        lambda > 0 in units of the standard deviation of the noise on the diagonal of H.
    """

    ratings_per_user: int = field()  # has to be given
    rank: int = count()
    groups: int = count(1)
    coherence: float = positive(5.0)
    iterations: int = count(3)
    value_bound: float | None = positive(None)
    factor_bound: float = positive(0.1)
    user_regularization: float = positive(1e-3)
    item_regularization: float = positive(100.0)

    def __post_init__(self):
        check_count("ratings_per_user", self.ratings_per_user)
        super().__post_init__()
        if self.coherence < 1:
            raise InputError(f"coherence must be at least 1, got {self.coherence!r}.")
        if self.value_bound is None:
            self.value_bound = self.bounds.half_range
        self.bounds = self._bounds(self.factor_bound)

    @property
    def releases(self) -> int:
        """Two statistics in each iteration."""
        return 2 * self.iterations

    def _fit(self, ratings, statistics, randomness, callback):
        rng = randomness.rng
        start = rng.standard_normal((ratings.n_items, self.rank))
        smoothing = np.random.default_rng(rng.integers(2**63))
        rows, own = self._prepare(ratings, statistics, randomness)
        rows = clip_values(rows, self.value_bound, None)
        check_rank(self.rank, int(self.frequent_.sum()))
        parts = self._parts(rows, randomness.groups(self.groups, ratings.n_users))
        items = smooth_qr(start[self.frequent_], self.coherence, smoothing)
        users = self._alone(own, items)
        for iteration in range(1, self.iterations + 1):
            solutions = self._solve(rows, parts, clip_rows(users, self.factor_bound, 2), statistics)
            items = smooth_qr(np.median(solutions, axis=0), self.coherence, smoothing)
            users = self._alone(own, items)
            self.user_factors_ = users
            self.item_factors_ = self._of_all_items(np.sqrt(len(items)) * items)
            if callback is not None:
                callback(iteration, self)

    def _alone(self, own, items):
        return solve_rows(own, np.sqrt(len(items)) * items, self.user_regularization)

    def _parts(self, rows, group):
        """Return the ratings of the users of each group."""
        of_ratings = rows.per_rating(group)
        return [rows.keep(of_ratings == g) for g in range(self.groups)]

    def _solve(self, rows, parts, users, statistics):
        """Return the solutions of the groups, shape (groups, n_items, rank)."""
        bounds, ledger = self.bounds, statistics.ledger
        bounds.check_counts(rows.sizes)
        bounds.check_factors(users)
        bounds.check_values(rows.values, self.value_bound)
        n_items, largest = int(self.frequent_.sum()), bounds.factor_bound
        weight = self._weight(1 / self.releases)
        sums = [gram_sums(part, users, n_items, largest**2) for part in parts]
        exact = pack(np.stack([full_matrices(each, self.rank) for each in sums]))
        grams = ledger.release("gram", exact, bounds.gram(), weight=weight)
        largest *= self.value_bound
        exact = np.stack([residual_sums(part, users, n_items, largest) for part in parts])
        right = bounds.right_hand_side(self.value_bound)
        targets = ledger.release("right_hand_side", exact, right, weight=weight)
        penalty = self.item_regularization * statistics.noise_std(bounds.gram()) * weight
        solved = solve_items(
            unpack(grams, self.rank).reshape(-1, self.rank, self.rank),
            targets.reshape(-1, self.rank),
            penalty,
            projection=True,
        )
        return solved.reshape(targets.shape)


def smooth_qr(factors: np.ndarray, coherence: float, rng: np.random.Generator) -> np.ndarray:
    """Return orthonormal columns, shape (n, rank), of about the same span, without very long rows.

    ``coherence`` bounds (n/rank) max_j |v_j|^2, for rank <= n. After 20 attempts, when noise
    dominates the factors, larger values are accepted. Source: Hardt 2014, algorithm 4.
    """
    n, rank = factors.shape
    found = np.linalg.qr(factors)[0]
    scale = np.linalg.norm(factors) / np.sqrt(n) / 100
    for _ in range(20):
        if n / rank * np.max(np.sum(found**2, axis=1)) <= coherence:
            break
        found = np.linalg.qr(factors + scale * rng.standard_normal((n, rank)))[0]
        scale *= 2
    return found
