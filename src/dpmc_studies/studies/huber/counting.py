"""A-IRLS that counts its weights, and mechanisms that remember their noise and give it again."""

import numpy as np

from dpmc.ratings import Compressed
from dpmc_studies.methods.factorization.irls import IRLS
from dpmc_studies.methods.kernels.regressions import Regressions


class Counts:
    """How many weights there were and how many below 1, in the first inner step and in later ones.

    The first step weighs residuals of the random theta_0, later ones those of an estimate.
    """

    def __init__(self):
        self.weights, self.below = np.zeros(2, dtype=int), np.zeros(2, dtype=int)

    def add(self, step: int, residuals: np.ndarray, threshold: float) -> None:
        """Count the residuals of a step (from 0) beyond the threshold, whose weight is below 1."""
        later = int(step > 0)
        self.weights[later] += residuals.size
        self.below[later] += np.count_nonzero(np.abs(residuals) > threshold)


class CountingRegressions(Regressions):
    """R-IRLS that counts its weights once in so many outer iterations, step by step.

    Parameters are those of :class:`dpmc_studies.methods.kernels.regressions.Regressions`, and
    ``every``: weights are counted in the last of every so many outer iterations.
    """

    def __init__(self, rows: Compressed, rank, regularization, steps, counts: Counts, every: int):
        super().__init__(rows, rank, regularization, steps)
        self._single = Regressions(rows, rank, regularization)
        self._row_of = np.repeat(np.arange(self.counts.size), self.counts)
        self._tally, self._every, self._iteration = counts, every, 0

    def solve(self, factors, *, threshold=np.inf, start=None, noise=None):
        self._iteration += 1
        if self._iteration % self._every == 0:
            self._count(factors, threshold, start, noise)
        return super().solve(factors, threshold=threshold, start=start, noise=noise)

    def _count(self, factors, threshold, theta, noise):
        gathered = factors[self.rows.indices]
        for step in range(self.steps):
            predicted = np.einsum("ij,ij->i", gathered, theta[self._row_of])
            self._tally.add(step, self.rows.values - predicted, threshold)
            fresh = None if noise is None else noise[step : step + 1]
            theta = self._single.solve(factors, threshold=threshold, start=theta, noise=fresh)


class CountingIRLS(IRLS):
    """A-IRLS, number by number, that counts its weights."""

    def __init__(self, *, every: int, **parameters):
        super().__init__(**parameters)
        self._every, self.counts_ = every, Counts()

    def _item_regressions(self, ratings):
        steps = self.inner_iterations
        return CountingRegressions(
            ratings.by_item, self.rank, self.regularization, steps, self.counts_, self._every
        )


class Remembering:
    """A mechanism that remembers the noise of the last inner step of every outer iteration."""

    def __init__(self, mechanism):
        self.mechanism, self.last = mechanism, []

    def rvs(self, size, rng):
        """Draw noise of shape (K, items, rank)."""
        noise = self.mechanism.rvs(size=size, rng=rng)
        self.last.append(noise[-1])
        return noise


class Replaying:
    """A mechanism that gives remembered noise again, shape (items, rank) at each call."""

    def __init__(self, noise):
        self._noise = iter(noise)

    def rvs(self, size, rng):
        """Return the next of the noise."""
        return next(self._noise)
