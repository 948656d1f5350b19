"""Many exact draws at once: floating point decides only what it cannot get wrong.

The noise is on the integers, of mass proportional to exp(-rho(|k| / scale)), with a whole scale n.
A proposal is a sign, v >= 0 with probability 2^-(v + 1), which is a number of zero bits, and u
uniform on 0, ..., n - 1; the size k = u + n v is kept with probability

    p = exp(-rho(k / scale)) 2^v / BOUND,

so that the mass of what is kept is that of the noise, once half of the zeros are thrown away. This
is Karney's way for the normal law ("Sampling exactly from the normal distribution", ACM TOMS 2016),
with v from bits in place of coins.

p is at most 1: for v = 0 because rho >= 0, and else rho >= v - 1/2, so that 2^v exp(-rho) is at
most exp(1/2) (2/e)^v <= 2 exp(-1/2) < BOUND: that is the tangent of rho at z = 1 (rho = z for
Laplace noise), as z >= v.

To keep k, a uniform number is compared with p. Its first 53 binary digits are drawn, and p is
computed in floating point with an error far below MARGIN, so nearly always they settle it. Where
they do not, further digits are drawn, and p is computed with as many. What is kept is what would be
kept in real numbers: no probability hangs on a rounding error.
"""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from typing import Protocol

import numpy as np

from dpmc.mechanisms.discrete_coins import Bits

BOUND = Fraction(5, 4)

MARGIN = 2.0**-40
"""The error of p is below (rho + 8) 2^-50 p <= 2^-46, if exp is right to 8 units of its digits.

rho is at most 8 2^-53 rho off: k, the scale and their quotient by half a unit each, which rho
doubles at most, and so is every operation of the law. As v <= rho + 1/2, (rho + 8) p is below 16.
"""

LARGEST = 2**56
"""Below it, k fits 64 bits with v up to 62."""

_DIGITS = 53
_ZEROS = 63  # bits of a word that say v; the last one is the sign
_MOST = 2**18  # proposals at a time: memory


class Law(Protocol):
    """What is asked of noise: its mass is proportional to exp(-rho(|k| / scale))."""

    scale: Fraction

    def loss(self, z: np.ndarray) -> np.ndarray:
        """rho at z >= 0."""

    def exact_loss(self, z: Fraction) -> Fraction:
        """The same as a fraction."""


def in_batches(law: Law) -> bool:
    """Whether :func:`draw` can draw it."""
    return law.scale.denominator == 1 and law.scale.numerator < LARGEST


def draw(law: Law, size: int, bits: Bits) -> np.ndarray:
    """Draw independent integers.

    Parameters
    ----------
    law : Law
        One that is drawn :func:`in_batches`.
    size : int
    bits : callable
        As for :meth:`dpmc.mechanisms.discrete.Discrete.draw`.

    Returns
    -------
    array of int64; of Python's integers, if one does not fit (with probability below 2^-63)
    """
    parts, missing = [np.empty(0, dtype=np.int64)], size
    while missing > 0:
        drawn = _round(law, min(4 * missing + 16, _MOST), bits)[:missing]
        parts.append(drawn)
        missing -= len(drawn)
    return np.concatenate(parts)


def _round(law: Law, proposals: int, bits: Bits) -> np.ndarray:
    """Return what is kept of so many proposals."""
    n = law.scale.numerator
    u = words(proposals, bits) >> np.uint64(64 - max((n - 1).bit_length(), 1))
    u = u[u < n].astype(np.int64)
    ruled = words(u.size, bits)
    digits = (words(u.size, bits) >> np.uint64(64 - _DIGITS)).astype(np.int64)
    positive = (ruled & np.uint64(1)).astype(bool)
    v = trailing_zeros(ruled >> np.uint64(1))
    k = u + n * np.minimum(v, _ZEROS - 1)
    p = probability(law, k, v)
    uniform = np.ldexp(digits.astype(float), -_DIGITS)
    kept = uniform < p
    for i in np.flatnonzero((np.abs(uniform - p) <= MARGIN) | (v == _ZEROS)):
        zeros = int(v[i])
        if zeros == _ZEROS:
            while not bits(1):
                zeros += 1
            k = k.astype(object)
            k[i] = int(u[i]) + n * zeros
        kept[i] = is_kept(law, int(k[i]), zeros, int(digits[i]), bits)
    signed = np.where(positive, k, -k)
    return signed[kept & ((k > 0) | positive)]


def probability(law: Law, k: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Return p in floating point, far closer to the true one than MARGIN."""
    return np.ldexp(np.exp(-law.loss(k / float(law.scale))), v) / float(BOUND)


def is_kept(law: Law, k: int, v: int, digits: int, bits: Bits) -> bool:
    """Compare a uniform number with p exactly.

    Parameters
    ----------
    law : Law
    k, v : int
        The proposal.
    digits : int
        The first 53 binary digits of the uniform number.
    bits : callable
        Gives further ones.
    """
    loss, length = law.exact_loss(k / law.scale), _DIGITS
    while True:
        context = Context(prec=length // 3 + 30, Emin=MIN_EMIN, Emax=MAX_EMAX)
        exponent = context.divide(Decimal(-loss.numerator), Decimal(loss.denominator))
        # division and exp are off by half a unit in the last digit, the former times the size of
        # the exponent: 5 (1 + loss) units of 10^-prec, of which 100 (2 + loss) are allowed for
        error = Fraction(10) ** -(context.prec - 2) * (2 + loss)
        p = Fraction(context.exp(exponent)) * 2**v / BOUND
        low, high = Fraction(digits, 2**length), Fraction(digits + 1, 2**length)
        if high <= p * (1 - error):
            return True
        if low >= p * (1 + error):
            return False
        digits, length = (digits << 64) | bits(64), length + 64


def words(size: int, bits: Bits) -> np.ndarray:
    """Return 64 random bits each, uint64 (size,)."""
    return np.frombuffer(bits(64 * size).to_bytes(8 * size, "little"), dtype="<u8")


def trailing_zeros(x: np.ndarray) -> np.ndarray:
    """Return how many zero bits numbers of 63 bits end in, int64; 63 for zero."""
    lowest = x & (~x + np.uint64(1))
    return np.where(x == 0, _ZEROS, np.frexp(lowest.astype(float))[1] - 1).astype(np.int64)
