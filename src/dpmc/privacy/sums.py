"""Exact sums of what users send: whole numbers, equal in any order and on any machine.

A number x that a user sends is at most B in absolute value, B public. It is truncated towards zero
to a multiple k g of a step g, the power of two with 2^52 g < B <= 2^53 g, so that |k g| <= |x| and
no norm increases. Checks allow a relative excess of 10^-9, so |k| < 2^54. The whole numbers k are
added up in two 64-bit integers, k = 2^26 h + l with 0 <= l < 2^26 and |h| <= 2^28. Each of at most
:data:`MOST_USERS` = 2^31 users adds to a sum once, so |sum of h| <= 2^59 and the sum of the l is
below 2^57. (If numbers of some users are first added up within 64 bits and their sum is split, both
are smaller still.) Nothing overflows, and no sum is rounded. Additions may be made in any order, in
blocks of users, in threads or on several machines. (If a user's numbers exceed B nevertheless, or
are not numbers, the sums are meaningless, and the check of the norms prevents any release.)

**Cost.** A truncated number loses less than g < 2^-52 B, and a sum of n users less than n 2^-52 B:
2.4e-10 B for a million users, 4.8e-7 B for 2^31. The noise of a release with the share w of a
budget of mu has the standard deviation Delta / (mu sqrt(w)), with Delta >= B. If mu sqrt(w) is
below 2, this is more than half of B, and the loss is below 1e-6 of it for any number of users.
(This covers epsilon up to 10 at delta 1e-6 for the whole budget, w = 1, and beyond 20 for w = 0.3.)
For a million users, mu sqrt(w) below 4000 is enough. The noise is not increased for it.

**As a query.** :meth:`Sums.floats` converts the sums to floating-point numbers, each with a
relative error of at most 2^-52. :mod:`dpmc.privacy.release` derives the effect on a guarantee.
"""

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from dpmc.compiled import njit
from dpmc.privacy.ledger import PrivacyViolation

MOST_USERS = 2**31
"""That send (or, at entry level, ratings that are added up): more could overflow."""

DIGITS = 53
"""Binary ones of the largest number that is sent, in steps: all that a float has."""

TOGETHER = 1 << 9
"""Users of whom each adds one number that fit 64 bits: 2^9 times 2^53 (1 + 2^-20) is below 2^63."""

SPLIT = 26
"""Binary digits of the lower of two parts."""

FAR_ABOVE = 2.0**62
"""Steps that no number comes near whose bound was kept."""

_LOW = (1 << SPLIT) - 1


def step_of(bound: float) -> float:
    """Return g, the power of two with 2^52 g < bound <= 2^53 g.

    PrivacyViolation refuses a bound that is not a positive number, or too small or large for steps.
    """
    if not 1e-250 < bound < 1e250:
        raise PrivacyViolation(f"what users send cannot be bounded by {bound}")
    mantissa, exponent = math.frexp(bound)
    # frexp gives 0.5 for a power of two itself, whose exponent is then one too large here
    return math.ldexp(1.0, exponent - (mantissa == 0.5) - DIGITS)


class Sums:
    """Sums over users of bounded numbers, kept exactly.

    Parameters
    ----------
    size : int
        Number of sums.
    bound : float
        B, above 0: public. No number that one user adds to one sum is larger in size.

    Attributes
    ----------
    step : float
        g.
    parts : int64 array, shape (size, 2)
        h and l of each sum, see the module's text.
    longest : float
        The largest l2 norm of what one user sent, as far as :meth:`saw` was told.
    """

    def __init__(self, size: int, bound: float):
        self.step = step_of(bound)
        self.parts = np.zeros((size, 2), dtype=np.int64)
        self.longest = 0.0
        self._bound = bound

    @property
    def per_step(self) -> float:
        """1/g, a power of two: a number times it loses nothing."""
        return 1 / self.step

    def empty(self) -> "Sums":
        """Return others like these, all zero."""
        return self.like()

    @property
    def like(self) -> "partial[Sums]":
        """What :meth:`empty` calls, in a few bytes for another process."""
        return partial(Sums, len(self.parts), self._bound)

    def check_largest(self, largest: float) -> None:
        """Refuse a number above the bound by more than :data:`TOGETHER` of them leave room for.

        Their sum in 64 bits would come out as another number, and nobody would see it.
        """
        if not largest <= self._bound * (1 + 2.0**-20):  # NaN too
            raise PrivacyViolation(
                f"{largest:g} is to be added to sums of numbers up to {self._bound:g}"
            )

    def whole(self, values: np.ndarray) -> np.ndarray:
        """Return numbers in steps, truncated towards zero: int64, of the same shape.

        PrivacyViolation refuses a value that is not a number or is far above the bound: its whole
        number would be arbitrary.
        """
        values = np.asarray(values, dtype=float)
        if not (np.abs(values) < FAR_ABOVE * self.step).all():  # NaN too
            raise PrivacyViolation("what a user sends is no number, or none that was bounded")
        return (values * self.per_step).astype(np.int64)

    def add(self, place: int, whole: np.ndarray) -> None:
        """Add what each user sends, shape (n_users, m), to the m sums from a place on."""
        whole = _table(whole)
        some = self.parts[place : place + whole.shape[1]]
        # a shift rounds down, also below 0: high 2^26 + low is the number, with 0 <= low < 2^26
        some[:, 0] += (whole >> SPLIT).sum(axis=0)
        some[:, 1] += (whole & _LOW).sum(axis=0)

    def add_at(self, places: np.ndarray, whole: np.ndarray) -> None:
        """Add numbers to the sums at places, each shape (n,)."""
        _add_at(self.parts, places, whole)

    def saw(self, *whole: np.ndarray) -> None:
        """Note the norms of what users sent, each shape (n_users,) or (n_users, m), in steps.

        In floating point, of whole numbers that it holds exactly: m squares are added up to within
        a relative m 2^-52 of their sum.
        """
        squares: Any = 0.0
        for each in whole:
            each = _table(each).astype(float)
            squares = squares + np.einsum("nm,nm->n", each, each)
        self.saw_squares(squares)

    def saw_squares(self, squares: ArrayLike) -> None:
        """Note the norms of what users sent, by their squares, shape (n_users,), in steps."""
        longest = np.sqrt(np.max(squares, initial=0.0)) * self.step
        self.longest = float(np.maximum(self.longest, longest))  # NaN stays

    def include(self, others: "Sums") -> None:
        """Add other sums, of other users."""
        if others.step != self.step:
            raise PrivacyViolation("sums of different steps cannot be added")
        self.parts += others.parts
        self.longest = float(np.maximum(self.longest, others.longest))

    def floats(self) -> np.ndarray:
        """Return the sums as float64, shape (size,), each to within a relative 2^-52."""
        low = self.parts[:, 1]
        # what has carried over from the low parts; high is then exact in a float
        high = self.parts[:, 0] + (low >> SPLIT)
        return (high * float(1 << SPLIT) + (low & _LOW)) * self.step

    def exact(self) -> list[int]:
        """Return the sums in steps."""
        return [(int(high) << SPLIT) + int(low) for high, low in self.parts]


def _table(whole: np.ndarray) -> np.ndarray:
    """Return numbers of users with a row for each user."""
    return whole.reshape(len(whole), math.prod(whole.shape[1:]))


@njit(cache=True, nogil=True)
def put(parts: np.ndarray, place: int, whole: int) -> None:
    """Add a whole number to the sum at a place."""
    parts[place, 0] += whole >> SPLIT
    parts[place, 1] += whole & _LOW


@njit(cache=True, nogil=True)
def put_all(parts: np.ndarray, wholes: np.ndarray) -> None:
    """Add whole numbers, sums over up to :data:`TOGETHER` users, to sums, and make them 0."""
    for place in range(wholes.size):
        put(parts, place, wholes[place])
        wholes[place] = 0


@njit(cache=True, nogil=True)
def _add_at(parts: np.ndarray, places: np.ndarray, whole: np.ndarray) -> None:
    for k in range(places.size):
        put(parts, places[k], whole[k])
