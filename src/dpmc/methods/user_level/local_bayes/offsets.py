"""The second release: the items' offsets and counts, and how much users' levels vary.

**Sensitivity.** A user's row has two numbers for each rated item: the rating less the user's level,
and a constant. The whole row is shortened to norm at most 1. The number about the user's own level
is at most :data:`LEVEL_UNIT` in absolute value. Adding or removing one user therefore changes all
sums together by at most :data:`NORM`.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import ndtr

from dpmc.methods.blocks import Source, total
from dpmc.methods.kernels.private import add_values
from dpmc.methods.user_level.covariance import margin
from dpmc.methods.user_level.local_bayes import counts
from dpmc.methods.user_level.local_bayes.beliefs import OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import (
    COUNTED,
    FULL_WEIGHT_RATINGS,
    LEAST_OWN_MEANS,
    LEVEL_UNIT,
    ODD_LEVELS,
    ODD_LEVELS_WITHIN,
    OWN_MEANS,
    OWN_MEANS_WITHIN,
    SHORTEST,
)
from dpmc.methods.user_level.local_bayes.counts import Popularity
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.privacy.sums import Sums

NORM = float(np.sqrt(1 + LEVEL_UNIT**2))
"""Largest norm of what one user adds."""


def statistic(rows: Source, n_items: int, scale: Scale) -> tuple[np.ndarray, float]:
    """Return the sums of w y and w c over each item's ratings, a sum over users, and a norm.

    y is a rating less the level that the user's other ratings give, c is a constant, and w shortens
    the user's row of all y and c to norm at most 1. The sum over users tells how much their levels
    vary. Each user adds the squared distance of the user's mean from the mean of all, less the part
    due to single ratings, over the square of the typical rating and clipped to [-1, 1]. A user with
    few ratings counts in part, and one with a single rating not at all.
    """
    add = partial(_add, n_items=n_items, scale=scale)
    sums = total(add, rows, Sums(2 * n_items + 1, NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, n_items, scale):
    sizes, counted = rows.sizes, COUNTED * scale.typical
    means = rows.means(0.0)
    squares = rows.minus(rows=means).squares()
    left = rows.with_values(_without_levels(rows, means, scale))
    lengths = np.sqrt(left.squares() + sizes * counted**2)
    shortest = SHORTEST * scale.typical * np.sqrt(1 + COUNTED**2)
    shrink = (1 - margin(left.values.dtype)) / np.maximum(lengths, shortest)
    sent = add_values(sums, 0, left, shrink) + add_values(sums, n_items, left, shrink, counted)
    apart = (means - scale.mean) ** 2 - squares / np.maximum(sizes * (sizes - 1), 1)
    part = np.where(sizes > 1, np.minimum(1, sizes / FULL_WEIGHT_RATINGS), 0)
    levels = LEVEL_UNIT * part * np.clip(apart / scale.typical**2, -1, 1)
    levels = sums.whole(levels)
    sums.add(2 * n_items, levels)
    sums.saw_squares(sent + levels.astype(float) ** 2)


def read(
    noised: np.ndarray, noise: float, scale: Scale, features: np.ndarray | None = None,
    kind: Callable[..., Beliefs] = Beliefs,
) -> tuple[Popularity, Beliefs]:  # fmt: skip
    """Return the items' shares of all ratings, and the beliefs about their offsets.

    ``kind`` is :class:`Beliefs` or a replacement with the same arguments. The beliefs that are
    returned have no factors yet.
    """
    sums, noised_counts = np.split(noised[:-1], 2)
    popularity = counts.read(noised_counts, noise)
    weights = popularity.shares * popularity.total / (COUNTED * scale.typical)
    weight = weights.sum() / scale.ratings  # of a rating, on average
    level = scale.typical * level_of(noised[-1], noise, scale)
    beliefs = kind(
        scale.typical, level, popularity.shares, features=features,
        mean_variance=scale.mean_variance,
    )  # fmt: skip
    off = popularity.variation * weights**2 * beliefs.prior_variance[OFFSET]
    precision = weights / (noise**2 + off)
    beliefs.precision[:, OFFSET, OFFSET] = weights * precision
    beliefs.sampling[:, OFFSET, OFFSET] = weights / (weight * scale.typical**2)
    beliefs.score[:, OFFSET] = sums * precision
    beliefs.learn()
    return popularity, beliefs


def _without_levels(rows, means, scale):
    """Return each rating less the mean, and less the level that the user's other ratings tell."""
    sizes = rows.sizes
    part = OWN_MEANS**2 + scale.mean_variance / scale.typical**2
    part = part / (1 + part * np.maximum(sizes - 1, 0))  # of the sum of the others
    sums = sizes * (means - scale.mean)
    own = rows.values - scale.mean
    return own - rows.per_rating(part) * (rows.per_rating(sums) - own)


def level_of(noised: float, noise: float, scale: Scale) -> float:
    """Return the standard deviation of users' levels in units of the typical rating.

    The release is a mean of squares cut off at 1. For normal levels it determines their variance,
    even if most squares are cut off. The prior of the logarithm of the variance has a long tail, as
    levels can vary far less or far more than usual.
    """
    expected = OWN_MEANS**2 + scale.mean_variance / scale.typical**2
    logs = np.log(LEAST_OWN_MEANS**2) + np.arange(0, 20, 0.05)
    root = np.exp(-logs / 2)
    cut = 2 * ndtr(-root)
    inside = 1 - cut - 2 * root * np.exp(-(root**2) / 2) / np.sqrt(2 * np.pi)
    means = np.exp(logs) * inside + cut
    apart = logs - np.log(expected)
    usual, odd = (-((apart / off) ** 2) / 2 for off in (OWN_MEANS_WITHIN, ODD_LEVELS_WITHIN))
    unit = LEVEL_UNIT * scale.users
    fits = -(((noised / unit - means) / (noise / unit)) ** 2) / 2
    posterior = np.logaddexp(usual, np.log(ODD_LEVELS) + odd) + fits
    posterior = np.exp(posterior - posterior.max())
    return float(np.sqrt(np.exp(posterior @ logs / posterior.sum())))
