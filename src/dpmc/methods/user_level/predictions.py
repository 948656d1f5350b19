"""Models at user level with Gaussian noise, and what factors predict at ratings."""

import numpy as np

from dpmc.methods.base import choice, with_parameters
from dpmc.methods.private import PrivateMethod
from dpmc.privacy.relations import USER_LEVEL
from dpmc.ratings import Compressed


@with_parameters
class UserLevelMethod(PrivateMethod):
    """A model that protects users, with Gaussian noise, so that its budget has shares.

    Raises
    ------
    InputError
        A relation that is not of users, noise other than Gaussian, another parameter out of range.
    """

    relation: str = choice(USER_LEVEL)
    mechanism: str = choice(("gaussian",), "gaussian")

    def _weight(self, share: float) -> float:
        """Return the weight of a release with a share of the budget."""
        return (share * self.releases) ** -0.5


def observed(rows: Compressed, left: np.ndarray, right: np.ndarray) -> np.ndarray:
    """Return the entries of left right^T at the ratings, shape (n_ratings,)."""
    entries = np.zeros(rows.values.size)
    for factor in range(left.shape[1]):  # one after the other, in little memory
        entries += rows.per_rating(left[:, factor]) * right[rows.indices, factor]
    return entries
