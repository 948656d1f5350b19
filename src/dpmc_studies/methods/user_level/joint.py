"""Base classes of the methods with user-level privacy."""

import math

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import choice, positive, with_parameters
from dpmc.methods.kernels.private import column_counts
from dpmc.methods.private import EVERY_RATING
from dpmc.methods.user_level.predictions import UserLevelMethod
from dpmc.ratings import Compressed, Ratings

CENTRINGS = ("global", "user")


class OffsetModel(UserLevelMethod):
    """Predict user offset + item offset + u . v, and the user's mean for items without factors.

    Attributes
    ----------
    user_factors_, item_factors_ : arrays, shapes (n_users, rank) and (n_items, rank)
    item_offsets_ : float64 array, shape (n_items,)
    user_offsets_, user_means_ : float64 arrays, shape (n_users,)
    frequent_ : bool array, shape (n_items,)
        Which items have factors.
    """

    user_offsets_: np.ndarray
    user_means_: np.ndarray
    frequent_: np.ndarray

    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, clipped to the public range, shape (n_users, n_items)."""
        matrix = self.user_factors_ @ self.item_factors_.T
        matrix += self.item_offsets_
        matrix += self.user_offsets_[:, None]
        matrix[:, ~self.frequent_] = self.user_means_[:, None]
        return np.clip(matrix, *self.rating_range, out=matrix)

    def _predict_pairs(self, users, items):
        products = np.einsum("...r,...r->...", self.user_factors_[users], self.item_factors_[items])
        products += self.user_offsets_[users] + self.item_offsets_[items]
        predicted = np.where(self.frequent_[items], products, self.user_means_[users])
        return np.clip(predicted, *self.rating_range)

    def _of_all_items(self, factors: np.ndarray) -> np.ndarray:
        """Return factors of the frequent items with zeros for the others."""
        placed = np.zeros((self.frequent_.size, factors.shape[1]))
        placed[self.frequent_] = factors
        return placed


@with_parameters
class JointMethod(OffsetModel):
    """A model with joint differential privacy for users: only shared values carry noise.

    Item factors are computed from noised statistics of all users. Each user's factors and offset
    are computed from the item factors and the user's own ratings alone. Only that user sees them,
    so they need no noise (the billboard lemma: Hsu et al. 2014, see :mod:`dpmc.privacy.relations`).
    Noise is Gaussian, so that the budget can be divided in shares of mu^2.

    **Sensitivity of the counts** by which items are chosen: a user adds 1 to at most k counts, so
    the counts change by sqrt(k) in the l2 norm, and by sqrt(2 k) if a user is replaced.

    Parameters that are not listed are those of :class:`dpmc.methods.private.PrivateMethod`.

    Parameters
    ----------
    mechanism : {"gaussian"}
    ratings_per_user : int, optional
        k. If not given, all of a user's ratings count, and another bound limits their effect.
    centring : {"global", "user"}
        What is subtracted from a user's ratings: the middle of the rating range, or the mean of all
        the user's own ratings, which only that user needs to know.
    item_share : float
        This share of the items, those with the highest noised counts, get factors. Other items are
        predicted by the mean of the user.
    counts_share : float
        Share of mu^2 for the counts; above 0 if and only if ``item_share`` is below 1.
    """

    centring: str = choice(CENTRINGS, "global")
    item_share: float = positive(1.0)
    counts_share: float = positive(0.0, zero=True)

    def __post_init__(self):
        every = self.ratings_per_user is None
        if every:
            self.ratings_per_user = EVERY_RATING
        super().__post_init__()
        if self.item_share > 1 or self.counts_share >= 1:
            raise InputError(
                "item_share must be at most 1 and counts_share below 1, got "
                f"{self.item_share!r} and {self.counts_share!r}."
            )
        if (self.item_share < 1) != (self.counts_share > 0):
            raise InputError(
                "Frequent items are found by noised counts: give both item_share below 1 and "
                f"counts_share above 0, or neither; got {self.item_share!r} and "
                f"{self.counts_share!r}."
            )
        if self.counts_share and every:
            raise InputError(
                "Noised counts of the items need ratings_per_user, a public bound on the number "
                "of a user's ratings that count."
            )

    def _weight(self, share: float) -> float:
        """Return the weight of a release with a share of the budget that counts leave."""
        return super()._weight((1 - self.counts_share) * share)

    def _prepare(self, ratings: Ratings, statistics, randomness) -> tuple[Compressed, Compressed]:
        """Set offsets and frequent items; return their centred ratings: those that count, all."""
        own = self._bounded(ratings.by_user)
        n_items = ratings.n_items
        self.item_offsets_ = np.full(n_items, self.centre)
        means = own.means(0.0)
        self.user_means_ = self.centre + means
        self.user_offsets_ = means if self.centring == "user" else np.zeros(means.size)
        if self.centring == "user":
            own = own.minus(rows=means)
        frequent = np.arange(n_items)
        if self.item_share < 1:
            frequent = self._frequent(self._chosen(ratings, randomness), statistics)
            own = own.columns(frequent, n_items)
        self.frequent_ = np.bincount(frequent, minlength=n_items) > 0
        return randomness.choose(own, self.ratings_per_user, frequent), own

    def _frequent(self, rows, statistics):
        """Return the items with the highest noised counts, ascending."""
        n_items = self.shape_[1]
        self.bounds.check_counts(rows.sizes)
        counts = statistics.ledger.release(
            "counts",
            column_counts(rows, n_items),
            self.bounds.counts(),
            weight=super()._weight(self.counts_share),
        )
        number = math.ceil(self.item_share * n_items)
        return np.sort(np.argsort(-counts, kind="stable")[:number])
