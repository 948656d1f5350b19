"""What is publicly known of the items as columns that a prior can be linear in.

Prior means of the items' parameters are linear in them
(:class:`~dpmc.methods.user_level.local_bayes.beliefs.Beliefs`), with weights learnt from what was
released, so that features cost no privacy: an item of which little is known falls back to what
items like it are like.
"""

import numpy as np

MOST = 50
"""Principal components of standardised features that are kept."""

FAR = 4.0
"""Standard deviations beyond which a feature is cut off."""


def standardised(table: np.ndarray) -> np.ndarray:
    """Return features of the items, shape (n_items, at most MOST), of mean square 1 by row.

    Columns are centred, of one deviation, and cut off :data:`FAR` from their means; what is not
    known, NaN, counts as the mean, and a column that says nothing goes. Of many columns the first
    principal components stay.

    Parameters
    ----------
    table : float64 array, shape (n_items, n_features)
    """
    known = np.isfinite(table)
    numbers = np.maximum(known.sum(axis=0), 1)
    largest = np.max(np.abs(table), axis=0, where=known, initial=0.0)
    rows = np.where(known, table, 0.0) / np.where(largest > 0, largest, 1.0)  # squares are finite
    rows = np.where(known, rows - rows.sum(axis=0) / numbers, 0.0)
    deviations = np.sqrt(np.sum(rows**2, axis=0) / numbers)
    varies = deviations > 1e-9
    rows = np.clip(rows[:, varies] / deviations[varies], -FAR, FAR)
    if rows.shape[1] > MOST:
        rows = rows @ np.linalg.svd(rows, full_matrices=False)[2][:MOST].T
    square = np.mean(np.sum(rows**2, axis=1)) if rows.size else 0.0
    return rows / np.sqrt(square) if square > 0 else np.zeros((len(table), 0))
