"""The last release: do the ratings agree that the model is better than the biases it began with?

Each user compares what both leave of the own ratings, each rating predicted from the user's others
and, as far as is known, from items that had not learnt from it.

**Sensitivity.** A user sends one number of size at most 1.
"""

import numpy as np

from dpmc.methods.user_level.local_bayes.constants import FEW
from dpmc.methods.user_level.local_bayes.users import Model, left_out_errors
from dpmc.ratings import Compressed

NORM = 1.0
"""Of what one user adds."""

LARGEST = 0.5
"""Of the logarithm of the ratio of two errors of a user, either way."""

SURE = 2.0
"""Deviations of the noise by which the model has to be worse to be taken back."""


def statistic(rows: Compressed, model: Model, biases: Model) -> tuple[np.ndarray, float]:
    """Return the sum over users of the logarithm of the model's error over that of biases.

    A user with few ratings counts in part. In units of :data:`LARGEST`, within [-1, 1].

    Parameters
    ----------
    rows : Compressed
        Ratings by user, less the centre of the range.
    model, biases : Model

    Returns
    -------
    float64 array, shape (1,)
    longest : float
        Norm of what a user adds, at most.
    """
    part = np.minimum(1, np.diff(rows.indptr) / FEW)
    ours, theirs = (np.maximum(left_out_errors(rows, each), 1e-300) for each in (model, biases))
    sent = part * np.clip(np.log(ours / theirs) / (2 * LARGEST), -1, 1)
    return np.array([sent.sum()]), np.abs(sent).max(initial=0.0)


def worse(noised: np.ndarray, noise: float) -> bool:
    """Whether a noised :func:`statistic` says that the model is worse than the biases."""
    return bool(noised[0] > SURE * noise)
