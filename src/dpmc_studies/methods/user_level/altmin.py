"""Alternating minimisation whose server adds up clipped updates of the users."""

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import count, positive, with_parameters
from dpmc.methods.kernels.private import balance
from dpmc.methods.normal import solve_rows
from dpmc.methods.user_level.predictions import observed
from dpmc.privacy.relations import USER_REPLACE
from dpmc_studies.methods.user_level.item_step import clipped_updates
from dpmc_studies.methods.user_level.joint import JointMethod
from dpmc_studies.methods.user_level.outer_sums import release_outer_sum, top_eigenvectors
from dpmc_studies.methods.user_level.sampling import clip_values


@with_parameters
class DPAltMin(JointMethod):
    """Alternating minimisation: users solve for themselves and send how they would move V.

    V starts as the top eigenvectors of the noised sum of x x^T, as in
    :class:`dpmc_studies.methods.user_level.private_svd.PrivateSVD`. Entries larger than 2 c
    sqrt(rank/n_items) in size, with c = ``coherence``, are set to 0. Then T times:

    1. V <- sqrt(n_items) V (V^T V)^(-1/2).
    2. Every user fits u = (sum v v^T + lambda I)^-1 sum v x alone. The user then computes the
       smallest change D of V with which u exactly fits the ratings x that count: D_j = (x_j - v_j .
       u) u / |u|^2. The user scales D down to Frobenius norm C and sends it.
    3. The server sums all D, adds noise, and takes the Newton step for users whose rows point
       equally in all directions: V <- V + (rank / item_ratings) (sum of D + noise).

    **Sensitivity.** For the start it is L^2, or sqrt(2) L^2 if a user is replaced. A sum of D
    changes by one D, of norm C, or, if a user is replaced, by the difference of two, of norm 2 C. V
    was released before, so given V each D depends on its user's own ratings alone.

    The algorithm as published, in the read-me of DP_Matrix_Completion_Alt_Min, has no clipping, a
    start without noise, noise with a free standard deviation, and no composition over rounds. It
    splits the ratings at random into 2 T + 1 parts, as its theory requires, and the server
    averages. Here everything is clipped, noised and accounted for, each round uses all ratings, and
    the sum is divided by a public number instead of its number of terms.

    Parameters that are not listed are those of
    :class:`dpmc_studies.methods.user_level.joint.JointMethod`.

    Parameters
    ----------
    row_bound, user_regularization, coherence : float
        L, lambda and c, above 0.
    update_bound : float
        C > 0, in units of ratings for V with entries of size 1 and users of length 1.
    item_ratings : float
        A public guess of the number of ratings of an item; for stability, of the most popular item.
    iterations : int
        T.
    start_share : float
        Share of mu^2 for the start, between 0 and 1.
    """

    rank: int = count()
    row_bound: float = positive()
    update_bound: float = positive()
    item_ratings: float = positive()
    iterations: int = count(3)
    user_regularization: float = positive(1.0)
    start_share: float = positive(0.3)
    coherence: float = positive(3.0)

    def __post_init__(self):
        super().__post_init__()
        if self.start_share >= 1:
            raise InputError(f"start_share must be below 1, got {self.start_share!r}.")

    @property
    def releases(self) -> int:
        """The start and each round."""
        return 1 + self.iterations

    def _fit(self, ratings, statistics, randomness, callback):
        rows, own = self._prepare(ratings, statistics, randomness)
        ledger, n_items = statistics.ledger, int(self.frequent_.sum())
        matrix = release_outer_sum(
            "covariance", clip_values(rows, np.inf, self.row_bound), n_items, ledger,
            self.row_bound, self.relation, self._weight(self.start_share),
        )  # fmt: skip
        start = top_eigenvectors(matrix, self.rank)[1]
        largest = 2 * self.coherence * np.sqrt(self.rank / n_items)
        items = balance(np.where(np.abs(start) > largest, 0, start), 1.0)
        step = self.rank / self.item_ratings
        weight = self._weight((1 - self.start_share) / self.iterations)
        sensitivity = self.update_bound * (2 if self.relation == USER_REPLACE else 1)
        users = solve_rows(own, items, self.user_regularization)
        for iteration in range(1, self.iterations + 1):
            changes = ledger.release(
                "updates", self._updates(rows, users, items), sensitivity, weight=weight
            )
            items = balance(items + step * changes, 1.0)
            users = solve_rows(own, items, self.user_regularization)
            self.user_factors_, self.item_factors_ = users, self._of_all_items(items)
            if callback is not None:
                callback(iteration, self)

    def _updates(self, rows, users, items) -> np.ndarray:
        """Return the sum of the users' clipped updates, shape (n_items, rank)."""
        left = rows.with_values(rows.values - observed(rows, users, items))
        squares = np.maximum(np.einsum("nr,nr->n", users, users), 1e-300)
        directions = users / squares[:, None]
        # |D| is the product of the lengths of what is left and of u/|u|^2
        norms = left.norms() / np.sqrt(squares)
        return clipped_updates(left, directions, norms, self.update_bound, len(items))
