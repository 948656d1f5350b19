"""What the two algorithms of the read-me of DP_Matrix_Completion_Alt_Min share, without noise."""

from abc import abstractmethod

import numpy as np

from dpmc.methods.base import check_generator, count, with_parameters
from dpmc.methods.kernels.private import balance
from dpmc.methods.normal import solve_rows
from dpmc_studies.methods.user_level.matrices import top_singular
from dpmc_studies.methods.user_level.references import CentredFactors

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

    Raises
    ------
    InputError
        A parameter out of its range, or a fit without a generator.
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
