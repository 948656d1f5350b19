"""The default for one's own ratings: a model that users complete for themselves, by Bayes' rule."""

from functools import partial
from typing import ClassVar

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import count, positive, with_parameters
from dpmc.methods.blocks import in_blocks
from dpmc.methods.private import EVERY_RATING
from dpmc.methods.private_choice import within, without
from dpmc.methods.publishable import ALIKE
from dpmc.methods.user_level.covariance import outer_sensitivity
from dpmc.methods.user_level.item_features import WithItemFeatures
from dpmc.methods.user_level.local_bayes import (
    check,
    directions,
    offsets,
    refinement,
    scale,
    worth,
)
from dpmc.methods.user_level.local_bayes.beliefs import LEVEL, OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import (
    CHECK_SHARE,
    CONFUSED,
    CREDITED,
    DIRECTIONS_SHARE,
    EXPLAINED,
    FALLING,
    GROWTH,
    MOST_FACTORS,
    MOST_STEPS,
    OFFSETS_SHARE,
    SCALE_SHARE,
    STEPS,
    WORTH_SHARE,
)
from dpmc.methods.user_level.local_bayes.users import posterior_means
from dpmc.methods.user_level.predictions import observed
from dpmc.released import WEIGHTED

FALLBACKS = ("biases", "own means")
"""What is published instead of a model that the last release says is worse."""


@with_parameters
class LocalBayes(WithItemFeatures):
    """User u rates item j as b_j + v_j . f + noise of variance 1/p_j, where f ~ N(0, I) is u's own.

    The offsets b, factors v and precisions p of items are published. Each user alone computes the
    posterior mean of f, from the user's own ratings (the billboard lemma: Hsu et al. 2014, see
    :mod:`dpmc.privacy.relations`). The first factor is about the same for all items and represents
    the user's level. Items are learnt from five noised statistics. Each has its own share of the
    budget and its own sensitivity, which its module derives:

    1. :mod:`~dpmc.methods.user_level.local_bayes.scale`: how large ratings are, and how many;
    2. :mod:`~dpmc.methods.user_level.local_bayes.offsets`: sums and counts of the items, and how
       much users' levels vary;
    3. :mod:`~dpmc.methods.user_level.local_bayes.directions`: one covariance, for the number of
       factors and their start; released only if public numbers show that it can be informative;
    4. :mod:`~dpmc.methods.user_level.local_bayes.refinement`: some Newton steps;
    5. :mod:`~dpmc.methods.user_level.local_bayes.check`: is the model worse than its first biases,
       or than users' own means? If the noised answer is yes, these are published instead.

    Statistics 2 to 4 observe the items with known precision and update the estimates of them
    (:mod:`~dpmc.methods.user_level.local_bayes.beliefs`). An item with little evidence gets the
    parameters of a usual item. Rank, steps, bounds and regularisation follow from released numbers
    and from constants (:mod:`~dpmc.methods.user_level.local_bayes.constants`). Earlier releases
    decide whether the third one is made, how many steps share the rest of the budget, and which
    steps are taken back. In every case the squares of all mu add up to the square of the fit's mu.
    Composition requires this if earlier releases choose each mu (Smith and Thakurta, "Fully
    adaptive composition for Gaussian differential privacy", 2022; for fixed mu Dong, Roth and Su,
    "Gaussian differential privacy", JRSS B 2022, corollary 3.3).

    Parameters
    ----------
    relation : {"user_add_remove", "user_replace"}
    epsilon, delta, rating_range
        See :class:`dpmc.methods.private.PrivateMethod`.
    mechanism : {"gaussian"}
    ratings_per_user : int, optional
        Number of ratings of each user that take part in releases; all if not given. No sensitivity
        depends on it.
    most_factors : int
        Most factors besides the users' level.
    explained : float
        A covariance is released if a direction that explains this share of the residuals would rise
        above the noise, or one five times as strong if the items' offsets are already known well.
    held_out : float
        Share, below 1, of each user's ratings that the model does not use, so that its error on
        them can be released; 0 uses all ratings and releases no error.

    Attributes
    ----------
    item_features_ : dpmc.publication.features.Features or None
        Public features of the items, if given.
    item_precisions_ : float64 array, shape (n_items,)
        p.
    fell_back_to_ : {None, "biases", "own means"}
        What is published instead of the model.
    steps_taken_back_ : int
        Number of refinement steps that were taken back.
    scale_ : dpmc.methods.user_level.local_bayes.scale.Scale
    worth_ : dpmc.methods.user_level.local_bayes.worth.Worth
        If ratings were held out.
    spread_ : float
        Standard deviation of ratings around what an ideal model predicts.

    Raises
    ------
    InputError
        A parameter out of its range.
    """

    most_factors: int = count(MOST_FACTORS)
    explained: float = positive(EXPLAINED)
    held_out: float = positive(0.0, zero=True)

    # parts of the method, which a study of ours leaves out or replaces in subclasses
    beliefs, growth = Beliefs, GROWTH
    update = staticmethod(refinement.statistic)

    fixed = ("most_factors", "explained")
    finds_rank = True
    by_blocks = True
    way = WEIGHTED
    outcome_counts = ("steps_taken_back",)
    instead: ClassVar = {
        "biases": "an offset for each item and a level for each user, and no factors",
        "own means": "nothing about single items; users are predicted their own mean, drawn "
        "towards that of all, so that no item ranks above another",
    }
    why_instead = (
        "A noised comparison says that this predicts ratings better than the model that was learnt."
    )

    def __post_init__(self):
        if self.ratings_per_user is None:
            self.ratings_per_user = EVERY_RATING
        super().__post_init__()
        if self.held_out >= 1:
            raise InputError(f"held_out must be a share below 1, got {self.held_out!r}.")

    @property
    def releases(self) -> int:
        """Number of releases of equal noise that the shares divide: about as many as are made."""
        return 4 + STEPS + bool(self.held_out)

    @property
    def iterations(self) -> int:
        """Least number of refinement steps."""
        return STEPS

    @property
    def rank(self) -> int:
        """Number of factors that were found beside the users' level; after a fit."""
        return self.item_factors_.shape[1] - 1

    @property
    def n_factors(self) -> int:
        """Largest number of factors; the releases tell how many there are."""
        return 1 + self.most_factors

    def _fit(self, ratings, statistics, randomness, callback):
        features = self._features(ratings)
        own = in_blocks(ratings, self.threads).then(self._bounding)
        out = randomness.parts(self.held_out) if self.held_out else None
        rows = own
        if out is not None:
            rows = own.then(partial(without, out))
        rows = rows.then(randomness.choices(self.ratings_per_user))
        start = self._start(rows, ratings.n_items, features, statistics)
        beliefs, biases, popularity, whole, left = start
        left -= CHECK_SHARE + (WORTH_SHARE if self.held_out else 0)
        spread = refinement.first_spread(beliefs, popularity.shares, whole)
        guard = refinement.Guard()
        step, planned, doubt = 0, STEPS, whole.doubt
        while planned:
            form = refinement.Step.of(spread, beliefs, popularity, whole)
            sent, largest = self.update(rows, beliefs, popularity, whole, form)
            share = left / np.sum(self.growth ** np.arange(planned))
            noised, noise = self._release(
                statistics, "updates", sent, largest, refinement.NORM, share
            )
            left -= share
            beliefs, spread, popularity = guard.step(
                noised, noise, beliefs, popularity, whole, form
            )
            step, planned = step + 1, planned - 1
            doubt /= 1 + doubt / refinement.spread_error(noise, whole) ** 2
            falls = spread < FALLING * form.spread
            if falls and planned and step + STEPS - 1 <= MOST_STEPS:
                planned = STEPS - 1
            if callback is not None:
                model = refinement.model_of(beliefs, whole.mean, spread, popularity, whole)
                self._take(refinement.widened(model, doubt), whole, spread, own)
                callback(step, self)
        model = refinement.model_of(beliefs, whole.mean, spread, popularity, whole)
        others = (biases, check.own_means(ratings.n_items, whole))
        sent, longest = check.statistic(rows, model, others, whole.typical)
        noised, noise = self._release(statistics, "check", sent, longest, check.NORM, CHECK_SHARE)
        better = check.better(noised, noise)
        self.fell_back_to_ = None if better is None else FALLBACKS[better]
        self.steps_taken_back_ = guard.taken_back
        if better is not None:
            model, doubt = others[better], whole.doubt
        self._take(refinement.widened(model, doubt), whole, spread, own)
        if out is not None:
            self.worth_ = self._worth(own, out, whole, biases, statistics)

    def _worth(self, own, out, whole, biases, statistics):
        """Release the errors of the model and of the biases on the ratings held out."""
        ours = (self.item_offsets_ - self.centre, self.item_factors_, self.item_precisions_)
        half = self.bounds.half_range

        predicted = partial(_predicted, out, (ours, biases[:3]), half)
        noise = statistics.noise_std(self._moved(worth.NORM)) * self._weight(WORTH_SHARE)
        terms = worth.largest(noise, whole), worth.full_weight(noise, whole, self.held_out)
        sent, longest = worth.statistic(own, predicted, *terms)
        noised, _ = self._release(statistics, "worth", sent, longest, worth.NORM, WORTH_SHARE)
        return worth.read(noised, noise, *terms)

    def _start(self, rows, n_items, features, statistics):
        """Return what up to three releases say: beliefs, first biases, popularity and the whole.

        And the share of the budget that is left.
        """
        half = self.bounds.half_range
        sent, longest = scale.statistic(rows, half)
        noised, noise = self._release(statistics, "scale", sent, longest, scale.NORM, SCALE_SHARE)
        whole = scale.read(noised, noise, half)
        sent, longest = offsets.statistic(rows, n_items, whole)
        noised, noise = self._release(
            statistics, "offsets", sent, longest, offsets.NORM, OFFSETS_SHARE
        )
        kind = partial(self.beliefs, threads=self.threads)
        popularity, beliefs = offsets.read(noised, noise, whole, features, kind)
        biases = refinement.model_of(beliefs, whole.mean, whole.typical, popularity, whole)
        left = 1 - SCALE_SHARE - OFFSETS_SHARE
        sensitivity = outer_sensitivity(self.relation, 1.0)
        noise = statistics.noise_std(sensitivity) * self._weight(DIRECTIONS_SHARE)
        unknown = beliefs.variance[:, OFFSET] / whole.typical**2
        items, part, least = directions.asked_for(
            popularity.shares, noise, whole, self.explained, popularity.shares @ unknown
        )
        if items.size:
            unexplained = self._unexplained(rows, beliefs, whole)
            sent, longest = directions.statistic(unexplained, items, n_items, whole.typical)
            share = part * DIRECTIONS_SHARE
            noised, noise = self._release(
                statistics, "covariance", sent, longest, 1.0, share, sensitivity
            )
            confused = CONFUSED * np.average(unknown[items], weights=popularity.shares[items])
            found = directions.read(
                noised, noise, items, popularity.shares, whole, max(least, confused)
            )
            most = self.most_factors
            beliefs = beliefs.with_factors(found[0][:, :most], found[1][:, :most])
            left -= share
        return beliefs, biases, popularity, whole, left

    def _unexplained(self, rows, beliefs, whole):
        """Return the ratings less the items' offsets and their users' levels."""
        bias = whole.mean + beliefs.mean[:, OFFSET]
        level = np.ascontiguousarray(beliefs.mean[:, [LEVEL]])
        precisions = refinement.precisions_of(beliefs, whole.typical)

        return rows.then(partial(_less_levels, bias, level, precisions))

    def _take(self, model, whole, spread, own):
        self.scale_, self.spread_ = whole, float(spread)
        half = self.bounds.half_range
        bias = np.clip(model.offsets, -half, half)
        self.item_offsets_ = np.clip(self.centre + bias, *self.rating_range)
        self.item_factors_, self.item_precisions_ = model.factors, model.precisions
        self._alone, self._users = (own, bias, model.factors, model.precisions), None

    def impossible_items(self, items):
        if len(items.labels) and not items.factors.any(axis=0).all():
            return "a column of factors is 0 for all items"
        return super().impossible_items(items)

    @property
    def share_apart(self):
        return self.held_out

    @property
    def tells_error(self):
        return bool(self.held_out)

    @classmethod
    def outcome_in_words(cls, fell_back_to, steps_taken_back=0):
        said = [super().outcome_in_words(fell_back_to)]
        if steps_taken_back:
            steps = "1 step was" if steps_taken_back == 1 else f"{steps_taken_back} steps were"
            said.append(
                f"{steps} taken back: more was left of the ratings afterwards, by noised numbers."
            )
        return " ".join(each for each in said if each) or None

    def impossible_outcome(self, outcome):
        # the step after one that was taken back never is: it only measures again
        if outcome["steps_taken_back"] > MOST_STEPS // 2:
            return "more steps are stated to be taken back than there can be"
        return None

    def published_as(self, items):
        """Return what a fit with these items can have stated as ``fell_back_to_``.

        Both simpler models have one factor, the user's level, with one value for all items. Own
        means also have one offset and one precision, so that the mean of all counts as
        :data:`CREDITED` ratings.
        """
        level, precisions = items.factors[:, 0], items.precisions
        simple = items.factors.shape[1] == 1 and _same(level)
        if not simple:
            return {None}
        means = _same(items.offsets) and _same(precisions)
        means = means and abs(level[0] ** 2 * precisions[0] * CREDITED - 1) <= ALIKE
        return {"own means"} if means else {None, "biases"}

    def could_state(self, worth_):
        noise = self.calibration.noise.std() * self._moved(worth.NORM) * self._weight(WORTH_SHARE)
        return worth.could_be(worth.Worth(**worth_), noise, self.bounds.half_range, self.held_out)

    @property
    def user_factors_(self) -> np.ndarray:
        """Users' factors, computed from the model and their own ratings when first asked for."""
        if self._users is None:
            self._users = posterior_means(*self._alone)
        return self._users


def _same(numbers):
    return np.ptp(numbers) <= ALIKE * np.abs(numbers).max()


def _predicted(out, models, half, first, rows):
    """Return the ratings of a block that are held out, and their predictions by models."""
    known, held_out, predictions = without(out, first, rows), within(out, first, rows), []
    for bias, factors, precisions in models:
        users = posterior_means(known, bias, factors, precisions)
        found = bias[held_out.indices] + observed(held_out, users, factors)
        predictions.append(np.clip(found, -half, half))
    return held_out, *predictions


def _less_levels(bias, level, precisions, first, rows):
    users = posterior_means(rows, bias, level, precisions)
    own = rows.per_rating(users[:, 0])
    return rows.with_values(rows.values - bias[rows.indices] - level[rows.indices, 0] * own)
