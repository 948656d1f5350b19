"""Huber noise: Gaussian in the middle, Laplace in the tails.

The noise is from Gowtham, Muthukrishnan, Tholeti and Kalyani, "Introducing the Huber mechanism for
differentially private low-rank matrix completion" (arXiv:2206.07910; elsewhere called Gowtham et
al. 2022), section 2.2, and Gowtham's thesis of the same title, chapter 4. Both have scale 1 only,
and their inverse CDF lacks a minus sign; the formulas here are right.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms.base import Mechanism, positive_finite, probability

PAPERS_A_AT_VARIANCE_1 = 3.0
"""What the papers use for "variance 1", which no a reaches: the true variance is 1.003610."""

_SMALLEST_A, _LARGEST_A = 1e-50, 1e50  # beyond, a^4 leaves the range of a float


@dataclass(frozen=True)
class Huber(Mechanism):
    """Noise with density exp(-rho_a(x/s)) / (s Z).

    rho_a(z) = z^2/2 for |z| <= a and a (|z| - a/2) beyond;
    Z = sqrt(2 pi) erf(a/sqrt 2) + (2/a) exp(-a^2/2).

    Parameters
    ----------
    a : float
        Where the Gaussian middle ends and the exponential tails begin, in units of the scale;
        1e-50 to 1e50. Towards 0 the noise becomes Laplace (of scale s/a), towards infinity
        Gaussian (of standard deviation s).
    scale : float
        The scale s > 0. The variance is s^2 times a factor above 1 that falls to 1 as a grows.
    """

    a: float
    scale: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "a", positive_finite("the Huber parameter a", self.a))
        object.__setattr__(self, "scale", positive_finite("scale", self.scale))
        if not _SMALLEST_A <= self.a <= _LARGEST_A:
            raise InputError(
                f"the Huber parameter a must lie between {_SMALLEST_A:g} and {_LARGEST_A:g}, "
                f"got {self.a:g}."
            )

    @classmethod
    def from_variance(cls, variance: float, scale: float = 1.0) -> Self:
        """Return Huber noise of a given variance and scale, by solving for a.

        Huber noise of scale s has a variance above s^2; InputError refuses one that no a reaches.
        Variance 1 at scale 1 is unreachable, but the papers use it with a = 3, whose variance is
        1.003610. This function does the same.
        """
        variance, scale = positive_finite("variance", variance), positive_finite("scale", scale)
        if variance == 1 and scale == 1:
            return cls(PAPERS_A_AT_VARIANCE_1)
        excess = variance / scale / scale - 1
        if not excess > 0:
            raise InputError(
                f"the variance of Huber noise of scale {scale:g} must be above {scale * scale:g} "
                f"(at scale 1 also 1, for which the papers' a = 3 is taken), got {variance:g}."
            )
        return cls(_solve_for_a(excess), scale)

    @cached_property
    def _normaliser(self) -> float:
        return _normaliser(self.a)

    @cached_property
    def _log_tail_mass(self) -> float:
        return _log_tail_mass(self.a)

    @property
    def tail_mass(self) -> float:
        """w = P(|X| > a s), the mass of both exponential tails (underflows above a = 38)."""
        return math.exp(self._log_tail_mass)

    @property
    def _tail_excess(self) -> float:
        """exp(-a^2/2)/a - integral of exp(-t^2/2) over t > a: how much heavier a tail is, times Z.

        For large a the difference cancels, harmlessly: it is only added to the larger integral.
        """
        exponential = math.exp(-self.a * self.a / 2) / self.a
        return exponential - math.sqrt(math.pi / 2) * math.erfc(self.a / math.sqrt(2))

    def _log_density(self, z: np.ndarray) -> np.ndarray:
        return -huber_loss(z, self.a) - math.log(self._normaliser)

    def _upper_tail(self, z: np.ndarray) -> np.ndarray:
        from scipy.special import erfc  # not paid for by a training job, which only draws

        inner = math.sqrt(math.pi / 2) * erfc(z / math.sqrt(2)) + self._tail_excess
        outer = np.exp(self._log_tail_mass - self.a * np.maximum(z - self.a, 0)) / 2
        return np.where(z < self.a, inner / self._normaliser, outer)

    def _upper_quantile(self, q: np.ndarray) -> np.ndarray:
        from scipy.special import erfinv, ndtri

        shape, q = np.shape(q), np.ravel(q)
        z = np.empty_like(q)
        factor = self._normaliser / math.sqrt(2 * math.pi)
        central = (1 - 2 * q) * factor  # the mass a standard normal has in [-z, z], if z < a
        in_tail = 2 * q < self.tail_mass
        # erfinv is accurate near the centre, ndtri of the upper tail away from it.
        near = ~in_tail & (central < 0.5)
        far = ~(in_tail | near)
        z[in_tail] = self.a + (self._log_tail_mass - np.log(2 * q[in_tail])) / self.a
        z[near] = math.sqrt(2) * erfinv(central[near])
        z[far] = -ndtri(q[far] * factor - self._tail_excess / math.sqrt(2 * math.pi))
        return z.reshape(shape)

    def rvs(
        self, size: int | tuple[int, ...] | None = None, rng: np.random.Generator | None = None
    ) -> Any:
        """Draw noise with the ziggurat of :mod:`dpmc.mechanisms.huber_sampler`, the fast way."""
        from dpmc.mechanisms.huber_sampler import draw  # numba: only when something is drawn

        return draw(self.a, self.scale, size, rng or np.random.default_rng())

    def var(self) -> float:
        return self.scale**2 * (1 + self.tail_mass * (1 + 2 / self.a**2))

    def epsilon(self, sensitivity: float, delta: float = 0.0) -> float:
        """Pure epsilon of one release, a D/s, which is tight: not the guarantee of a training run.

        The slope of the log density never exceeds a/s and equals it in the tails.

        Parameters
        ----------
        sensitivity : float
            Largest l1 distance D between the values released on neighbouring data.
        delta : float
            Accepted for a common interface: a pure guarantee is the same at every delta.
        """
        probability("delta", delta)
        return self.a * positive_finite("sensitivity", sensitivity) / self.scale


def huber_loss(z: np.ndarray, a: float) -> np.ndarray:
    """rho_a(z) at z >= 0: z^2/2 up to a, a (z - a/2) beyond."""
    clipped = np.minimum(z, a)
    return clipped * (z - clipped / 2)


def _inner_mass(a: float) -> float:
    """Integral of exp(-rho_a) over [-a, a]."""
    return math.sqrt(2 * math.pi) * math.erf(a / math.sqrt(2))


def _normaliser(a: float) -> float:
    """Z, the integral of exp(-rho_a)."""
    return _inner_mass(a) + 2 / a * math.exp(-a * a / 2)


def _log_tail_mass(a: float) -> float:
    """log of w = (2/a) exp(-a^2/2) / Z; w itself underflows above a = 38."""
    return math.log(2 / a) - a * a / 2 - math.log(_normaliser(a))


def _solve_for_a(excess: float) -> float:
    """The a whose variance at scale 1 is 1 + excess, by bisection; the variance falls with a.

    In logarithms, so that an excess of 1e-16 and one of 1e16 are solved equally well.
    """
    low, high = 0.1 * math.sqrt(2 / max(excess, 1.0)), 38.0
    while low < (middle := math.sqrt(low * high)) < high:
        if _log_tail_mass(middle) + math.log1p(2 / middle**2) > math.log(excess):
            low = middle
        else:
            high = middle
    return high
