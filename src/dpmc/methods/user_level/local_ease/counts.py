"""The first statistic: how often items are liked, and how many users like anything.

A user with n likes adds v = min(1, sqrt(C / n)) to each liked item, and R sqrt(C) to the number of
users if n > 0. This vector has norm sqrt(v^2 n + R^2 C) <= sqrt(C (1 + R^2)), with equality from C
likes on. All entries are at least 0, and the last is the same for everybody who sends anything.
Replacing a user therefore changes the sum by at most sqrt(2 C), with equality for users without a
common item. This is more than sqrt(C (1 + R^2)), as R < 1.
"""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from dpmc.methods.blocks import Source, total
from dpmc.methods.kernels.private import add_values
from dpmc.methods.user_level.local_ease.constants import COUNTED, USERS_COUNTED
from dpmc.privacy.sums import Sums

NORM = (COUNTED * (1 + USERS_COUNTED**2)) ** 0.5
"""Largest norm of what a user sends."""

REPLACED = (2 * COUNTED) ** 0.5
"""Largest change of the sum if a user is replaced."""


def statistic(rows: Source, n_items: int) -> tuple[np.ndarray, float]:
    """Return the weighted numbers of likes of the items and, last, of users, and a norm."""
    sums = total(partial(_add, n_items=n_items), rows, Sums(n_items + 1, NORM))
    return sums.floats(), sums.longest


def _add(sums, rows, first, *, n_items):
    sizes = rows.sizes
    weights = np.minimum(1, np.sqrt(COUNTED / np.maximum(sizes, 1)))
    users = sums.whole(USERS_COUNTED * COUNTED**0.5 * (sizes > 0))
    sent = add_values(sums, 0, rows, weights, 1.0)
    sums.add(n_items, users)
    sums.saw_squares(sent + users.astype(float) ** 2)


@dataclass(frozen=True)
class Popularity:
    """The numbers of users and likes and the popularity of items, from noised counts.

    ``users`` is approximately the number of users with a like and ``likes`` the number of likes per
    user, both at least 1. ``shares`` are the noised shares of users who like each item, which can
    be below 0; ``noise`` is the standard deviation of a share.
    """

    users: float
    likes: float
    shares: np.ndarray
    noise: float

    def as_model(self) -> tuple[np.ndarray, np.ndarray]:
        """Return scales and factors by which items rank alike for all users."""
        return np.ones(self.shares.size), np.zeros((self.shares.size, 1))

    def with_pairs(self, gram: np.ndarray, noise: float, items: np.ndarray) -> "Popularity":
        """Return the popularity improved by noised pairs of ``items``.

        If items are liked independently, each user who likes an item adds about the same to the
        product of its row of ``gram`` with the shares of the other items. These shares are the
        weights with the least noise in the product.
        """
        before = self.shares[items]
        weights = np.maximum(before, 0)
        products, others = gram @ weights, weights @ weights - weights**2
        if not min(products.sum(), before @ others) > 0:
            return self
        unit = before @ others / products.sum()
        mine, theirs = self.noise**2 * others, (noise * unit) ** 2
        shares = self.shares.copy()
        shares[items] = (theirs * before + self.noise**2 * unit * products) / (theirs + mine)
        return replace(self, shares=shares)


def read(noised: np.ndarray, noise: float) -> Popularity:
    """Return the popularity from noised sums of :func:`statistic`.

    A row of n > C likes adds up to sqrt(C n), from which n follows where all users are alike.
    """
    users = max(noised[-1] / (USERS_COUNTED * COUNTED**0.5), 1.0)
    sums = noised[:-1]
    added = max(sums.sum() / users, 1.0)
    likes = max(added, added**2 / COUNTED)
    unit = likes / added / users
    return Popularity(float(users), float(likes), sums * unit, float(noise * unit))
