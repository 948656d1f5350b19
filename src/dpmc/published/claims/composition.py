"""The privacy of many releases of one value, numerically: just enough for one claim.

The privacy loss of additive noise p at sensitivity 1 is log p(x) - log p(x - 1) under x ~ p.
Losses of independent releases add, so their distribution is a convolution power
(Koskela, Jaelkoe, Honkela, "Computing tight differential privacy guarantees using FFT", 2020).
"""

from collections.abc import Callable

import numpy as np
from scipy import fft, optimize

from dpmc.mechanisms import Mechanism

CELLS = 4_000
STEPS = 400  # of the grid of losses, on each side of 0
NEGLIGIBLE = 1e-13


def delta_of_releases(mechanism: Mechanism, epsilon: float, releases: int) -> float:
    """Return the delta of ``releases`` releases at sensitivity 1 and total ``epsilon``.

    Losses are put on a grid, each split between its two neighbours so that the mean is kept:
    accurate to about a percent, not a certified bound.
    """
    end = float(mechanism.isf(NEGLIGIBLE))
    edges = np.linspace(-end, end + 1, CELLS + 1)
    # Differences of the smaller tail: the cells far out matter most.
    upper = edges[:-1] > 0
    mass = np.where(upper, -np.diff(mechanism.sf(edges)), np.diff(mechanism.cdf(edges)))
    middle = (edges[1:] + edges[:-1]) / 2
    loss = mechanism.logpdf(middle) - mechanism.logpdf(middle - 1)
    step = float(np.abs(loss).max()) / STEPS
    position = loss / step + STEPS
    below = np.clip(np.floor(position).astype(int), 0, 2 * STEPS - 1)
    share = position - below
    size = 2 * STEPS + 1
    single = np.bincount(below, mass * (1 - share), size)
    single += np.bincount(below + 1, mass * share, size)
    length = releases * (size - 1) + 1
    padded = fft.next_fast_len(length, real=True)
    total = fft.irfft(fft.rfft(single, padded) ** releases, padded)[:length]
    losses = (np.arange(length) - releases * STEPS) * step
    beyond = losses > epsilon
    return float((total[beyond] * -np.expm1(epsilon - losses[beyond])).sum())


def variance_at(
    make: Callable[[float], Mechanism], epsilon: float, delta: float, releases: int
) -> float:
    """Return the variance that ``releases`` releases at sensitivity 1 need for (epsilon, delta).

    Parameters
    ----------
    make : callable
        Returns the noise of a given scale.
    """

    def excess(log_scale: float) -> float:
        achieved = delta_of_releases(make(float(np.exp(log_scale))), epsilon, releases)
        return np.log(max(achieved, 1e-300) / delta)

    low, high = np.log(0.3 * np.sqrt(releases) / epsilon), np.log(30 * np.sqrt(releases) / epsilon)
    return make(float(np.exp(optimize.brentq(excess, low, high, xtol=1e-5)))).var()
