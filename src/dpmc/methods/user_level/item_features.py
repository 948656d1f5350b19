"""What is publicly known of the items: how a fit is given it, and as columns for a linear model.

It costs no privacy where nothing but what was released is combined with it.
"""

from dataclasses import replace

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.user_level.predictions import UserLevelMethod
from dpmc.publication.features import Features

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


class WithItemFeatures(UserLevelMethod):
    """A model that takes what is publicly known of the items.

    Attributes
    ----------
    item_features_ : dpmc.publication.features.Features or None
    """

    takes_features = True
    item_features_ = None

    def fit(self, ratings, *, item_features: Features | None = None, **given):
        """Fit the model and return it, see :meth:`dpmc.methods.private.PrivateMethod.fit`.

        Parameters
        ----------
        item_features : Features, optional
            What is publicly known of the items, by label. It costs no privacy, and no rating may
            have a part in it.
        """
        self.item_features_ = item_features
        return super().fit(ratings, **given)

    def _guarantee(self, ledger):
        return replace(super()._guarantee(ledger), features=self.item_features_ is not None)

    def _features(self, ratings) -> np.ndarray | None:
        """Return the features of the items, standardised; refused here, nothing is spent."""
        if self.item_features_ is None:
            return None
        if ratings.item_labels is None:
            raise InputError("Features of items need ratings with item_labels.")
        return standardised(self.item_features_.rows(list(ratings.item_labels)))
