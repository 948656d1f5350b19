"""Exact Laplace and Gaussian noise on the integers, free of rounding errors.

Floating-point samplers leak information through the gaps between the numbers that they can return
(Mironov, "On significance of the least significant bits for differential privacy", CCS 2012). The
draws here are integers with exactly the stated probabilities.

The noise is an integer k with mass proportional to exp(-rho(|k| / scale)), for a whole scale n. A
proposal is a random sign, v >= 0 with probability 2^-(v + 1), which is a number of zero bits, and u
uniform on 0, ..., n - 1. The size k = u + n v is kept with probability

    p = exp(-rho(k / scale)) 2^v / BOUND.

Kept proposals then have the mass of the noise, after half of the zeros are discarded. This is
Karney's method for the normal distribution ("Sampling exactly from the normal distribution", ACM
TOMS 2016), with v from bits instead of coins.

The probability p is at most 1. For v = 0 this holds because rho >= 0. Otherwise rho >= z - 1/2, its
tangent at z = 1 (rho = z for Laplace noise), and z >= v. So rho >= v - 1/2, and 2^v exp(-rho) is at
most exp(1/2) (2/e)^v <= 2 exp(-1/2) < BOUND.

A comparison of a uniform number with p decides whether k is kept. The first 53 binary digits of the
number are drawn, and p is computed in floating point with an error far below MARGIN. These nearly
always decide. Otherwise further digits are drawn, and p is computed with as many digits. The
decision is the same as in exact arithmetic: no probability depends on a rounding error.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms.discrete_coins import Bits, secure_bits

LARGEST = 2**56
"""Scales are below it: then k fits 64 bits with v up to 62."""

BOUND = Fraction(5, 4)

MARGIN = 2.0**-40
"""The error of p is below (rho + 8) 2^-50 p <= 2^-46, if exp is right to 8 units of its digits.

rho is at most 8 2^-53 rho off: k, the scale and their quotient by half a unit each, which rho
doubles at most, and so is every operation of the law. As v <= rho + 1/2, (rho + 8) p is below 16.
"""

_DIGITS = 53
_ZEROS = 63  # bits of a word that say v; the last one is the sign
_MOST = 2**18  # proposals at a time: memory
_LARGEST_SUM = 10**6  # steps of the scale up to which probabilities are computed


@dataclass(frozen=True)
class Discrete(ABC):
    """Noise on the integers with mass proportional to exp(-rho(|k| / scale)).

    Parameters
    ----------
    scale : int
        In steps of the grid: from 1 to :data:`LARGEST`, which is too much.

    Raises
    ------
    InputError
        Another scale.
    """

    scale: int

    def __post_init__(self) -> None:
        if type(self.scale) is not int or not 1 <= self.scale < LARGEST:
            raise InputError(f"scale must be an integer from 1 to 2^56 - 1, got {self.scale!r}.")

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
        array of int64; of Python's integers, if one does not fit (with probability below 2^-63)

        Notes
        -----
        The time that a draw takes depends on its value: do not let others measure it.
        """
        bits = bits or secure_bits()
        parts, missing = [np.empty(0, dtype=np.int64)], size
        while missing > 0:
            drawn = self._round(min(4 * missing + 16, _MOST), bits)[:missing]
            parts.append(drawn)
            missing -= len(drawn)
        return np.concatenate(parts)

    def _round(self, proposals: int, bits: Bits) -> np.ndarray:
        """Return what is kept of so many proposals."""
        n = self.scale
        u = words(proposals, bits) >> np.uint64(64 - max((n - 1).bit_length(), 1))
        u = u[u < n].astype(np.int64)
        ruled = words(u.size, bits)
        digits = (words(u.size, bits) >> np.uint64(64 - _DIGITS)).astype(np.int64)
        positive = (ruled & np.uint64(1)).astype(bool)
        v = trailing_zeros(ruled >> np.uint64(1))
        k = u + n * np.minimum(v, _ZEROS - 1)
        p = self.probability(k, v)
        uniform = np.ldexp(digits.astype(float), -_DIGITS)
        kept = uniform < p
        for i in np.flatnonzero((np.abs(uniform - p) <= MARGIN) | (v == _ZEROS)):
            zeros = int(v[i])
            if zeros == _ZEROS:
                while not bits(1):
                    zeros += 1
                k = k.astype(object)
                k[i] = int(u[i]) + n * zeros
            kept[i] = self.is_kept(int(k[i]), zeros, int(digits[i]), bits)
        signed = np.where(positive, k, -k)
        return signed[kept & ((k > 0) | positive)]

    def probability(self, k: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Return p in floating point, far closer to the true one than MARGIN."""
        return np.ldexp(np.exp(-self.loss(k / float(self.scale))), v) / float(BOUND)

    def is_kept(self, k: int, v: int, digits: int, bits: Bits) -> bool:
        """Compare a uniform number with the p of a proposal exactly.

        ``digits`` are its first 53 binary ones; ``bits`` gives further ones.
        """
        loss, length = self.exact_loss(Fraction(k, self.scale)), _DIGITS
        while True:
            context = Context(prec=length // 3 + 30, Emin=MIN_EMIN, Emax=MAX_EMAX)
            exponent = context.divide(Decimal(-loss.numerator), Decimal(loss.denominator))
            # division and exp are off by half a unit in the last digit, the former times the size
            # of the exponent: 5 (1 + loss) units of 10^-prec, of which 100 (2 + loss) are allowed
            error = Fraction(10) ** -(context.prec - 2) * (2 + loss)
            p = Fraction(context.exp(exponent)) * 2**v / BOUND
            low, high = Fraction(digits, 2**length), Fraction(digits + 1, 2**length)
            if high <= p * (1 - error):
                return True
            if low >= p * (1 + error):
                return False
            digits, length = (digits << 64) | bits(64), length + 64

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
        """Log probability of integers, in floating point, of scales up to a million steps."""
        z = np.abs(np.asarray(k, dtype=float)) / float(self.scale)
        return -self.loss(z) - self._log_normaliser


class DiscreteLaplace(Discrete):
    """Mass proportional to exp(-|k| / scale)."""

    def loss(self, z):
        return z

    exact_loss = loss

    _tail = (0.0, 1.0)


class DiscreteGaussian(Discrete):
    """Mass proportional to exp(-k^2 / (2 scale^2)).

    The scale is the standard deviation to eight digits.
    """

    def loss(self, z):
        return z * z / 2

    exact_loss = loss

    _tail = (40.0, math.inf)


def words(size: int, bits: Bits) -> np.ndarray:
    """Return 64 random bits each, uint64 (size,)."""
    return np.frombuffer(bits(64 * size).to_bytes(8 * size, "little"), dtype="<u8")


def trailing_zeros(x: np.ndarray) -> np.ndarray:
    """Return how many zero bits numbers of 63 bits end in, int64; 63 for zero."""
    lowest = x & (~x + np.uint64(1))
    return np.where(x == 0, _ZEROS, np.frexp(lowest.astype(float))[1] - 1).astype(np.int64)
