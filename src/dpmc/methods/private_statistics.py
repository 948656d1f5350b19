"""The statistics through which a calibrated method sees ratings, and what their sums may hold."""

import numpy as np

from dpmc.methods.kernels.private import (
    column_counts,
    column_sums,
    gram_sums,
    residual_sums,
    user_sums,
)
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.sensitivity import Sensitivities
from dpmc.ratings import Compressed


class Statistics:
    """The statistics through which a calibrated method sees ratings: bounded, noised, counted.

    Each method checks what its sensitivity rests on. ``rows`` are users and the blocks items, or
    the reverse at entry level; public counts and Gram matrices are no releases.

    Parameters
    ----------
    noise : float
        Standard deviation of the noise at sensitivity 1, which is public.
    threads : int
        That add up; nothing hangs on it.
    """

    def __init__(self, ledger: Ledger, bounds: Sensitivities, noise: float, threads: int = 1):
        self.ledger = ledger
        self.bounds = bounds
        self.noise = noise
        self.threads = threads

    def noise_std(self, sensitivity: float) -> float:
        """Return the standard deviation of the noise on a release."""
        return self.noise * sensitivity

    def gram(self, rows: Compressed, factors: np.ndarray, n_columns: int) -> np.ndarray:
        """Return upper triangles of Gram matrices, see :func:`gram_sums`."""
        self._check(rows, factors=factors)
        largest = self.bounds.factor_bound**2
        exact = gram_sums(rows, factors, n_columns, largest, threads=self.threads)
        return self._release("gram", exact, self.bounds.gram())

    def right_hand_side(
        self, rows: Compressed, factors: np.ndarray, n_columns: int, value_bound: float
    ) -> np.ndarray:
        """Return sums of f x, shape (n_columns, rank), where |x| <= value_bound."""
        self._check(rows, factors=factors, value_bound=value_bound)
        largest = self.bounds.factor_bound * value_bound
        exact = residual_sums(rows, factors, n_columns, largest, threads=self.threads)
        return self._release("right_hand_side", exact, self.bounds.right_hand_side(value_bound))

    def residual(
        self, rows: Compressed, factors: np.ndarray, theta: np.ndarray, threshold: float
    ) -> np.ndarray:
        """Return sums of f psi(x - f^T theta), shape (n_columns, rank)."""
        self._check(rows, factors=factors, value_bound=self.bounds.half_range)
        exact = residual_sums(
            rows, factors, len(theta), self.bounds.factor_bound * threshold, theta=theta,
            threshold=threshold, threads=self.threads,
        )  # fmt: skip
        return self._release("residual", exact, self.bounds.residual(threshold))

    def sums(self, rows: Compressed, n_columns: int) -> np.ndarray:
        """Return the sums of the values by column, shape (n_columns,)."""
        self._check(rows, value_bound=self.bounds.half_range)
        exact = column_sums(rows, n_columns, self.bounds.half_range, threads=self.threads)
        return self._release("sums", exact, self.bounds.sums())

    def counts(self, rows: Compressed, n_columns: int) -> np.ndarray:
        """Return the numbers of ratings by column, shape (n_columns,)."""
        self._check(rows)
        return self._release("counts", column_counts(rows, n_columns), self.bounds.counts())

    def total_sum(self, rows: Compressed) -> float:
        """Return the sum of all values."""
        self._check(rows, value_bound=self.bounds.half_range)
        exact = total_of(rows, self.bounds)
        return float(self._release("total_sum", exact, self.bounds.total_sum())[0])

    def total_count(self, rows: Compressed) -> float:
        """Return the number of all ratings."""
        self._check(rows)
        exact = np.array([float(rows.values.size)])
        return float(self._release("total_count", exact, self.bounds.total_count())[0])

    def _release(self, what, exact, sensitivity):
        return self.ledger.release(what, exact, sensitivity) if sensitivity else exact

    def _check(self, rows, factors=None, value_bound=None):
        if self.bounds.user_level:  # only then are the rows users
            self.bounds.check_counts(rows.sizes)
        if factors is not None:
            self.bounds.check_factors(factors)
        if value_bound is not None:
            self.bounds.check_values(rows.values, value_bound)


def total_of(rows: Compressed, bounds: Sensitivities) -> np.ndarray:
    """Return the sum of all values, shape (1,), to which a user adds one number."""
    if not bounds.user_level:
        return user_sums(rows.values[:, None], bounds.half_range)
    return user_sums(rows.sums(rows.values)[:, None], bounds.half_range * bounds.ratings_per_user)
