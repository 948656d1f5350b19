"""Epsilon and delta of Gaussian noise against 50-digit arithmetic."""

import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian


def exact_delta(epsilon, ratio):
    """Balle and Wang (2018), theorem 8, in mpmath's precision."""
    epsilon, ratio = mpmath.mpf(epsilon), mpmath.mpf(ratio)
    first = mpmath.ncdf(ratio / 2 - epsilon / ratio)
    return first - mpmath.exp(epsilon) * mpmath.ncdf(-ratio / 2 - epsilon / ratio)


@pytest.mark.parametrize(
    ("ratio", "u"),
    [
        (ratio, u)
        for ratio in (1e-3, 0.3, 5.0, 60.0)
        for u in (-8.0, -1.0, -1e-4, 0.0, 0.7, 4.0, 35.0)
        if u >= -ratio / 2  # epsilon >= 0
    ],
)
def test_exact_delta(ratio, u):
    epsilon = ratio * (u + ratio / 2)
    with mpmath.workdps(60):
        expected = float(exact_delta(epsilon, ratio))
    # Two tails of nearly equal size are subtracted when ratio is small.
    assert Gaussian(2.0).delta(epsilon, 2.0 * ratio) == pytest.approx(expected, rel=1e-12 / ratio)


def test_delta_is_the_hockey_stick_divergence():
    sigma, sensitivity, epsilon = 1.7, 2.0, 0.8
    noise = Gaussian(sigma)

    def excess(x):
        return max(noise.pdf(x - sensitivity) - math.exp(epsilon) * noise.pdf(x), 0.0)

    start = sensitivity / 2 + epsilon * sigma**2 / sensitivity  # where the two densities cross
    area = integrate.quad(excess, start, 40, epsabs=0, epsrel=1e-11)[0]
    assert noise.delta(epsilon, sensitivity) == pytest.approx(area, rel=1e-10)


@settings(deadline=None, max_examples=60)
@given(st.floats(-2.5, 2.5), st.floats(-250, -0.3))
def test_exact_epsilon_inverts_delta(log_ratio, log_delta):
    ratio, delta = 10**log_ratio, 10**log_delta
    noise = Gaussian(1.0)
    epsilon = noise.epsilon(ratio, delta)
    if epsilon == 0:
        assert noise.delta(0.0, ratio) <= delta
    else:
        assert noise.delta(epsilon, ratio) == pytest.approx(delta, rel=1e-9 / min(ratio, 1))


@pytest.mark.parametrize(
    ("variance", "published", "classical", "exact", "true_delta"),
    [
        (1, 15.964, 24.224, 33.104, 0.191),
        (2, 11.288, 17.129, 20.676, 0.049),
        (3, 9.217, 13.986, 15.867, 0.022),
        (4, 7.982, 12.112, 13.207, 0.013),
    ],
)
def test_the_three_formulas(variance, published, classical, exact, true_delta):
    noise = Gaussian.from_variance(variance)
    assert noise.epsilon(5, 1e-5, formula="published") == pytest.approx(published, abs=6e-4)
    assert noise.epsilon(5, 1e-5, formula="classical") == pytest.approx(classical, abs=6e-4)
    assert noise.epsilon(5, 1e-5, formula="exact") == pytest.approx(exact, abs=6e-4)
    assert noise.epsilon(5, 1e-5) == noise.epsilon(5, 1e-5, formula="exact")
    # The reported epsilon holds at a delta ten thousand times as large as the stated 1e-5.
    assert noise.delta(published, 5) == pytest.approx(true_delta, abs=6e-4)


def test_classical_formula_is_safe_below_one_only():
    assert Gaussian(10).epsilon(1, 1e-5, formula="classical") > Gaussian(10).epsilon(1, 1e-5)
    assert Gaussian(1).epsilon(5, 1e-5, formula="classical") < Gaussian(1).epsilon(5, 1e-5)


def test_extreme_budgets():
    assert Gaussian(1e4).epsilon(1, 1e-3) == 0.0
    assert Gaussian(1).epsilon(1000, 1e-5) == pytest.approx(504_263.4, rel=1e-6)
    assert Gaussian(1).delta(math.inf, 1) == 0.0
    assert Gaussian(1).delta(0, 1e3) == 1.0


def test_no_pure_epsilon():
    with pytest.raises(InputError, match="no pure epsilon, because its log density ratio is unb"):
        Gaussian().epsilon(1.0)


def test_unknown_formula_names_the_nearest():
    with pytest.raises(InputError, match=r"formula must be .* got 'exakt' \(did you mean 'exact'"):
        Gaussian().epsilon(1.0, 1e-5, formula="exakt")


@pytest.mark.parametrize("epsilon", [-0.1, math.nan])
def test_epsilon_out_of_range(epsilon):
    with pytest.raises(InputError, match="epsilon must be a number of at least 0"):
        Gaussian().delta(epsilon, 1.0)
