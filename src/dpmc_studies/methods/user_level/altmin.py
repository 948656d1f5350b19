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
    :class:`dpmc_studies.methods.user_level.private_svd.PrivateSVD`; entries of these larger than
    2 c sqrt(rank/n_items), c being ``coherence``, become 0. Then T times:

    1. V <- sqrt(n_items) V (V^T V)^(-1/2).
    2. Every user fits u = (sum v v^T + lambda I)^-1 sum v x alone, and finds the smallest change of
       the rows of V under which u fits the ratings x that count exactly:
       D_j = (x_j - v_j . u) u / |u|^2. D is scaled down to Frobenius norm C and sent.
    3. The server adds up, with noise, and takes a Newton step for users of all directions alike:
       V <- V + (rank / item_ratings) (sum of D + noise).

    **Sensitivity.** The start: L^2, or sqrt(2) L^2 if another user takes the place. A sum of D: it
    changes by one D of norm C, or by the difference of two, 2 C; given V, which was released, D
    depends on the user's own ratings alone.

    As published, in the read-me of DP_Matrix_Completion_Alt_Min, nodes send what they solved for
    without clipping, the start is that of the ratings without noise, noise has a free standard
    deviation and rounds are not composed; ratings are split at random into 2 T + 1 parts, which
    theory asks for, and the server averages. Here everything is clipped, noised and accounted for,
    all ratings take part in each round, and a public number stands for that of the terms of the
    average.

    Parameters that are not listed are those of
    :class:`dpmc_studies.methods.user_level.joint.JointMethod`.

    Parameters
    ----------
    row_bound, user_regularization, coherence : float
        L, lambda and c, above 0.
    update_bound : float
        C > 0, in units of ratings if V has entries of size 1 and users are of length 1.
    item_ratings : float
        A public guess of how many ratings an item has; for stability, the most popular.
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
