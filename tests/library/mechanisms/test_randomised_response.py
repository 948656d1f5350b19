"""Randomised response: probabilities, all four ratios, exact coins."""

import math
import random

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpmc.errors import InputError
from dpmc.mechanisms.randomised_response import LARGEST_EPSILON, RandomisedResponse

SAMPLES = 40_000
PROBABILITIES = st.floats(0.001, 0.999)


def laws(response):
    """P(output | sign) for sign +1 and -1, outputs -1 and +1."""
    p, q = response.p_plus, response.p_minus
    return np.array([p, 1 - p]), np.array([1 - q, q])


@settings(deadline=None)
@given(st.floats(1e-6, LARGEST_EPSILON))
def test_the_symmetric_probability_is_never_below_the_exact_one(epsilon):
    with mpmath.workdps(60):
        exact = 1 / (1 + mpmath.exp(mpmath.mpf(epsilon)))
        p = mpmath.mpf(RandomisedResponse.from_epsilon(epsilon).p_plus)
        assert exact <= p <= exact * (1 + mpmath.mpf(2) ** -46)


@settings(deadline=None)
@given(PROBABILITIES, PROBABILITIES)
def test_epsilon_is_the_largest_loss_over_both_outputs(p_plus, p_minus):
    response = RandomisedResponse(p_plus, p_minus)
    plus, minus = laws(response)
    assert response.epsilon() == pytest.approx(np.abs(np.log(plus / minus)).max(), abs=1e-12)
    swapped = RandomisedResponse(p_minus, p_plus)
    assert swapped.epsilon() == response.epsilon()


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 10.0])
def test_the_symmetric_response_spends_all_of_epsilon(epsilon):
    assert RandomisedResponse.from_epsilon(epsilon).epsilon() == pytest.approx(epsilon, rel=1e-12)


@pytest.mark.parametrize(
    ("p_plus", "p_minus", "epsilon"),
    [
        (0.0, 0.0, math.inf),
        (0.0, math.exp(-1), math.inf),  # (1 - p)/q = e: two of the ratios keep to 1, two do not
        (0.3, 0.0, math.inf),
        (1.0, 0.5, math.inf),
        (0.5, 0.5, 0.0),
        (0.3, 0.7, 0.0),
        (1.0, 0.0, 0.0),  # always -1
        (0.1, 0.5, math.log(5)),  # (1 - q)/p, which is not (1 - p)/q = 1.8
        (0.5, 0.1, math.log(5)),
        (0.9, 0.5, math.log(5)),  # q/(1 - p)
        (0.5, 0.9, math.log(5)),  # p/(1 - q)
    ],
)
def test_all_four_ratios_count(p_plus, p_minus, epsilon):
    found = RandomisedResponse(p_plus, p_minus).epsilon()
    assert found == pytest.approx(epsilon, abs=1e-12)


def draws(response, signs, seed):
    rng = np.random.default_rng(seed)
    bits = random.Random(seed).getrandbits
    return {"simulated": response.flip(signs, rng), "exact": response.flip_exact(signs, bits)}


@pytest.mark.parametrize(("p_plus", "p_minus"), [(0.25, 0.25), (0.02, 0.6), (0.9, 0.001)])
def test_flips_have_the_stated_probabilities(p_plus, p_minus):
    # 12 two-sided tests at 1e-4 with fixed seeds: with others one fails 0.1 % of the time
    signs = np.tile([1.0, -1.0], SAMPLES)
    for flipped in draws(RandomisedResponse(p_plus, p_minus), signs, 3).values():
        for sign, p in ((1, p_plus), (-1, p_minus)):
            count = int((flipped[signs == sign] != sign).sum())
            assert stats.binomtest(count, SAMPLES, p).pvalue > 1e-4


def test_flips_are_independent_of_their_neighbours():
    # the number of changes in a row of flips is binomial; 1e-4 each
    response = RandomisedResponse(0.5, 0.5)
    for flipped in draws(response, np.ones(SAMPLES), 4).values():
        changes = int((flipped[1:] != flipped[:-1]).sum())
        assert stats.binomtest(changes, SAMPLES - 1, 0.5).pvalue > 1e-4


@pytest.mark.parametrize("p", [0.0, 1.0])
def test_certain_flips_are_certain(p):
    signs = np.array([[1.0, -1.0], [-1.0, -1.0]])
    for flipped in draws(RandomisedResponse(p, p), signs, 5).values():
        np.testing.assert_array_equal(flipped, signs * (1 - 2 * p))


def test_exact_coins_compare_binary_digits_beyond_the_first_word():
    # p = 2^-64 + 2^-70: the first word 0 is below its digits, the word 1 ties with them, and the
    # next 32 digits, 2^26, decide; a larger first word decides at once
    response = RandomisedResponse(2.0**-64 + 2.0**-70, 0.5)
    for first, second, flips in ((0, None, True), (1, 2**26 - 1, True), (1, 2**26, False)):
        words = iter([first, second, 2**31])

        def bits(k, words=words):
            return next(words)

        assert (response.flip_exact(np.array([1.0]), bits)[0] == -1) == flips
    assert response.flip_exact(np.array([1.0]), lambda k: 2)[0] == 1


@pytest.mark.parametrize("bad", [-0.1, 1.1, math.nan])
def test_probabilities_are_probabilities(bad):
    with pytest.raises(InputError, match="p_plus must lie in"):
        RandomisedResponse(bad, 0.1)
    with pytest.raises(InputError, match="p_minus must lie in"):
        RandomisedResponse(0.1, bad)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf, "much"])
def test_epsilon_is_positive(bad):
    with pytest.raises(InputError, match="epsilon must be a positive finite number"):
        RandomisedResponse.from_epsilon(bad)


def test_epsilon_is_not_so_large_that_nothing_is_flipped():
    with pytest.raises(InputError, match="epsilon must be at most 700"):
        RandomisedResponse.from_epsilon(701)


@pytest.mark.parametrize("bad", [0.0, 2.0, math.nan])
def test_values_are_signs(bad):
    values = np.array([1.0, bad])
    for flip in (
        lambda: RandomisedResponse(0.1, 0.1).flip(values, np.random.default_rng(1)),
        lambda: RandomisedResponse(0.1, 0.1).flip_exact(values),
    ):
        with pytest.raises(InputError, match="every value must be -1 or \\+1"):
            flip()
