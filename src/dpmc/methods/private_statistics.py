"""The bounded and noised statistics through which a calibrated method sees ratings."""

from functools import partial

import numpy as np

from dpmc.methods.blocks import Blocks, Source, counted, in_blocks, total
from dpmc.methods.kernels.private import column_counts, column_sums, gram_sums, residual_sums
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.sensitivity import Sensitivities
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed


class Statistics:
    """The statistics through which a calibrated method sees ratings: bounded, noised, counted.

    Each method checks the bounds that its sensitivity requires. ``rows`` are users and columns are
    items, or the reverse at entry level. Public counts and Gram matrices are not releases.
    ``noise`` is the standard deviation of the noise at sensitivity 1, which is public.
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

    def sums(self, rows: Source, n_columns: int) -> np.ndarray:
        """Return the sums of the values by column, shape (n_columns,)."""
        half = self.bounds.half_range
        exact = column_sums(self._checked(rows, half), n_columns, half)
        return self._release("sums", exact, self.bounds.sums())

    def counts(self, rows: Source, n_columns: int) -> np.ndarray:
        """Return the numbers of ratings by column, shape (n_columns,)."""
        exact = counted(partial(_by_column, n_columns), self._checked(rows)).astype(float)
        return self._release("counts", exact, self.bounds.counts())

    def total_sum(self, rows: Source) -> float:
        """Return the sum of all values."""
        exact = total_of(self._checked(rows, self.bounds.half_range), self.bounds)
        return float(self._release("total_sum", exact, self.bounds.total_sum())[0])

    def total_count(self, rows: Source) -> float:
        """Return the number of all ratings."""
        exact = counted(_number, self._checked(rows)).astype(float)
        return float(self._release("total_count", exact, self.bounds.total_count())[0])

    def _release(self, what, exact, sensitivity):
        return self.ledger.release(what, exact, sensitivity) if sensitivity else exact

    def _check(self, rows, factors, value_bound=None):
        checked(self.bounds, value_bound, 0, rows)
        self.bounds.check_factors(factors)

    def _checked(self, rows: Source, value_bound: float | None = None) -> Blocks:
        return in_blocks(rows, self.threads).then(partial(checked, self.bounds, value_bound))


def checked(bounds: Sensitivities, value_bound: float | None, first: int, rows: Compressed):
    """Return the ratings of a block, or refuse those that break a bound (PrivacyViolation)."""
    if bounds.user_level:  # only then are the rows users
        bounds.check_counts(rows.sizes)
    if value_bound is not None:
        bounds.check_values(rows.values, value_bound)
    return rows


def total_of(rows: Source, bounds: Sensitivities) -> np.ndarray:
    """Return the sum of all values, shape (1,), to which a user adds one number."""
    most = bounds.half_range * (bounds.ratings_per_user if bounds.user_level else 1)
    return total(partial(_add_total, by_user=bounds.user_level), rows, Sums(1, most)).floats()


def _add_total(sums, rows, first, *, by_user):
    sums.add(0, sums.whole(rows.sums(rows.values) if by_user else rows.values))


def _by_column(n_columns, first, rows):
    return column_counts(rows, n_columns)


def _number(first, rows):
    return [rows.values.size]
