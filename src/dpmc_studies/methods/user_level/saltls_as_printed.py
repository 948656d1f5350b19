"""Smoothed alternating least squares as the read-me of DP_Matrix_Completion_Alt_Min has it."""

import numpy as np

from dpmc_studies.methods.user_level.rounds_as_printed import RoundsAsPrinted


class SAltLSAsPrinted(RoundsAsPrinted):
    """SAltLS with parts, medians and averages as printed, without noise: nothing is private.

    Half of the ratings, drawn at random, are part 0, the others parts 1 to T. V starts as the top
    right singular vectors of part 0. Round l = 0, ..., T - 1:

    1. Every node fits u = arg min |P(V u) - x|^2 to its ratings x in part l + 1.
    2. Every node fits V to the same ratings. Of the matrices that fit exactly this is the shortest,
       x u^T / |u|^2, in :class:`dpmc_studies.methods.user_level.altmin_as_printed.AltMinAsPrinted`
       as well.
    3. SmoothQR: the node sends the orthonormal basis. The matrix has rank one, so that Gram-Schmidt
       leaves one column, sign(u_1) x / |x|, and nothing determines the others: they are 0 here.
    4. The server takes the mean over the nodes.

    So V has a single direction after the first round, whatever the rank. Beside the choices of
    :class:`dpmc_studies.methods.user_level.rounds_as_printed.RoundsAsPrinted` four favour the
    method. MedianLS is the fit to the whole part: a median over three groups of one column's
    entries, or more, is 0 everywhere, as each entry is in one group. SmoothQR adds no noise, for
    which the read-me has neither error parameter nor coherence. The columns that nothing determines
    are 0, not noise. u is used as fitted, not as its orthonormal basis: that of one row has length
    1, whatever the user's ratings.

    Source: read-me of DP_Matrix_Completion_Alt_Min, algorithms "DP-SAltLS"; MedianLS and SmoothQR,
    which it names and does not print: Hardt 2014, algorithms 3 and 4.

    Parameters
    ----------
    rank, iterations
        See :class:`dpmc_studies.methods.user_level.rounds_as_printed.RoundsAsPrinted`.

    Raises
    ------
    InputError
        A parameter out of its range, or a fit without a generator.
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
