"""Errata of DPSR (arXiv:2512.18932), which is judged and not run.

What shows them is computed from the abstract's numbers and the noise as a summary describes it.
"""

import numpy as np
from scipy.stats import laplace

from errata_numbers import Evidence

ALPHA, STARS, MEAN = 0.3, (1.0, 5.0), 3.0
EDGES = np.concatenate([[-np.inf], np.linspace(-200, 200, 400_001), [np.inf]])
PRIVATE, FREE = 0.9823, 1.0983  # RMSE at epsilon 1
GAINS = (5.57, 9.23)  # per cent less than the Laplace and Gaussian mechanisms


def delta(one: float, other: float, epsilon: float) -> float:
    """Return the delta that a claim of epsilon needs, where one rating becomes another.

    Of the cells between :data:`EDGES` in which the noised rating lies: no more than of itself.
    """
    half = (STARS[1] - STARS[0]) / 2
    cells = [
        np.diff(laplace.cdf(EDGES, rating, 2 * half / (epsilon * (1 + ALPHA * part))))
        for rating in (one, other)
        for part in [abs(rating - MEAN) / half]
    ]
    ways = (cells, cells[::-1])
    return max(float(np.maximum(p - np.exp(epsilon) * q, 0).sum()) for p, q in ways)


def adaptive_scale(sources: None) -> Evidence:
    """Two ratings with noise of two scales."""
    epsilon = 1.0
    found = {"opposite": delta(1, 5, epsilon), "middle": delta(3, 5, epsilon)}
    return Evidence({"alpha": ALPHA, "epsilon": epsilon, **found})


def less_than_without(sources: None) -> Evidence:
    """What follows from the abstract for the mechanisms that denoise nothing."""
    low, high = (PRIVATE / (1 - gain / 100) for gain in GAINS)
    said = {"private": PRIVATE, "free": FREE, "least": GAINS[0], "most": GAINS[1]}
    return Evidence({**said, "low": low, "high": high})


ENTRIES = {"E92": adaptive_scale, "E93": less_than_without}
