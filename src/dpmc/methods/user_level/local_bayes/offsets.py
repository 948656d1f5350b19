"""The second release: how much better or worse than its users' means each item is rated, and how
often.

**Sensitivity.** A user's row, a rating less the user's mean and a constant for each item rated, is
shortened to norm at most 1 as a whole: one user more or less moves the sums by at most 1.
"""

import numpy as np
from scipy.special import log_ndtr

from dpmc.methods.user_level.local_bayes.beliefs import OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import COUNTED, SHORTEST
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.methods.user_level.sampling import margin, means_of_rows, squared_norms
from dpmc.ratings import Compressed

RARE = 1e-3
"""No item is taken for less popular than so many times the mean."""


def statistic(rows: Compressed, n_items: int, scale: Scale) -> tuple[np.ndarray, float]:
    """Return sums of w y and of w c over the ratings of each item, and the longest row's norm.

    y is a rating less its user's mean, c a constant, w makes the user's row of all y and c as long
    as allowed.

    Parameters
    ----------
    rows : Compressed
        Ratings by user, less the centre of the range.
    n_items : int
    scale : Scale

    Returns
    -------
    sums : float64 array, shape (2, n_items)
    longest : float
    """
    sizes, counted = np.diff(rows.indptr), COUNTED * scale.typical
    means = means_of_rows(rows, 0.0)
    left = rows.values - np.repeat(means, sizes)
    lengths = np.sqrt(
        squared_norms(Compressed(rows.indptr, rows.indices, left)) + sizes * counted**2
    )
    shortest = SHORTEST * scale.typical * np.sqrt(1 + COUNTED**2)
    shrink = (1 - margin(left.dtype)) / np.maximum(lengths, shortest)
    weights = np.repeat(shrink, sizes)
    sums = [
        np.bincount(rows.indices, weights * each, minlength=n_items) for each in (left, counted)
    ]
    return np.stack(sums), np.max(lengths * shrink, initial=0.0)


def read(noised: np.ndarray, noise: float, scale: Scale) -> tuple[np.ndarray, Beliefs]:
    """Return the share of each item in all ratings, and what is known of the items' offsets.

    Parameters
    ----------
    noised : float64 array, shape (2, n_items)
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
    sums, counts = noised[0], positive_means(noised[1], noise) / (COUNTED * scale.typical)
    shares = np.maximum(counts, RARE * counts.mean())
    shares /= shares.sum()
    weight = counts.sum() / scale.ratings  # of a rating, on average
    precision = 1 / (noise**2 + counts * weight * scale.typical**2)
    beliefs = Beliefs(scale.typical, shares)
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
