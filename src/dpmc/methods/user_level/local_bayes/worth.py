"""Release the errors of a model and of item biases on held-out ratings, with noise.

Each user computes the errors of both models on own held-out ratings, which no other release uses. A
user's mean squared error is cut off at :func:`largest`, and the difference of the two errors at a
fourth of that in both directions. If some errors are cut off, the released error is too small.
Users therefore also send whether their error was cut off; if some were, the result is a lower
bound.

**Sensitivity.** A user sends four numbers: the model's error, at most 1; the difference of the
errors, at most 1/2 in absolute value; a weight of at most 1; and the same weight again if the error
was cut off. This vector has norm at most (1 + 1/4 + 1 + 1)^(1/2) = 13^(1/2)/2. With
``user_replace``, the vectors of the two users differ by at most twice that norm.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from dpmc.methods.blocks import Source, total
from dpmc.methods.user_level.local_bayes.constants import (
    BEYOND_SURE,
    BINS,
    FINER,
    FULL_WEIGHT_RATINGS,
    MOST_WEIGHT,
    RATING_COUNT_CAP,
    SQUARES_DIFFER,
    TOLD_FROM,
    WEIGHT_TOLD,
    WORTH_LARGEST,
    WORTH_LARGEST_OF_ALL,
    WORTH_NOISE,
)
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed

Predicted = Callable[[int, Compressed], tuple[Compressed, np.ndarray, np.ndarray]]

NORM = 13**0.5 / 2
"""Largest norm of what one user adds."""

ABOUT, AT_LEAST, NOTHING = "about", "at least", "nothing"
""":attr:`Worth.told`."""


class Worth(NamedTuple):
    """Root mean squared errors, in which users count by :func:`full_weight`.

    Attributes
    ----------
    told : {"about", "at least", "nothing"}
        "at least" if some errors were cut off; "nothing" if an error would not stand out from the
        noise.
    rmse, bias_rmse : float or None
        RMSE of the model, and of item offsets with the user's level; None if nothing is told.
    rmse_deviation, bias_rmse_deviation, difference_deviation : float
        Standard deviations of both, and of their difference, due to noise and to the choice of
        held-out ratings, for normal errors. If nothing is told, those of the noise alone.
    """

    told: str
    rmse: float | None
    bias_rmse: float | None
    rmse_deviation: float
    bias_rmse_deviation: float
    difference_deviation: float


def largest(noise: float, scale: Scale) -> float:
    """Return the largest mean squared error that a user can send; it grows as the noise falls.

    With this bound, the noise on the users' mean is :data:`WORTH_NOISE` squares of a typical
    rating, unless :data:`WORTH_LARGEST` or :data:`WORTH_LARGEST_OF_ALL` limits the bound.
    """
    squares = WORTH_NOISE * scale.users / noise
    return float(np.clip(squares, WORTH_LARGEST, WORTH_LARGEST_OF_ALL)) * scale.typical**2


def full_weight(noise: float, scale: Scale, held_out: float) -> float:
    """Return the number of held-out ratings with which a user gets full weight.

    This number grows as the noise falls, up to :data:`MOST_WEIGHT` times a user's average number of
    held-out ratings. The larger it is, the more equally ratings count, as in an ordinary RMSE.
    """
    usual = held_out * scale.ratings / scale.users
    told = min(scale.users / (WEIGHT_TOLD * noise), MOST_WEIGHT)
    return max(FULL_WEIGHT_RATINGS, told * usual)


def statistic(
    rows: Source, predicted: Predicted, most: float, full: float
) -> tuple[np.ndarray, float]:
    """Return four sums over users, and the norm of the longest vector that a user sent.

    The sums are of errors, of their differences, of weights, and of the weights of users whose
    error was cut off. ``predicted`` takes the number of the first user and rows. It returns the
    held-out ratings and their predictions by the model and by biases. ``most`` comes from
    :func:`largest`, ``full`` from :func:`full_weight`.
    """
    add = partial(_add, predicted=predicted, most=most, full=full)
    sums = total(add, rows, Sums(4, NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, predicted, most, full):
    held_out, *predictions = predicted(first, rows)
    ours, theirs = (
        held_out.with_values((held_out.values - each) ** 2).means(0.0) for each in predictions
    )
    part = np.minimum(1, held_out.sizes / full)
    # bounded by public numbers alone: this clip is what the sensitivity rests on
    shares = np.minimum(ours / most, 1)
    gains = np.clip(FINER * (theirs - ours) / most, -1, 1) / 2
    told = np.column_stack([shares, gains, np.ones(part.size), ours > most])
    sent = sums.whole(part[:, None] * told)
    sums.add(0, sent)
    sums.saw(sent)


def read(noised: np.ndarray, noise: float, most: float, full: float) -> Worth:
    """Return the errors that a noised :func:`statistic` with this ``most`` and ``full`` gives."""
    # a noised count can be near 0 or below it, and errors are divided by it
    users = max(noised[2], noise, 1.0)
    ours = most * np.clip(noised[0] / users, 0, 1)
    gain = most / FINER * 2 * np.clip(noised[1] / users, -0.5, 0.5)
    alone, of_ours, of_gain = _deviations(ours, gain, most, full, noise, users)
    if ours <= TOLD_FROM * alone:
        alone, _, of_gain = _deviations(0.0, 0.0, most, full, noise, users)
        of_theirs = np.hypot(alone, of_gain)
        return Worth(NOTHING, None, None, *map(float, np.sqrt([alone, of_theirs, of_gain])))
    rmse, bias_rmse = np.sqrt(ours), np.sqrt(max(ours + gain, 0.0))
    beyond = noised[3] / users
    more = beyond > BEYOND_SURE * noise / users and most * beyond > of_ours

    def deviation(of_square, root):
        # of a root near 0 the first order says nothing: it is as large as that of the noise
        return float(of_square / max(2 * root, np.sqrt(of_square)))

    return Worth(
        AT_LEAST if more else ABOUT,
        float(rmse),
        float(bias_rmse),
        deviation(of_ours, rmse),
        deviation(np.hypot(of_ours, of_gain), bias_rmse),
        deviation(of_gain, (rmse + bias_rmse) / 2),
    )


def _deviations(ours, gain, most, full, noise, users):
    """Return deviations of the mean square by noise alone and in all, and of what is gained.

    Noise is that of ratios of noised sums, to first order. Which ratings were held out adds to it:
    errors are taken for normal, of variances that differ between users (:data:`SQUARES_DIFFER`).
    """
    alone = noise / users * np.hypot(most, ours)
    of_ours = np.hypot(alone, ours * np.sqrt((2 / full + SQUARES_DIFFER) / users))
    of_gain = noise / users * np.hypot(2 / FINER * most, gain)
    return alone, of_ours, np.hypot(of_gain, np.sqrt(4 * ours * abs(gain) / full / users))


def could_be(stated: Worth, noise: float, half_range: float, held_out: float) -> bool:
    """Return whether :func:`read` can have returned ``stated`` for a statistic with this noise.

    The cut-off of errors, the number of ratings for full weight and the number of users are not
    stated, but they are bounded. Each combination gives a standard deviation of the difference; the
    stated one must be between the smallest and the largest.
    """
    rmse, bias_rmse, alike = stated.rmse, stated.bias_rmse, 1e-9  # but for rounding
    largest_of_all = WORTH_LARGEST_OF_ALL * half_range**2
    if rmse is None or bias_rmse is None:
        squares = np.array([each**2 for each in stated[3:]])
        usual = squares[0] * np.array([1, np.hypot(1, 2 / FINER), 2 / FINER])
        nothing = stated.told == NOTHING and rmse is bias_rmse
        return nothing and squares[0] <= largest_of_all and np.allclose(squares, usual, alike, 0)
    ours, gain = rmse**2, bias_rmse**2 - rmse**2
    of_ours = _of_square(stated.rmse_deviation, rmse)
    of_gain = _of_square(stated.difference_deviation, (rmse + bias_rmse) / 2)
    of_theirs = _of_square(stated.bias_rmse_deviation, bias_rmse)
    exact = np.isclose(of_theirs, np.hypot(of_ours, of_gain), rtol=alike, atol=0)
    if stated.told == NOTHING or not exact or ours > largest_of_all:
        return False
    if bias_rmse == 0:  # cut off: what was gained is not known
        return True
    least = max(ours, FINER * abs(gain), WORTH_LARGEST * half_range**2 * 2.0**-BINS)
    most = np.geomspace(min(least, largest_of_all), largest_of_all, 1000)[:, None]
    full = np.geomspace(
        FULL_WEIGHT_RATINGS,
        max(FULL_WEIGHT_RATINGS, MOST_WEIGHT * held_out * RATING_COUNT_CAP),
        40,
    )
    # of_ours says how many users: with w = 1 / users, squares w^2 + drawn w = of_ours^2
    squares, drawn = noise**2 * (most**2 + ours**2), ours**2 * (2 / full + SQUARES_DIFFER)
    users = (drawn + np.sqrt(drawn**2 + 4 * squares * of_ours**2)) / (2 * of_ours**2)
    alone, _, gained = _deviations(ours, gain, most, full, noise, users)
    room = 1.03  # as most and full go in steps
    can = (users * room >= max(1.0, noise)) & (ours * room > TOLD_FROM * alone)
    gained = gained[can & (FINER * abs(gain) <= most * room)]
    return bool(gained.size and gained.min() / room <= of_gain <= gained.max() * room)


def _of_square(deviation: float, root: float) -> float:
    """Return the deviation of a square, from what :func:`read` says of its root."""
    return 2 * root * deviation if deviation <= 2 * root else deviation**2
