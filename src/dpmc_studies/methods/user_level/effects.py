"""Means of items and users, and the covariance of the residuals."""

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import count, positive, share, with_parameters
from dpmc.methods.factorization.private_offsets import PRIOR_SHARE, damped_offsets, noised_mean
from dpmc.methods.kernels.private import column_sums
from dpmc.methods.normal import solve_rows
from dpmc.methods.private import EVERY_RATING
from dpmc.methods.user_level.covariance import margin, outer_sensitivity
from dpmc.privacy.relations import USER_REPLACE
from dpmc.ratings import Compressed
from dpmc_studies.methods.user_level.joint import OffsetModel
from dpmc_studies.methods.user_level.outer_sums import (
    check_columns,
    check_rank,
    check_row_lengths,
    release_outer_sum,
    top_eigenvectors,
)


@with_parameters
class EffectsAndCovariance(OffsetModel):
    """Predict item mean + user mean + a residual, the last from a noised covariance of residuals.

    Every user has the weight 1/n, where n is the number of the user's ratings that count. Below,
    ratings x are taken relative to the middle of the range:

    1. For each item, the sum and the number of its ratings are released, with each rating weighted
       by 1/sqrt(n). Their totals give the global mean, and with it a damped mean of each item
       (:func:`dpmc.methods.factorization.private_offsets.damped_offsets`).
    2. Each user alone subtracts item means from all own ratings, then the damped mean of the rest.
    3. The residuals r are clamped to [-B, B]. The sum of r r^T/n over users is released for the
       items with the highest noised numbers. Optionally the sum of e e^T/n is released too, where e
       is 1 for rated items, and the first sum is divided by it entry by entry.
    4. The top eigenvectors and eigenvalues of the result are published. With the SVD predictor,
       users fit their r to the eigenvectors. With the neighbour predictor, users predict r of item
       i from k neighbours N: the rated items whose covariance C with i, in the low-rank part of the
       matrix, is largest in size. The prediction is C_iN (C_NN + lambda I)^-1 r_N. As C = F F^T, it
       equals f_i . u, where u is the ridge regression of r_N on F_N.

    **Sensitivity.** Let R be half the length of the range. The vector x/sqrt(n) of a user has at
    most length R and e/sqrt(n) has length 1. The sums therefore change by R (2 R if a user is
    replaced), and the numbers by 1 (sqrt(2), because they are not negative). r/sqrt(n) has at most
    length B. In the Frobenius norm r r^T/n changes its sum by B^2 and e e^T/n by 1 (sqrt(2) times
    as much if a user is replaced: :func:`dpmc.methods.user_level.covariance.outer_sensitivity`).
    Given the earlier releases, r depends on the user's own ratings alone.

    Source: McSherry and Mironov 2009, for the mean, the means of movies and users with fictitious
    ratings, clamped residuals, weighted covariances and numbers of pairs. They protect single
    ratings, release the mean separately (here it follows from the item sums), and damp without
    regard to the noise. We could not read how they weigh neighbours; the weights above are ours.

    Parameters that are not listed are those of :class:`dpmc.methods.private.PrivateMethod`.

    Parameters
    ----------
    mechanism : {"gaussian"}
    ratings_per_user : int, optional
        At most so many ratings of a user count for the releases; all if not given.
    rank : int
    value_bound : float
        B > 0.
    shrinkage, user_shrinkage : float
        At least 0: how many ratings at the mean are added for each item (in weights 1/sqrt(n)) and
        user.
    effects_share : float
        Share of mu^2 for the effects: half of it for sums, half for numbers.
    pairs_share : float
        Share of the remaining mu^2 for the numbers of pairs; with 0 nothing is divided by them.
    pairs_shrinkage : float
        Addition to the numbers of pairs, in standard deviations of their noise.
    item_share : float
        This share of the items, those with the highest noised numbers, have factors; at least the
        rank.
    user_regularization : float
        lambda > 0 of the users' fits; the rows of F have the mean square ``rank``.
    neighbours : int, optional
        k >= 1; without it the predictor is the SVD predictor, which weighs all columns of F alike.
    """

    rank: int = count(1)
    value_bound: float = positive(1.0)
    shrinkage: float = positive(3.0, zero=True)
    user_shrinkage: float = positive(2.0, zero=True)
    effects_share: float = share(0.9, zero=False)
    pairs_share: float = share(0.0)
    pairs_shrinkage: float = positive(10.0)
    item_share: float = share(0.1, zero=False)
    user_regularization: float = positive(40.0)
    neighbours: int | None = count(None)

    iterations = 1
    releases = 1

    def __post_init__(self):
        if self.ratings_per_user is None:
            self.ratings_per_user = EVERY_RATING
        super().__post_init__()
        for name in ("effects_share", "pairs_share"):
            if getattr(self, name) == 1:
                raise InputError(f"{name} must be below 1, or nothing is left for the covariance.")

    def _fit(self, ratings, statistics, randomness, callback):
        n_items = ratings.n_items
        kept = min(n_items, max(self.rank, round(self.item_share * n_items)))
        check_rank(self.rank, kept)
        check_columns(kept)
        own = self._bounded(ratings.by_user)
        chosen = randomness.choose(own, self.ratings_per_user)
        effects, numbers = self._item_effects(chosen, n_items, statistics)
        left = own.minus(columns=effects)
        users = left.sums(left.values) / np.maximum(own.sizes + self.user_shrinkage, 1e-300)
        left, chosen = left.minus(rows=users), chosen.minus(columns=effects, rows=users)
        items = np.sort(np.argsort(-numbers, kind="stable")[:kept])
        self.item_offsets_, self.user_offsets_ = self.centre + effects, users
        self.user_means_ = self.centre + own.means(0.0)
        self.frequent_ = np.ones(n_items, dtype=bool)  # the others have factors 0
        self.item_factors_ = np.zeros((n_items, self.rank))
        self.item_factors_[items] = self._directions(
            chosen.columns(items, n_items), kept, statistics
        )
        self.user_factors_ = solve_rows(left, self.item_factors_, self.user_regularization)
        self._left = left
        if callback is not None:
            callback(1, self)

    def predict_matrix(self) -> np.ndarray:
        """Return all predicted ratings, clipped to the public range, shape (n_users, n_items)."""
        if self.neighbours is None:
            return super().predict_matrix()
        everything = np.indices((len(self.user_offsets_), len(self.item_offsets_)))
        return self._predict_pairs(*everything)

    def _predict_pairs(self, users, items):
        if self.neighbours is None:
            return super()._predict_pairs(users, items)
        users, items = np.broadcast_arrays(users, items)
        predicted = self.user_offsets_[users] + self.item_offsets_[items]
        order = np.argsort(users, axis=None, kind="stable")
        ends = np.flatnonzero(np.diff(users.ravel()[order])) + 1
        for places in np.split(order, ends) if order.size else ():
            user = users.flat[places[0]]
            predicted.flat[places] += self._by_neighbours(user, items.ravel()[places])
        return np.clip(predicted, *self.rating_range)

    def _by_neighbours(self, user, items):
        """Return what the k ratings of a user that are nearest to each item say of it."""
        own = slice(*self._left.indptr[user : user + 2])
        rated, wanted = self.item_factors_[self._left.indices[own]], self.item_factors_[items]
        k = min(self.neighbours, len(rated))
        near = np.argsort(-np.abs(wanted @ rated.T), axis=1, kind="stable")[:, :k]
        factors, left = rated[near], self._left.values[own][near]
        penalty = self.user_regularization * np.eye(self.rank)
        grams = np.swapaxes(factors, 1, 2) @ factors + penalty
        targets = np.einsum("nkr,nk->nr", factors, left)
        return np.einsum("nr,nr->n", wanted, np.linalg.solve(grams, targets[..., None])[..., 0])

    def _item_effects(self, rows, n_items, statistics):
        """Return means of the items, from the centre of the range, and their noised numbers."""
        bound, half = self.bounds.half_range, self._weight(self.effects_share / 2)
        signed, unsigned = (2.0, np.sqrt(2.0)) if self.relation == USER_REPLACE else (1.0, 1.0)

        def released(what, rows, longest, more):
            rows = _of_weight_one(rows)
            check_row_lengths(rows, longest)
            exact = column_sums(rows, n_items, longest)
            return statistics.ledger.release(what, exact, more * longest, weight=half)

        sums = released("sums", rows, bound, signed)
        numbers = released("counts", _ones(rows), 1.0, unsigned)
        mean = noised_mean(sums.sum(), numbers.sum(), bound)
        noise = statistics.noise_std(signed * bound) * half
        effects = damped_offsets(
            sums - numbers * mean, numbers, self.shrinkage, noise, PRIOR_SHARE * bound
        )
        return np.clip(mean + effects, -bound, bound), numbers

    def _directions(self, left, n_items, statistics):
        """Return F, from the covariance of what is left, shape (n_items, rank)."""
        bound, rest = self.value_bound, 1 - self.effects_share

        def released(what, rows, longest, weight):
            ledger = statistics.ledger
            return release_outer_sum(what, rows, n_items, ledger, longest, self.relation, weight)

        clamped = _of_weight_one(left.clipped(-bound, bound))
        weight = self._weight(rest * (1 - self.pairs_share))
        matrix = released("covariance", clamped, bound, weight)
        if self.pairs_share:
            weight = self._weight(rest * self.pairs_share)
            pairs = released("pairs", _of_weight_one(_ones(left)), 1.0, weight)
            noise = statistics.noise_std(outer_sensitivity(self.relation, 1.0)) * weight
            matrix = matrix / (np.maximum(pairs, 0) + self.pairs_shrinkage * noise)
        values, vectors = top_eigenvectors(matrix, self.rank)
        sizes = np.maximum(values, 0) if self.neighbours else np.ones(self.rank)
        return vectors * np.sqrt(n_items * self.rank * sizes / max(sizes.sum(), 1e-300))


def _ones(rows):
    return rows.with_values(np.ones(rows.values.size))


def _of_weight_one(rows: Compressed) -> Compressed:
    """Return rows divided by the roots of their numbers of ratings, a hair shorter."""
    shrink = (1 - margin(float)) / np.sqrt(np.maximum(rows.sizes, 1))
    return rows.with_values(rows.values * rows.per_rating(shrink))
