"""Local Bayes without one of its parts, or with a plainer one in its place."""

from collections.abc import Mapping

import numpy as np

from dpmc.methods.blocks import Source, joined
from dpmc.methods.user_level.covariance import pack
from dpmc.methods.user_level.local_bayes import refinement
from dpmc.methods.user_level.local_bayes.beliefs import OFFSET, Beliefs
from dpmc.methods.user_level.local_bayes.constants import (
    FULL_WEIGHT_RATINGS,
    GRAM_BOUND,
    LEAST_FRESH,
    MOST_EXCESS,
    SPREAD_UNIT,
)
from dpmc.methods.user_level.local_bayes.counts import Popularity
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_bayes.scale import Scale
from dpmc.methods.user_level.local_bayes.users import posterior_means

WIDE = 1e4
"""Times the variance that the prior of offsets starts with: none to speak of."""

NEVER = 1e-9
"""Explained by a direction for which a covariance would be asked for."""

RANDOM_RANK, RANDOM_SIZE = 5, 0.3
"""Factors of a random start, and their deviation in typical ratings."""

CREDIBLE = 4.0
"""Precision with which random factors count, in units of the inverse of their variance."""


class WithoutPrior(Beliefs):
    """Offsets are what was observed of them, however noised, and the first spread is its least."""

    def learn(self) -> None:
        """Fit the prior of all else."""
        super().learn()
        self._lines[OFFSET] = 0
        self.prior_mean[:, OFFSET] = 0
        self.prior_correlation[OFFSET], self.prior_correlation[:, OFFSET] = 0, 0
        self.prior_correlation[OFFSET, OFFSET] = 1
        self.prior_variance[OFFSET] = WIDE * self._start[OFFSET]
        self._update()


class FixedPrior(Beliefs):
    """The prior that beliefs start from, with no line in popularity, is never learnt."""

    def learn(self) -> None:
        """Set the posterior."""
        self._update()


def plain_statistic(
    rows: Source, beliefs: Beliefs, popularity: Popularity, scale: Scale, step: refinement.Step
) -> tuple[np.ndarray, float]:
    """Return what users send in a step if they leave no rating out.

    The difference from :func:`dpmc.methods.user_level.local_bayes.refinement.statistic`: the
    residual of a rating, its inverse variance and the user's factors use all of the user's ratings,
    including the rating itself. The bound is the same, and the sum is in floating point.
    """
    rows = joined(rows)
    model = refinement.model_of(beliefs, scale.mean, step.spread, popularity, scale)
    users = posterior_means(rows, model.offsets, model.factors, model.precisions)
    items, n_items = rows.indices, model.offsets.size
    own = np.repeat(np.arange(rows.n_rows), rows.sizes)
    weights = model.precisions[items]
    left = rows.values - model.offsets[items]
    left = left - np.einsum("nr,nr->n", model.factors[items], users[own])
    ones = step.columns * np.column_stack([np.ones(rows.n_rows), users])
    lengths = np.sum(ones**2, axis=1)
    score = left * weights

    def by_user(values):
        return np.bincount(own, values, minlength=rows.n_rows)

    squares = by_user(lengths[own] * score**2 + (step.counted * weights) ** 2)
    told = 1 - 2 * model.leverages[items] * step.spread**2 * weights
    fresh = np.maximum(by_user(np.maximum(told, LEAST_FRESH)), LEAST_FRESH)
    shrink = 1 / np.maximum(np.sqrt(squares), step.unshortened)
    sent = [*(score[:, None] * ones[own]).T, step.counted * weights]
    totals = [np.bincount(items, each * shrink[own], minlength=n_items) for each in sent]
    second, scales = by_user(weights) * lengths, shrink * step.unit
    scales = scales / np.maximum(1, second * scales / GRAM_BOUND)
    gram = (ones.T * (scales * by_user(weights))) @ ones
    spreads = np.minimum(by_user(left * score) / (fresh * MOST_EXCESS) - 1 / MOST_EXCESS, 1.0)
    spreads *= SPREAD_UNIT * np.minimum(1, fresh / FULL_WEIGHT_RATINGS) * (rows.sizes > 0)
    sizes = np.sqrt(squares * shrink**2 + (second * scales) ** 2 + spreads**2)
    vector = np.concatenate([np.column_stack(totals).ravel(), pack(gram), [spreads.sum()]])
    return vector, np.max(sizes, initial=0.0)


class NoPrior(LocalBayes):
    """Without the prior of offsets."""

    beliefs = WithoutPrior


class NothingLearnt(LocalBayes):
    """With a fixed prior in the place of empirical Bayes."""

    beliefs = FixedPrior


class NoCovariance(LocalBayes):
    """Without the covariance, and so without factors beside the users' level."""

    def __post_init__(self):
        super().__post_init__()
        self.explained = NEVER


class PlainResiduals(LocalBayes):
    """With what all of a user's ratings leave in the place of what the others leave."""

    update = staticmethod(plain_statistic)


class EqualSteps(LocalBayes):
    """With the same budget for each step of refinement."""

    growth = 1.0


class FixedRidge(LocalBayes):
    """Users predict by ridge regression with one penalty, the square of a typical rating."""

    def _take(self, model, whole, spread, own):
        flat = np.full_like(model.precisions, whole.typical**-2.0)
        super()._take(model._replace(precisions=flat), whole, spread, own)


class RandomStart(NoCovariance):
    """With random factors in the place of the covariance, whose budget the steps have.

    ``public`` is what they are drawn by: a generator that has nothing to do with ratings.
    """

    def _start(self, rows, n_items, features, statistics):
        beliefs, biases, popularity, whole, left = super()._start(
            rows, n_items, features, statistics
        )
        size = RANDOM_SIZE * whole.typical
        drawn = size * self.public.standard_normal((n_items, RANDOM_RANK))
        beliefs = beliefs.with_factors(drawn, np.full(drawn.shape, CREDIBLE / size**2))
        return beliefs, biases, popularity, whole, left


WHOLE = "whole"
FORMS: Mapping[str, type[LocalBayes]] = {
    WHOLE: LocalBayes,
    "no_prior": NoPrior,
    "fixed_prior": NothingLearnt,
    "no_covariance": NoCovariance,
    "plain_residuals": PlainResiduals,
    "equal_steps": EqualSteps,
    "fixed_ridge": FixedRidge,
    "random_start": RandomStart,
}
