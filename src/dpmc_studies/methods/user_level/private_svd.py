"""Singular vectors of the matrix of ratings, from one noised covariance."""

import math

import numpy as np

from dpmc.methods.base import choice, count, positive, with_parameters
from dpmc.methods.normal import solve_rows
from dpmc_studies.methods.user_level.joint import CENTRINGS, JointMethod
from dpmc_studies.methods.user_level.outer_sums import release_outer_sum, top_eigenvectors
from dpmc_studies.methods.user_level.sampling import clip_values

USERS = ("projection", "regression")


@with_parameters
class PrivateSVD(JointMethod):
    """Top eigenvectors V of the noised sum of x x^T over users, with x = 0 for unrated items.

    **Sensitivity.** The vector x of a user's centred ratings is scaled down to length L. The sum
    changes by x x^T, of Frobenius norm at most L^2, or by at most sqrt(2) L^2 if a user is replaced
    (:func:`dpmc.methods.user_level.covariance.outer_sensitivity`). The sum is released once.

    Source: McSherry and Mironov 2009, section 4, with the users' own means and no weights; Dwork et
    al. 2014, algorithm 1, with noise on full symmetric matrices.

    Parameters that are not listed are those of
    :class:`dpmc_studies.methods.user_level.joint.JointMethod`.

    Parameters
    ----------
    row_bound : float
        L > 0.
    users : {"projection", "regression"}
        How users compute their factors, alone: "projection" of their ratings, with zeros for
        unrated items, onto V, or "regression" of their ratings on the rated rows of V (times
        sqrt(n_items)).
    user_regularization : float
        lambda > 0 of the regression.
    """

    rank: int = count()
    row_bound: float = positive()
    users: str = choice(USERS, "projection")
    user_regularization: float = positive(1.0)
    centring: str = choice(CENTRINGS, "user")

    iterations = 1

    @property
    def releases(self) -> int:
        """1."""
        return 1

    def _fit(self, ratings, statistics, randomness, callback):
        rows, own = self._prepare(ratings, statistics, randomness)
        n_items = int(self.frequent_.sum())
        matrix = release_outer_sum(
            "covariance", clip_values(rows, np.inf, self.row_bound), n_items, statistics.ledger,
            self.row_bound, self.relation, self._weight(1.0),
        )  # fmt: skip
        vectors = top_eigenvectors(matrix, self.rank)[1]
        if self.users == "regression":
            vectors = vectors * math.sqrt(n_items)
            self.user_factors_ = solve_rows(own, vectors, self.user_regularization)
        else:
            self.user_factors_ = own.matrix(n_items) @ vectors
        self.item_factors_ = self._of_all_items(vectors)
        if callback is not None:
            callback(1, self)
