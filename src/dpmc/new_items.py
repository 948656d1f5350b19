"""Predicts the parameters of items of which only public features are known.

The published numbers of a model's items are regressed on the items' features, by ridge regression
with an intercept. Generalised cross-validation chooses the penalty of each number (Golub, Heath and
Wahba, Technometrics 21, 1979), so useless features give about the mean of all items. Only public
data are used: this is post-processing.
"""

from typing import NamedTuple

import numpy as np

FAR = 4.0
"""Standard deviations of the model's items beyond which a feature is cut off."""
PENALTIES = np.append(10.0 ** np.arange(-3, 7), np.inf)
"""Tried, times the number of items; with the last one features count for nothing."""


class Expected(NamedTuple):
    """Expected numbers of new items.

    Attributes
    ----------
    values : float64 array, shape (n_new, n_numbers)
    variances : float64 array, shape (n_numbers,)
        Mean squared difference of an item from its expectation.
    """

    values: np.ndarray
    variances: np.ndarray


def expected(features: np.ndarray, published: np.ndarray, new: np.ndarray) -> Expected:
    """Return what is expected of new items.

    Parameters
    ----------
    features : float64 array, shape (n_items, n_features)
        Features of at least 2 items of the model; an unknown value (NaN) counts as the mean.
    published : float64 array, shape (n_items, n_numbers)
        Published numbers of these items.
    new : float64 array, shape (n_new, n_features)
        Features of the new items.
    """
    n_items = len(features)
    rows, new = _standardised(features, new)
    mean = published.mean(axis=0)
    basis, sizes, directions = np.linalg.svd(rows, full_matrices=False)
    seen = basis.T @ (published - mean)  # shape (n_directions, n_numbers)
    unseen = ((published - mean) ** 2).sum(axis=0) - (seen**2).sum(axis=0)
    kept = sizes**2 / (sizes**2 + n_items * PENALTIES[:, None])  # 0 for the last
    left = np.maximum(unseen, 0) + ((1 - kept) ** 2) @ seen**2  # shape (n_penalties, n_numbers)
    free = np.maximum(n_items - 1 - kept.sum(axis=1), 1e-6)[:, None]
    # ties, such as those of numbers that are the same for all items, go to the largest penalty
    best = len(PENALTIES) - 1 - np.argmin((left / free**2)[::-1], axis=0)
    shrunk = np.divide(kept[best].T, sizes[:, None], where=sizes[:, None] > 1e-9, out=0 * seen)
    values = mean + new @ directions.T @ (shrunk * seen)
    return Expected(values, np.take_along_axis(left / free, best[None], axis=0)[0])


def _standardised(features: np.ndarray, new: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return both less the means of the former and by its deviations, and 0 for what is unknown."""
    known = np.isfinite(features)
    largest = np.max(np.abs(features), axis=0, where=known, initial=0.0)
    unit = np.where(largest > 0, largest, 1.0)  # so that squares are finite
    features, new = features / unit, new / unit
    numbers = np.maximum(known.sum(axis=0), 1)
    means = np.where(known, features, 0.0).sum(axis=0) / numbers
    deviations = np.sqrt(np.where(known, (features - means) ** 2, 0.0).sum(axis=0) / numbers)
    varies = deviations > 1e-9

    def scaled(rows):
        rows = (rows[:, varies] - means[varies]) / deviations[varies]
        return np.clip(np.nan_to_num(rows, nan=0.0), -FAR, FAR)

    return scaled(features), scaled(new)
