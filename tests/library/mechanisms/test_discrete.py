"""The exact noise on the integers has the probabilities that it states, and its privacy.

What floating point settles is what real numbers would.
"""

import math
import random
from fractions import Fraction
from itertools import chain, repeat

import mpmath
import numpy as np
import pytest
from dp_accounting.pld.privacy_loss_mechanism import DiscreteGaussianPrivacyLoss
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Laplace, discrete
from dpmc.mechanisms.discrete import DiscreteGaussian, DiscreteLaplace
from dpmc.mechanisms.discrete_coins import coin, secure_bits

# Every test of fit in this file fails by chance with this probability, were its seed not fixed.
ERROR_RATE = 1e-6
FAMILY = [DiscreteLaplace(1), DiscreteLaplace(3), DiscreteGaussian(1), DiscreteGaussian(5)]
FINE = 2**50 + 1  # of a scale in steps: half of the words for u are thrown away


def seeded(seed):
    return random.Random(seed).getrandbits


def fit_p_value(draws, noise):
    """p value of the chi-square test of draws against the probabilities that a noise states."""
    k = np.arange(-200, 201)
    expected = len(draws) * np.exp(noise.logpmf(k))
    middle = np.flatnonzero(expected >= 10)
    low, high = k[middle[0]], k[middle[-1]]
    clipped = np.clip(draws, low, high).astype(int)
    observed = np.bincount(clipped - low, minlength=high - low + 1)
    expected = expected[middle]
    expected[[0, -1]] += (len(draws) - expected.sum()) / 2
    return stats.chisquare(observed, expected).pvalue


def delta_of(noise, shift, epsilon, reach=400):
    """Hockey-stick divergence of a noise and the same shifted, by summing over the integers."""
    k = np.arange(-reach, reach + 1)
    p, q = np.exp(noise.logpmf(k)), np.exp(noise.logpmf(k - shift))
    return math.fsum(np.maximum(p - math.exp(epsilon) * q, 0))


def fine(noise):
    """The same family with a scale of many steps."""
    return type(noise)(FINE)


def fed(*given, rest=0):
    """Bits that are given, call by call, and then only zeros or, with ``rest`` 1, ones."""
    source = chain(given, repeat(None))
    return lambda k: rest * (2**k - 1) if (own := next(source)) is None else own


def exact_probability(noise, k, v):
    """Return p and rho, by mpmath with 100 digits."""
    z = Fraction(k, noise.scale)
    loss = z if isinstance(noise, DiscreteLaplace) else z * z / 2
    with mpmath.workdps(100):
        mantissa, exponent = mpmath.exp(mpmath.mpf(-loss.numerator) / loss.denominator).man_exp
    return Fraction(2**v) * int(mantissa) * Fraction(2) ** exponent / discrete.BOUND, loss


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_draws_have_the_stated_probabilities(noise):
    assert fit_p_value(noise.draw(60_000, seeded(1)), noise) > ERROR_RATE


@pytest.mark.parametrize("noise", FAMILY, ids=repr)
def test_probabilities_are_those_of_the_definition(noise):
    k = np.arange(-500, 501)
    z = np.abs(k) / float(noise.scale)
    mass = np.exp(-(z if isinstance(noise, DiscreteLaplace) else z * z / 2))
    np.testing.assert_allclose(
        np.exp(noise.logpmf(k)), mass / math.fsum(mass), rtol=1e-12, atol=1e-300
    )


def test_a_fine_grid_has_the_continuous_law():
    draws = np.array(DiscreteGaussian(2**40).draw(20_000, seeded(2))) / 2**40
    assert stats.kstest(draws, Gaussian().cdf).pvalue > ERROR_RATE


def test_draws_without_a_source_are_never_the_same():
    noise = DiscreteGaussian(2**55)
    # not seeded: two of so many integers are equal with probability below 1e-12
    assert not set(noise.draw(50)) & set(noise.draw(50))
    np.testing.assert_array_equal(noise.draw(5, seeded(3)), noise.draw(5, seeded(3)))
    assert noise.draw(5).dtype == np.int64


@pytest.mark.parametrize("bad", [0, -1, 0.5, 1.0, True, None, Fraction(5, 2), 2**56])
def test_scales_are_whole_and_fit_64_bits(bad):
    for make in (DiscreteLaplace, DiscreteGaussian):
        with pytest.raises(InputError, match=r"must be an integer from 1 to 2\^56 - 1, got "):
            make(bad)


def test_probabilities_of_a_huge_scale_are_refused():
    with pytest.raises(InputError, match="scales up to"):
        DiscreteGaussian(10**7).logpmf(0)


# -- proposals, and what is kept of them -----------------------------------------------------------


def proposal(u, v, positive, digits, n):
    """The three words of a proposal that has this outcome."""
    shift = 64 - max((n - 1).bit_length(), 1)
    return u << shift, ((1 << v) << 1) | positive if v < 63 else int(positive), digits << 11


@pytest.mark.parametrize("noise", [*FAMILY, *map(fine, FAMILY)], ids=repr)
def test_floating_point_decides_as_exact_arithmetic_does(noise, monkeypatch):
    quick = noise.draw(500, seeded(4))
    monkeypatch.setattr(discrete, "MARGIN", 2.0)  # nothing is left to floating point
    np.testing.assert_array_equal(quick, noise.draw(500, seeded(4)))


@settings(deadline=None, max_examples=300)
@given(
    noise=st.sampled_from([fine(noise) for noise in FAMILY]),
    v=st.integers(0, 30),
    part=st.floats(0, 1, exclude_max=True),
    beside=st.integers(-3, 3),
)
def test_close_to_the_probability_the_true_digits_decide(noise, v, part, beside):
    """Uniform numbers within three units of 2^-53 of p: kept exactly if they are below it."""
    n = noise.scale
    k = n * v + int(part * n)
    p, _ = exact_probability(noise, k, v)
    digits = min(max(math.floor(p * 2**53) + beside, 0), 2**53 - 1)
    for rest in (0, 1):  # all further digits: the number is digits or digits + 1 units
        below = Fraction(digits + rest, 2**53) < p
        assert noise.is_kept(k, v, digits, fed(rest=rest)) is below
        words = proposal(k - n * v, v, 1, digits, n)
        assert noise._round(1, fed(*words, rest=rest)).tolist() == [k] * below


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
    computed = Fraction(float(noise.probability(np.array([k]), np.array([v]))[0]))
    error = abs(computed - p)
    assert error <= (loss + 8) * p / 2**50 + Fraction(1, 2**1000)  # the last: numbers below floats
    assert error <= Fraction(1, 2**46) < Fraction(discrete.MARGIN) / 32
    assert p <= 1


@pytest.mark.parametrize("law", [DiscreteLaplace, DiscreteGaussian])
def test_no_probability_is_above_one(law):
    """At the first place of each round, where 2^v exp(-rho) is largest."""
    scale, v = 2**30, np.arange(63)
    assert law(scale).probability(v * scale, v).max() <= 1


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
    drawn = noise._round(6, fed(given[0] | outside << 320, *given[1:]))
    np.testing.assert_array_equal(drawn, [9, -10, 23, 0, -624])


def test_half_of_the_zeros_are_thrown_away():
    noise = DiscreteGaussian(4)
    for positive, left in ((1, [0]), (0, [])):
        drawn = noise._round(1, fed(*proposal(0, 0, positive, 0, 4)))
        np.testing.assert_array_equal(drawn, left)


def test_a_word_of_zeros_goes_on_in_the_next():
    """No tail is cut off, though no number of draws would show it."""
    noise = DiscreteLaplace(FINE)
    words = proposal(7, 63, 0, 0, FINE)
    further = [0, 0, 1]  # two more zeros
    drawn = noise._round(1, fed(*words, *further))
    assert drawn.tolist() == [-(7 + 65 * FINE)]
    # the same with a uniform number of which p is not above
    words = proposal(7, 63, 0, 2**53 - 1, FINE)
    assert noise._round(1, fed(*words, *further)).size == 0


def test_a_round_may_keep_nothing():
    """All words for u are thrown away: of the 20 for one draw so are 1 in a million times."""
    drawn = DiscreteGaussian(FINE)._round(20, fed(2 ** (64 * 20) - 1))
    assert drawn.shape == (0,)


def test_zero_bits_are_counted():
    x = np.array([0, 1, 2, 3, 12, 2**62, 2**63 - 1, 2**53 + 2**52], dtype=np.uint64)
    np.testing.assert_array_equal(discrete.trailing_zeros(x), [63, 0, 1, 0, 2, 62, 0, 52])


@pytest.mark.parametrize("size", [0, 1, 7, 2**18 + 1])
def test_as_many_are_drawn_as_were_asked_for(size):
    assert DiscreteGaussian(3).draw(size, seeded(5)).shape == (size,)


# -- coins --------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.data())
def test_a_coin_compares_the_digits_of_a_uniform_number_with_its_probability(data):
    d = data.draw(st.integers(1, 2**100))
    n = data.draw(st.integers(0, d))
    digits, words, rest = [], data.draw(st.integers(0, 3)), n
    for _ in range(words):  # as long as the uniform number's words are those of n/d, no decision
        word, rest = divmod(rest << 32, d)
        digits.append(min(word, 2**32 - 1))
    digits += [data.draw(st.integers(0, 2**32 - 1)), 0, 2**32 - 1, 0, 2**32 - 1]
    used = []

    def bits(k):
        assert k == 32
        used.append(digits[len(used)])
        return used[-1]

    toss = coin(n, d, bits)
    low = sum(Fraction(word, 2 ** (32 * (i + 1))) for i, word in enumerate(used))
    high = low + Fraction(1, 2 ** (32 * len(used)))  # where the uniform number lies
    assert high <= Fraction(n, d) if toss else low >= Fraction(n, d)


def test_secure_bits_are_fair_and_used_once():
    bits = secure_bits()
    ones = sum(bits(1) for _ in range(10_000))
    assert abs(ones - 5_000) < 50 * 6  # six standard deviations: error rate 2e-9
    long = bits(10_000)
    assert 0 < long.bit_length() <= 10_000
    assert len({bits(64) for _ in range(1_000)}) == 1_000


# -- privacy ------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=100)
@given(
    scale=st.integers(1, 40),
    shift=st.integers(1, 200),
    kind=st.sampled_from(["laplace", "gaussian"]),
)
def test_a_shift_on_the_grid_is_as_private_as_a_continuous_one_three_steps_longer(
    scale, shift, kind
):
    """The theorem of dpmc.privacy.release, at every vertex of the discrete trade-off function."""
    exact, continuous = {
        "laplace": (DiscreteLaplace(scale), Laplace(float(scale))),
        "gaussian": (DiscreteGaussian(scale), Gaussian(float(scale))),
    }[kind]
    reach = shift + math.ceil(80 * scale)
    k = np.arange(-reach, reach + 1)
    at_least = np.cumsum(np.exp(exact.logpmf(k))[::-1])[::-1]
    level, power = at_least[shift:], at_least[:-shift]
    sound = (level > 1e-20) & (level < 1 - 1e-12)  # of smaller levels, the sum lacks a part
    level, power = level[sound], power[sound]
    other = continuous.sf(continuous.isf(level) - shift - 3)
    assert (other >= power * (1 - 1e-9)).all()


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
def test_delta_of_the_discrete_gaussian_agrees_with_dp_accounting(epsilon):
    reference = DiscreteGaussianPrivacyLoss(3.0, sensitivity=4)
    ours = delta_of(DiscreteGaussian(3), 4, epsilon)
    assert ours == pytest.approx(reference.get_delta_for_epsilon(epsilon), rel=1e-9)


# -- OpenDP -------------------------------------------------------------------------------------
