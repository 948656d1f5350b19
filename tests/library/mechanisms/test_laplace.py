"""Laplace noise: its epsilon against the densities, and its draws against NumPy's."""

import numba
import numpy as np
import pytest

from dpmc.mechanisms import Laplace
from dpmc.mechanisms.laplace import COMPILED_FROM


def test_epsilon_bounds_the_log_ratio_and_is_reached():
    noise, sensitivity = Laplace(0.8), 3.0
    x = np.linspace(-20, 20, 4001)
    ratio = noise.logpdf(x) - noise.logpdf(x + sensitivity)
    assert ratio.max() == pytest.approx(noise.epsilon(sensitivity), rel=1e-13)
    assert noise.epsilon(sensitivity, 1e-5) == noise.epsilon(sensitivity) == 3.0 / 0.8


@pytest.mark.parametrize("scale", [0.3, 1.0, 7.0])
def test_many_draws_have_the_bits_of_numpy(scale):
    size = (3, COMPILED_FROM)
    ours, theirs = np.random.default_rng(5), np.random.default_rng(5)
    for _ in range(2):  # the second draw: both used up as much of the stream
        noise = Laplace(scale).rvs(size=size, rng=ours)
        np.testing.assert_array_equal(noise, theirs.laplace(0.0, scale, size))


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="Python refuses the logarithm of 0")
def test_a_uniform_draw_of_0_is_left_to_numpy():
    class WithAZero:
        """Draws one 0 among uniforms, as a generator does once in 2^53 draws."""

        def __init__(self):
            self.rng = np.random.default_rng(1)
            self.bit_generator = self.rng.bit_generator
            self.laplace = self.rng.laplace

        def random(self, size):
            return self.rng.random(size) * (np.arange(size) != 2)

    expected = np.random.default_rng(1).laplace(0.0, 2.0, COMPILED_FROM)
    np.testing.assert_array_equal(Laplace(2.0).rvs(COMPILED_FROM, WithAZero()), expected)
