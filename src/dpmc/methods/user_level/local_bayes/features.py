"""What is publicly known of the items as columns that a prior can be linear in.

Prior means of the items' parameters are linear in them
(:class:`~dpmc.methods.user_level.local_bayes.beliefs.Beliefs`), with weights learnt from what was
released, so that features cost no privacy: an item of which little is known falls back to what
items like it are like.
"""

import numpy as np

from dpmc.methods.user_level.local_bayes.constants import FEATURES_FAR, FEATURES_MOST


def standardised(table: np.ndarray) -> np.ndarray:
    """Return features of the items by row, of mean square 1.

    Columns are centred, of one deviation, and cut off :data:`FEATURES_FAR` from their means; what
    is not known, NaN, counts as the mean, and a column that says nothing goes. Of many columns the
    first :data:`FEATURES_MOST` principal components stay.
    """
    known = np.isfinite(table)
    numbers = np.maximum(known.sum(axis=0), 1)
    largest = np.max(np.abs(table), axis=0, where=known, initial=0.0)
    rows = np.where(known, table, 0.0) / np.where(largest > 0, largest, 1.0)  # squares are finite
    rows = np.where(known, rows - rows.sum(axis=0) / numbers, 0.0)
    deviations = np.sqrt(np.sum(rows**2, axis=0) / numbers)
    varies = deviations > 1e-9
    rows = np.clip(rows[:, varies] / deviations[varies], -FEATURES_FAR, FEATURES_FAR)
    if rows.shape[1] > FEATURES_MOST:
        rows = rows @ np.linalg.svd(rows, full_matrices=False)[2][:FEATURES_MOST].T
    square = np.mean(np.sum(rows**2, axis=1)) if rows.size else 0.0
    return rows / np.sqrt(square) if square > 0 else np.zeros((len(table), 0))
