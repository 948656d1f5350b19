"""Noise that is safe to publish: exact integers on a grid, from cryptographic random bits.

A release rounds the query to a grid of step g and adds g K with K integer and its probabilities
exact (:mod:`dpmc.mechanisms.discrete`). It keeps the guarantee that was calibrated for continuous
noise, whichever accountant did it, because the noise is scaled to a sensitivity that is larger by
the factor 1 + 2^-10. That is for the grid, which needs 4 g for every coordinate, and for what the
query as computed may differ by more than the sensitivity says.

Let f be a symmetric log-concave density, in units where the step is 1, with f(0) <= 3/4; X ~ f and
K an integer with mass f(k)/S, S the sum of f over the integers. T(P, Q) is the trade-off function
(Dong, Roth and Su, "Gaussian differential privacy", JRSS B 2022).

**Theorem.** T(K, K + m) >= T(X, X + m + 3) for every integer m >= 1.

*Proof.* Write A(k) = P(K >= k) and B(x) = P(X >= x). First, B(k + 1) <= A(k) <= B(k - 2) for all
integers k. Let k >= 1. As f falls on the half line, B(k) <= sum over j >= k of f(j) <= B(k - 1),
and so |S - 1| <= f(0). The hazard f/B of a log-concave density rises, and is 2 f(0) at 0, hence
B(x + c) <= B(x) exp(-2 f(0) c) for x, c >= 0. With c = 1/2: A(k) >= B(k)/(1 + f(0)) >= B(k + 1/2).
With c = 1, and k >= 2: A(k) <= B(k - 1)/(1 - f(0)) <= B(k - 1) exp(2 f(0)) <= B(k - 2), since
exp(-2 y) <= 1 - y for 0 <= y <= 3/4; and A(1) = (1 - P(K = 0))/2 < B(0). For k <= 0 use
A(k) = 1 - A(1 - k) and B(x) = 1 - B(-x).
Likelihood ratios of K + m against K are monotone, so the best tests are thresholds: level A(k) has
power A(k - m), and between these levels the power is linear. Of X + m + 3 against X, the threshold
k + 1 has level B(k + 1) <= A(k) and power B(k - m - 2) >= A(k - m). Its power is a concave function
of the level, so it is not below the chords either. QED.

**Vectors.** Rounding moves the distance of two neighbouring queries by at most one step in each
coordinate that differs, so coordinate i of the integers differs by m_i <= |d_i|/g + 1, and by the
theorem is at least as private as continuous noise at shift |d_i| + 4 g. Under an l2 bound D and
Gaussian noise the product of these is Gaussian DP at the l2 norm of the shifts, at most
D + 4 g sqrt(n) for n coordinates; under an l1 bound D the vector is dominated by the scalar shift
of the same total (the group-privacy lemma along the coordinates), at most D + 4 g n. The grid is
so fine that both are below D (1 + 2^-20). Rounding the scale of the noise up to a whole number of
steps only adds privacy, and so does the conversion of the sum to floating point: it is
post-processing. Composition, adaptive too, keeps all this.

**Sums are whole numbers.** The distance that counts is that of the queries as computed. A query is
made of sums of terms, one of each user (of each rating, where single ratings are protected). What
follows is said of users and of a norm, l1 or l2, in which each term is at most B and neighbours are
at most D >= B apart. A term is truncated towards zero to whole steps h, h < 2^-52 B, and terms are
added up in whole numbers (:mod:`dpmc.privacy.sums`): nothing is rounded and nothing overflows, for
up to N = 2^31 users; more are refused. So sums are what they are on paper, whatever the order and
the number of terms, and a user who joins or leaves moves them by the own term and by nothing else.
What is left:

1. *The term.* Truncation makes no number larger in size, so no norm either: of one term, or of two
   that another user exchanges, the bounds stay B and 2 B. Before, each number is a floating-point
   product, off by a relative 2^-50 at most; and a norm is checked, in floating point, against
   B (1 + 10^-9): of the numbers that are sent, or, for products (outer products, factors times
   residuals), of both factors. With m numbers the norm found is off by a relative m 2^-52, m below
   2^35. Together a term is at most B (1 + 2^-16).
2. *Two terms that are closer than 2 B* where one is exchanged for the other: outer products, which
   are positive semidefinite, and numbers that are at least 0 are at most sqrt(2) B apart (the
   products of Oja's method, B); a rating that changes moves its residual x - f theta by no more
   than the length R of the range, as computed by 2^-25 R more for ranks up to 2^10, since theta is
   clipped to 2^16 R over the bound of f. But for numbers at least 0, which stay so, that is before
   truncation. It and the rounding of products move each of m
   numbers by less than 2 h, and a term by less than 2 h sqrt(m) in the l2 norm: both together by
   2^-32 B. In the l1 norm, where only terms of single ratings are so bounded and m is the rank, it
   is less than 4 h m, and less than that for ranks up to 2^18.
3. *The query.* It is the sums times h and, off the diagonal of a matrix, times sqrt(2), in floating
   point: each number of it off by a relative 2^-51. As all terms together are at most N B long, the
   whole vector is off by at most 2^-51 N B (1 + 2^-16), and two neighbours' by twice that: for
   N = 2^31 by less than 2^-18 D.

So the distance of queries as computed is at most D (1 + 2^-15). Counts of ratings are whole numbers
that a float holds exactly.

For all that, terms must not depend on who else is there. Which ratings count is a matter of a
user's own label (:mod:`dpmc.methods.private_choice`); labels are text, whoever reads them, so that
one odd label does not reorder the others; and what a user computes alone, such as means, lengths
and rows of factors (:mod:`dpmc.methods.normal`), has the same bits wherever in memory and in
whichever block the user stands, which tests check. It adds up a user's ratings in the order of
items. (Regressions in batches, as methods without privacy have them, would not do: who leaves a
batch was measured to move the rows of others by up to 2.3e-10 of their length.) Nor does a
library's logarithm or exponential have a part in what a user of Local Bayes or local EASE makes of
public numbers, so that it has the same bits on all machines. (DPALS with weights for rare items
takes a power of public counts.)

**Shares.** A release with the share s of the budget gets noise scaled to w D, w = s^(-1/2), on a
grid that is as fine relative to w D. The grid then takes w 2^-20 of D, and for w up to 2^6
(:data:`LEAST_SHARE`) at most 2^-14, which with the 2^-15 above stays below 2^-10.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Laplace, Mechanism
from dpmc.mechanisms.discrete import LARGEST, Discrete, DiscreteGaussian, DiscreteLaplace

LEAST_SHARE = 2.0**-12
"""Of the budget of a fit, for a release on a grid."""

_INFLATION = 1 + Fraction(1, 2**10)
_FINENESS = 2**20
_SMALLEST_EXPONENT = -960  # far from subnormal numbers

Draw = Callable[[Discrete, int], np.ndarray]


def secure(noise: Discrete, size: int) -> np.ndarray:
    """Draw with random bits of the operating system."""
    return noise.draw(size)


class GridNoise:
    """Exact discrete noise for :class:`dpmc.privacy.ledger.Ledger`, for publication.

    ``mechanism`` is the continuous noise at sensitivity 1 that was calibrated, Gaussian or Laplace;
    others have no discrete relative. ``draw(discrete noise, size)`` returns integers: with any
    other than :func:`secure`, whose random bits nobody can repeat, the release counts as
    ``simulated``.
    """

    def __init__(self, mechanism: Mechanism, draw: Draw = secure) -> None:
        if not isinstance(mechanism, Gaussian | Laplace):
            raise InputError(
                f"Exact release is for Gaussian and Laplace noise, not for "
                f"{type(mechanism).__name__}."
            )
        self.mechanism = mechanism
        self.simulated = draw is not secure
        self._draw = draw

    def upper(self, probability: float, sensitivity: float, changed: int) -> float:
        """Return a number that the noise exceeds with at most this probability, which is below 1/2.

        By the first part of the theorem's proof the noise exceeds it no more often than continuous
        noise of the same scale exceeds the number less two steps.
        """
        step, noise = grid(self.mechanism, sensitivity, changed)
        continuous = replace(self.mechanism, scale=float(noise.scale * Fraction(step)))
        return float(continuous.isf(probability)) + 2 * step

    def add(self, query: np.ndarray, sensitivity: float, changed: int | None = None) -> np.ndarray:
        """Return ``query`` with exact noise scaled to ``sensitivity``, float64 of the same shape.

        Parameters
        ----------
        query : array
        sensitivity : float
        changed : int, optional
            The most coordinates in which neighbours differ; all, if not given. The grid depends on
            it, so it must not depend on the ratings.

        Raises
        ------
        InputError
            The query is not finite.
        """
        query = np.asarray(query, dtype=float)
        if not np.isfinite(query).all():
            raise InputError("A query that is not a finite number cannot be released.")
        step, noise = grid(self.mechanism, sensitivity, changed or query.size)
        rounded = np.rint(query.ravel() / step)  # a power of two: the quotient is exact
        drawn = self._draw(noise, query.size)
        # not broadcast: one number as noise of all would be no noise on differences
        total = _integers(rounded) + np.reshape(drawn, rounded.shape)
        return (total.astype(float) * step).reshape(query.shape)


@lru_cache(maxsize=64)
def grid(mechanism: Mechanism, sensitivity: float, coordinates: int) -> tuple[float, Discrete]:
    """Return the step of the grid and the noise on it, in steps.

    Parameters
    ----------
    mechanism : Gaussian or Laplace
        At sensitivity 1.
    sensitivity : float
        Of the query, in the norm of the mechanism.
    coordinates : int
        In how many released numbers neighbours differ at most.

    Returns
    -------
    step : float
        The largest power of two with 4 x coordinates x step <= 2^-20 x sensitivity.
    noise : Discrete
        Its scale is a whole number of steps.

    Raises
    ------
    InputError
        Noise that is finer than the grid or takes 2^56 steps, or a sensitivity that leaves the
        range of a float.
    """
    exponent = _floor_log2(Fraction(sensitivity) / (4 * max(coordinates, 1) * _FINENESS))
    step = Fraction(2) ** exponent
    # in exact fractions: a scale that was rounded down would promise too much
    scale = Fraction(mechanism.scale) * Fraction(sensitivity) * _INFLATION / step
    if exponent < _SMALLEST_EXPONENT or scale < 1:
        raise InputError(
            f"Noise of scale {mechanism.scale:g} at sensitivity {sensitivity:g} is too small for "
            "an exact release."
        )
    if scale > LARGEST - 1:
        raise InputError(
            f"Noise of scale {mechanism.scale:g} on {coordinates} numbers is too large for an "
            "exact release."
        )
    law = DiscreteLaplace if isinstance(mechanism, Laplace) else DiscreteGaussian
    return float(step), law(math.ceil(scale))


def _integers(x: np.ndarray) -> np.ndarray:
    """Return whole numbers as int64, or as Python's if sums of two could leave that."""
    if np.abs(x).max(initial=0) < 2.0**61:
        return x.astype(np.int64)
    return np.array([int(each) for each in x], dtype=object)


def _floor_log2(x: Fraction) -> int:
    exponent = x.numerator.bit_length() - x.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= x else exponent - 1
