"""Baselines for completed matrices: zero, one constant, or one number for every item."""

import numpy as np

from dpmc_studies.methods.onebit.noise import PRIVATE_ITEM_BIAS, plan_of


def zero(problem) -> np.ndarray:
    """Return the zero matrix, shape (d1, d2), as all functions here do; it ignores the signs."""
    return np.zeros(problem.shape)


def majority(problem) -> np.ndarray:
    """Return the constant under which the share of +1 among the signs is most likely."""
    return np.full(problem.shape, _entries(problem, np.mean(problem.signs.values)))


def item_bias(problem) -> np.ndarray:
    """Return the most likely number for every item, shrunk towards the mean of all items.

    :func:`shrunken_means` chooses the amount of shrinkage.
    """
    return _columns(problem, _sums(problem), 0.0)


def private_item_bias(problem, epsilon: float, randomness) -> np.ndarray:
    """Return :func:`item_bias` from noised sums, epsilon-private, epsilon > 0."""
    plan = plan_of(PRIVATE_ITEM_BIAS, problem.facts, epsilon)
    ledger = randomness.ledger(plan.noise, plan.releases)
    sums = ledger.release("sums", _sums(problem), plan.stated)
    ledger.close()
    return _columns(problem, sums, (plan.stated * plan.noise.std()) ** 2)


def shrunken_means(sums: np.ndarray, counts: np.ndarray, variance: float) -> np.ndarray:
    """Return the mean sign of every item, shrunk towards the mean m of all signs.

    Let s be the sum of n signs of an item plus noise of variance v. It estimates n times the item's
    mean, with variance n (1 - m^2) + v. The variance t of the items' means about m is estimated
    from the sums by the method of moments. The result is the best linear estimate m + t n (s - n
    m)/(t n^2 + n (1 - m^2) + v), clipped to [-1, 1], and m for items without signs. It is
    post-processing of the sums and counts, which have shape (d2,). At least one count is above 0.
    """
    # an item without signs says nothing, whatever its noise
    sums, rated = np.where(counts > 0, sums, 0.0), counts > 0
    mean = np.clip(sums.sum() / counts.sum(), -1, 1)
    excess = sums - counts * mean
    chance = counts * (1 - mean**2) + variance
    spread = np.sum(excess[rated] ** 2 - chance[rated]) / np.sum(counts**2)
    spread = min(max(spread, 0.0), 1.0)
    # 0/0 without signs and noise
    weight = spread * counts / np.maximum(spread * counts**2 + chance, np.finfo(float).tiny)
    return np.clip(mean + weight * excess, -1, 1)


def _sums(problem) -> np.ndarray:
    return np.bincount(problem.signs.items, problem.signs.values, minlength=problem.shape[1])


def _columns(problem, sums, variance) -> np.ndarray:
    counts = np.bincount(problem.signs.items, minlength=problem.shape[1]).astype(float)
    means = shrunken_means(sums, counts, variance)
    return np.tile(_entries(problem, means), (problem.shape[0], 1))


def _entries(problem, means):
    """Return the entries under which signs have these means, within +-alpha."""
    return np.clip(problem.link.ppf((1 + means) / 2), -problem.alpha, problem.alpha)
