"""Local EASE: three statistics put together."""

from dataclasses import replace
from functools import partial
from typing import ClassVar

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import number, positive, share, with_parameters
from dpmc.methods.blocks import LabelledBlocks, in_blocks, of_users
from dpmc.methods.private import EVERY_RATING
from dpmc.methods.private_choice import within, without
from dpmc.methods.user_level.local_ease import check, counts, pairs
from dpmc.methods.user_level.local_ease.constants import (
    CHECK_SHARE,
    COUNTS_SHARE,
    HELD_OUT,
    MOST_ITEMS,
    PAIRS_FROM,
)
from dpmc.methods.user_level.predictions import UserLevelMethod
from dpmc.privacy.relations import USER_REPLACE
from dpmc.ratings import Ratings
from dpmc.released import SCORES

STATISTICS = {"counts": counts, "pairs": pairs, "check": check}

POPULAR_INSTEAD = "popularity"
"""What is published instead of a model that is not known to be better."""


@with_parameters
class LocalEase(UserLevelMethod):
    """Score items by a ridge regression of each on a user's likes, learnt from noised pairs.

    EASE (Steck, "Embarrassingly shallow autoencoders for sparse data", WWW 2019) predicts whether a
    user likes item j from the other likes: x_j = sum of B_ij x_i over i, B_jj = 0, with B_ij =
    -P_ij / P_jj, P = (G + ridge I)^-1 and G the Gram matrix of all users' likes. Here G is
    estimated from noised pairs: it has their eigenvectors above the edge of the noise, with shrunk
    eigenvalues, and the counts on the diagonal. P is then a diagonal matrix less F F^T. Only a row
    f_i of F and a scale a_i = 1 / P_ii of each item are released. A user's score of item j is a_j
    f_j . sum of f_i over the user's likes i, plus a little popularity, which ranks the items
    without pairs. Users compute it alone (the billboard lemma: Hsu et al. 2014, see
    :mod:`dpmc.privacy.relations`).

    The modules of this package derive the statistics and sensitivities. Popularity is published
    instead of the model in three cases: there are too few users for the noise, no direction of the
    pairs exceeds the noise, or the noised check does not show that the model's lists are better.

    Parameters
    ----------
    relation : {"user_add_remove", "user_replace"}
    epsilon, delta
        See :class:`dpmc.methods.private.PrivateMethod`.
    rating_range : (float, float)
        Not used, because likes have no value.
    mechanism : {"gaussian"}
    ratings_per_user : int, optional
        Number of likes of each user that take part, including those of the check; all if not given.
    likes_from : float, optional
        Smallest rating that is a like; all ratings are likes if not given.
    checked : float
        Share of each user's likes that have no part in the pairs, so that lists can be compared on
        them.
    pairs_from : float
        Number of users, in units of the noise of a pair, from which on pairs are released.

    Attributes
    ----------
    item_offsets_ : float64 array, shape (n_items,)
        Score of an item for users without likes.
    item_scales_ : float64 array, shape (n_items,)
        a.
    item_factors_ : float64 array, shape (n_items, rank)
        F; a column of zeros if popularity is published.
    user_factors_ : float64 array, shape (n_users, rank)
        Sums of the rows of F of each user's likes.
    fell_back_to_ : {None, "popularity"}
    """

    rating_range: tuple[float, float] = (0.0, 1.0)
    likes_from: float | None = number(None)
    checked: float = share(HELD_OUT, zero=False)
    pairs_from: float = positive(PAIRS_FROM, zero=True)

    fixed = ("rating_range", "checked", "pairs_from")
    finds_rank = True
    ranks = True
    by_blocks = True
    way = SCORES
    instead: ClassVar = {
        POPULAR_INSTEAD: "the number of users who like an item, by which all users' items rank "
        "alike"
    }
    why_instead = (
        "Noised numbers do not show that lists made of each user's own likes would be better."
    )

    def __post_init__(self):
        if self.ratings_per_user is None:
            self.ratings_per_user = EVERY_RATING
        super().__post_init__()
        if self.checked >= 1:
            raise InputError(f"checked must be a share below 1, got {self.checked!r}.")

    @property
    def releases(self) -> int:
        """Number of releases of equal noise that the shares divide: as many as are made."""
        return 3

    @property
    def iterations(self) -> int:
        return 1

    @property
    def rank(self) -> int:
        """Number of factors that were found; after a fit."""
        return self.item_factors_.shape[1]

    @property
    def n_factors(self) -> int:
        """Largest number of factors; the releases tell how many there are."""
        return MOST_ITEMS

    def fit(self, ratings, **given):
        """Fit the model and return it, see :meth:`dpmc.methods.private.PrivateMethod.fit`.

        Only likes take part, also in a private choice of items.
        """
        return super().fit(self.likes(ratings), **given)

    def likes(self, ratings: Ratings | LabelledBlocks) -> Ratings | LabelledBlocks:
        """Return the likes among ratings, each with the value 1."""
        if isinstance(ratings, LabelledBlocks):
            return ratings.then(partial(_likes, self.likes_from))
        if not isinstance(ratings, Ratings):
            return ratings  # which is refused
        if self.likes_from is not None:
            ratings = ratings.take(ratings.values >= self.likes_from)
        return replace(ratings, values=np.ones(len(ratings)), rating_range=None)

    def ratings_in_words(self):
        level = (
            f"{self.likes_from:g} or more" if self.likes_from is not None else "each row is a like"
        )
        return f"which ratings are likes: {level}; their values say no more"

    @property
    def share_apart(self):
        return self.checked

    def published_as(self, items):
        """Popularity is one column of zeros, and equal scales."""
        if items.factors.any():
            return {None}
        popular = items.factors.shape[1] == 1 and (items.scales == 1).all()
        return {POPULAR_INSTEAD} if popular else set()

    def impossible_items(self, items):
        if not items.factors.any(axis=0).all() and items.factors.shape[1] > 1:  # popularity has one
            return "a column of factors is 0 for all items"
        return None

    def _fit(self, ratings, statistics, randomness, callback):
        own, n_items = in_blocks(ratings, self.threads), ratings.n_items
        rows = own.then(randomness.choices(self.ratings_per_user))
        out = randomness.parts(self.checked)
        popularity, model = self._learnt(rows, out, n_items, statistics)
        popular = None
        if model is not None:
            divided = partial(_divided, out)
            sent = check.statistic(rows, divided, popularity.shares, *model)
            noised, noise = self._ask(statistics, "check", sent, CHECK_SHARE)
            popular = check.better(noised, noise) if model[1].any() else None
        self._publish(own, popularity, popular, model)
        if callback is not None:
            callback(1, self)

    def _publish(self, own, popularity, popular, model):
        """Set scales and factors, and so much of popularity; without it popularity alone."""
        self.fell_back_to_ = POPULAR_INSTEAD if popular is None else None
        if popular is None:
            popular, model = 1.0, popularity.as_model()
        self.item_offsets_ = popular * popularity.shares
        self.item_scales_, self.item_factors_ = model
        self._alone, self._users = own, None

    def _learnt(self, rows, out, n_items, statistics):
        """Return popularity, and scales and factors, or None where pairs were not asked for."""
        sent = counts.statistic(rows, n_items)
        noised, noise = self._ask(statistics, "counts", sent, COUNTS_SHARE)
        popularity = counts.read(noised, noise)
        left = 1 - COUNTS_SHARE - CHECK_SHARE
        of_pair = statistics.noise_std(self._sensitivity("pairs")) * self._weight(left)
        # too few users for pairs: what was kept for them goes into better counts, at the same cost
        if pairs.telling(popularity) < self.pairs_from * of_pair:
            again, less = self._ask(statistics, "counts", sent, 1 - COUNTS_SHARE)
            # weights by the inverse variances, which are proportional to the shares
            noised = COUNTS_SHARE * noised + (1 - COUNTS_SHARE) * again
            return counts.read(noised, less * (1 - COUNTS_SHARE) ** 0.5), None
        items = pairs.items_worth_it(popularity, of_pair)
        few = rows.then(partial(without, out)).then(partial(_columns, items, n_items))
        sent = pairs.statistic(few, items.size)
        noised, _ = self._ask(statistics, "pairs", sent, left)
        gram = pairs.matrix_of(noised, items.size)
        popularity = popularity.with_pairs(gram, of_pair, items)
        return popularity, pairs.read(gram, of_pair, items, popularity)

    @property
    def user_factors_(self) -> np.ndarray:
        """Users' factors, computed from the model and their own likes when first asked for."""
        if self._users is None:
            factors = self.item_factors_
            self._users = of_users(
                partial(_sums_of_factors, factors=factors), self._alone, factors.shape[1:]
            )
        return self._users

    def _sensitivity(self, what: str) -> float:
        """Return how far one user moves a sum."""
        made = STATISTICS[what]
        return made.REPLACED if self.relation == USER_REPLACE else made.NORM

    def _ask(self, statistics, what, sent, share):
        """Release a sum and return it and its noise, see :meth:`_release`."""
        norm, sensitivity = STATISTICS[what].NORM, self._sensitivity(what)
        return self._release(statistics, what, *sent, norm, share, sensitivity)

    def predict_matrix(self):
        """Return the scores of all items, shape (n_users, n_items)."""
        scores = self.user_factors_ @ (self.item_scales_[:, None] * self.item_factors_).T
        return scores + self.item_offsets_

    def _predict_pairs(self, users, items):
        products = np.einsum("...r,...r->...", self.user_factors_[users], self.item_factors_[items])
        return self.item_scales_[items] * products + self.item_offsets_[items]


def _likes(likes_from, first, rows):
    rows = rows if likes_from is None else rows.keep(rows.values >= likes_from)
    return rows.with_values(np.ones(rows.values.size))


def _divided(out, first, rows):
    return without(out, first, rows), within(out, first, rows)


def _columns(items, n_items, first, rows):
    return rows.columns(items, n_items)


def _sums_of_factors(rows, first, *, factors):
    return rows.matrix(len(factors)) @ factors
