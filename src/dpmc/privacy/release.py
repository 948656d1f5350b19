"""Noise that is safe to publish: exact integers on a grid, from cryptographic random bits.

A release rounds the query to a grid of step g and adds g K, where K is an integer with exact
probabilities (:mod:`dpmc.mechanisms.discrete`). It keeps the guarantee that was calibrated for
continuous noise, with any accountant, because the noise is scaled to a sensitivity that is larger
by the factor 1 + 2^-10. The factor covers the grid, which needs 4 g for every coordinate, and the
amount by which computed queries can differ by more than the sensitivity.

Let f be a symmetric log-concave density, in units where the step is 1, with f(0) <= 3/4. Let X ~ f,
and let K be an integer with mass f(k)/S, S the sum of f over the integers. T(P, Q) is the trade-off
function (Dong, Roth and Su, "Gaussian differential privacy", JRSS B 2022).

**Theorem.** T(K, K + m) >= T(X, X + m + 3) for every integer m >= 1.

*Proof.* Write A(k) = P(K >= k) and B(x) = P(X >= x). We first show B(k + 1) <= A(k) <= B(k - 2) for
all integers k. Let k >= 1. As f decreases on the half line, B(k) <= sum over j >= k of f(j) <=
B(k - 1), and so |S - 1| <= f(0). The hazard f/B of a log-concave density increases and is 2 f(0) at
0, hence B(x + c) <= B(x) exp(-2 f(0) c) for x, c >= 0. With c = 1/2: A(k) >= B(k)/(1 + f(0)) >=
B(k + 1/2). With c = 1, and k >= 2: A(k) <= B(k - 1)/(1 - f(0)) <= B(k - 1) exp(2 f(0)) <= B(k - 2),
since exp(-2 y) <= 1 - y for 0 <= y <= 3/4; and A(1) = (1 - P(K = 0))/2 < B(0). For k <= 0 use A(k)
= 1 - A(1 - k) and B(x) = 1 - B(-x).
Likelihood ratios of K + m against K are monotone, so the best tests are thresholds: level A(k) has
power A(k - m), and between these levels the power is linear. For X + m + 3 against X, the threshold
k + 1 has level B(k + 1) <= A(k) and power B(k - m - 2) >= A(k - m). Its power is a concave function
of the level, so it is nowhere below the chords. QED.

**Vectors.** Rounding changes the distance of two neighbouring queries by at most one step in each
coordinate that differs. Coordinate i of the integers therefore differs by m_i <= |d_i|/g + 1. By
the theorem it is at least as private as continuous noise at shift |d_i| + 4 g. Under an l2 bound D,
with Gaussian noise, the product of the coordinates is Gaussian DP at the l2 norm of the shifts, at
most D + 4 g sqrt(n) for n coordinates. Under an l1 bound D, the vector is dominated by the scalar
shift of the same total (the group-privacy lemma along the coordinates), at most D + 4 g n. The grid
is so fine that both are below D (1 + 2^-20). Rounding the scale of the noise up to a whole number
of steps only adds privacy. Converting the sum to floating point is post-processing. All this holds
under composition, also adaptive.

**Sums are whole numbers.** The distance that counts is between the computed queries. A query
consists of sums of terms, one of each user (of each rating, if single ratings are protected). The
following is about users and a norm, l1 or l2, in which each term is at most B and neighbours are at
most D >= B apart. A term is truncated towards zero to whole steps h, h < 2^-52 B, and terms are
added up as whole numbers (:mod:`dpmc.privacy.sums`). Nothing is rounded and nothing overflows for
up to N = 2^31 users; more are refused. Sums are therefore exact in every order, and a user who
joins or leaves changes them only by that user's term. Three differences remain:

1. *The term.* Truncation increases no number in size, and so no norm: the bounds stay B for one
   term and 2 B for the difference of two exchanged terms. Before truncation, each number is a
   floating-point product with a relative error of at most 2^-50. Norms are checked in floating
   point against B (1 + 10^-9): the norm of the numbers that are sent, or, for products (outer
   products, factors times residuals), of both factors. With m numbers, m below 2^35, the computed
   norm has a relative error of at most m 2^-52. Together a term is at most B (1 + 2^-16).
2. *Two exchanged terms that are closer than 2 B.* Outer products, which are positive semidefinite,
   and numbers that are at least 0 are at most sqrt(2) B apart (the products of Oja's method, B). A
   rating that changes moves its residual x - f theta by at most the length R of the range. The
   computed residual moves by at most 2^-25 R more for ranks up to 2^10, because theta is clipped to
   2^16 R over the bound of f. Truncation preserves only the bound for numbers that are at least 0.
   Otherwise, truncation and the rounding of products change each of m numbers by less than 2 h, a
   term by less than 2 h sqrt(m) in the l2 norm, and two terms together by less than 2^-32 B. In the
   l1 norm, only terms of single ratings have such a bound, and m is the rank. The change is then
   less than 4 h m, which is less than 2^-32 B for ranks up to 2^18.
3. *The query.* A query is the sums times h and, off the diagonal of a matrix, times sqrt(2), in
   floating point: each number has a relative error of at most 2^-51. All terms together have norm
   at most N B, so the error of the whole vector is at most 2^-51 N B (1 + 2^-16). For two
   neighbours it is at most twice that: less than 2^-18 D for N = 2^31.

The distance of computed queries is therefore at most D (1 + 2^-15). Counts of ratings are whole
numbers that a float represents exactly.

All this requires that terms do not depend on other users. A user's own label determines which of
the ratings count (:mod:`dpmc.methods.private_choice`). Labels are always read as text, so one odd
label does not reorder the others. What a user computes alone, such as means, lengths and rows of
factors (:mod:`dpmc.methods.normal`), adds up the ratings in the order of items. It has the same
bits at every place in memory and in every block, which tests check. (Regressions in batches, as in
methods without privacy, would not do: a user who left a batch changed the rows of others by up to
2.3e-10 of their length.) What a user of Local Bayes or local EASE computes from public numbers uses
no logarithm or exponential of a library, so it has the same bits on all machines. (DPALS with
weights for rare items takes a power of public counts.)

**Shares.** A release with the share s of the budget gets noise scaled to w D, w = s^(-1/2), on a
grid that is equally fine relative to w D. The grid then takes w 2^-20 of D. For w up to 2^6
(:data:`LEAST_SHARE`) this is at most 2^-14, which together with the 2^-15 above stays below 2^-10.
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

    ``mechanism`` is the continuous noise at sensitivity 1 that was calibrated; only Gaussian and
    Laplace noise have a discrete version. ``draw(discrete noise, size)`` returns integers. A
    release counts as ``simulated`` unless ``draw`` is :func:`secure`, which is not repeatable.
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

        By the first part of the theorem's proof, the noise exceeds a number at most as often as
        continuous noise of the same scale exceeds this number less two steps.
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
        Noise at sensitivity 1.
    sensitivity : float
        Sensitivity of the query, in the norm of the mechanism.
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
