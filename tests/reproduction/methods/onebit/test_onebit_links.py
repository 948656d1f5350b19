"""Links and the likelihood: against scipy.stats, and slopes against differences of values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.links import LINKS, link_of
from dpmc_studies.methods.onebit.objective import Objective

LAWS = {"logistic": stats.logistic, "gaussian": stats.norm}
WIDE = np.concatenate([-np.geomspace(1e3, 1e-3, 60), [0.0], np.geomspace(1e-3, 1e3, 60)])
pytestmark = pytest.mark.parametrize("name", list(LINKS))


def differences(function, x, width=1e-5):
    """Fourth-order central differences."""
    near, far = (function(x + k * width) - function(x - k * width) for k in (1, 2))
    return (8 * near - far) / (12 * width)


def test_distribution(name):
    link, law = link_of(name), LAWS[name]
    np.testing.assert_allclose(link.cdf(WIDE), law.cdf(WIDE), rtol=1e-12, atol=1e-300)
    np.testing.assert_allclose(link.pdf(WIDE), law.pdf(WIDE), rtol=1e-12, atol=1e-300)
    p = np.linspace(0.001, 0.999, 99)
    np.testing.assert_allclose(link.cdf(link.ppf(p)), p, rtol=1e-12)


# with and without an argument in the left tail, which is where the branches differ
@pytest.mark.parametrize("t", [WIDE, WIDE[WIDE > -8], WIDE[WIDE < -8]], ids=["all", "body", "tail"])
def test_loss_without_noise_is_stable_everywhere(name, t):
    value, slope = link_of(name).loss(t)
    np.testing.assert_allclose(value, -LAWS[name].logcdf(t), rtol=1e-12, atol=1e-300)
    expected = -np.exp(LAWS[name].logpdf(t) - LAWS[name].logcdf(t))
    # the reference subtracts logarithms up to 5e5 in size
    np.testing.assert_allclose(slope, expected, rtol=1e-9, atol=1e-300)
    np.testing.assert_allclose(link_of(name).slope(t), -slope, rtol=1e-12, atol=1e-300)


@pytest.mark.parametrize("t", [WIDE, WIDE[WIDE > -8]], ids=["all", "body"])
@pytest.mark.parametrize("flip", [0.3, 1e-9])
def test_loss_after_randomised_response(name, t, flip):
    value, slope = link_of(name).loss(t, flip)
    gain = 1 - 2 * flip
    exact = np.logaddexp(np.log(flip), np.log(gain) + LAWS[name].logcdf(t))
    np.testing.assert_allclose(value, -exact, rtol=1e-9, atol=1e-15)
    # atol: a slope so small is exactly 0 next to a floor
    np.testing.assert_allclose(
        slope, -np.exp(np.log(gain) + LAWS[name].logpdf(t) - exact), rtol=1e-9, atol=1e-300
    )
    np.testing.assert_allclose(link_of(name).slope(t, flip), -slope, rtol=1e-12, atol=1e-300)


@given(t=st.floats(-30, 30), flip=st.one_of(st.just(0.0), st.floats(1e-4, 0.49)))
@settings(max_examples=200, deadline=None)
def test_slope_and_curvature_are_derivatives(name, t, flip):
    link = link_of(name)

    def slope(x):
        return link.slope(x, flip)

    derivative = differences(lambda x: link.loss(x, flip)[0], np.array([t]), 1e-4)
    np.testing.assert_allclose(derivative, -slope(t), rtol=1e-6, atol=1e-9)
    curvature = link.curvature(t, slope(t))
    expected = -differences(slope, np.array([t]), 1e-4)
    np.testing.assert_allclose(curvature, expected[0], rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("alpha", [0.3, 1.0, 2.5])
def test_constants_of_objective_perturbation(name, alpha):
    link, x = link_of(name), np.linspace(-alpha, alpha, 2001)
    # psi(x) - psi(-x), psi = -log h: its slope is what flipping a sign adds to the gradient
    moved = np.abs(differences(lambda t: link.loss(t)[0] - link.loss(-t)[0], x))
    np.testing.assert_allclose(link.sensitivity(alpha), moved.max(), rtol=1e-8)
    bend = link.curvature(x, link.slope(x))
    ratio = np.log(bend[::-1] / bend).max()
    np.testing.assert_allclose(link.log_curvature_ratio(alpha), ratio, rtol=1e-10, atol=1e-12)
    assert link.published_sensitivity(alpha) >= link.sensitivity(alpha)


def test_unknown_link(name):
    with pytest.raises(InputError, match=f"did you mean '{name}'"):
        link_of(name[:-1])


def random_signs(rng, users=6, items=9, count=30):
    chosen = rng.choice(users * items, count, replace=False)
    return Ratings(chosen // items, chosen % items, rng.choice([-1.0, 1.0], count), users, items)


@pytest.mark.parametrize("flip", [0, 0.2])
def test_objective_is_the_likelihood(name, flip):
    rng = np.random.default_rng(3)
    signs, x, linear = random_signs(rng), rng.normal(size=30), rng.normal(size=30)
    objective = Objective(signs, link_of(name), flip=flip, linear=linear)
    plus = LAWS[name].cdf(x)
    seen_plus = plus * (1 - flip) + (1 - plus) * flip
    chance = np.where(signs.values > 0, seen_plus, 1 - seen_plus)
    value, gradient = objective(x)
    assert value == pytest.approx(linear @ x - np.log(chance).sum(), rel=1e-12)
    for k, direction in enumerate(np.eye(30)):
        slope = differences(lambda s, d=direction: objective(x + s * d)[0], 0.0, 1e-4)
        assert gradient[k] == pytest.approx(slope, rel=1e-6, abs=1e-8)
    first, second = objective.derivatives(x)
    np.testing.assert_allclose(first, gradient, rtol=1e-12)
    moved = (objective(x + 1e-5)[1] - objective(x - 1e-5)[1]) / 2e-5
    np.testing.assert_allclose(second, moved, rtol=1e-6, atol=1e-8)


def test_least_curvature(name):
    signs = random_signs(np.random.default_rng(4))
    assert Objective(signs, name).least_curvature(1.0) == 0
    noisy = Objective(signs, name, flip=0.4)
    x = np.linspace(-2, 2, 4001)
    lowest = min(noisy.derivatives(np.full(30, value))[1].min() for value in x)
    assert lowest < -0.01
    assert noisy.least_curvature(2.0) == pytest.approx(lowest, rel=1e-3)


def test_objective_refuses(name):
    signs = random_signs(np.random.default_rng(6))
    stars = Ratings(signs.users, signs.items, signs.values + 3, 6, 9)
    for message, ratings, given_ in (
        ("no signs", signs.take(np.array([], dtype=int)), {}),
        ("-1 or \\+1", stars, {}),
        ("flip", signs, {"flip": 0.5}),
        ("flip", signs, {"flip": np.nan}),
        ("linear", signs, {"linear": np.zeros(29)}),
        ("linear", signs, {"linear": np.full(30, np.inf)}),
    ):
        with pytest.raises(InputError, match=message):
            Objective(ratings, name, **given_)
