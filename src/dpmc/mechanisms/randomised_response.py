"""Randomised response: every sign is flipped with a known probability before anything sees it.

It is not additive noise and so not a :class:`dpmc.mechanisms.Mechanism`: its outputs are signs.

**Guarantee.** Let p and q be the probabilities that +1 and -1 are flipped. One sign has two
outputs, so its privacy loss takes the values

    output +1:  +-log((1 - p) / q)
    output -1:  +-log((1 - q) / p).

Epsilon is the largest of these four: the logarithms of (1 - p)/q, q/(1 - p), (1 - q)/p and
p/(1 - q). Signs are flipped independently, so the other signs cancel from the ratio for two data
sets that differ in one sign. The ratio of two sums of probabilities is at most the largest ratio of
their terms. This epsilon is therefore exact. Two of the four ratios are not enough: theorem 1 of
Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719), as published allows p = 0, at which an output -1 proves that the sign was -1. At
p = q < 1/2 the largest is log((1 - p)/p), so p = 1/(1 + e^epsilon) gives exactly epsilon: the
response of Warner, "Randomized response: a survey technique for eliminating evasive answer bias"
(JASA 60, 1965).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms.base import positive_finite
from dpmc.mechanisms.discrete_coins import Bits, coin, secure_bits

LARGEST_EPSILON = 700.0
"""Of :meth:`RandomisedResponse.from_epsilon`: beyond, the probability is no normal float."""

_ROUNDED_UP = 1 + 2.0**-48
_WORD = 64


@dataclass(frozen=True)
class RandomisedResponse:
    """Flips of signs, +1 with one probability and -1 with another.

    Parameters
    ----------
    p_plus, p_minus : float
        P(-1 | +1) and P(+1 | -1), each in [0, 1].

    Raises
    ------
    InputError
        A probability outside [0, 1].
    """

    p_plus: float
    p_minus: float

    def __post_init__(self) -> None:
        for name in ("p_plus", "p_minus"):
            value = float(getattr(self, name))
            if not 0 <= value <= 1:
                raise InputError(f"{name} must lie in [0, 1], got {value!r}.")
            object.__setattr__(self, name, value)

    @classmethod
    def from_epsilon(cls, epsilon: float) -> Self:
        """Return the symmetric response p = 1/(1 + e^epsilon).

        The float p is not below that number: it is rounded up by more than the rounding errors of
        an exponential, a sum and a quotient. The true epsilon of flips with probability exactly p
        is therefore at most the one asked for, and within 1e-13 max(1, epsilon) of it.

        Raises
        ------
        InputError
            ``epsilon`` is not positive, or above :data:`LARGEST_EPSILON`.
        """
        epsilon = positive_finite("epsilon", epsilon)
        if epsilon > LARGEST_EPSILON:
            raise InputError(f"epsilon must be at most {LARGEST_EPSILON:g}, got {epsilon:g}.")
        odds = math.exp(-epsilon)
        p = min(odds / (1 + odds) * _ROUNDED_UP, 0.5)
        return cls(p, p)

    def epsilon(self) -> float:
        """The largest of the four log ratios of the module's text; inf if one is unbounded."""
        return max(
            _log_ratio(1 - self.p_plus, self.p_minus),
            _log_ratio(1 - self.p_minus, self.p_plus),
        )

    def flip(self, signs: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return flipped signs: a simulation, as the generator's seed can be guessed."""
        signs = _signs(signs)
        threshold = np.where(signs > 0, self.p_plus, self.p_minus)
        return np.where(rng.random(signs.shape) < threshold, -signs, signs)

    def flip_exact(self, signs: np.ndarray, bits: Bits | None = None) -> np.ndarray:
        """Return flipped signs, each flipped with probability exactly p: for publication.

        A uniform number is compared with p, 64 binary digits at a time, with integers only. The
        probabilities are therefore exactly the floats ``p_plus`` and ``p_minus``. ``bits`` are as
        for :meth:`dpmc.mechanisms.discrete.Discrete.draw`.
        """
        signs = _signs(signs)
        bits = bits or secure_bits()
        flipped = np.zeros(signs.shape, dtype=bool)
        for sign, p in ((1, self.p_plus), (-1, self.p_minus)):
            own = signs == sign
            flipped[own] = _coins(Fraction(p), int(own.sum()), bits)
        return np.where(flipped, -signs, signs)


def _coins(p: Fraction, size: int, bits: Bits) -> np.ndarray:
    """Return ``size`` independent coins, True with probability exactly p."""
    if p == 1 or size == 0:
        return np.full(size, p == 1)
    whole, rest = divmod(p.numerator << _WORD, p.denominator)
    words = bits(_WORD * size).to_bytes(_WORD // 8 * size, "little")
    words = np.frombuffer(words, dtype="<u8")
    heads = words < whole
    for tied in np.flatnonzero(words == whole):  # once in 2^64 coins
        heads[tied] = coin(rest, p.denominator, bits)
    return heads


def _signs(signs: np.ndarray) -> np.ndarray:
    signs = np.asarray(signs, dtype=float)
    if not np.isin(signs, (-1.0, 1.0)).all():
        raise InputError("Randomised response is for signs: every value must be -1 or +1.")
    return signs


def _log_ratio(here: float, there: float) -> float:
    """|log(here/there)| of two probabilities; 0 where both are 0: that output never occurs."""
    if here == there:
        return 0.0
    if here == 0 or there == 0:
        return math.inf
    return abs(math.log(here) - math.log(there))
