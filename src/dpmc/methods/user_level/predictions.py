"""Models at user level with Gaussian noise, and what factors predict at ratings."""

import numpy as np

from dpmc.methods.base import choice, with_parameters
from dpmc.methods.private import PrivateMethod
from dpmc.methods.user_level.covariance import SLACK
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.privacy.relations import USER_LEVEL, USER_REPLACE
from dpmc.ratings import Compressed


@with_parameters
class UserLevelMethod(PrivateMethod):
    """A model that protects users, with Gaussian noise, so that its budget has shares."""

    relation: str = choice(USER_LEVEL)
    mechanism: str = choice(("gaussian",), "gaussian")

    def _weight(self, share: float) -> float:
        """Return the weight of a release with a share of the budget."""
        return (share * self.releases) ** -0.5

    def _release(self, statistics, what, sent, longest, norm, share, sensitivity=None):
        """Release a sum over users of vectors of at most this norm, and return it and its noise.

        A sensitivity is given where it is less than twice the norm for a user who is replaced.
        """
        if not longest <= norm * SLACK:
            raise PrivacyViolation(f"{what}: a user has a norm above the bound {norm:g}")
        if sensitivity is None:
            sensitivity = self._moved(norm)
        weight = self._weight(share)
        noised = statistics.ledger.release(what, sent, sensitivity, weight=weight)
        return noised, statistics.noise_std(sensitivity) * weight

    def _moved(self, norm):
        """Return how far one user moves a sum of vectors of at most this norm."""
        return norm * (2 if self.relation == USER_REPLACE else 1)


def observed(rows: Compressed, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the entries of left right^T at the ratings, shape (n_ratings,)."""
    entries = np.zeros(rows.values.size)
    for factor in range(left.shape[1]):  # one after the other, in little memory
        entries += rows.per_rating(left[:, factor]) * right[rows.indices, factor]
    return entries
