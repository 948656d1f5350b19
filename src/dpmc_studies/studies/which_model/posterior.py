"""Item factors of another method, with Local Bayes' offsets of items and its posterior of users.

A part of the budget pays for the first two releases of Local Bayes, and the rest for the other
method. Both use Gaussian noise, so the squares of mu add up. From Local Bayes a user takes the
items' offsets, weights in the user level and precisions, and from the other method the item
factors. The user then computes a posterior mean given the user's own ratings. How much the factors
explain is a setting.
"""

from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np
from scipy.optimize import brentq
from scipy.special import log_ndtr, ndtr

from dpmc.methods.blocks import Blocks
from dpmc.methods.user_level.local_bayes.constants import OFFSETS_SHARE, SCALE_SHARE
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_bayes.users import posterior_means
from dpmc.ratings import Ratings
from dpmc_studies.studies.which_model.forms import NEVER


class OffsetsOnly(LocalBayes):
    """The first two releases of Local Bayes with the whole budget.

    Attributes
    ----------
    shares_ : float64 array, shape (n_items,)
        Of each item in all ratings, as far as is known.
    """

    def _weight(self, share):
        return super()._weight(share / (SCALE_SHARE + OFFSETS_SHARE))

    def _fit(self, ratings, statistics, randomness, callback):
        self.explained = NEVER
        own = Blocks(self._bounded(ratings.by_user))
        rows = own.then(randomness.choices(self.ratings_per_user))
        _, biases, popularity, whole, _ = self._start(rows, ratings.n_items, None, statistics)
        self.shares_ = popularity.shares
        self._take(biases, whole, whole.typical, own)


@dataclass(frozen=True)
class Combined:
    """The fitted model: offsets, all factors of items, and factors of their users."""

    offsets: np.ndarray
    factors: np.ndarray
    users: np.ndarray
    rating_range: tuple[float, float]
    guarantee_: SimpleNamespace

    def predict(self, users: np.ndarray, items: np.ndarray) -> np.ndarray:
        """Return predicted ratings for pairs."""
        products = np.einsum("nr,nr->n", self.users[users], self.factors[items])
        return np.clip(self.offsets[items] + products, *self.rating_range)


def combined(biases: OffsetsOnly, factors: np.ndarray, explained: float, training: Ratings):
    """Return the model of Local Bayes' offsets and levels with ``factors``, shape (n_items, r).

    The factors are scaled so that, averaged over ratings, the square of a user's part in them is
    ``explained`` times the square of a typical rating.
    """
    mean_square = biases.shares_ @ np.sum(factors**2, axis=1)
    wanted = explained * biases.scale_.typical**2
    scaled = factors * np.sqrt(wanted / mean_square) if mean_square > 0 else factors
    whole = np.ascontiguousarray(np.column_stack([biases.item_factors_, scaled]))
    users = posterior_means(training.by_user, biases.item_offsets_, whole, biases.item_precisions_)
    guarantee = SimpleNamespace(epsilon=biases.epsilon, delta=biases.delta)
    return Combined(biases.item_offsets_, whole, users, biases.rating_range, guarantee)


def divided(epsilon: float, delta: float, share: float) -> tuple[float, float]:
    """Return two budgets, for a share of the whole and for the rest, that compose to the whole.

    At the same delta, for Gaussian noise.
    """
    whole = brentq(lambda mu: delta_of(epsilon, mu) - delta, 1e-6, 1e3)
    return tuple(
        brentq(lambda found, mu=mu: delta_of(found, mu) - delta, 0, 1.01 * epsilon)
        for mu in (whole * share**0.5, whole * (1 - share) ** 0.5)
    )


def delta_of(epsilon: float, mu: float) -> float:
    """Return delta of Gaussian differential privacy with mu at epsilon (Dong, Roth and Su)."""
    return ndtr(-epsilon / mu + mu / 2) - np.exp(epsilon + log_ndtr(-epsilon / mu - mu / 2))
