"""Estimates how often items are rated, from noised counts and a prior learnt from them.

The prior of the counts is a mixture of exponential distributions. A single one would not fit: most
items are rare, and a few have a large part of all ratings. The means of the mixture range from far
below the noise up to the largest count. Its weights maximise the likelihood of the noised counts,
by expectation maximisation (empirical Bayes, after Kiefer and Wolfowitz, "Consistency of the
maximum likelihood estimator in the presence of infinitely many incidental parameters", Annals of
Mathematical Statistics 27, 1956). An item far above the noise keeps its count, and an item within
the noise gets the count of a rare item. Divisions by a count take its uncertainty into account.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.special import erfcx, log_ndtr

from dpmc.compiled import njit
from dpmc.methods.kept import kept
from dpmc.methods.user_level.local_bayes.constants import (
    COUNTS_FAR,
    COUNTS_ROUNDS,
    COUNTS_SMALLEST,
    GRID_POINTS,
    LEAST_COUNT,
)

TOGETHER = 4
"""Places are left out by so many at once: OpenBLAS adds up rows in fours, and those left out add 0,
so that a sum has the same bits as over all places."""


class Popularity(NamedTuple):
    """The items' shares of all ratings, estimated from all noised counts so far.

    Attributes
    ----------
    shares : float64 array, shape (n_items,)
        Above 0, of sum 1.
    variation : float64 array, shape (n_items,)
        Variances of the shares, as parts of their squares.
    total : float
        Sum of the counts in the last release.
    score : float64 array, shape (n_items,)
    information : float
        The mean of the shares that were seen, and the inverse of the variance of its noise.
    """

    shares: np.ndarray
    variation: np.ndarray
    total: float
    score: np.ndarray
    information: float

    def observe(self, noised: np.ndarray, noise: float, total: float) -> "Popularity":
        """Return the popularity after another release: noised counts, their noise and their sum."""
        return _posterior(
            self.score + noised * total / noise**2, self.information + (total / noise) ** 2, total
        )


def read(noised: np.ndarray, noise: float) -> Popularity:
    """Return the popularity from noised counts and the standard deviation of their noise."""
    mean, _ = _moments_of(noised, noise)
    total = mean.sum()
    return _posterior(noised * total / noise**2, (total / noise) ** 2, total)


def _posterior(score, information, total):
    mean, variance = _moments_of(score / information, information**-0.5)
    known = mean.sum()
    return Popularity(mean / known, variance / mean**2, float(total), score, information)


def _find_moments(noised, noise):
    """Return posterior means and variances, by interpolation between a thousand places.

    Places that no count is next to are left out.
    """
    seen = noised / noise
    largest = max(seen.max(), 2 * COUNTS_FAR)
    places, means = _grid(float(largest))
    above = np.searchsorted(places[1:-1], seen)
    numbers = np.bincount(above, minlength=places.size)
    fours = np.unique(np.append(above, above + 1) // TOGETHER)  # a count is between two
    used = (TOGETHER * fours[:, None] + np.arange(TOGETHER)).ravel()
    places, numbers = places[used], numbers[used]
    centres = places[:, None] - 1 / means  # of normal distributions of variance 1, cut off at 0
    logs = log_ndtr(centres) + 0.5 / means**2 - places[:, None] / means - np.log(means)
    likely = np.exp(logs - logs.max(axis=1, keepdims=True))
    weights = _maximise(likely, numbers.astype(float), seen.size + 1.0)
    part = likely * weights
    part /= part.sum(axis=1, keepdims=True)
    first, second = _moments(centres)
    mean = np.sum(part * first, axis=1)
    variance = np.sum(part * second, axis=1) - mean**2
    mean, variance = (np.interp(seen, places, each) for each in (mean, variance))
    return np.maximum(mean, LEAST_COUNT) * noise, np.maximum(variance, 0) * noise**2


_moments_of = kept(_find_moments)


@njit(cache=True, error_model="numpy")
def _maximise(likely, numbers, total):
    """Return the weights after COUNTS_ROUNDS of expectation maximisation, from equal ones on.

    The products of matrices are BLAS's, as those of NumPy are; for few places calls take the time.
    """
    weights = np.full(GRID_POINTS, 1 / GRID_POINTS)
    sums, ratios = np.empty(GRID_POINTS), np.empty(numbers.size)
    for _ in range(COUNTS_ROUNDS):
        np.dot(likely, weights, ratios)
        for place in range(numbers.size):
            ratios[place] = numbers[place] / ratios[place]
        np.dot(ratios, likely, sums)
        for k in range(GRID_POINTS):
            weights[k] = (weights[k] * sums[k] + 1 / GRID_POINTS) / total
    return weights


@lru_cache(maxsize=8)
def _grid(largest):
    """Return the places up to the largest count, and the means of the distributions."""
    far = np.geomspace(COUNTS_FAR, largest, 400)
    means = np.geomspace(COUNTS_SMALLEST, largest, GRID_POINTS)
    return np.concatenate([np.arange(-COUNTS_FAR, COUNTS_FAR, 0.02), far]), means


def _moments(centres):
    """Return first and second moments of normal distributions of variance 1, cut off at 0."""
    low = centres < -1e3
    hazard = np.sqrt(2 / np.pi) / erfcx(-np.where(low, 0, centres) / np.sqrt(2))
    first = np.where(low, -1 / np.where(low, centres, -1), centres + hazard)
    second = np.where(low, 2 * first**2, 1 + centres * first)
    return np.maximum(first, 0), np.maximum(second, first**2)
