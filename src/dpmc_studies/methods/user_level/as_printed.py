"""The two algorithms of the read-me of DP_Matrix_Completion_Alt_Min as printed, without noise."""

from abc import abstractmethod

import numpy as np

from dpmc.methods.base import check_generator, count, positive, with_parameters
from dpmc.methods.kernels.private import balance
from dpmc.methods.normal import solve_rows
from dpmc_studies.methods.user_level.references import CentredFactors, top_singular

LEAST = 1e-6
"""Regularization of a least squares fit whose design has entries of size 1: for users who have
fewer ratings in a part than there are factors."""


@with_parameters
class RoundsAsPrinted(CentredFactors):
    """Rounds of nodes that fit and a server that averages: nothing of it is private.

    Ratings are put into parts at random. V starts as the top right singular vectors of part 0. In
    each round every node fits its u to its ratings in one part, fits V to its ratings in one part,
    and the server takes the mean over the nodes.

    A node is a user here, as in :class:`dpmc_studies.methods.user_level.altmin.DPAltMin`: the
    read-me gives a column to each of its n nodes, n being the number of items, and protects users.
    Three choices favour the methods: there is no noise, for which the read-me has no standard
    deviation; ratings are centred; and after each round users fit all of their ratings to the mean,
    in place of returning what fits the parts of the last round. V is multiplied by a number after
    each round, which changes no prediction.

    Parameters
    ----------
    iterations : int
        T, the number of rounds.
    """

    rank: int = count()
    iterations: int = count(3)

    def fit(self, ratings, *, rng=None, noise_rng=None, callback=None):
        """Fit the model; ``rng`` draws the parts. See :meth:`dpmc.methods.base.Method.fit`."""
        self._rng = check_generator("rng", rng)
        return super().fit(ratings, callback=callback)

    def _fit(self, rows, n_items, report):
        part = self._parts(self._rng, rows.values.size)
        start = top_singular(rows.keep(part == 0).matrix(n_items), self.rank)[1]
        items = balance(self._clipped(start), 1.0)
        for step in range(self.iterations):
            users = solve_rows(rows.keep(part == step + 1), items, LEAST)
            fitted = rows.keep(part == self._part_of_items(step)).matrix(n_items)
            items = fitted.T @ self._weights(users, fitted) / len(users)
            items *= np.sqrt(items.size) / max(np.linalg.norm(items), 1e-300)
            self.item_factors_ = items
            self.user_factors_ = solve_rows(rows, items, LEAST)
            report(step + 1)

    def _clipped(self, start):
        """Return the start with what the read-me cuts from it."""
        return start

    @abstractmethod
    def _parts(self, rng, size) -> np.ndarray:
        """Return the part of each rating; users fit part step + 1 in a step."""

    @abstractmethod
    def _part_of_items(self, step) -> int:
        """Return the part to which nodes fit V in a step."""

    @abstractmethod
    def _weights(self, users, fitted) -> np.ndarray:
        """Return what a user's ratings are multiplied by to give what the node sends.

        Like ``users`` that is (n_users, rank); nodes fit V to ``fitted``, sparse, (n_users,
        n_items).
        """


@with_parameters
class AltMinAsPrinted(RoundsAsPrinted):
    """AltMin with parts and averages as printed, and no noise: nothing of it is private.

    Ratings are put into 2 T + 1 parts at random. V starts as the top right singular vectors of
    part 0; entries larger than 2 c sqrt(rank/n_items), c being ``coherence``, become 0, and the
    columns are made orthonormal. Round l = 0, ..., T - 1:

    1. Every node fits u = arg min |P(V u) - x|^2 to its ratings x in part l + 1.
    2. Every node fits V to its ratings in part T + l + 1. One column does not determine V; of the
       matrices that fit exactly this is the shortest, row j being x_j u / |u|^2, or 0.
    3. The server takes the mean over the nodes.

    What was chosen where the read-me is silent, in favour of the method, is said in
    :class:`RoundsAsPrinted`.

    Source: read-me of DP_Matrix_Completion_Alt_Min, algorithms "the cloud server" and "at node j".

    Parameters
    ----------
    coherence : float
        c > 0.
    """

    coherence: float = positive(3.0)

    def _clipped(self, start):
        largest = 2 * self.coherence * np.sqrt(self.rank / len(start))
        return np.where(np.abs(start) > largest, 0, start)

    def _parts(self, rng, size):
        return rng.integers(2 * self.iterations + 1, size=size)

    def _part_of_items(self, step):
        return self.iterations + step + 1

    def _weights(self, users, fitted):
        squares = np.maximum(np.einsum("nr,nr->n", users, users), 1e-300)
        return users / squares[:, None]


class SAltLSAsPrinted(RoundsAsPrinted):
    """SAltLS with parts, medians and averages as printed, without noise: nothing is private.

    Half of the ratings, drawn at random, are part 0, the others parts 1 to T. V starts as the top
    right singular vectors of part 0. Round l = 0, ..., T - 1:

    1. Every node fits u = arg min |P(V u) - x|^2 to its ratings x in part l + 1.
    2. Every node fits V to the same ratings. Of the matrices that fit exactly this is the shortest,
       x u^T / |u|^2, in :class:`AltMinAsPrinted` as well.
    3. SmoothQR: the node sends the orthonormal basis. The matrix has rank one, so that Gram-Schmidt
       leaves one column, sign(u_1) x / |x|, and nothing determines the others: they are 0 here.
    4. The server takes the mean over the nodes.

    So V has a single direction after the first round, whatever the rank. Beside the choices of
    :class:`RoundsAsPrinted` four favour the method. MedianLS is the fit to the whole part: a median
    over three groups of one column's entries, or more, is 0 everywhere, as each entry is in one
    group. SmoothQR adds no noise, for which the read-me has neither error parameter nor coherence.
    The columns that nothing determines are 0, not noise. u is used as fitted, not as its
    orthonormal basis: that of one row has length 1, whatever the user's ratings.

    Source: read-me of DP_Matrix_Completion_Alt_Min, algorithms "DP-SAltLS"; MedianLS and SmoothQR,
    which it names and does not print: Hardt 2014, algorithms 3 and 4.
    """

    def _parts(self, rng, size):
        return rng.integers(2, size=size) * rng.integers(1, self.iterations + 1, size=size)

    def _part_of_items(self, step):
        return step + 1

    def _weights(self, users, fitted):
        lengths = np.sqrt(np.maximum((fitted**2).sum(axis=1), 1e-300))
        weights = np.zeros_like(users)
        weights[:, 0] = np.sign(users[:, 0]) / lengths
        return weights
