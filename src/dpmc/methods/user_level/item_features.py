"""Models that use public features of the items."""

from dataclasses import replace

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.user_level.local_bayes.features import standardised
from dpmc.methods.user_level.predictions import UserLevelMethod
from dpmc.publication.features import Features


class WithItemFeatures(UserLevelMethod):
    """A model that uses public features of the items.

    Attributes
    ----------
    item_features_ : dpmc.publication.features.Features or None
    """

    takes_features = True
    item_features_ = None

    def fit(self, ratings, *, item_features: Features | None = None, **given):
        """Fit the model and return it, see :meth:`dpmc.methods.private.PrivateMethod.fit`.

        ``item_features`` are public features of the items, by label. They cost no privacy, but must
        not be computed from any rating.
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
