"""Turns public features of the items into standardised columns for a linear prior.

The prior means of the items' parameters are linear in the features
(:class:`~dpmc.methods.user_level.local_bayes.beliefs.Beliefs`). The weights are learnt from
released numbers, so features cost no privacy. An item with little evidence gets the parameters of
items with similar features.
"""

import numpy as np

from dpmc.methods.user_level.local_bayes.constants import FEATURES_FAR, FEATURES_MOST


def standardised(table: np.ndarray) -> np.ndarray:
    """Return the features, one row per item, scaled so that rows have mean square norm 1.

    Columns are centred, scaled to deviation 1 and clipped at :data:`FEATURES_FAR`. A missing value
    (NaN) counts as the mean; constant columns are dropped. Of more than :data:`FEATURES_MOST`
    columns, that many principal components are kept.
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
