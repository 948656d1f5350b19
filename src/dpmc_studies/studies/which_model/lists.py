"""Models that rank items for users, private and not, for the comparison of the study."""

from collections.abc import Callable, Mapping
from copy import copy
from dataclasses import dataclass

import numpy as np

from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_ease.method import LocalEase
from dpmc.methods.user_level.local_ease.references import EASE, PrivatePopularity
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.references import Popularity


@dataclass(frozen=True)
class Lists:
    """What is ranked by: scores of shape (n_users, n_items)."""

    scores: np.ndarray
    predicted: np.ndarray | None = None  # the same as predictions of ratings, where they are
    fell_back: bool = False  # whether something simpler is published instead of the model


class LocalBayesWithShares(LocalBayes):
    """Keeps the popularity of items, as far as the second release reveals it."""

    def _start(self, *given):
        found = super()._start(*given)
        self.shares_ = found[2].shares
        return found


def local_ease(settings, training, given, fit) -> Lists:
    """``fit --for ranking``."""
    model = LocalEase(**given, likes_from=settings["likes_from"]).fit(training, **fit)
    return Lists(model.predict_matrix(), fell_back=model.fell_back_to_ is not None)


def private_popularity(settings, training, given, fit) -> Lists:
    """Noised counts of likes alone."""
    model = PrivatePopularity(**given, likes_from=settings["likes_from"]).fit(training, **fit)
    return Lists(model.predict_matrix())


def local_bayes(settings, model: LocalBayesWithShares) -> Lists:
    """Predicted ratings before they are clipped."""
    return Lists(_unclipped(model), model.predict_matrix(), model.fell_back_to_ is not None)


def local_bayes_share(settings, model: LocalBayesWithShares) -> Lists:
    """The same, plus a multiple of the log of an item's share of the ratings."""
    low, high = model.rating_range
    weight = settings["log_share"] * (high - low)
    popular = weight * np.log(np.maximum(model.shares_, np.finfo(float).tiny))
    return Lists(_unclipped(model) + popular, fell_back=model.fell_back_to_ is not None)


def _unclipped(model: LocalBayesWithShares) -> np.ndarray:
    model = copy(model)
    model.rating_range = (-np.inf, np.inf)
    return model.predict_matrix()


def popularity(settings, training, given, fit) -> Lists:
    """Counts of likes, without privacy."""
    return Lists(Popularity().fit(_likes(settings, training)).predict_matrix())


def ease(settings, training, given, fit) -> Lists:
    """EASE (Steck, WWW 2019), without privacy."""
    return Lists(EASE(ridge=settings["ridge"]).fit(_likes(settings, training)).predict_matrix())


def _likes(settings: Mapping, training: Ratings) -> Ratings:
    return training.take(training.values >= settings["likes_from"])


RANKED: Mapping[str, Callable[..., Lists]] = {
    each.__name__: each for each in (local_ease, private_popularity, popularity, ease)
}
"""Name to a function of settings, training ratings, what private methods are constructed with, and
generators of their fit."""
BY_RATINGS: Mapping[str, Callable[..., Lists]] = {
    each.__name__: each for each in (local_bayes, local_bayes_share)
}
"""Name to a function of settings and a fitted :class:`LocalBayesWithShares`."""
