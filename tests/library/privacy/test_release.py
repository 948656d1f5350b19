"""Releases on the grid: what is published, and that the continuous accounting covers it."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc.mechanisms.discrete import DiscreteGaussian, DiscreteLaplace
from dpmc.privacy import release
from dpmc.privacy.release import GridNoise, grid, secure

MECHANISMS = [Laplace(2.5), Gaussian(1.7)]
DISCRETE = {Laplace: DiscreteLaplace, Gaussian: DiscreteGaussian}


def repeatable(seed):
    bits = random.Random(seed).getrandbits
    return lambda noise, size: noise.draw(size, bits)


def delta_continuous(mechanism, shift, epsilon):
    """Hockey-stick divergence by integration on a fine lattice (error below 1e-6)."""
    x = np.linspace(-60, 60, 1_200_001) * mechanism.scale
    gap = mechanism.pdf(x) - math.exp(epsilon) * mechanism.pdf(x - shift)
    return np.maximum(gap, 0).sum() * (x[1] - x[0])


def delta_discrete(noise, shift, epsilon):
    k = np.arange(-(80 * math.ceil(noise.scale)), 80 * math.ceil(noise.scale) + shift)
    gap = np.exp(noise.logpmf(k)) - math.exp(epsilon) * np.exp(noise.logpmf(k - shift))
    return math.fsum(np.maximum(gap, 0))


@settings(deadline=None, max_examples=100)
@given(
    mechanism=st.sampled_from(MECHANISMS),
    sensitivity=st.floats(1e-9, 1e9),
    coordinates=st.integers(1, 10**7),
)
def test_the_grid_is_fine_and_the_noise_never_too_small(mechanism, sensitivity, coordinates):
    step, noise = grid(mechanism, sensitivity, coordinates)
    assert math.frexp(step)[0] == 0.5  # a power of two
    assert isinstance(noise, DISCRETE[type(mechanism)])
    margin = 4 * coordinates * Fraction(step) / Fraction(sensitivity)
    assert Fraction(1, 2**21) < margin <= Fraction(1, 2**20)
    wanted = Fraction(mechanism.scale) * Fraction(sensitivity) * (1 + Fraction(1, 2**10))
    assert wanted <= noise.scale * Fraction(step) < wanted + Fraction(step)
    assert isinstance(noise.scale, int)


@pytest.mark.parametrize("mechanism", MECHANISMS, ids=repr)
@pytest.mark.parametrize("coordinates", [1, 3])
def test_the_exact_privacy_of_a_coarse_grid_is_within_the_continuous_one(
    mechanism, coordinates, monkeypatch
):
    """On a grid coarse enough to sum over, one coordinate takes the whole change."""
    monkeypatch.setattr(release, "_FINENESS", 8)
    monkeypatch.setattr(release, "_INFLATION", 1 + Fraction(1, 8))
    step, noise = grid(mechanism, 1.0, coordinates)
    assert 1 / 128 <= step <= 1 / 32
    shift = math.floor(1 / step) + 1  # the change, and the worst of its rounding
    for epsilon in (0.1, 0.5, 1.0):
        stated = delta_continuous(mechanism, 1.0, epsilon)
        actual = delta_discrete(noise, shift, epsilon)
        assert actual <= stated + 1e-6
        assert actual > stated * 0.5 - 1e-6  # not by drowning it


def test_outputs_are_on_the_grid_and_have_the_continuous_law():
    query = np.random.default_rng(1).uniform(-50, 50, (100, 50))
    for mechanism in MECHANISMS:
        for sensitivity in (1.0, 2e-3):
            step, _ = grid(mechanism, sensitivity, query.size)
            noise = GridNoise(mechanism, repeatable(2))
            assert noise.simulated
            output = noise.add(query * sensitivity, sensitivity)
            assert output.shape == query.shape
            assert (output / step == np.rint(output / step)).all()
            drawn = (output / sensitivity - query).ravel()
            # fails by chance once in a million, were the seed not fixed
            assert stats.kstest(drawn, mechanism.cdf).pvalue > 1e-6


def test_every_number_of_a_large_query_has_noise_of_its_own_on_the_grid_of_all():
    """A million numbers, as many as a covariance of 1,400 items has; draws tell their places."""
    size, asked = 10**6, []

    def draw(noise, count):
        asked.append((noise, count))
        return list(range(count))

    step, law = grid(Gaussian(3.0), 2.0, size)
    output = GridNoise(Gaussian(3.0), draw).add(np.zeros(size), 2.0)
    np.testing.assert_array_equal(output, step * np.arange(size))
    assert asked == [(law, size)]


@pytest.mark.parametrize("count", [1, 2, 4])
def test_draws_of_another_number_than_the_query_are_refused(count):
    noise = GridNoise(Gaussian(1.0), lambda *_: np.arange(count))
    with pytest.raises(ValueError, match="reshape"):
        noise.add(np.zeros(3), 1.0)


@pytest.mark.parametrize("query", [2**61 - 2**8, 2**61, 2**63 - 2**57, 2**63, 2**900])  # in steps
@pytest.mark.parametrize("sign", [-1, 1])
def test_a_sum_that_leaves_64_bits_is_right(query, sign):
    drawn = sign * 63 * 2**56  # the most that is drawn as int64
    step, _ = grid(Gaussian(1.0), 1.0, 1)
    noise = GridNoise(Gaussian(1.0), lambda *_: np.array([drawn], dtype=np.int64))
    output = noise.add(np.array([sign * query * step]), 1.0)
    assert output[0] == float(sign * query + drawn) * step


def test_the_noise_does_not_depend_on_the_query():
    drawn = []
    for query in (np.zeros(20), np.full(20, 2.0**10), np.full(20, -(2.0**-60))):
        noise = GridNoise(Gaussian(1.0), repeatable(3))
        drawn.append(noise.add(query, 1.0) - np.rint(query))
    assert (drawn[0] == drawn[1]).all()
    assert (drawn[0] == drawn[2]).all()


def test_noise_is_for_publication_only_if_nobody_can_repeat_it():
    assert not GridNoise(Gaussian(1.0)).simulated
    assert not GridNoise(Gaussian(1.0), secure).simulated
    for draw in (repeatable(1), lambda noise, size: [0] * size, lambda *call: secure(*call)):
        assert GridNoise(Gaussian(1.0), draw).simulated
    with pytest.raises(TypeError, match="simulated"):
        GridNoise(Gaussian(1.0), repeatable(1), simulated=False)


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_a_query_that_is_no_number_is_not_released(bad):
    with pytest.raises(InputError, match="not a finite number"):
        GridNoise(Laplace(1.0)).add(np.array([0.0, bad]), 1.0)


def test_noise_without_discrete_relative_is_refused():
    for other in (object(), Huber(1.0)):
        with pytest.raises(InputError, match=f"not for {type(other).__name__}"):
            GridNoise(other)


@pytest.mark.parametrize(("scale", "sensitivity"), [(1e-9, 1.0), (1.0, 1e-290)])
def test_noise_finer_than_the_grid_is_refused(scale, sensitivity):
    with pytest.raises(InputError, match="too small for an exact release"):
        grid(Laplace(scale), sensitivity, 10)


def test_noise_of_too_many_steps_is_refused():
    with pytest.raises(InputError, match="on 1000 numbers is too large for an exact release"):
        grid(Gaussian(1e8), 1.0, 1000)
