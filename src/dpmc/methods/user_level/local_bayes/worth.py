"""What a model is worth: its error and that of biases on ratings that were held out, with noise.

Each user compares both models alone on own ratings that had no part in anything else. A user's mean
squared error counts up to :func:`largest`, so that an error with a long tail is understated, and
the difference of the two up to a fourth of that either way, so that what is gained is, too.

**Sensitivity.** A user adds a share of at most 1 for the error of the model, at most 1/2 in size
for the difference, and a count of at most 1: a vector of norm at most 3/2.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from dpmc.methods.blocks import Source, total
from dpmc.methods.user_level.local_bayes.constants import (
    FINER,
    FULL_WEIGHT_RATINGS,
    WORTH_LARGEST,
    WORTH_LARGEST_OF_ALL,
    WORTH_NOISE,
)
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed

Predicted = Callable[[int, Compressed], tuple[Compressed, np.ndarray, np.ndarray]]

NORM = 1.5
"""Of what one user adds."""


class Worth(NamedTuple):
    """Root mean squared errors over users, each of whom counts alike (in part with few ratings).

    Attributes
    ----------
    rmse, bias_rmse : float
        Of the model, and of item offsets with the user's level.
    rmse_deviation, bias_rmse_deviation, difference_deviation : float
        Standard deviations of the noise in both, and in their difference; where an error is not
        above the noise, how large noise alone makes it.
    """

    rmse: float
    bias_rmse: float
    rmse_deviation: float
    bias_rmse_deviation: float
    difference_deviation: float


def largest(noise: float, scale: Scale) -> float:
    """Return up to which square a user's error counts: the more is told, the larger errors are.

    The noise on the mean of such squares then is :data:`WORTH_NOISE` of a typical rating's, unless
    they would be smaller or larger than they may.
    """
    squares = WORTH_NOISE * scale.users / noise
    return float(np.clip(squares, WORTH_LARGEST, WORTH_LARGEST_OF_ALL)) * scale.typical**2


def statistic(rows: Source, predicted: Predicted, most: float) -> tuple[np.ndarray, float]:
    """Return the sums over users of errors of the model, of differences and of users, and a norm.

    Parameters
    ----------
    rows : Source
        Ratings by user.
    predicted : callable
        (number of the first user, rows) -> ratings that were held out, and their predictions by the
        model and by biases.
    most : float
        :func:`largest`.

    Returns
    -------
    sums : float64 array, shape (3,)
    longest : float
        Norm of what a user adds, at most.
    """
    add = partial(_add, predicted=predicted, most=most)
    sums = total(add, rows, Sums(3, NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, predicted, most):
    held_out, *predictions = predicted(first, rows)
    ours, theirs = (
        held_out.with_values((held_out.values - each) ** 2).means(0.0) for each in predictions
    )
    part = np.minimum(1, held_out.sizes / FULL_WEIGHT_RATINGS)
    shares = np.minimum(ours / most, 1)
    gains = np.clip(FINER * (theirs - ours) / most, -1, 1) / 2
    sent = sums.whole(part[:, None] * np.column_stack([shares, gains, np.ones(part.size)]))
    sums.add(0, sent)
    sums.saw(sent)


def read(noised: np.ndarray, noise: float, most: float) -> Worth:
    """Return what a noised :func:`statistic` says.

    Parameters
    ----------
    noised : float64 array, shape (3,)
    noise : float
        Its standard deviation.
    most : float
        :func:`largest`.
    """
    users = max(noised[2], 1.0)
    ours = most * np.clip(noised[0] / users, 0, 1)
    gain = most / FINER * 2 * np.clip(noised[1] / users, -0.5, 0.5)
    theirs = max(ours + gain, 0.0)
    # of a ratio of noised sums, to first order
    share, half = ours / most, 2 * gain / most * FINER / 4
    of_ours = most * noise / users * np.hypot(1, share)
    of_gain = most / FINER * 2 * noise / users * np.hypot(1, half)
    rmse, bias_rmse = np.sqrt(ours), np.sqrt(theirs)

    def deviation(of_square, root):
        # of a root near 0 the first order says nothing: it is as large as that of the noise
        return float(of_square / max(2 * root, np.sqrt(of_square)))

    return Worth(
        float(rmse),
        float(bias_rmse),
        deviation(of_ours, rmse),
        deviation(np.hypot(of_ours, of_gain), bias_rmse),
        deviation(of_gain, (rmse + bias_rmse) / 2),
    )


def could_be(stated: Worth, noise: float, half_range: float) -> bool:
    """Return whether :func:`read` can have returned this, of a statistic with this noise.

    Five numbers follow from four: the squares of both errors, the noise on a mean, and up to which
    square an error counted, which is at most that of the largest spread that ratings can have.
    """
    rmse, bias_rmse, alike = stated.rmse, stated.bias_rmse, 1e-9  # but for rounding
    ours, gain = rmse**2, bias_rmse**2 - rmse**2
    of_ours = _of_square(stated.rmse_deviation, rmse)
    of_gain = _of_square(stated.difference_deviation, (rmse + bias_rmse) / 2)
    of_theirs = _of_square(stated.bias_rmse_deviation, bias_rmse)
    if not np.isclose(of_theirs, np.hypot(of_ours, of_gain), rtol=alike, atol=0):
        return False
    largest_of_all = WORTH_LARGEST_OF_ALL * half_range**2
    if bias_rmse == 0:  # cut off: what was gained is not known
        return ours <= largest_of_all
    # of_ours / of_gain is FINER / 2 times the root of (most^2 + ours^2) / (most^2 + finer^2)
    finer, ratio = FINER / 2 * gain, (2 / FINER * of_ours / of_gain) ** 2
    if np.isclose(ratio, 1, rtol=alike, atol=0):  # both are alike, or next to nothing
        return bool(np.isclose(ours, abs(finer), rtol=alike**0.5, atol=alike**0.5 * largest_of_all))
    square = (ratio * finer**2 - ours**2) / (1 - ratio)
    if not square > 0:
        return False
    most, room = float(square**0.5), 1 + alike**0.5
    users = noise * most * float(np.hypot(1, ours / most)) / of_ours
    within = ours <= most * room and abs(gain) <= most / FINER * room
    return within and most <= largest_of_all * room and users * room >= 1


def _of_square(deviation: float, root: float) -> float:
    """Return the deviation of a square, from what :func:`read` says of its root."""
    return 2 * root * deviation if deviation <= 2 * root else deviation**2
