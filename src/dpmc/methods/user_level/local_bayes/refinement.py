"""The fourth release, in steps: how items should move for users who know all their other ratings.

For each of a user's ratings, what is left of it is taken with the factors that the user's other
ratings give. (With those that all give, users with few ratings would fit themselves.) As these
factors are posterior means, the regression of what is left on them has no bias. All rows and one
small matrix of second moments make a Newton step. A constant for each rating goes along as long as
little is known of how often items are rated.

**Sensitivity.** What a user sends in a step is a row of norm at most 1, with these constants; a
matrix of Frobenius norm
at most :data:`GRAM_BOUND` and a number of size at most :data:`SPREAD_UNIT`: together at most
:data:`NORM`. It depends on the user's own ratings and on what was released before.

**Safety.** What is left of ratings is released in each step, before it. If it is more than after an
earlier step, beyond the noise, the beliefs of then are taken up again, and later steps are
shortened (:class:`Guard`).
"""

from typing import NamedTuple

import numpy as np

from dpmc.methods.blocks import Source
from dpmc.methods.user_level.covariance import pack, unpack
from dpmc.methods.user_level.local_bayes.beliefs import LEVEL, OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import (
    ABOVE_NOISE,
    BOUNDED,
    COUNTED_AGAIN,
    DOUBTED,
    EQUAL_WEIGHT_BELOW,
    FASTEST,
    FLATTEST,
    GRAM_BOUND,
    LEAST_LEFT,
    LEAST_WEIGHT,
    LOG_SPREAD_STEP_SD,
    MOST_EXCESS,
    MOST_LEVERAGE,
    RATING_COUNT_CAP,
    SETTLED,
    SPREAD_UNIT,
    SURE,
    TOLD_APART,
    TOLERATED,
    UNSHORTENED,
)
from dpmc.methods.user_level.local_bayes.counts import Popularity
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.methods.user_level.local_bayes.users import Model, updates

NORM = float(np.sqrt(1 + GRAM_BOUND**2 + SPREAD_UNIT**2))
"""Of what one user adds."""


class Step(NamedTuple):
    """The public numbers of a step.

    The standard deviation of ratings around what an ideal model predicts, and what
    :func:`dpmc.methods.user_level.local_bayes.users.updates` takes.
    """

    spread: float
    columns: np.ndarray
    counted: float
    unshortened: float
    unit: float

    @classmethod
    def of(cls, spread: float, beliefs: Beliefs, popularity: Popularity, scale: Scale) -> "Step":
        """Return that of a spread, where beliefs are known and the shares of items in ratings.

        Columns weigh as much as there is left to learn of them, or all the same. The matrix of a
        user with :data:`RATING_COUNT_CAP` ratings has about norm :data:`GRAM_BOUND`.
        """
        left = np.sqrt(popularity.shares @ beliefs.variance)
        columns = np.maximum(left / left.max(), LEAST_WEIGHT)
        if spread < EQUAL_WEIGHT_BELOW * scale.typical:
            columns = np.ones(left.size)
        unit = GRAM_BOUND * spread / np.linalg.norm(columns) * RATING_COUNT_CAP**-0.5
        counted = COUNTED_AGAIN * spread * np.sqrt(min(popularity.shares @ popularity.variation, 1))
        return cls(spread, columns, counted, UNSHORTENED / spread, unit)


def first_spread(beliefs: Beliefs, shares: np.ndarray, scale: Scale) -> float:
    """Return the spread of ratings that offsets and factors leave, before any step."""
    factors = np.sum(shares[:, None] * beliefs.mean[:, LEVEL + 1 :] ** 2)
    left = scale.typical**2 - beliefs.prior_variance[OFFSET] - factors
    return float(np.sqrt(max(left, LEAST_LEFT * scale.typical**2)))


def precisions_of(beliefs: Beliefs, spread: float) -> np.ndarray:
    """Return the inverse variances of ratings of each item, given a user's factors of size 1."""
    return 1 / (spread**2 + beliefs.variance.sum(axis=1))


def model_of(
    beliefs: Beliefs, mean: float, spread: float, popularity: Popularity, scale: Scale
) -> Model:
    """Return what users need of the items, offsets added to a mean.

    Of the variance V of a prediction the ratings' own noise, not that of privacy, has a part r V,
    and this times the precision of a rating is what one of them does to the prediction: on
    average over an item's ratings no more than parameters per rating.
    """
    own = np.sum(np.clip(beliefs.own, 0, 1) * beliefs.variance, axis=1)
    precision = mean_precision(beliefs, spread, popularity, scale)
    ratings = popularity.shares * scale.ratings
    most = np.minimum((beliefs.mean.shape[1] - 1) / np.maximum(ratings, 1), MOST_LEVERAGE)
    return Model(
        mean + beliefs.mean[:, OFFSET],
        np.ascontiguousarray(beliefs.mean[:, LEVEL:]),
        precisions_of(beliefs, spread),
        np.minimum(own * precision, most),
    )


def widened(model: Model, doubt: float) -> Model:
    """Return a model that predicts the same, with deviations that are wider by what is in doubt.

    Variances are multiplied by exp(:data:`DOUBTED` v), where v is the variance of the logarithm of
    the size of all deviations. Around a size that makes the mean square right, this is the mean of
    the eighth powers, to the power 1/4: it errs to the wide side, as few users with much noise make
    intervals too narrow far more often than too wide.
    """
    wider = np.exp(DOUBTED * doubt)
    return model._replace(
        factors=model.factors * np.sqrt(wider), precisions=model.precisions / wider
    )


def mean_precision(beliefs: Beliefs, spread: float, popularity: Popularity, scale: Scale) -> float:
    """Return the mean inverse variance of a rating around what the user's others say of it.

    As if all users had the same number of ratings: what their own factors take of a rating is then
    the number of factors that are known, over that of ratings.
    """
    weights, own = popularity.shares * precisions_of(beliefs, spread), beliefs.mean[:, LEVEL:]
    number = scale.ratings / scale.users
    told = np.linalg.eigvalsh(number * (own * weights[:, None]).T @ own)
    return float(weights.sum() * (1 - np.sum(told / (1 + told)) / number))


def statistic(
    rows: Source, beliefs: Beliefs, popularity: Popularity, scale: Scale, step: Step
) -> tuple[np.ndarray, float]:
    """Return what users send, as one vector, and the norm of the longest.

    It has n_items (2 + rank) + (1 + rank) (2 + rank) / 2 + 1 numbers, see
    :func:`dpmc.methods.user_level.local_bayes.users.updates`.
    """
    totals, gram, spreads, largest = updates(
        rows,
        model_of(beliefs, scale.mean, step.spread, popularity, scale),
        spread=step.spread,
        columns=step.columns,
        counted=step.counted,
        unshortened=step.unshortened,
        unit=step.unit,
        gram_bound=GRAM_BOUND,
        spread_unit=SPREAD_UNIT,
    )
    return np.concatenate([totals.ravel(), pack(gram.T), [spreads]]), largest


def read(
    noised: np.ndarray, noise: float, beliefs: Beliefs, popularity: Popularity, scale: Scale,
    step: Step, caution: float,
) -> tuple[float, Popularity]:  # fmt: skip
    """Add to the beliefs what a noised :func:`statistic` says; return the spread and popularity.

    The spread is of what is left of ratings before this step. The curvature of an item's likelihood
    is its share of all ratings times what is the same for all, so it is as uncertain as the share:
    a part of what is left to learn, squared, is error. So many times as ``caution`` says, which is
    at least 1, is it taken for more than it seems.
    """
    n_items, size = beliefs.score.shape
    totals = noised[: n_items * (size + 1)].reshape(n_items, size + 1)
    values, vectors = np.linalg.eigh(unpack(noised[n_items * (size + 1) : -1], size))
    # a noised matrix can have eigenvalues below 0, and steps along them would go the wrong way
    floor = max(FLATTEST * values[-1], ABOVE_NOISE * noise)
    moments = (vectors * np.maximum(values, floor)) @ vectors.T / step.unit
    if step.counted:
        # two estimates of the total weight, averaged by what each is uncertain
        direct, seen = totals[:, size].sum() / step.counted, moments[0, 0] / step.columns[0] ** 2
        error = noise**2 * n_items / step.counted**2
        other = (noise / step.unit / step.columns[0] ** 2) ** 2 + (BOUNDED * seen) ** 2
        total = max((direct * other + seen * error) / (error + other), 0.5 * seen)
        popularity = popularity.observe(totals[:, size], noise, total * step.counted)
        moments *= total / seen
    hessians = caution * popularity.shares[:, None, None] * moments
    # the mean weight of a rating, by shortening alone, gives the part of the ratings' own noise
    weight = np.trace(moments) / np.sum(step.columns**2) / scale.ratings
    weight /= mean_precision(beliefs, step.spread, popularity, scale)
    off = hessians * (beliefs.variance / step.columns**2)[:, None, :] @ hessians
    # noise of privacy, and a curvature that is as uncertain as the item's share of ratings
    errors = noise**2 * np.eye(size) + popularity.variation[:, None, None] * off
    precision = hessians @ np.linalg.solve(errors, hessians)
    both = np.outer(step.columns, step.columns)
    precision = (precision + precision.transpose(0, 2, 1)) / (2 * both)
    moves = np.linalg.solve(hessians, totals[:, :size, None])[:, :, 0]
    beliefs.observe(beliefs.mean + step.columns * moves, precision, hessians / (weight * both))
    beliefs.know(popularity.shares)
    beliefs.learn()
    # as a Kalman filter: the noisier the measurement, the less it moves the spread
    gain = 1 / (1 + (spread_error(noise, scale) / LOG_SPREAD_STEP_SD) ** 2)
    change = 1 + gain * MOST_EXCESS * noised[-1] / (SPREAD_UNIT * scale.users)
    spread = step.spread * float(np.clip(max(change, 0) ** 0.5, 1 / FASTEST, FASTEST))
    # where items are hardly known, nothing tells their variance from that of ratings around them
    unknown = float(popularity.shares @ beliefs.variance.sum(axis=1))
    return max(spread, min(step.spread, (TOLD_APART * unknown) ** 0.5)), popularity


def spread_error(noise: float, scale: Scale) -> float:
    """Return the standard deviation of the logarithm of a spread that was released."""
    return MOST_EXCESS * noise / (2 * SPREAD_UNIT * scale.users)


class Guard:
    """Takes back a step after which more is left of ratings than before, and shortens later ones.

    ``caution`` (see :func:`read`) is doubled by each step that is taken back.
    """

    def __init__(self):
        self.taken_back, self.caution = 0, 1.0
        self._best, self._again = None, False

    def step(
        self, noised: np.ndarray, noise: float, beliefs: Beliefs, popularity: Popularity,
        scale: Scale, form: Step,
    ) -> tuple[Beliefs, float, Popularity]:  # fmt: skip
        """Return beliefs, spread and popularity after a step, see :func:`read`."""
        before = beliefs.copy()
        expected = popularity.shares @ (1 / precisions_of(beliefs, form.spread)) / form.spread**2
        spread, seen = read(noised, noise, beliefs, popularity, scale, form, self.caution)
        left, error = np.log(spread) + np.log(expected) / 2, spread_error(noise, scale)
        if self._again:  # the same beliefs were measured before: both measurements count
            kept, kept_spread, known, known_error = self._best
            part = known_error**2 / (known_error**2 + error**2)
            self._best = kept, kept_spread, known + part * (left - known), error * part**0.5
            self._again = False
        elif self._best is None or left <= self._best[2]:
            if spread <= SETTLED * form.spread:
                self._best = before, spread, left, error
        else:
            kept, kept_spread, known, known_error = self._best
            if left > known + max(SURE * np.hypot(error, known_error), TOLERATED):
                self.taken_back += 1
                self.caution *= 2
                self._again = True
                return kept.copy(), kept_spread, seen
        return beliefs, spread, seen
