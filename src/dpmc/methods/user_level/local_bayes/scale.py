"""The first release: how large ratings are, how many users and ratings there are, and their mean.

**Sensitivity.** A user adds 1 to one bin of a histogram and a number of at most 1 in absolute value
to each of three sums: a vector of norm at most 2. Adding or removing a user changes the sums by at
most 2, and replacing a user by at most 4. A user's bin must depend on the user's own ratings alone,
to the last bit. Otherwise another user could change how a spread at the edge of a bin is rounded,
and the histogram would change by one more user. Each row's sums are therefore computed from that
row alone; tests check it.
"""

from decimal import Context, Decimal
from functools import cache, partial
from typing import NamedTuple

import numpy as np

from dpmc.methods.blocks import Source, total
from dpmc.methods.user_level.local_bayes.constants import (
    ALIKE,
    BINS,
    FULL_WEIGHT_RATINGS,
    MEAN_PRIOR_SD,
    PLACES_APART,
    RATING_COUNT_CAP,
    SPREAD_PRIOR,
    SPREAD_PRIOR_WITHIN,
    WIDTH,
)
from dpmc.privacy.sums import Sums

NORM = 2.0
"""Largest norm of what one user adds."""

PLACES = np.arange(0, BINS - 0.9, PLACES_APART)
"""Grid of places of the typical spread among the bins."""

SHARES = np.arange(0.005, 1, 0.01)
"""Grid of the share of users who do not give all items about the same rating."""

LOG_SQUARE_MEANS = np.array([-1.83, -0.83, -0.53, -0.39, 0.0])
"""Means of the logarithm of a user's mean square, in half octaves, with 1 to 4 degrees of freedom:
(psi(d / 2) - log(d / 2)) / log(2)."""


class Scale(NamedTuple):
    """The scale of the ratings, estimated from a noised statistic.

    Attributes
    ----------
    typical : float
        Typical size of a rating less its user's mean, above 0.
    mean, mean_variance : float
        Mean of users' means, in the range from its centre, and the variance of its error.
    users, ratings : float
        About how many there are; at least 1.
    doubt : float
        Variance of the logarithm of the typical size, as far as it is not known.
    """

    typical: float
    mean: float
    mean_variance: float
    users: float
    ratings: float
    doubt: float = 0.0


def statistic(rows: Source, half_range: float) -> tuple[np.ndarray, float]:
    """Return the histogram of users' spreads in half octaves with three sums, and a norm.

    The three sums add up users' means (over half the range), users, and their numbers of ratings
    (in units of :data:`RATING_COUNT_CAP`). A user with few ratings counts in part in the first two.
    """
    add = partial(_add, half_range=half_range)
    sums = total(add, rows, Sums(BINS + 3, NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, half_range):
    sizes, means = rows.sizes, rows.means(0.0)
    degrees = np.clip(sizes - 1, 1, None)
    spread = np.sqrt(rows.minus(rows=means).squares() / degrees) / half_range
    bins = bins_of(spread, degrees)
    told = np.clip((sizes - 1) / (FULL_WEIGHT_RATINGS - 1), 0, 1)
    told[(sizes < FULL_WEIGHT_RATINGS) & (spread == 0)] = 0  # few stars are often the same
    part, many = np.minimum(1, sizes / FULL_WEIGHT_RATINGS), np.minimum(1, sizes / RATING_COUNT_CAP)
    # of a range far from 0, rounding puts a mean at its end beyond it: no fit must stop at that
    within = np.clip(means / half_range, -1, 1)
    told, others = sums.whole(told), sums.whole(np.column_stack([part * within, part, many]))
    sums.add_at(bins, told)
    sums.add(BINS, others)
    sums.saw(told, others)


def bins_of(spread: np.ndarray, degrees: np.ndarray) -> np.ndarray:
    """Return the bins of spreads (over half the range), given their degrees of freedom, at least 1.

    A bin is the floor of 2 log2(spread) - expected + BINS, limited to the histogram. The spread is
    compared with the edges of bins, because logarithms differ in the last bit between machines. A
    spread that equals an edge up to rounding is above it.
    """
    edges = (1 - 2.0**-50) * _edges()[np.minimum(degrees, FULL_WEIGHT_RATINGS) - 1]
    return np.sum(spread[:, None] >= edges, axis=1)


@cache
def _edges():
    """Return the lower ends of all bins but the first, shape (5, BINS - 1), by degrees of freedom.

    The edges are computed from decimal digits, which are the same everywhere.
    """
    digits, two = Context(prec=30), Decimal(2)
    expected = [Decimal(str(mean)) for mean in LOG_SQUARE_MEANS.tolist()]
    exponents = [[(edge - BINS + mean) / 2 for edge in range(1, BINS)] for mean in expected]
    return np.array([[float(digits.power(two, each)) for each in row] for row in exponents])


def read(noised: np.ndarray, noise: float, half_range: float) -> Scale:
    """Return the scale of the ratings that a noised :func:`statistic` and priors give.

    Users' spreads are assumed to be similar, so that the histogram is one narrow peak. The function
    returns posterior means of the peak's place and of the mean rating.
    """
    histogram, (total, users, ratings) = noised[:BINS], noised[BINS:]
    users = max(users, noise, 1.0)
    typical, doubt = _typical(histogram, noise, users)
    ratio = np.clip(total / users, -1, 1)
    square = noise**2 * (1 + ratio**2) / users**2  # of the noise on both
    mean = ratio / (1 + square / MEAN_PRIOR_SD**2)
    fewest, most = FULL_WEIGHT_RATINGS * users, RATING_COUNT_CAP * users
    return Scale(
        float(half_range * typical),
        float(half_range * mean),
        float(half_range**2 / (MEAN_PRIOR_SD**-2 + 1 / square)),
        float(users),
        float(np.clip(ratings * RATING_COUNT_CAP, fewest, most)),
        float(doubt),
    )


def _typical(histogram, noise, users):
    """Return a typical spread over half the range, and the variance of its logarithm.

    The spread is the root mean square of the likely ones.

    Users who give all items about the same rating are counted apart, in the first bin. The number
    of other users is estimated together with the place of their bins. Only if there are hardly any
    others, the first bin gives the result.
    """
    apart = np.arange(1, BINS)[:, None] - PLACES
    bump = np.exp(-(apart**2) / (2 * WIDTH**2)) / (WIDTH * np.sqrt(2 * np.pi))
    prior = -((PLACES - BINS - 2 * np.log2(SPREAD_PRIOR)) ** 2) / (2 * SPREAD_PRIOR_WITHIN**2)
    others = users * SHARES[:, None]
    logs = others * (histogram[1:] @ bump) - others**2 / (4 * np.sqrt(np.pi) * WIDTH)
    weights = np.exp(logs / noise**2 + prior - np.max(logs / noise**2 + prior))
    weights /= weights.sum()
    if weights[others.ravel() < ALIKE * min(histogram[0], users)].sum() > 0.5:
        return 2 ** ((0.5 - BINS) / 2), 0.0
    squares, weights = 2 ** (PLACES + 0.5 - BINS), weights.sum(axis=0)
    square = weights @ squares
    return np.sqrt(square), np.log(weights @ squares**2 / square**2) / 4
