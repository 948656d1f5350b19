"""The fourth release, in steps: how items should move for users who know all their other ratings.

For each of a user's ratings, what is left of it is taken with the factors that the user's other
ratings give. (With those that all give, users with few ratings would fit themselves.) As these
factors are posterior means, the regression of what is left on them has no bias. All rows and one
small matrix of second moments make a Newton step.

**Sensitivity.** What a user sends in a step is a row of norm at most 1, a matrix of Frobenius norm
at most :data:`GRAM_BOUND` and a number of size at most :data:`SPREAD_UNIT`: together at most
:data:`NORM`. It depends on the user's own ratings and on what was released before.
"""

from typing import NamedTuple

import numpy as np

from dpmc.methods.user_level.covariance import pack, unpack
from dpmc.methods.user_level.local_bayes.beliefs import LEVEL, OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import (
    ABOVE_NOISE,
    CHANGES,
    CLEAN,
    FLATTEST,
    GRAM_BOUND,
    LEAST_WEIGHT,
    MANY,
    SPREAD_UNIT,
    UNSHORTENED,
)
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.methods.user_level.local_bayes.users import updates
from dpmc.ratings import Compressed

NORM = float(np.sqrt(1 + GRAM_BOUND**2 + SPREAD_UNIT**2))
"""Of what one user adds."""

FASTEST = 1.0
"""Most that the logarithm of the spread changes in a step, as far as users' own may be off."""


LEAST_LEFT = 0.3
"""Of the square of a typical rating, before any step."""


class Step(NamedTuple):
    """The public numbers of a step.

    Attributes
    ----------
    spread : float
        Standard deviation of ratings around what an ideal model predicts.
    columns : float64 array, shape (1 + rank,)
    unshortened, unit : float
        See :func:`dpmc.methods.user_level.local_bayes.users.updates`.
    """

    spread: float
    columns: np.ndarray
    unshortened: float
    unit: float

    @classmethod
    def of(cls, spread: float, beliefs: Beliefs, shares: np.ndarray, scale: Scale) -> "Step":
        """Return that of a spread, where beliefs are known and the shares of items in ratings.

        Columns weigh as much as there is left to learn of them, or all the same. The matrix of a
        user with :data:`MANY` ratings has about norm :data:`GRAM_BOUND`.
        """
        left = np.sqrt(shares @ beliefs.variance)
        columns = np.maximum(left / left.max(), LEAST_WEIGHT)
        if spread < CLEAN * scale.typical:
            columns = np.ones(left.size)
        unit = GRAM_BOUND * spread / np.linalg.norm(columns) * MANY**-0.5
        return cls(spread, columns, UNSHORTENED / spread, unit)


def first_spread(beliefs: Beliefs, shares: np.ndarray, scale: Scale) -> float:
    """Return the spread of ratings that offsets and factors leave, before any step."""
    factors = np.sum(shares[:, None] * beliefs.mean[:, LEVEL + 1 :] ** 2)
    left = scale.typical**2 - beliefs.prior_variance[OFFSET] - factors
    return float(np.sqrt(max(left, LEAST_LEFT * scale.typical**2)))


def precisions_of(beliefs: Beliefs, spread: float) -> np.ndarray:
    """Return the inverse variances of ratings of each item, given a user's factors of size 1."""
    return 1 / (spread**2 + beliefs.variance.sum(axis=1))


def statistic(rows: Compressed, beliefs: Beliefs, mean: float, step: Step):
    """Return what users send, as one vector, and the norm of the longest.

    Parameters
    ----------
    rows : Compressed
        Ratings by user, less the centre of the range.
    beliefs : Beliefs
    mean : float
        To which the items' offsets are added.
    step : Step

    Returns
    -------
    float64 array, shape (n_items (1 + rank) + (1 + rank) (2 + rank) / 2 + 1,)
    float
    """
    totals, gram, spreads, largest = updates(
        rows,
        mean + beliefs.mean[:, OFFSET],
        np.ascontiguousarray(beliefs.mean[:, LEVEL:]),
        precisions_of(beliefs, step.spread),
        columns=step.columns,
        unshortened=step.unshortened,
        unit=step.unit,
        gram_bound=GRAM_BOUND,
        spread_unit=SPREAD_UNIT,
    )
    return np.concatenate([totals.ravel(), pack(gram.T), [spreads]]), largest


def read(
    noised: np.ndarray, noise: float, beliefs: Beliefs, shares: np.ndarray, scale: Scale, step: Step
) -> float:
    """Add to the beliefs what a noised :func:`statistic` says, and return the spread as it is now.

    Parameters
    ----------
    noised : float64 array
    noise : float
        Its standard deviation.
    beliefs : Beliefs
        Changed.
    shares : float64 array, shape (n_items,)
    scale : Scale
    step : Step
        That of the statistic.
    """
    n_items, size = beliefs.score.shape
    totals = noised[: n_items * size].reshape(n_items, size)
    values, vectors = np.linalg.eigh(unpack(noised[n_items * size : -1], size))
    floor = max(FLATTEST * values[-1], ABOVE_NOISE * noise)
    moments = (vectors * np.maximum(values, floor)) @ vectors.T / step.unit
    hessians = shares[:, None, None] * moments
    # the mean weight of a rating, after shortening, gives the part of the ratings' own noise
    weight = np.trace(moments) / np.sum(step.columns**2) * step.spread**2 / scale.ratings
    errors = noise**2 * np.eye(size) + weight * hessians
    precision = hessians @ np.linalg.solve(errors, hessians)
    precision = (precision + precision.transpose(0, 2, 1)) / (
        2 * np.outer(step.columns, step.columns)
    )
    moves = np.linalg.solve(hessians, totals[:, :, None])[:, :, 0]
    beliefs.observe(beliefs.mean + step.columns * moves, precision)
    beliefs.learn()
    gain = 1 / (1 + (noise / (SPREAD_UNIT * scale.users * CHANGES)) ** 2)
    change = gain * noised[-1] / SPREAD_UNIT / scale.users
    return step.spread * float(np.exp(np.clip(change, -FASTEST, FASTEST)))
