"""Alternating minimisation as the read-me of DP_Matrix_Completion_Alt_Min has it, without noise."""

import numpy as np

from dpmc.methods.base import check_count, check_generator, check_positive
from dpmc.methods.kernels.private import balance
from dpmc.methods.normal import solve_rows
from dpmc.methods.user_level.matrices import sparse_matrix, top_singular
from dpmc.methods.user_level.references import CentredFactors
from dpmc.methods.user_level.sampling import keep

LEAST = 1e-6
"""Regularization of a least squares fit whose design has entries of size 1: for users who have
fewer ratings in a part than there are factors."""


class PublishedAltMin(CentredFactors):
    """AltMin with parts and averages as published, and no noise: nothing of it is private.

    Ratings are put into 2 T + 1 parts at random. V starts as the top right singular vectors of
    part 0; entries larger than 2 c sqrt(rank/n_items), c being ``coherence``, become 0, and the
    columns are made orthonormal. Round l = 0, ..., T - 1:

    1. Every node fits u = arg min |P(V u) - x|^2 to its ratings x in part l + 1.
    2. Every node fits V to its ratings in part T + l + 1. One column does not determine V; of the
       matrices that fit exactly this is the shortest, row j being x_j u / |u|^2, or 0.
    3. The server takes the mean over the nodes.

    A node is a user here, as in :class:`dpmc.methods.user_level.altmin.DPAltMin`: the read-me gives
    a column to each of its n nodes, n being the number of items, and protects users. Three
    choices favour the method: there is no noise, for which the read-me has no standard deviation;
    ratings are centred; and after each round users fit all of their ratings to the mean, in place
    of returning what fits the parts of the last round. V is multiplied by a number after each
    round, which changes no prediction.

    Source: read-me of DP_Matrix_Completion_Alt_Min, algorithms "the cloud server" and "at node j".

    Parameters
    ----------
    rank : int
    iterations : int
        T.
    coherence : float
        c > 0.

    Attributes
    ----------
    mean_, user_factors_, item_factors_
        See :class:`dpmc.methods.user_level.references.CentredFactors`.

    Raises
    ------
    InputError
        A parameter out of its range, or a fit without a generator.
    """

    def __init__(self, *, rank, iterations=3, coherence=3.0):
        self.rank = check_count("rank", rank)
        self.iterations = check_count("iterations", iterations)
        self.coherence = check_positive("coherence", coherence)

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None):
        """Fit the model; ``rng`` draws the parts. See :meth:`dpmc.methods.base.Method.fit`."""
        self._rng = check_generator("rng", rng)
        return super().fit(ratings, callback=callback)

    def _fit(self, rows, n_items, report):
        steps, n_users = self.iterations, rows.indptr.size - 1
        part = self._rng.integers(2 * steps + 1, size=rows.values.size)
        start = top_singular(sparse_matrix(keep(rows, part == 0), n_items), self.rank)[1]
        largest = 2 * self.coherence * np.sqrt(self.rank / n_items)
        items = balance(np.where(np.abs(start) > largest, 0, start), 1.0)
        for step in range(steps):
            users = solve_rows(keep(rows, part == step + 1), items, LEAST)
            squares = np.maximum(np.einsum("nr,nr->n", users, users), 1e-300)
            fitted = sparse_matrix(keep(rows, part == steps + step + 1), n_items)
            items = fitted.T @ (users / squares[:, None]) / n_users
            items *= np.sqrt(items.size) / max(np.linalg.norm(items), 1e-300)
            self.item_factors_ = items
            self.user_factors_ = solve_rows(rows, items, LEAST)
            report(step + 1)
