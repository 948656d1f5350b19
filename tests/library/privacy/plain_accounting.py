"""Privacy of repeated releases computed the plain way, apart from the library's accounting.

The loss is the difference of two log densities in the middle of many small cells, weighted by
differences of the distribution function; it is put on a grid so that its mean is kept, and
composed by a Fourier transform. Nothing here is a bound; the error is below 1e-5.
"""

from itertools import pairwise

import numpy as np
from scipy import fft, integrate, optimize

CELLS = 400_000
STEPS = 6_000  # of the grid of losses, on each side of 0


def single_delta(noise, sensitivity, epsilon):
    """Integrate max(0, p(x) - exp(epsilon) p(x + D))."""
    end = float(noise.isf(1e-18))
    corners = [0.0, -sensitivity]
    if hasattr(noise, "a"):
        knee = noise.a * noise.scale
        corners = [-knee, knee, -knee - sensitivity, knee - sensitivity]

    def gap(x):
        return noise.logpdf(x) - noise.logpdf(x + sensitivity) - epsilon

    # The integrand starts where the loss passes epsilon; it does not fall with x.
    low, high = -end - sensitivity, end
    start = optimize.brentq(gap, low, high, xtol=1e-13) if gap(low) < 0 < gap(high) else low
    edges = sorted({start, high, *(c for c in corners if start < c < high)})
    return sum(
        integrate.quad(
            lambda x: max(noise.pdf(x) - np.exp(epsilon) * noise.pdf(x + sensitivity), 0.0),
            left, right, epsabs=1e-15, epsrel=1e-10, limit=300,
        )[0]
        for left, right in pairwise(edges)
    )  # fmt: skip


class Composition:
    """The loss of several releases: a list of (noise, sensitivity, count)."""

    def __init__(self, *kinds):
        singles = [self._single(noise, sensitivity) for noise, sensitivity, _ in kinds]
        self.step = max(np.abs(loss).max() for _, loss in singles) / STEPS
        reach = sum(
            count * int(np.ceil(np.abs(loss).max() / self.step)) + 1
            for (_, loss), (*_, count) in zip(singles, kinds, strict=True)
        )
        size = fft.next_fast_len(2 * reach + 1, real=True)
        product = 1.0
        for (mass, loss), (*_, count) in zip(singles, kinds, strict=True):
            product = product * fft.rfft(self._gridded(mass, loss, size)) ** count
        total = fft.irfft(product, size)
        index = np.arange(size)
        self.losses = np.where(index > size // 2, index - size, index) * self.step
        self.mass = total

    @staticmethod
    def _single(noise, sensitivity):
        end = float(noise.isf(1e-17))
        # Cells of equal width, and none across the knees of the density.
        edges = np.linspace(-end - sensitivity, end, CELLS + 1)
        knee = getattr(noise, "a", 0.0) * noise.scale
        edges = np.sort(np.append(edges, [-knee, knee, -knee - sensitivity, knee - sensitivity]))
        tail = noise.sf(np.abs(edges))
        mass = np.where(edges[1:] > 0, tail[:-1] - tail[1:], tail[1:] - tail[:-1])
        across = (edges[:-1] < 0) & (edges[1:] > 0)
        mass[across] = (1 - tail[:-1] - tail[1:])[across]
        middle = (edges[1:] + edges[:-1]) / 2
        return mass, noise.logpdf(middle) - noise.logpdf(middle + sensitivity)

    def _gridded(self, mass, loss, size):
        position = loss / self.step
        below = np.floor(position).astype(int)
        share = position - below
        grid = np.bincount(below % size, mass * (1 - share), size)
        return grid + np.bincount((below + 1) % size, mass * share, size)

    def delta(self, epsilon):
        """Return the smallest delta at ``epsilon``."""
        beyond = self.losses > epsilon
        return float((self.mass[beyond] * -np.expm1(epsilon - self.losses[beyond])).sum())

    def epsilon(self, delta):
        """Return the smallest epsilon at ``delta``."""
        return optimize.brentq(
            lambda epsilon: self.delta(epsilon) - delta, 0, self.losses.max(), xtol=1e-9
        )
