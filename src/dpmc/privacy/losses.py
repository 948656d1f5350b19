"""Privacy loss of one release, exactly: where it exceeds epsilon, and how likely that is.

Noise X with density p is added to a value; neighbouring data shift the value by the sensitivity D.
The loss is L(x) = log(p(x) / p(x + D)). For log-concave noise L does not decrease in x, so {L >=
epsilon} = {x >= threshold}. The probability of this event is sf(threshold) under p and
sf(threshold + D) under the shifted density. Thresholds of the three mechanisms are closed forms.

Vectors: let every coordinate get independent log-concave noise. Under an l1 bound, a vector loses
at most as much as one coordinate that moves by the whole bound. To see this, let f_d be the
trade-off function of a shift by d. For log-concave noise f_{d + e} = f_e(1 - f_d), and the group
privacy lemma along (P1 x P2) -> (Q1 x P2) -> (Q1 x Q2) gives T(P1 x P2, Q1 x Q2) >= f_e(1 - f_d).
The rest is induction over coordinates (Dong, Roth and Su, "Gaussian differential privacy", JRSS B
84, 2022: group privacy and the proposition on log-concave noise). Under an l2 bound this fails;
:func:`gaussian_shift` gives a bound that holds.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpmc.errors import InputError
from dpmc.mechanisms.base import Mechanism, positive_finite

NEGLIGIBLE = 1e-17
"""Probability that may be counted as an infinite loss."""

LARGEST_LOSS = 500.0
"""Of one release: beyond, masses under the shifted density underflow."""

TIE = 1e-12
"""Relative distance at which a loss counts as the largest one, where there is an atom."""


@dataclass(frozen=True)
class Loss:
    """The privacy loss of one release of one number.

    Parameters
    ----------
    mechanism : Gaussian, Laplace or Huber
    sensitivity : float
        The shift D > 0, in the units of the noise.

    Raises
    ------
    InputError
        Other noise, or a sensitivity that is not a positive number.
    """

    mechanism: Mechanism
    sensitivity: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "sensitivity", positive_finite("sensitivity", self.sensitivity))
        if kind(self.mechanism) not in _THRESHOLDS:
            raise InputError(
                f"the privacy loss of {type(self.mechanism).__name__} noise is not known; "
                f"known are {', '.join(_THRESHOLDS)}."
            )

    @property
    def shift(self) -> float:
        """The sensitivity in units of the noise's scale."""
        return self.sensitivity / self.mechanism.scale

    @cached_property
    def largest(self) -> float:
        """Supremum of the loss: the pure epsilon of the release, infinite for Gaussian noise."""
        if kind(self.mechanism) == "gaussian":
            return np.inf
        return self.mechanism.epsilon(self.sensitivity)

    @cached_property
    def reach(self) -> float:
        """The loss that is exceeded with probability at most NEGLIGIBLE, on either side."""
        if math.isfinite(self.largest) and self.tails(self.largest)[0] > NEGLIGIBLE:
            return self.largest
        far = float(self.mechanism.isf(NEGLIGIBLE))
        return float(self.mechanism.logpdf(far) - self.mechanism.logpdf(far + self.sensitivity))

    @property
    def bounded(self) -> bool:
        """Whether the loss never exceeds ``reach``."""
        return self.largest == self.reach

    def threshold(self, epsilon: ArrayLike) -> np.ndarray:
        """Return the x with {L >= epsilon} = [x, inf): -inf and inf beyond the largest loss."""
        epsilon = np.asarray(epsilon, dtype=float)
        size = np.abs(epsilon)
        upper = _THRESHOLDS[kind(self.mechanism)](self.mechanism, self.shift, size)
        upper = np.where(size > self.largest * (1 + TIE), np.inf, upper)
        # The loss is antisymmetric about -D/2; its smallest value is an atom that >= includes.
        lower = np.where(size >= self.largest * (1 - TIE), -np.inf, -self.shift - upper)
        return self.mechanism.scale * np.where(epsilon < 0, lower, upper)

    def tails(self, epsilon: ArrayLike) -> tuple[np.ndarray, np.ndarray]:
        """Return P(L >= epsilon) under the noise and under the shifted noise."""
        x = self.threshold(epsilon)
        return self.mechanism.sf(x), self.mechanism.sf(x + self.sensitivity)

    def cells(self, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the masses of epsilon[i] <= L < epsilon[i + 1], under both densities."""
        x = self.threshold(epsilon)
        return self._masses(x), self._masses(x + self.sensitivity)

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta of this one release at ``epsilon``, exactly."""
        here, there = map(float, self.tails(epsilon))
        # Where the second underflows, the exponential may overflow; the product is below 1.
        return max(here - (math.exp(epsilon + math.log(there)) if there > 0 else 0.0), 0.0)

    def epsilon(self, delta: float) -> float:
        """Return the smallest epsilon >= 0 of this one release at ``delta``, by bisection.

        An InputError refuses a delta too small to tell from 0 where the loss is unbounded.
        """
        low, high = 0.0, self.reach * (1 + TIE)
        if self.delta(low) <= delta:
            return 0.0
        if not self.bounded and self.delta(high) > delta:
            raise InputError(f"delta must be above {NEGLIGIBLE:g} here, got {delta:g}.")
        while low < (middle := (low + high) / 2) < high:
            if self.delta(middle) > delta:
                low = middle
            else:
                high = middle
        return high

    def _masses(self, x: np.ndarray) -> np.ndarray:
        # Differences of the smaller tail: far out, those of the larger one are rounding errors.
        tail = self.mechanism.sf(np.abs(x))
        inside = np.where(x[1:] > 0, tail[:-1] - tail[1:], tail[1:] - tail[:-1])
        return np.where((x[:-1] < 0) & (x[1:] > 0), 1 - tail[:-1] - tail[1:], inside)


def gaussian_shift(mechanism: Mechanism, sensitivity: float) -> float:
    """Return mu, so that a release of a vector is mu-Gaussian differentially private.

    Each coordinate gets independent noise with the density f. Then mu is sqrt(2 pi) f(0) times the
    l2 sensitivity D: D / s for Gaussian noise, sqrt(2 pi) D / (Z(a) s) for Huber noise and sqrt(pi
    / 2) D / b for Laplace noise. Discrete noise is not covered.

    **Proof.** Let the scale be 1, F the distribution function of the noise, and Phi and phi the
    distribution function and density of N(0, 1). Let S = Phi^-1 o F, so that S(X) is normal. The
    claim is that the slope of S is at most S'(0) = L = f(0) / phi(0). With f = exp(-rho) / Z and S'
    = f / phi(S), (log S')' = S S' - rho'.

    - Huber noise, 0 < x <= a, where rho' = x: L < 1 because Z > sqrt(2 pi). As long as S' <= 1,
      S <= x and S S' <= x, so S' does not increase; it starts below 1, so it stays there.
    - Huber noise, x > a, where rho' = a: the tail is exponential, 1 - F = f / a, so f / phi(S) =
      a (1 - Phi(S)) / phi(S), and S S' = a S (1 - Phi(S)) / phi(S) < a by the bound on the Mills
      ratio. S' decreases. Laplace noise is the case without a middle.
    - S is odd, so negative x are the same.

    One coordinate: f is log-concave, so optimal tests reject large values, and the trade-off
    function of a shift d is F(x - d) at x = F^-1(1 - alpha). F(x - d) = Phi(S(x - d)) is at least
    Phi(S(x) - L d), the trade-off function of N(0, 1) and N(L d, 1).

    A vector: the noise is independent, so the trade-off function is the tensor product of the
    coordinates' trade-off functions. It is at least the one of N(0, 1) and N(L |d|_2, 1), for every
    d. For adaptive releases mu^2 adds up (Dong, Roth and Su, JRSS B 84, 2022, section 3).

    Parameters
    ----------
    mechanism : Gaussian, Laplace or Huber
    sensitivity : float
        In the l2 norm, in the units of the noise.
    """
    return math.sqrt(2 * math.pi) * float(mechanism.pdf(0.0)) * sensitivity


def kind(mechanism: Mechanism) -> str:
    """Return the registry's name of a mechanism of this package."""
    return type(mechanism).__name__.lower()


def _gaussian(noise: Mechanism, shift: float, epsilon: np.ndarray) -> np.ndarray:
    return epsilon / shift - shift / 2


def _laplace(noise: Mechanism, shift: float, epsilon: np.ndarray) -> np.ndarray:
    return np.minimum(epsilon - shift, 0) / 2


def _huber(noise: Any, shift: float, epsilon: np.ndarray) -> np.ndarray:
    """x and x + D both in the middle, or both in opposite tails, or x inside and x + D outside."""
    a = noise.a
    outside = a - np.sqrt(2 * np.maximum(a * shift - epsilon, 0))
    both = epsilon / min(shift, 2 * a) - shift / 2
    start = shift * (a - shift / 2) if shift < 2 * a else 2 * a * (shift / 2 - a)
    return np.where(epsilon <= start, both, outside)


_THRESHOLDS = {"gaussian": _gaussian, "laplace": _laplace, "huber": _huber}
