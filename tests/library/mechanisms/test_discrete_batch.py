"""Many exact draws at once: what floating point settles is what real numbers would."""

import math
import random
from fractions import Fraction
from itertools import chain, repeat

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpmc.mechanisms import discrete_batch as batch
from dpmc.mechanisms.discrete import DiscreteGaussian, DiscreteLaplace

ERROR_RATE = 1e-6  # of each statistical test, were its seed not fixed
FAMILY = [DiscreteLaplace(1), DiscreteLaplace(3), DiscreteGaussian(1), DiscreteGaussian(5)]
FINE = 2**50 + 1  # of a scale in steps: half of the words for u are thrown away


def seeded(seed):
    return random.Random(seed).getrandbits


def fine(noise):
    """The same family with a scale of many steps."""
    return type(noise)(FINE)


def fed(*given, rest=0):
    """Bits that are given, call by call, and then only zeros or, with ``rest`` 1, ones."""
    source = chain(given, repeat(None))
    return lambda k: rest * (2**k - 1) if (own := next(source)) is None else own


def exact_probability(noise, k, v):
    """Return p and rho, by mpmath with 100 digits."""
    z = Fraction(k) / noise.scale
    loss = z if isinstance(noise, DiscreteLaplace) else z * z / 2
    with mpmath.workdps(100):
        mantissa, exponent = mpmath.exp(mpmath.mpf(-loss.numerator) / loss.denominator).man_exp
    return Fraction(2**v) * int(mantissa) * Fraction(2) ** exponent / batch.BOUND, loss


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_draws_have_the_stated_probabilities(noise):
    assert batch.in_batches(noise)
    draws = batch.draw(noise, 60_000, seeded(1))
    reach = 60
    expected = len(draws) * np.exp(noise.logpmf(np.arange(-reach, reach + 1)))
    often = np.flatnonzero(expected >= 10)
    low, high = often[0] - reach, often[-1] - reach
    observed = np.bincount(np.clip(draws, low, high) - low, minlength=high - low + 1)
    expected = expected[often]
    expected[[0, -1]] += (len(draws) - expected.sum()) / 2
    assert stats.chisquare(observed, expected).pvalue > ERROR_RATE


@pytest.mark.parametrize("noise", [fine(noise) for noise in FAMILY], ids=repr)
def test_one_by_one_and_many_at_a_time_have_the_same_law(noise):
    one = noise._sampler(seeded(2))
    slow = [one() / FINE for _ in range(4_000)]
    fast = batch.draw(noise, 40_000, seeded(3)) / FINE
    assert stats.ks_2samp(slow, fast).pvalue > ERROR_RATE


@pytest.mark.parametrize("noise", [*FAMILY, *map(fine, FAMILY)], ids=repr)
def test_floating_point_decides_as_exact_arithmetic_does(noise, monkeypatch):
    quick = batch.draw(noise, 500, seeded(4))
    monkeypatch.setattr(batch, "MARGIN", 2.0)  # nothing is left to floating point
    np.testing.assert_array_equal(quick, batch.draw(noise, 500, seeded(4)))


@settings(deadline=None, max_examples=300)
@given(
    noise=st.sampled_from([fine(noise) for noise in FAMILY]),
    v=st.integers(0, 30),
    part=st.floats(0, 1, exclude_max=True),
    beside=st.integers(-3, 3),
)
def test_close_to_the_probability_the_true_digits_decide(noise, v, part, beside):
    """Uniform numbers within three units of 2^-53 of p: kept exactly if they are below it."""
    n = noise.scale.numerator
    k = n * v + int(part * n)
    p, _ = exact_probability(noise, k, v)
    digits = min(max(math.floor(p * 2**53) + beside, 0), 2**53 - 1)
    for rest in (0, 1):  # all further digits: the number is digits or digits + 1 units
        below = Fraction(digits + rest, 2**53) < p
        assert batch.is_kept(noise, k, v, digits, fed(rest=rest)) is below
        words = proposal(k - n * v, v, 1, digits, n)
        assert batch._round(noise, 1, fed(*words, rest=rest)).tolist() == [k] * below


@settings(deadline=None, max_examples=300)
@given(
    family=st.sampled_from([DiscreteLaplace, DiscreteGaussian]),
    scale=st.integers(1, 2**49) | st.integers(2**49 - 2**20, 2**49),
    v=st.integers(0, 62),
    part=st.floats(0, 1, exclude_max=True),
)
def test_the_error_of_floating_point_is_as_stated(family, scale, v, part):
    noise = family(scale)
    k = scale * v + int(part * scale)
    p, loss = exact_probability(noise, k, v)
    computed = Fraction(float(batch.probability(noise, np.array([k]), np.array([v]))[0]))
    error = abs(computed - p)
    assert error <= (loss + 8) * p / 2**50 + Fraction(1, 2**1000)  # the last: numbers below floats
    assert error <= Fraction(1, 2**46) < Fraction(batch.MARGIN) / 32
    assert p <= 1


@pytest.mark.parametrize("law", [DiscreteLaplace, DiscreteGaussian])
def test_no_probability_is_above_one(law):
    """At the first place of each round, where 2^v exp(-rho) is largest."""
    scale, v = 2**30, np.arange(63)
    assert batch.probability(law(scale), v * scale, v).max() <= 1


def proposal(u, v, positive, digits, n):
    """The three words of a proposal that has this outcome."""
    shift = 64 - max((n - 1).bit_length(), 1)
    return u << shift, ((1 << v) << 1) | positive if v < 63 else int(positive), digits << 11


def test_proposals_are_a_sign_zeros_and_a_uniform_number():
    noise = DiscreteLaplace(10)
    words = [
        proposal(u, v, positive, 0, 10)
        for u, v, positive in [(9, 0, 1), (0, 1, 0), (3, 2, 1), (0, 0, 1), (4, 62, 0)]
    ]
    given = [
        sum(word << 64 * i for i, word in enumerate(each)) for each in zip(*words, strict=True)
    ]
    outside = 15 << 60  # a word for u that is thrown away, and for which no others are drawn
    drawn = batch._round(noise, 6, fed(given[0] | outside << 320, *given[1:]))
    np.testing.assert_array_equal(drawn, [9, -10, 23, 0, -624])


def test_half_of_the_zeros_are_thrown_away():
    noise = DiscreteGaussian(4)
    for positive, left in ((1, [0]), (0, [])):
        drawn = batch._round(noise, 1, fed(*proposal(0, 0, positive, 0, 4)))
        np.testing.assert_array_equal(drawn, left)


def test_a_word_of_zeros_goes_on_in_the_next():
    """No tail is cut off, though no number of draws would show it."""
    noise = DiscreteLaplace(FINE)
    words = proposal(7, 63, 0, 0, FINE)
    further = [0, 0, 1]  # two more zeros
    drawn = batch._round(noise, 1, fed(*words, *further))
    assert drawn.tolist() == [-(7 + 65 * FINE)]
    # the same with a uniform number of which p is not above
    words = proposal(7, 63, 0, 2**53 - 1, FINE)
    assert batch._round(noise, 1, fed(*words, *further)).size == 0


def test_a_round_may_keep_nothing():
    """All words for u are thrown away: of the 20 for one draw so are 1 in a million times."""
    drawn = batch._round(DiscreteGaussian(FINE), 20, fed(2 ** (64 * 20) - 1))
    assert drawn.shape == (0,)


def test_zero_bits_are_counted():
    x = np.array([0, 1, 2, 3, 12, 2**62, 2**63 - 1, 2**53 + 2**52], dtype=np.uint64)
    np.testing.assert_array_equal(batch.trailing_zeros(x), [63, 0, 1, 0, 2, 62, 0, 52])


def test_what_is_drawn_one_by_one():
    assert not batch.in_batches(DiscreteGaussian(Fraction(5, 2)))
    assert not batch.in_batches(DiscreteGaussian(2**56))
    assert batch.in_batches(DiscreteGaussian(2**56 - 1))


@pytest.mark.parametrize("size", [0, 1, 7, 2**18 + 1])
def test_as_many_are_drawn_as_were_asked_for(size):
    assert batch.draw(DiscreteGaussian(3), size, seeded(5)).shape == (size,)
