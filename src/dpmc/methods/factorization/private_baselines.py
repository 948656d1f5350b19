"""Means and biases within a privacy budget: baselines for private factor models."""

from dataclasses import field
from functools import partial

import numpy as np

from dpmc.methods.base import positive, with_parameters
from dpmc.methods.blocks import in_blocks, of_users
from dpmc.methods.factorization.private_offsets import (
    item_offsets,
    noised_mean,
    own_offsets,
    user_offsets,
)
from dpmc.methods.private import PrivateMethod
from dpmc.privacy.sensitivity import planned_releases
from dpmc.released import OFFSETS


@with_parameters
class PrivateUserItemBias(PrivateMethod):
    """Predict item offset + user offset.

    The sums and counts of the ratings of all items are released. Their totals give the mean, and
    with it each item's damped offset
    (:func:`dpmc.methods.factorization.private_offsets.damped_offsets`). User offsets are damped
    means of the residuals, clipped to half the range. At user level each user computes this offset
    alone; at entry level, noised sums and counts give it. If only values of ratings change, counts
    are public.

    Item factors are all 1, so that predictions are item offset + user factors . item factors, as
    for the other calibrated methods.

    Parameters
    ----------
    relation, epsilon, delta, mechanism, rating_range, ratings_per_user
        See :class:`dpmc.methods.private.PrivateMethod`.
    shrinkage : float
        Number of ratings at the mean that each user and item is credited with, at least 0.

    Raises
    ------
    InputError
        A parameter out of its range, or taken from the data.
    """

    shrinkage: float = positive(5.0, zero=True)

    offset_sides = 2
    fixed = ()
    way = OFFSETS
    planned = ("rating_range", "ratings_per_user")

    @property
    def n_factors(self) -> int:
        """1: the factor of the offsets of users."""
        return 1

    @property
    def releases(self) -> int:
        return planned_releases(self.relation, iterations=0, offset_sides=self.offset_sides)

    def item_sensitivities(self, bounds):
        counts = bounds.counts()
        return {"sums": bounds.sums()} | ({"counts": counts} if counts else {})

    @property
    def by_blocks(self) -> bool:
        """True if users are protected; otherwise users' offsets are released, too."""
        return self.bounds.user_level

    def impossible_items(self, items):
        if (items.factors != 1).any():
            return "the factor of an item is not 1"
        return super().impossible_items(items)

    def impossible_users(self, factors):
        if (np.abs(factors) > self.bounds.half_range).any():
            return "a user's offset is above half the rating range"
        return None

    def _fit(self, ratings, statistics, randomness, callback):
        own = chosen = in_blocks(ratings, self.threads).then(self._bounding)
        if self.bounds.user_level:
            chosen = own.then(randomness.choices(self.ratings_per_user))
        offsets = self._item_offsets(chosen, statistics)
        self.item_offsets_ = self.centre + offsets
        self.item_factors_ = np.ones((self.shape_[1], 1))
        self._alone = own, offsets
        self._users = self._released_users(ratings, offsets, statistics)
        if callback is not None:
            callback(1, self)

    def _item_offsets(self, chosen, statistics):
        """Return the offset of each item from the centre."""
        return item_offsets(statistics, chosen, self.shape_[1], self.shrinkage)

    def _released_users(self, ratings, offsets, statistics):
        """Return what is released of users, shape (n_users, 1); at user level None."""
        if self.bounds.user_level:
            return None
        by_item, n_users = self._bounded(ratings.by_item), self.shape_[0]
        return user_offsets(statistics, by_item, offsets, n_users, self.shrinkage)[:, None]

    @property
    def user_factors_(self) -> np.ndarray:
        """Offsets of users, computed when first asked for; at user level from all ratings."""
        if self._users is None:
            own, offsets = self._alone
            given = {"shrinkage": self.shrinkage, "bound": self.bounds.half_range}
            alone = partial(own_offsets, of_items=offsets, **given)
            self._users = of_users(alone, own, ())[:, None]
        return self._users


class PrivateItemBias(PrivateUserItemBias):
    """Predict the item offset: :class:`PrivateUserItemBias` without the users."""

    offset_sides = 1

    def _released_users(self, ratings, offsets, statistics):
        return np.zeros((self.shape_[0], 1))


@with_parameters
class PrivateGlobalMean(PrivateItemBias):
    """Predict the mean of all ratings, from their noised sum and number."""

    shrinkage: float = field(default=5.0, init=False)  # of which it makes no use

    def _item_offsets(self, chosen, statistics):
        total, count = statistics.total_sum(chosen), statistics.total_count(chosen)
        return np.full(self.shape_[1], noised_mean(total, count, self.bounds.half_range))
