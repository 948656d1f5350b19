"""The second statistic: how many users like both items of a pair, for the most liked items.

A user with n likes among these items sends w = sqrt(2 / (l (l - 1))), l = max(n, L), for each pair
of likes i < j: the upper triangle of w x x^T, without the diagonal. There are n (n - 1) / 2 such
pairs, so the norm is w sqrt(n (n - 1) / 2) <= 1, with equality from L likes on. All entries are at
least 0, so replacing a user changes the sum by at most sqrt(2). If there are too few users for the
noise of a pair, the counts are released again instead.
"""

from functools import partial

import numpy as np

from dpmc.methods.blocks import Source, total
from dpmc.methods.user_level.covariance import add_outer
from dpmc.methods.user_level.local_ease.constants import (
    ABOVE_EDGE,
    FEWEST_ITEMS,
    FEWEST_LIKES,
    ITEMS,
    ITEMS_POWER,
    MOST_ITEMS,
    PAIRS_OF_LIKES,
    RIDGE,
)
from dpmc.methods.user_level.local_ease.counts import Popularity
from dpmc.privacy.sums import Sums

NORM = 1.0
"""Largest norm of what a user sends."""

REPLACED = 2**0.5 * NORM
"""Largest change of the sum if a user is replaced."""


def telling(popularity: Popularity) -> float:
    """Return about how many users have pairs; a user with few likes counts in part.

    The number of likes per user is lowered by one standard deviation of its noise.
    """
    likes = popularity.likes - popularity.noise * popularity.shares.size**0.5
    return popularity.users * min(1, (likes - 1) / (PAIRS_OF_LIKES - 1))


def items_worth_it(popularity: Popularity, noise: float) -> np.ndarray:
    """Return the most liked items, ascending; less noise of a pair allows more items."""
    number = ITEMS * (popularity.users / max(noise, 1e-30)) ** ITEMS_POWER
    number = int(np.clip(number, FEWEST_ITEMS, MOST_ITEMS))
    return np.sort(np.argsort(-popularity.shares, kind="stable")[:number])


def statistic(rows: Source, n_items: int) -> tuple[np.ndarray, float]:
    """Return the weighted numbers of users who like both items of a pair, and a norm.

    Row by row of the upper triangle without the diagonal, of likes of items with pairs.
    """
    sums = Sums(n_items * (n_items + 1) // 2, NORM)
    total(partial(_add, n_items=n_items), rows, sums)
    upper = np.triu_indices(n_items)
    return sums.floats()[upper[0] < upper[1]], sums.longest


def _add(sums, rows, first, *, n_items):
    sizes = rows.sizes
    weights = weight_of(sizes)
    root = np.sqrt(weights)
    # all pairs of a user have the same whole number; squares of likes alone are not sent
    whole = sums.whole(root * root).astype(float)
    sums.saw_squares(whole**2 * (sizes * np.maximum(sizes - 1, 0) / 2))
    add_outer(sums, rows.with_values(rows.per_rating(root)), first, n_columns=n_items)


def weight_of(likes: np.ndarray) -> np.ndarray:
    """Return w for users with so many likes."""
    enough = np.maximum(likes, FEWEST_LIKES)
    return np.sqrt(2 / (enough * (enough - 1)))


def matrix_of(noised: np.ndarray, n_items: int) -> np.ndarray:
    """Return the symmetric matrix of noised sums of pairs, with zeros on the diagonal."""
    gram = np.zeros((n_items, n_items))
    gram[np.triu_indices(n_items, 1)] = noised
    gram += gram.T
    return gram


def read(
    gram: np.ndarray, noise: float, items: np.ndarray, popularity: Popularity
) -> tuple[np.ndarray, np.ndarray]:
    """Return scales and factors of all items from the noised pairs of some.

    A matrix of noise alone has eigenvalues up to the edge 2 s sqrt(m). A direction of size t
    appears with the eigenvalue l = t + s^2 m / t, and its eigenvector has the squared cosine 1 -
    s^2 m / t^2 to the direction (Benaych-Georges and Nadakuditi, "The eigenvalues and eigenvectors
    of finite, low rank perturbations of large random matrices", Advances in Mathematics 227(1),
    2011). ``gram`` is symmetric with zeros on the diagonal, and ``noise`` is s, the standard
    deviation of an entry.
    """
    shares, m = popularity.shares, items.size
    # of the likes of a user so many are of items with pairs, if users are alike
    there = np.maximum(shares, 0)
    likes = popularity.likes * there[items].sum() / max(there.sum(), np.finfo(float).tiny)
    weight = weight_of(likes)
    diagonal = weight * popularity.users * there[items]
    values, vectors = np.linalg.eigh(gram + np.diag(diagonal))
    edge = 2 * noise * m**0.5
    above = values > max(ABOVE_EDGE * edge, np.finfo(float).tiny)
    values, vectors = values[above][::-1], vectors[:, above][:, ::-1]
    sizes = shrunk(values, edge)
    rest = np.maximum(diagonal - vectors**2 @ sizes, 0)
    inverse = 1 / (rest + RIDGE * weight)
    scaled = inverse[:, None] * vectors
    inner = np.linalg.inv(np.diag(1 / sizes) + vectors.T @ scaled)
    few = scaled @ np.linalg.cholesky((inner + inner.T) / 2)
    factors = np.zeros((shares.size, max(sizes.size, 1)))
    factors[items, : sizes.size] = few
    scales = np.ones(shares.size)
    scales[items] = 1 / (inverse - np.square(few).sum(axis=1))
    return scales, factors


def shrunk(values: np.ndarray, edge: float) -> np.ndarray:
    """Return the sizes of directions with these eigenvalues, times their squared cosines."""
    sizes = (values + np.sqrt(values**2 - edge**2)) / 2
    return sizes * (1 - (edge / (2 * sizes)) ** 2)
