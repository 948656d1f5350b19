"""Items ranked by what users like: a private item-item model that each user applies alone.

A user has a set of likes. Three noised statistics make the model, each a sum over users of what
one user sends; n is the number of the user's likes that take part.

1. **counts.** The user sends the likes, each with the weight v = min(1, sqrt(C / n)), and
   R sqrt(C) if there are any: a vector of norm sqrt(v^2 n + R^2 C) <= sqrt(C (1 + R^2)), which
   users of C likes or more attain. All entries are at least 0, and the last one is the same for
   everybody who sends anything; so another user in the same place moves the sum by at most
   sqrt(2 C), attained by users without a common item, which is more than sqrt(C (1 + R^2)), as
   R < 1.
2. **pairs.** Of the m items that are released with pairs, chosen by the noised counts, the user
   sends 1 for each pair of likes i < j, times w = sqrt(2 / (l (l - 1))), l = max(n, L): the upper
   triangle, without the diagonal, of w x x^T. There are n (n - 1) / 2 such pairs, so its norm is
   w sqrt(n (n - 1) / 2) <= 1, with equality from L likes on. All entries are at least 0: another
   user in the same place moves the sum by at most sqrt(2).
   Where there are too few users for the noise of a pair, counts are asked for again instead, and
   the mean of both is taken.
3. **check.** A part of each user's likes, by a hash of the user's own label, has no part in the
   other two. The user ranks all other items by the model and by popularity and sends the NDCG of
   the first less that of the second, on the likes held out: a number within 1 either way; another
   user in the same place moves the sum by at most 2.

Each has a share of mu^2, and the choices that hang on noised numbers are those of adaptive
composition (see :mod:`dpmc.methods.user_level.local_bayes.method`).

**Likes held out must rank the same wherever in memory the user stands**, because a place of the
list is no continuous function of a score: :func:`differences` adds up in one order, user by user.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numba import njit

from dpmc.methods.base import number, positive, share, with_parameters
from dpmc.methods.kernels.top_lists import LENGTH, on_top
from dpmc.methods.private import EVERY_RATING
from dpmc.methods.user_level.covariance import SLACK, outer_sum
from dpmc.methods.user_level.predictions import UserLevelMethod
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.privacy.relations import USER_REPLACE
from dpmc.ratings import Compressed, Ratings

COUNTS_SHARE, CHECK_SHARE = 0.3, 0.05
"""Of the budget, as mu^2; pairs have the rest."""

HELD_OUT = 0.07
"""Share of each user's likes that the check is about, unless told another."""

SURE = 0.5
"""Deviations of the noise by which the lists of the model have to be worse to be taken back."""

COUNTED, USERS_COUNTED = 4.0, 0.25
"""C, the likes from which on a user's row of counts is shortened, and R, what a user adds to the
number of users in units of that row's length."""

FEWEST_LIKES = 3
"""L: users with fewer likes add less to the pairs than they may, as two likes say little."""

PAIRS_FROM, PAIRS_OF_LIKES = 150.0, 5.0
"""Users, in units of the noise of a pair, from which on pairs are asked for, unless told another
number: below, the counts are asked for again, as they say more. Users of about fewer likes than the
second count in part: who has one like has no pair."""

ITEMS, ITEMS_POWER, FEWEST_ITEMS, MOST_ITEMS = 2.5, 2 / 3, 20, 1200
"""Items with pairs, as a multiple and power of the users in units of the noise of a pair: the edge
of the noise grows with the root of their number; and no fewer, nor more, whatever the noise."""

ABOVE_EDGE = 1.02
"""Times the edge of the noise, from which on an eigenvalue counts: its correction has a pole
there."""

RIDGE = 150.0
"""Of the regression of an item on the others, in users of the mean weight."""

POPULAR = 0.05
"""What an item's popularity, as the share of users who like it, adds to its score."""

POPULAR_INSTEAD = "popularity"
"""What is published instead of a model that the last release says is worse."""


@dataclass(frozen=True)
class Popularity:
    """What noised counts say.

    Attributes
    ----------
    users : float
        About how many there are with a like; at least 1.
    likes : float
        How many a user has, about; at least 1.
    shares : float64 array, shape (n_items,)
        Of users who like an item, with noise: also below 0.
    noise : float
        Standard deviation of a share.
    """

    users: float
    likes: float
    shares: np.ndarray
    noise: float

    def as_model(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return offsets, scales and factors by which items rank alike for all users."""
        return self.shares, np.ones(self.shares.size), np.zeros((self.shares.size, 1))

    def with_pairs(self, gram: np.ndarray, noise: float, items: np.ndarray) -> "Popularity":
        """Return the same with what noised pairs say of their items: about each user who likes an
        item adds the same to its row of ``gram``, whatever the number of likes.
        """
        sums, before = gram.sum(axis=1), self.shares[items]
        if not min(sums.sum(), before.sum()) > 0:
            return self
        unit = before.sum() / sums.sum()
        theirs = max(noise * unit * max(items.size - 1, 1) ** 0.5, np.finfo(float).tiny)
        part = self.noise**2 / (self.noise**2 + theirs**2)
        shares = self.shares.copy()
        shares[items] = (1 - part) * before + part * unit * sums
        return replace(self, shares=shares)


@with_parameters
class LocalEase(UserLevelMethod):
    """Score items by a ridge regression of each on a user's likes, learnt from noised pairs.

    EASE (Steck, "Embarrassingly shallow autoencoders for sparse data", WWW 2019) predicts whether
    a user likes item j from the other likes, x_j = sum of B_ij x_i over i, B_jj = 0, by
    B_ij = -P_ij / P_jj with P = (G + ridge I)^-1, G the Gram matrix of all users' likes. Here G is
    what noised pairs of likes say: their eigenvectors above the edge of the noise, with shrunk
    eigenvalues, and the counts on the diagonal. So P is a diagonal matrix less F F^T, and all that
    is released of B are a row f_i of F and a scale a_i = 1 / P_ii of each item: a user's score of
    item j is a_j f_j . sum of f_i over the own likes i, and a little for popularity, by which items
    without pairs are ranked. Users compute it alone (the billboard lemma: Hsu et al. 2014, see
    :mod:`dpmc.privacy.relations`).

    Statistics and sensitivities are derived in :mod:`dpmc.methods.user_level.local_ease`. Where
    nothing of the pairs rises above the noise, or the noised check says that the lists of the model
    are worse, popularity is published instead.

    Parameters
    ----------
    relation : {"user_add_remove", "user_replace"}
    epsilon, delta
        See :class:`dpmc.methods.private.PrivateMethod`.
    rating_range : (float, float)
        Of no use: a like is a like.
    mechanism : {"gaussian"}
    ratings_per_user : int, optional
        Of each user so many likes take part; all of them if not given.
    likes_from : float, optional
        From this rating on a rating is a like; every one is if not given.
    checked : float
        Share of each user's likes that have no part in the model, so that it can be compared with
        popularity on them.
    pairs_from : float
        Users, in units of the noise of a pair, from which on pairs are asked for.

    Attributes
    ----------
    item_offsets_ : float64 array, shape (n_items,)
        Score of an item for users without likes.
    item_scales_ : float64 array, shape (n_items,)
        a.
    item_factors_ : float64 array, shape (n_items, rank)
        F; a column of zeros if it is popularity that is published.
    user_factors_ : float64 array, shape (n_users, rank)
        Sums of the rows of the own likes.
    fell_back_to_ : {None, "popularity"}
    """

    rating_range: tuple[float, float] = (0.0, 1.0)
    likes_from: float | None = number(None)
    checked: float = share(HELD_OUT, zero=False)
    pairs_from: float = positive(PAIRS_FROM, zero=True)

    finds_rank = True
    ranks = True

    def __post_init__(self):
        if self.ratings_per_user is None:
            self.ratings_per_user = EVERY_RATING
        super().__post_init__()

    @property
    def releases(self) -> int:
        """Of equal noise, to which the shares add up: as many as there are."""
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
        """At most; how many there are is told by what is released."""
        return MOST_ITEMS

    def fit(self, ratings, **given):
        """Fit the model and return it, see :meth:`dpmc.methods.private.PrivateMethod.fit`.

        Only likes take part, also in a private choice of items.
        """
        return super().fit(self.likes(ratings), **given)

    def likes(self, ratings: Ratings) -> Ratings:
        """Return the likes among ratings, each with the value 1."""
        if not isinstance(ratings, Ratings):
            return ratings  # which is refused
        if self.likes_from is not None:
            ratings = ratings.take(ratings.values >= self.likes_from)
        return replace(ratings, values=np.ones(len(ratings)), rating_range=None)

    def _fit(self, ratings, statistics, randomness, callback):
        own, n_items = ratings.by_user, ratings.n_items
        out = randomness.part(own, self.checked)
        known, wanted = own.keep(~out), own.keep(out)
        rows = randomness.choose(known, self.ratings_per_user)
        release = partial(self._release, statistics)
        counted = COUNTED * (1 + USERS_COUNTED**2)
        noised, noise = release("counts", *counts(rows, n_items), counted**0.5, COUNTS_SHARE)
        popularity = read_counts(noised, noise)
        left = 1 - COUNTS_SHARE - CHECK_SHARE
        of_pair = statistics.noise_std(self._sensitivity("pairs", 1.0)) * self._weight(left)
        telling = popularity.users * min(1, (popularity.likes - 1) / (PAIRS_OF_LIKES - 1))
        if telling < self.pairs_from * of_pair:
            again, less = release("counts", *counts(rows, n_items), counted**0.5, left)
            part = COUNTS_SHARE / (COUNTS_SHARE + left)
            noised = part * noised + (1 - part) * again
            popularity = read_counts(noised, less * (1 - part) ** 0.5)
            model = popularity.as_model()
        else:
            items = items_with_pairs(popularity, of_pair)
            few = rows.columns(items, n_items)
            noised, _ = release("pairs", *pairs(few, items.size), 1.0, left)
            gram = np.zeros((items.size, items.size))
            gram[np.triu_indices(items.size, 1)] = noised
            gram += gram.T
            popularity = popularity.with_pairs(gram, of_pair, items)
            model = read_pairs(gram, of_pair, items, popularity)
        sent, longest = differences(known, wanted, popularity.shares, *model)
        noised, noise = release("check", sent, longest, 1.0, CHECK_SHARE)
        popular = noised[0] < -SURE * noise or not model[2].any()
        self.fell_back_to_ = POPULAR_INSTEAD if popular else None
        if popular:
            model = popularity.as_model()
        self.item_offsets_, self.item_scales_, self.item_factors_ = model
        self.user_factors_ = own.matrix(n_items) @ self.item_factors_
        if callback is not None:
            callback(1, self)

    def _sensitivity(self, what: str, norm: float) -> float:
        """Return how far one user moves a sum of vectors of at most this norm."""
        if self.relation != USER_REPLACE:
            return norm
        return {"counts": (2 * COUNTED) ** 0.5, "pairs": 2**0.5 * norm, "check": 2 * norm}[what]

    def _release(self, statistics, what, sent, longest, norm, part):
        """Release a sum over users of vectors of at most this norm; return it and its noise."""
        if not longest <= norm * SLACK:
            raise PrivacyViolation(f"{what}: a user has norm {longest:g}, above the bound {norm:g}")
        sensitivity, weight = self._sensitivity(what, norm), self._weight(part)
        noised = statistics.ledger.release(what, sent, sensitivity, weight=weight)
        return noised, statistics.noise_std(sensitivity) * weight

    def predict_matrix(self):
        """Return the scores of all items, shape (n_users, n_items)."""
        scores = self.user_factors_ @ (self.item_scales_[:, None] * self.item_factors_).T
        return scores + self.item_offsets_

    def _predict_pairs(self, users, items):
        products = np.einsum("...r,...r->...", self.user_factors_[users], self.item_factors_[items])
        return self.item_scales_[items] * products + self.item_offsets_[items]


def counts(rows: Compressed, n_items: int) -> tuple[np.ndarray, float]:
    """Return the weighted numbers of likes of the items and, last, of users, and a norm.

    Parameters
    ----------
    rows : Compressed
        Likes by user.

    Returns
    -------
    sums : float64 array, shape (n_items + 1,)
    longest : float
        Norm of what a user adds, at most.
    """
    sizes = rows.sizes
    weights = np.minimum(1, np.sqrt(COUNTED / np.maximum(sizes, 1)))
    users = USERS_COUNTED * COUNTED**0.5 * (sizes > 0)
    sums = np.bincount(rows.indices, rows.per_rating(weights), minlength=n_items)
    longest = np.sqrt(np.max(weights**2 * sizes + users**2, initial=0.0))
    return np.append(sums, users.sum()), longest


def read_counts(noised: np.ndarray, noise: float) -> Popularity:
    """Return what noised :func:`counts` say.

    A row of n > C likes adds up to sqrt(C n), from which n follows where all users are alike.
    """
    users = max(noised[-1] / (USERS_COUNTED * COUNTED**0.5), 1.0)
    sums = noised[:-1]
    added = max(sums.sum() / users, 1.0)
    likes = max(added, added**2 / COUNTED)
    unit = likes / added / users
    return Popularity(float(users), float(likes), sums * unit, float(noise * unit))


def items_with_pairs(popularity: Popularity, noise: float) -> np.ndarray:
    """Return the items that most users like, ascending, as many as this noise of a pair allows."""
    number = ITEMS * (popularity.users / max(noise, 1e-30)) ** ITEMS_POWER
    number = int(np.clip(number, FEWEST_ITEMS, MOST_ITEMS))
    return np.sort(np.argsort(-popularity.shares, kind="stable")[:number])


def pairs(rows: Compressed, n_items: int) -> tuple[np.ndarray, float]:
    """Return the weighted numbers of users who like both items of a pair, and a norm.

    Parameters
    ----------
    rows : Compressed
        Likes by user, of the items with pairs.

    Returns
    -------
    sums : float64 array, shape (n_items (n_items - 1) / 2,)
        Row by row of the upper triangle without the diagonal.
    longest : float
        Norm of what a user adds, at most.
    """
    sizes = rows.sizes
    weights = pair_weight(sizes)
    total = outer_sum(rows.with_values(rows.per_rating(np.sqrt(weights))), n_items)
    sums = total[np.triu_indices(n_items, 1)]
    return sums, np.max(weights * np.sqrt(sizes * np.maximum(sizes - 1, 0) / 2), initial=0.0)


def pair_weight(likes: np.ndarray) -> np.ndarray:
    """Return w for users with so many likes."""
    enough = np.maximum(likes, FEWEST_LIKES)
    return np.sqrt(2 / (enough * (enough - 1)))


def read_pairs(
    gram: np.ndarray, noise: float, items: np.ndarray, popularity: Popularity
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return offsets, scales and factors of all items, as noised :func:`pairs` say.

    A matrix of noise alone has eigenvalues up to the edge 2 s sqrt(m); a direction of size t in it
    shows as l = t + s^2 m / t, with the squared cosine 1 - s^2 m / t^2 to its own (Benaych-Georges
    and Nadakuditi, "The eigenvalues and eigenvectors of finite, low rank perturbations of large
    random matrices", Advances in Mathematics 227(1), 2011).

    Parameters
    ----------
    gram : float64 array, shape (m, m)
        Symmetric, with zeros on the diagonal.
    noise : float
        Standard deviation of an entry.
    items : int64 array, shape (m,)
    """
    shares, m = popularity.shares, items.size
    # of the likes of a user so many are of items with pairs, if users are alike
    there = np.maximum(shares, 0)
    likes = popularity.likes * there[items].sum() / max(there.sum(), np.finfo(float).tiny)
    weight = pair_weight(likes)
    diagonal = weight * popularity.users * there[items]
    values, vectors = np.linalg.eigh(gram + np.diag(diagonal))
    edge = 2 * noise * m**0.5
    above = values > max(ABOVE_EDGE * edge, np.finfo(float).tiny)
    values, vectors = values[above][::-1], vectors[:, above][:, ::-1]
    sizes = shrunk(values, edge)
    rest = np.maximum(diagonal - vectors**2 @ sizes, 0)
    inverse = 1 / (rest + RIDGE * weight)
    scaled = inverse[:, None] * vectors
    inner = np.linalg.inv(np.diag(1 / sizes) + vectors.T @ scaled)
    few = scaled @ np.linalg.cholesky((inner + inner.T) / 2)
    factors = np.zeros((shares.size, max(sizes.size, 1)))
    factors[items, : sizes.size] = few
    scales = np.ones(shares.size)
    scales[items] = 1 / (inverse - np.square(few).sum(axis=1))
    return POPULAR * shares, scales, factors


def shrunk(values: np.ndarray, edge: float) -> np.ndarray:
    """Return the sizes of directions, times their squared cosines, that show as these values."""
    sizes = (values + np.sqrt(values**2 - edge**2)) / 2
    return sizes * (1 - (edge / (2 * sizes)) ** 2)


def differences(known, wanted, shares, offsets, scales, factors) -> tuple[np.ndarray, float]:
    """Return the sum over users of NDCG by the model less that by popularity, and a norm.

    Parameters
    ----------
    known, wanted : Compressed
        Likes by user: those that the user ranks by, and those that should stand on top.
    shares : float64 array, shape (n_items,)
        Popularity.
    offsets, scales, factors : float64 arrays
        The model, of all items.

    Returns
    -------
    total : float64 array, shape (1,)
    longest : float
        Largest size of what a user adds.
    """
    inside = np.flatnonzero(factors.any(axis=1))
    args = [each for rows in (known, wanted) for each in (rows.indptr, rows.indices)]
    sent = _differences(*args, shares, offsets, inside, scales, np.ascontiguousarray(factors))
    return np.array([sent.sum()]), np.abs(sent).max(initial=0.0)


@njit(cache=True)
def _differences(ptr, indices, out_ptr, out_indices, shares, offsets, inside, scales, factors):
    sent = np.zeros(ptr.size - 1)
    for user in range(sent.size):
        wanted = out_indices[out_ptr[user] : out_ptr[user + 1]]
        if wanted.size == 0:
            continue
        own = indices[ptr[user] : ptr[user + 1]]
        total = np.zeros(factors.shape[1])
        for item in own:
            for k in range(total.size):
                total[k] += factors[item, k]
        scores = offsets.copy()
        for item in inside:
            product = 0.0
            for k in range(total.size):
                product += factors[item, k] * total[k]
            scores[item] += scales[item] * product
        ours = on_top(scores, own, wanted, LENGTH)[1]
        sent[user] = ours - on_top(shares, own, wanted, LENGTH)[1]
    return sent
