"""Exact noise on the integers: Laplace and Gaussian, drawn without floating point.

Floating-point samplers leak through the gaps between the numbers that they can return (Mironov,
"On significance of the least significant bits for differential privacy", CCS 2012). The draws here
are integers, and their probabilities are exactly those stated.

Noise of a whole scale below 2^56 is drawn many at a time (:mod:`dpmc.mechanisms.discrete_batch`),
any other one by one with integer arithmetic alone: proposals are discrete Laplace, accepted with a
coin of probability exp(-gamma) for a rational gamma. Source: Canonne, Kamath and Steinke, "The
discrete Gaussian for differential privacy" (NeurIPS 2020), algorithms 1 to 3.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import discrete_batch
from dpmc.mechanisms.discrete_coins import Bits, coin_exp, secure_bits, uniform_below

Rational = int | Fraction

_LARGEST_SUM = 10**6  # steps of the scale up to which probabilities are computed


class Discrete(ABC):
    """Noise on the integers with mass proportional to exp(-rho(|k| / scale)).

    A subclass is a frozen dataclass with a field ``scale``.
    """

    scale: Fraction

    def draw(self, size: int, bits: Bits | None = None) -> np.ndarray:
        """Draw independent integers.

        Parameters
        ----------
        size : int
        bits : callable, optional
            ``bits(k)`` returns k random bits as an integer; for tests
            ``random.Random(1).getrandbits``. Without it they come from :mod:`secrets`.

        Returns
        -------
        array of int64, or of Python's integers where the scale is large or not whole

        Notes
        -----
        The time that a draw takes depends on its value: do not let others measure it.
        """
        bits = bits or secure_bits()
        if discrete_batch.in_batches(self):
            return discrete_batch.draw(self, size, bits)
        one = self._sampler(bits)
        return np.array([one() for _ in range(size)], dtype=object)

    @abstractmethod
    def _sampler(self, bits: Bits) -> Callable[[], int]:
        """Return a function that draws one integer."""

    @abstractmethod
    def loss(self, z: np.ndarray) -> np.ndarray:
        """rho at z >= 0."""

    @abstractmethod
    def exact_loss(self, z: Fraction) -> Fraction:
        """rho at z >= 0."""

    @property
    @abstractmethod
    def _tail(self) -> tuple[float, float]:
        """(z, slope): beyond z the mass falls as exp(-slope z), or is below 1e-300 (slope inf)."""

    @cached_property
    def _log_normaliser(self) -> float:
        """log of the sum of exp(-rho(|k|/scale)) over all integers k."""
        scale = float(self.scale)
        if scale > _LARGEST_SUM:
            raise InputError(
                f"Probabilities are computed for scales up to {_LARGEST_SUM}, got {scale:g}."
            )
        start, slope = self._tail
        first = math.floor(start * scale) + 1  # the first integer of the geometric tail
        terms = [2 * np.exp(-self.loss(np.arange(1, first) / scale)).sum(), 1.0]
        if math.isfinite(slope):
            tail = math.exp(-float(self.loss(np.array(first / scale))))
            terms.append(2 * tail / -math.expm1(-slope / scale))
        return math.log(math.fsum(terms))

    def logpmf(self, k) -> np.ndarray:
        """Log probability of integers, in floating point: for tests and accounting.

        Raises
        ------
        InputError
            A scale above a million steps.
        """
        z = np.abs(np.asarray(k, dtype=float)) / float(self.scale)
        return -self.loss(z) - self._log_normaliser


@dataclass(frozen=True)
class DiscreteLaplace(Discrete):
    """Mass proportional to exp(-|k| / scale).

    Parameters
    ----------
    scale : int or Fraction
        In steps of the grid, above 0.
    """

    scale: Rational

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _rational("scale", self.scale))

    def _sampler(self, bits):
        return _laplace_sampler(bits, 1 / self.scale)

    def loss(self, z):
        return z

    exact_loss = loss

    _tail = (0.0, 1.0)


@dataclass(frozen=True)
class DiscreteGaussian(Discrete):
    """Mass proportional to exp(-k^2 / (2 scale^2)).

    Parameters
    ----------
    scale : int or Fraction
        In steps of the grid, above 0; from 1 step on the standard deviation to eight digits.
    """

    scale: Rational

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", _rational("scale", self.scale))

    def _sampler(self, bits):
        propose = _laplace_sampler(bits, 1 / self.scale)
        n, d = self.scale.numerator, self.scale.denominator
        twice = 2 * n * n

        def one():
            while True:
                k = propose()
                # Laplace times exp(-(|k| - scale)^2 / (2 scale^2)) is Gaussian, up to a constant
                if coin_exp((abs(k) * d - n) ** 2, twice, bits):
                    return k

        return one

    def loss(self, z):
        return z * z / 2

    exact_loss = loss

    _tail = (40.0, math.inf)


def _rational(what: str, value: Rational) -> Fraction:
    if isinstance(value, bool) or not isinstance(value, int | Fraction) or value <= 0:
        raise InputError(f"{what} must be a positive integer or Fraction, got {value!r}.")
    return Fraction(value)


def _laplace_sampler(bits: Bits, rate: Fraction) -> Callable[[], int]:
    """Return a sampler of mass proportional to exp(-rate |k|) (Canonne et al., algorithm 2).

    x = u + den v, with u below den kept with probability exp(-u/den) and v geometric, has mass
    proportional to exp(-x/den) on x >= 0; x // num has exp(-rate k), and a sign makes it two-sided
    once half of the zeros are thrown away.
    """
    num, den = rate.numerator, rate.denominator

    def one():
        while True:
            u = uniform_below(den, bits)
            if not coin_exp(u, den, bits):
                continue
            v = 0
            while coin_exp(1, 1, bits):
                v += 1
            k = (u + den * v) // num
            if not bits(1):
                return k
            if k:
                return -k

    return one
