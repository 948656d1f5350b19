"""Alternating minimisation as the read-me of DP_Matrix_Completion_Alt_Min has it, without noise."""

import numpy as np

from dpmc.methods.base import positive, with_parameters
from dpmc_studies.methods.user_level.rounds_as_printed import RoundsAsPrinted


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
    :class:`dpmc_studies.methods.user_level.rounds_as_printed.RoundsAsPrinted`.

    Source: read-me of DP_Matrix_Completion_Alt_Min, algorithms "the cloud server" and "at node j".

    Parameters
    ----------
    iterations : int
        T.
    coherence : float
        c > 0.

    Raises
    ------
    InputError
        A parameter out of its range, or a fit without a generator.
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
