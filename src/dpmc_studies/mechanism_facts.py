"""Numbers about the mechanisms that the papers state and that need no trial to check.

The paper and the thesis are those that :mod:`dpmc.mechanisms.huber` names.
"""

import math

import numpy as np

from dpmc.mechanisms.base import Mechanism, positive_finite
from dpmc.mechanisms.huber import Huber


def total_variation(first: Mechanism, second: Mechanism) -> float:
    """Return the total variation distance of two noise distributions, half the l1 distance.

    Crossings of the densities are bracketed on a grid and bisected. Between crossings the integral
    is a difference of tail probabilities, so there is no quadrature error.

    Section 4.3 of the thesis calls Huber noise like Gaussian for a >= 3, and practically Laplace
    for a <= 0.7. At equal variance the distances are 0.0009 at a = 3 and 0.0208 at a = 0.7.
    """

    def difference(x):
        return first.logpdf(x) - second.logpdf(x)

    end = max(float(m.isf(1e-20)) for m in (first, second))
    grid = np.linspace(0.0, end, 20_001)
    signs = np.sign(difference(grid))
    changes = np.flatnonzero(signs[1:] != signs[:-1])
    low, high = grid[changes], grid[changes + 1]
    for _ in range(60):
        middle = (low + high) / 2
        left = np.sign(difference(middle)) == signs[changes]
        low, high = np.where(left, middle, low), np.where(left, high, middle)
    ends = np.concatenate([[0.0], high, [np.inf]])
    # Twice the half line, times the half of the definition.
    return float(np.abs(np.diff(first.sf(ends) - second.sf(ends))).sum())


def largest_log_ratio(mechanism: Mechanism, sensitivity: float) -> float:
    """Return the largest log(p(x) / p(x + D)) over x, by search: the pure epsilon of one release.

    The search goes out to 4000 standard deviations. If the ratio still grows there, as for Gaussian
    noise, the answer is infinite. It is accurate to 1e-9 for Huber noise with a up to 1e3. It is
    nominal, and not the guarantee of a training run.
    """
    sensitivity = positive_finite("sensitivity", sensitivity)
    right = np.concatenate([[0.0], np.geomspace(1e-3, 4e3, 8001) * mechanism.std()])
    x = np.concatenate([-right[::-1], right])
    ratio = mechanism.logpdf(x) - mechanism.logpdf(x + sensitivity)
    largest = float(ratio.max())
    nearer = float(ratio[np.abs(x) < x[-1] / 2].max())
    return largest if largest <= nearer * (1 + 1e-6) else math.inf


def huber_to_laplace_variance(a: float) -> float:
    """Return the variance of Huber over that of Laplace noise, at equal pure epsilon per release.

    With D the sensitivity, Huber noise needs the scale a D/epsilon and Laplace noise D/epsilon, so
    the ratio depends on a alone: a^2 (1 + w (1 + 2/a^2)) / 2. It falls to 1 from above as a -> 0,
    where Huber noise becomes Laplace noise. No a therefore allows less noise than Laplace, although
    section 2.2 of the paper claims "much lesser noise".
    """
    return Huber(a, scale=a).var() / 2


def published_inverse_cdf(y, a: float):
    """Return the inverse CDF of Huber noise as the thesis prints it: wrong, for the errata.

    Equations 4.4 (section 4.2.1), B.21, B.22 and B.25 lack the minus sign of the third branch,
    which should be a/2 - (1/a) log(a Z (1 - y)). Sampling with the printed formula turns every x
    beyond a into a - x, which gives the mean -(w/2)(a + 2/a) instead of 0.

    Parameters
    ----------
    y : array_like
        Probabilities in (0, 1).
    a : float
        The Huber parameter, at scale 1.
    """
    noise = Huber(a)
    right = np.asarray(noise.ppf(y))
    return np.where(np.asarray(y) > 1 - noise.tail_mass / 2, a - right, right)[()]
