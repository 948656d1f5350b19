"""The second release: how much better or worse than its users' means each item is rated, how often,
and how far users' levels are apart.

**Sensitivity.** A user's row, a rating less the user's mean and a constant for each item rated, is
shortened to norm at most 1 as a whole, and what the user says of the own level is at most
:data:`LEVEL_UNIT`: one user more or less moves the sums by at most :data:`NORM` together.
"""

import numpy as np
from scipy.special import log_ndtr

from dpmc.methods.user_level.local_bayes.beliefs import OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import (
    COUNTED,
    FEW,
    LEAST_OWN_MEANS,
    LEVEL_UNIT,
    OWN_MEANS,
    OWN_MEANS_WITHIN,
    SHORTEST,
)
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.methods.user_level.sampling import margin, means_of_rows, squared_norms
from dpmc.ratings import Compressed

NORM = float(np.sqrt(1 + LEVEL_UNIT**2))
"""Of what one user adds."""

RARE = 1e-3
"""No item is taken for less popular than so many times the mean."""


def statistic(rows: Compressed, n_items: int, scale: Scale) -> tuple[np.ndarray, float]:
    """Return sums of w y and of w c over the ratings of each item, one of users, and a norm.

    y is a rating less its user's mean, c a constant, w makes the user's row of all y and c as long
    as allowed. The sum of users is of the squares of their means around that of all, less the part
    of single ratings in them, in units of the typical rating, within [-1, 1], where a user with few
    ratings counts in part and one with a single rating not at all.

    Parameters
    ----------
    rows : Compressed
        Ratings by user, less the centre of the range.
    n_items : int
    scale : Scale

    Returns
    -------
    sums : float64 array, shape (2 n_items + 1,)
    longest : float
        Norm of what a user adds, at most.
    """
    sizes, counted = np.diff(rows.indptr), COUNTED * scale.typical
    means = means_of_rows(rows, 0.0)
    left = rows.values - np.repeat(means, sizes)
    squares = squared_norms(Compressed(rows.indptr, rows.indices, left))
    lengths = np.sqrt(squares + sizes * counted**2)
    shortest = SHORTEST * scale.typical * np.sqrt(1 + COUNTED**2)
    shrink = (1 - margin(left.dtype)) / np.maximum(lengths, shortest)
    weights = np.repeat(shrink, sizes)
    sums = [
        np.bincount(rows.indices, weights * each, minlength=n_items) for each in (left, counted)
    ]
    apart = (means - scale.mean) ** 2 - squares / np.maximum(sizes * (sizes - 1), 1)
    part = np.where(sizes > 1, np.minimum(1, sizes / FEW), 0)
    levels = LEVEL_UNIT * part * np.clip(apart / scale.typical**2, -1, 1)
    norms = np.hypot(lengths * shrink, levels)
    return np.concatenate([*sums, [levels.sum()]]), np.max(norms, initial=0.0)


def read(noised: np.ndarray, noise: float, scale: Scale) -> tuple[np.ndarray, Beliefs]:
    """Return the share of each item in all ratings, and what is known of the items' offsets.

    Parameters
    ----------
    noised : float64 array, shape (2 n_items + 1,)
        :func:`statistic` with noise.
    noise : float
        Its standard deviation.
    scale : Scale

    Returns
    -------
    shares : float64 array, shape (n_items,)
        Above 0, of sum 1.
    Beliefs
        Without factors.
    """
    sums, counts = np.split(noised[:-1], 2)
    counts = positive_means(counts, noise) / (COUNTED * scale.typical)
    shares = np.maximum(counts, RARE * counts.mean())
    shares /= shares.sum()
    weight = counts.sum() / scale.ratings  # of a rating, on average
    precision = 1 / (noise**2 + counts * weight * scale.typical**2)
    error = noise / (LEVEL_UNIT * scale.users)
    gain = 1 / (1 + (error / OWN_MEANS_WITHIN) ** 2)
    apart = OWN_MEANS**2 + gain * (noised[-1] / (LEVEL_UNIT * scale.users) - OWN_MEANS**2)
    level = scale.typical * float(np.sqrt(max(apart, LEAST_OWN_MEANS**2)))
    beliefs = Beliefs(scale.typical, level, shares)
    beliefs.precision[:, OFFSET, OFFSET] = counts**2 * precision
    beliefs.score[:, OFFSET] = counts * sums * precision
    beliefs.learn()
    return shares, beliefs


def positive_means(noised: np.ndarray, noise: float) -> np.ndarray:
    """Return posterior means of numbers above 0, seen with normal noise.

    The prior is exponential, with the mean of what was seen (Efron, "Large-scale inference", 2010,
    chapter 1, on such estimates). The posterior is a normal distribution cut off at 0.

    Parameters
    ----------
    noised : float64 array
    noise : float
        Standard deviation, above 0.
    """
    mean = max(noised.mean(), 0.1 * noise)
    centre = noised - noise**2 / mean
    z = centre / noise
    density = -0.5 * z**2 - 0.5 * np.log(2 * np.pi)
    return np.maximum(centre + noise * np.exp(density - log_ndtr(z)), 1e-12 * noise)
