"""The fourth release: Newton steps for the items, from users' residuals.

The residual of each rating uses the factors that the user's other ratings give. (With factors from
all ratings, users with few ratings would fit themselves.) These factors are posterior means, so the
regression of residuals on them is unbiased. The sum of all rows and one small matrix of second
moments give a Newton step. As long as little is known of how often items are rated, each rating
also adds a constant.

**Sensitivity.** In each step a user sends a row of norm at most 1, including these constants; a
matrix of Frobenius norm at most :data:`GRAM_BOUND`; and a number of at most :data:`SPREAD_UNIT` in
absolute value. Together they have norm at most :data:`NORM`. They depend only on the user's own
ratings and on earlier releases.

**Safety.** Each step releases the size of the residuals before it. If they are larger than at an
earlier step, by more than the noise, the fit returns to the beliefs of that step and shortens later
steps (:class:`Guard`).
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
"""Largest norm of what one user adds."""


class Step(NamedTuple):
    """The public numbers of a step.

    ``spread`` is the standard deviation of ratings around an ideal model's predictions. The other
    fields are arguments of :func:`dpmc.methods.user_level.local_bayes.users.updates`.
    """

    spread: float
    columns: np.ndarray
    counted: float
    unshortened: float
    unit: float

    @classmethod
    def of(cls, spread: float, beliefs: Beliefs, popularity: Popularity, scale: Scale) -> "Step":
        """Return the step for a spread, given the beliefs and the items' popularity.

        Columns are weighted by the uncertainty that is left in their parameters, or equally if the
        spread is small. ``unit`` is chosen so that the matrix of a user with
        :data:`RATING_COUNT_CAP` ratings has a norm of about :data:`GRAM_BOUND`.
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
    """Return the model of the items that users need, with ``mean`` added to the offsets.

    A leverage is the effect of one rating on its own prediction: r V times the precision of a
    rating. V is the variance of a prediction, and r is the part of V that comes from the ratings'
    own noise, not from the noise of privacy. A leverage is at most the number of parameters per
    rating, which the mean over an item's ratings cannot exceed.
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
    """Return a model with the same predictions and wider deviations, for an uncertain scale.

    Variances are multiplied by exp(:data:`DOUBTED` v), where v is the variance of the logarithm of
    the scale of all deviations. For a log-normal scale with the right mean square, this factor is
    the mean of the eighth powers, to the power 1/4. This errs on the wide side, because few users
    with much noise make intervals too narrow far more often than too wide.
    """
    wider = np.exp(DOUBTED * doubt)
    return model._replace(
        factors=model.factors * np.sqrt(wider), precisions=model.precisions / wider
    )


def mean_precision(beliefs: Beliefs, spread: float, popularity: Popularity, scale: Scale) -> float:
    """Return the mean inverse variance of a rating, given the user's other ratings.

    All users are assumed to have equally many ratings. A user's own factors then explain a part of
    each rating: the number of factors that the ratings determine over the number of ratings.
    """
    weights, own = popularity.shares * precisions_of(beliefs, spread), beliefs.mean[:, LEVEL:]
    number = scale.ratings / scale.users
    told = np.linalg.eigvalsh(number * (own * weights[:, None]).T @ own)
    return float(weights.sum() * (1 - np.sum(told / (1 + told)) / number))


def statistic(
    rows: Source, beliefs: Beliefs, popularity: Popularity, scale: Scale, step: Step
) -> tuple[np.ndarray, float]:
    """Return the sum of what users send, as one vector, and the norm of the longest.

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
    """Update the beliefs by a noised :func:`statistic`; return the spread and the popularity.

    The spread is the size of residuals before this step. The curvature of an item's likelihood is
    its share of all ratings times a matrix that all items have in common. The curvature is
    therefore as uncertain as the share, and this uncertainty adds to the error of the step.
    ``caution``, at least 1, multiplies the curvature and so shortens the step.
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
    """Takes back a step after which residuals are larger than before, and shortens later steps.

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
