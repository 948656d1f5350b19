"""The item step of DPALS: noised sums over users, and the item rows solved from them."""

import numpy as np

from dpmc.methods.blocks import Blocks
from dpmc.methods.factorization.private_offsets import noised_mean
from dpmc.methods.kernels.private import (
    column_counts,
    full_matrices,
    gram_sums,
    residual_sums,
)
from dpmc.methods.normal import normal_sums
from dpmc.methods.private_statistics import total_of
from dpmc.methods.user_level.covariance import SLACK, pack, unpack
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.privacy.sensitivity import Sensitivities, row_norms
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed, transposed
from dpmc_studies.methods.user_level.outer_sums import check_row_lengths, outer_sum
from dpmc_studies.methods.user_level.plan import Part, longest_row

_BLOCK = 2**22
"""Numbers in a block of matrices that are processed together."""
_NOTHING = 1e-12
"""Eigenvalues below this share of the largest are 0 in a pseudo-inverse."""


class ItemStatistics:
    """All that DPALS releases, each with its share of the budget.

    Every method checks the bounds of its sensitivity (:mod:`dpmc_studies.methods.user_level.plan`).

    Parameters
    ----------
    triangles : bool
        Noise only upper triangles of matrices, as published. The noise of full symmetric matrices
        has half the variance off the diagonal.
    threads : int
        The number of threads that sum; results do not depend on it.
    """

    def __init__(
        self, ledger: Ledger, bounds: Sensitivities, plan: dict[str, Part], *,
        value_bound: float, row_bound: float | None, triangles: bool, threads: int = 1,
    ):  # fmt: skip
        self.ledger = ledger
        self.bounds = bounds
        self.plan = plan
        self.value_bound = value_bound
        self.longest_row = longest_row(bounds, value_bound, row_bound)
        self.triangles = triangles
        self.threads = threads
        self._checked = None

    def counts(self, rows: Compressed, n_items: int) -> np.ndarray:
        """Return the numbers of ratings of the items, shape (n_items,)."""
        self._check_users(rows)
        return self._release("counts", column_counts(rows, n_items))

    def mean(self, rows: Compressed) -> float:
        """Return the mean of values within B, from their noised sum and number."""
        self._check_users(rows)
        self.bounds.check_values(rows.values)
        total = self._release("total_sum", total_of(rows, self.bounds))
        count = self._release("total_count", np.array([float(rows.values.size)]))
        return noised_mean(float(total[0]), float(count[0]), self.bounds.half_range)

    def covariance(
        self, rows: Compressed, n_items: int, weights: Compressed | None = None
    ) -> np.ndarray:
        """Return the sum of x x^T over the users, shape (n_items, n_items), x with its weights."""
        self._check_users(rows, values=True, weights=weights)
        sent = Blocks(_weighted(rows, weights), self.threads)
        exact = outer_sum(sent, n_items, self.longest_row, plain=self.triangles)
        return self._unpacked("start", exact, n_items)

    def sums(
        self, by_user: Compressed, by_item: Compressed | None, users: np.ndarray, n_items: int,
        weights: Compressed | None = None,
    ) -> tuple[np.ndarray | None, np.ndarray]:  # fmt: skip
        """Return the Gram matrices and the right-hand sides of the items.

        The shapes are (n_items, rank, rank), or None without Gram matrices, and (n_items, rank).
        Both groupings hold the same ratings; ``by_item`` is needed only for Gram matrices in single
        precision. ``users``, shape (n_users, rank), has rows of norm at most Gamma_u. Each term is
        multiplied by the weight of its rating, 1 without ``weights``.
        """
        self._check_users(by_user, values=True, weights=weights)
        self.bounds.check_factors(users.astype(float))
        if users.dtype != np.float64:
            return self._in_single_precision(by_user, by_item, users, n_items, weights)
        rank, bound = users.shape[1], self.bounds.factor_bound
        grams = None
        if "gram" in self.plan:
            # the squares of a user's weights sum to k
            most = 1.0 if weights is None else self.bounds.ratings_per_user**0.5
            exact = gram_sums(
                by_user if weights is None else weights, users, n_items, most * bound**2,
                weighted=weights is not None, threads=self.threads,
            )  # fmt: skip
            grams = self._matrices("gram", full_matrices(exact, rank))
        sent, largest = _weighted(by_user, weights), bound * self.longest_row
        exact = residual_sums(sent, users, n_items, largest, threads=self.threads)
        return grams, self._release("right_hand_side", exact)

    def _in_single_precision(self, by_user, by_item, users, n_items, weights):
        """Return the same from sums in floating point, for simulated noise alone."""
        if "gram" not in self.plan:
            exact = _weighted(by_user, weights).matrix(n_items).T @ users
            return None, self._release("right_hand_side", exact)
        of_items = None if weights is None else transposed(weights, n_items).values
        grams, targets = normal_sums(by_item, users, weights=of_items)
        noised = self._matrices("gram", grams)
        return noised, self._release("right_hand_side", targets)

    def gradient(
        self, left: Compressed, users: np.ndarray, n_items: int, bound: float
    ) -> np.ndarray:
        """Return the sum over users of residuals times factors, each scaled down to norm ``bound``.

        ``left`` are the weighted residuals, by user. The sum has shape (n_items, rank).
        """
        norms = left.norms() * row_norms(users, 2)
        return self._release("gradient", clipped_updates(left, users, norms, bound, n_items))

    def global_gram(self, users: np.ndarray) -> np.ndarray:
        """Return the sum of u u^T over all users, shape (rank, rank)."""
        users = users.astype(float)
        self.bounds.check_factors(users)
        rank = users.shape[1]
        sums = Sums(rank**2, self.bounds.factor_bound**2)
        for first in range(0, len(users), _BLOCK // rank**2 + 1):
            some = users[first : first + _BLOCK // rank**2 + 1]
            sums.add(0, sums.whole(some[:, :, None] * some[:, None, :]))
        return self._matrices("global_gram", sums.floats().reshape(rank, rank))

    def _matrices(self, what, exact):
        return self._unpacked(what, pack(exact, plain=self.triangles), exact.shape[-1])

    def _unpacked(self, what, exact, n):
        return unpack(self._release(what, exact), n, plain=self.triangles)

    def _release(self, what, exact):
        part = self.plan[what]
        exact = np.asarray(exact, dtype=float)
        return self.ledger.release(what, exact, part.sensitivity, weight=part.weight)

    def _check_users(self, rows, values=False, weights=None):
        if weights is None:
            self.bounds.check_counts(rows.sizes)
        if values and rows is not self._checked:  # the same ones come in each iteration
            self.bounds.check_values(rows.values, self.value_bound)
            if weights is not None:
                check_row_lengths(weights, self.bounds.ratings_per_user**0.5)
            check_row_lengths(_weighted(rows, weights), self.longest_row)
            self._checked = rows


def _weighted(rows, weights):
    return rows if weights is None else rows.with_values(rows.values * weights.values)


def clipped_updates(
    left: Compressed, directions: np.ndarray, norms: np.ndarray, bound: float, n_items: int
) -> np.ndarray:
    """Return the sum of l d^T over users, each scaled down to Frobenius norm ``bound``.

    ``left`` has the users' rows l, ``directions``, shape (n_users, rank), has the rows d, and
    ``norms`` are |l| |d|. The sum has shape (n_items, rank).

    Raises
    ------
    PrivacyViolation
        One is longer all the same.
    """
    shrink = bound / np.maximum(norms, bound)
    sent = left.with_values(left.values * left.per_rating(shrink))
    longest = np.max(sent.norms() * row_norms(directions, 2), initial=0.0)
    if not longest <= bound * SLACK:
        raise PrivacyViolation(f"an update has a norm above the bound {bound:g}")
    return residual_sums(sent, directions, n_items, bound)


def solve_items(
    grams: np.ndarray, targets: np.ndarray, regularization: float | np.ndarray, *, projection: bool
) -> np.ndarray:
    """Return (H + lambda I)^-1 w for each item, shape (n_items, rank), lambda > 0.

    lambda is one number or has shape (n_items,). H are the Gram matrices (n_items, rank, rank),
    symmetric but, because of the noise, not always positive semidefinite. w are the targets
    (n_items, rank). ``projection`` first replaces H by the nearest positive semidefinite matrix,
    which sets its negative eigenvalues to 0.
    """
    shifts = np.broadcast_to(regularization, len(targets))[:, None]

    def inverse(values, block):
        return 1 / ((np.maximum(values, 0) if projection else values) + shifts[block])

    return _solve(grams, targets, inverse)


def solve_items_as_published(
    grams: np.ndarray, targets: np.ndarray, regularization: float, *, projection: bool
) -> np.ndarray:
    """Return pinv(project(H + lambda I)) w, shape (n_items, rank).

    These are lines 10 to 12 of the algorithm, where lambda is added before the projection.
    Directions that the noise makes negative are lost, and directions that it leaves near 0 get very
    large values. Parameters are those of :func:`solve_items`.
    """

    def inverse(values, block):
        values = values + regularization
        if projection:
            values = np.maximum(values, 0)
        size = np.abs(values)
        kept = size > _NOTHING * size.max(axis=1, keepdims=True)
        return np.where(kept, 1 / np.where(kept, values, 1), 0)

    return _solve(grams, targets, inverse)


def positive_semidefinite(grams: np.ndarray) -> np.ndarray:
    """Return the nearest positive semidefinite matrices, shape (n_items, rank, rank)."""
    values, vectors = np.linalg.eigh(grams)
    return (vectors * np.maximum(values, 0)[:, None, :]) @ vectors.swapaxes(1, 2)


def _solve(grams, targets, inverse):
    solutions = np.empty(targets.shape)
    size = max(1, _BLOCK // grams.shape[-1] ** 2)
    for start in range(0, len(grams), size):
        block = slice(start, start + size)
        values, vectors = np.linalg.eigh(grams[block])
        coordinates = np.einsum("nfg,nf->ng", vectors, targets[block]) * inverse(values, block)
        solutions[block] = np.einsum("nfg,ng->nf", vectors, coordinates)
    return solutions
