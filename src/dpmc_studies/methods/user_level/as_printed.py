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
    """Rounds in which nodes fit and a server averages, as in the read-me; not private.

    Ratings are split into parts at random. V starts as the top right singular vectors of part 0. In
    each round every node fits its u to its ratings in one part and V to its ratings in one part.
    The server then takes the mean of V over the nodes.

    Here a node is a user, as in :class:`dpmc_studies.methods.user_level.altmin.DPAltMin`. (The
    read-me has n nodes, n being the number of items, with a column each, and protects users.) Three
    choices favour the methods: no noise is added, because the read-me gives no standard deviation;
    ratings are centred; and after each round users fit all of their ratings to the mean V, not only
    the ratings of the last parts. V is rescaled after each round, which changes no prediction.

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
        """Return each user's factor of the matrix that the node sends; the other factor is ratings.

        The result has the shape of ``users``, (n_users, rank). Nodes fit V to the sparse matrix
        ``fitted``, (n_users, n_items).
        """


@with_parameters
class AltMinAsPrinted(RoundsAsPrinted):
    """AltMin with parts and averages as printed, without noise; not private.

    Ratings are split into 2 T + 1 parts at random. V starts as the top right singular vectors of
    part 0. Its entries larger than 2 c sqrt(rank/n_items) in size, with c = ``coherence``, are set
    to 0, and its columns are made orthonormal. Round l = 0, ..., T - 1:

    1. Every node fits u = arg min |P(V u) - x|^2 to its ratings x in part l + 1.
    2. Every node fits V to its ratings in part T + l + 1. One user's ratings do not determine V;
       the node takes the exact fit of least norm, with row j = x_j u / |u|^2, or 0 if unrated.
    3. The server takes the mean over the nodes.

    :class:`RoundsAsPrinted` lists our choices where the read-me is silent. They favour the method.

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
    """SAltLS with parts, medians and averages as printed, without noise; not private.

    A random half of the ratings is part 0; the other half is split into parts 1 to T. V starts as
    the top right singular vectors of part 0. Round l = 0, ..., T - 1:

    1. Every node fits u = arg min |P(V u) - x|^2 to its ratings x in part l + 1.
    2. Every node fits V to the same ratings and takes the exact fit of least norm, x u^T / |u|^2,
       as in :class:`AltMinAsPrinted`.
    3. SmoothQR: the node sends an orthonormal basis. The matrix has rank one, so Gram-Schmidt gives
       one column, sign(u_1) x / |x|, and leaves the others undetermined. Here they are 0.
    4. The server takes the mean over the nodes.

    After the first round V therefore has a single direction, whatever the rank. Four choices favour
    the method, in addition to those of :class:`RoundsAsPrinted`. MedianLS fits the whole part: the
    entrywise median over three or more groups of one user's ratings would be 0 everywhere, because
    each entry is in one group only. SmoothQR adds no noise, because the read-me gives neither its
    error parameter nor its coherence. The undetermined columns are 0, not noise. u is used as
    fitted: the orthonormal basis of a single row would have length 1, whatever the user's ratings.

    Source: read-me of DP_Matrix_Completion_Alt_Min, algorithms "DP-SAltLS". It names MedianLS and
    SmoothQR without printing them: see Hardt 2014, algorithms 3 and 4.
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
