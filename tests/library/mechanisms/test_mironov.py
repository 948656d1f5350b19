"""Mironov's attack tells neighbours apart by the low-order bits of floating-point noise.

Source: Mironov, "On significance of the least significant bits for differential privacy" (CCS
2012), section 4: the inverse CDF of a uniform number of 53 bits reaches only some of the floating
point numbers, and which of them depends on the value that the noise is added to.
"""

import numpy as np
import pytest

from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc.privacy.release import GridNoise, grid

DRAWS = 2_000
WINDOW = 24  # the uniform numbers tried on each side of the nearest one


def reachable(mechanism, outputs, value):
    """Whether each output is ``value`` plus the inverse CDF of some uniform number of 53 bits."""
    nearest = np.rint(mechanism.cdf(outputs - value) * 2.0**53)
    candidates = nearest[:, None] + np.arange(-WINDOW, WINDOW + 1)
    uniform = np.clip(candidates, 0.5, 2.0**53 - 1) * 2.0**-53
    return (value + mechanism.ppf(uniform) == outputs[:, None]).any(axis=1)


@pytest.mark.parametrize("mechanism", [Huber(1.0), Huber(2.0), Laplace(1.0)], ids=repr)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_most_outputs_of_the_inverse_cdf_give_the_value_away(mechanism, value):
    # a uniform number of exactly 0 would give -inf
    uniform = np.maximum(np.random.default_rng(7).random(DRAWS), 2.0**-54)
    outputs = value + mechanism.ppf(uniform)
    assert reachable(mechanism, outputs, value).all()
    share = 1 - reachable(mechanism, outputs, 1.0 - value).mean()
    # 76 % for Huber noise, 80 % for Laplace noise; the standard error is 1 %, and six of them are
    # exceeded once in 1e9 times
    assert 0.70 < share < 0.86


@pytest.mark.parametrize("mechanism", [Gaussian(1.0), Laplace(1.0)], ids=repr)
@pytest.mark.parametrize("value", [0.0, 1.0])
def test_no_output_on_the_grid_gives_the_value_away(mechanism, value):
    step, _ = grid(mechanism, 1.0, DRAWS)
    outputs = GridNoise(mechanism).add(np.full(DRAWS, value), 1.0)
    for guess in (0.0, 1.0):
        # the noise that this guess asks for is a whole number of steps, and every such number has
        # probability above 0: no output rules a guess out, in no run of this test
        steps = (outputs - guess) / step
        assert (steps == np.rint(steps)).all()
        assert np.isfinite(mechanism.logpdf(outputs - guess)).all()
    # the attack on floats is no help either: it finds the true value impossible for many outputs
    # (about 40 % or more of them: that none is, has probability below 0.6^2000)
    assert not reachable(mechanism, outputs, value).all()
