"""What every mechanism must satisfy, each against numerical integration."""

import math
import pickle
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import integrate, stats

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Huber, Laplace

MECHANISMS = [
    Gaussian(1.0),
    Gaussian(0.03),
    Laplace(1.0),
    Laplace(40.0),
    Huber(0.01, scale=0.5),
    Huber(0.72),
    Huber(1.0759),
    Huber(3.0, scale=7.0),
    Huber(10.0, scale=0.2),
]
everywhere = pytest.mark.parametrize("mechanism", MECHANISMS, ids=str)


def expectation(mechanism, function):
    """E function(X) for an even function, by adaptive quadrature between quantiles."""
    points = mechanism.isf([0.5, 0.4, 0.3, 0.1, 0.01, 1e-4, 1e-8, 1e-16, 1e-28])
    if isinstance(mechanism, Huber):  # the density has a kink in its second derivative here
        points = np.sort(np.append(points, mechanism.a * mechanism.scale))
    pieces = (
        integrate.quad(lambda x: function(x) * mechanism.pdf(x), *ends, epsabs=0, epsrel=1e-12)[0]
        for ends in pairwise(points)
    )
    return 2 * math.fsum(pieces)


@everywhere
def test_density_integrates_to_one_and_to_the_tail(mechanism):
    assert expectation(mechanism, lambda x: 1.0) == pytest.approx(1, rel=1e-11)
    for q in (0.45, 0.2, 0.03, 1e-5):
        x = mechanism.isf(q)
        far = mechanism.isf(q * 1e-14)
        middle = mechanism.isf([q / 10, q / 1e4])
        tail = integrate.quad(mechanism.pdf, x, far, points=middle, epsrel=1e-12, epsabs=0)[0]
        assert mechanism.sf(x) == pytest.approx(tail, rel=1e-11)


@everywhere
def test_the_variance_is_that_of_the_density(mechanism):
    assert mechanism.var() == pytest.approx(expectation(mechanism, lambda x: x**2), rel=1e-10)
    assert mechanism.std() ** 2 == pytest.approx(mechanism.var(), rel=1e-14)


@everywhere
def test_symmetry_and_the_relations_between_the_functions(mechanism):
    x = np.linspace(-8, 8, 33) * mechanism.std()
    np.testing.assert_array_equal(mechanism.pdf(x), mechanism.pdf(-x))
    np.testing.assert_array_equal(mechanism.cdf(x), mechanism.sf(-x))
    np.testing.assert_allclose(mechanism.cdf(x) + mechanism.sf(x), 1, rtol=1e-15)
    np.testing.assert_allclose(np.log(mechanism.pdf(x)), mechanism.logpdf(x), rtol=1e-12)
    q = np.array([0.0, 1e-300, 1e-9, 0.25, 0.5, 0.75, 1.0])
    np.testing.assert_array_equal(mechanism.ppf(q), -mechanism.isf(q))
    np.testing.assert_array_equal(mechanism.isf([0, 0.5, 1]), [np.inf, 0, -np.inf])


@everywhere
def test_the_ends_of_the_line_and_bad_arguments_of_functions(mechanism):
    np.testing.assert_array_equal(mechanism.pdf([-np.inf, 1e300, np.inf]), 0)
    np.testing.assert_allclose(mechanism.cdf([-np.inf, 0, np.inf]), [0, 0.5, 1], rtol=1e-15)
    assert mechanism.logpdf(np.inf) == -np.inf
    for function in (mechanism.pdf, mechanism.logpdf, mechanism.cdf, mechanism.sf):
        assert np.isnan(function(np.nan))
    assert np.isnan(mechanism.ppf([-0.1, 1.1, np.nan])).all()


@everywhere
def test_shapes_follow_the_argument(mechanism):
    x = np.array([[0.3, -1.0, 2.0], [0.0, 0.1, 0.2]])
    for name in ("pdf", "logpdf", "cdf", "sf"):
        function = getattr(mechanism, name)
        assert function(x).shape == (2, 3)
        assert function(x.tolist())[0, 1] == function(-1) == function(x)[0, 1]
        assert np.ndim(function(1)) == 0
        assert function(np.empty((0, 2))).shape == (0, 2)
    q = np.array([[0.1, 0.5], [1e-200, 0.9]])
    for function in (mechanism.ppf, mechanism.isf):
        assert function(q).shape == (2, 2)
        assert function(q)[1, 0] == function(1e-200)
        assert np.ndim(function(0.1)) == 0


@everywhere
@settings(deadline=None, max_examples=30)
@given(st.floats(-300, math.log10(0.5)), st.booleans())
def test_quantiles_invert_the_distribution(mechanism, log_q, upper):
    q = 10**log_q
    quantile, distribution = (
        (mechanism.isf, mechanism.sf) if upper else (mechanism.ppf, mechanism.cdf)
    )
    # Relative in the deep tail too: rounding x by 1e-16 there changes q by up to 1e-13.
    assert distribution(quantile(q)) == pytest.approx(q, rel=1e-12)


@everywhere
@settings(deadline=None, max_examples=30)
@given(st.floats(1e-3, 30), st.sampled_from([-1, 1]))
def test_distribution_inverts_the_quantiles(mechanism, multiple, sign):
    x = sign * multiple * mechanism.std()
    tail = mechanism.sf(x) if sign > 0 else mechanism.cdf(x)
    inverse = mechanism.isf(tail) if sign > 0 else mechanism.ppf(tail)
    assert inverse == pytest.approx(x, rel=1e-11)


@pytest.mark.parametrize("scale", [1e-3, 1.0, 70.0])
@pytest.mark.parametrize(("ours", "theirs"), [(Gaussian, stats.norm), (Laplace, stats.laplace)])
def test_against_scipy(ours, theirs, scale):
    ours, theirs = ours(scale), theirs(scale=scale)
    x = scale * np.array([-690, -37, -9.5, -1, -1e-8, 0, 1e-3, 0.4, 2, 5, 20, 37, 690])
    q = np.array([1e-300, 1e-40, 1e-3, 0.2, 0.49, 0.5, 0.51, 0.99])
    names = dict.fromkeys(("pdf", "logpdf", "cdf", "sf"), x) | {"ppf": q, "isf": q}
    for name, argument in names.items():
        expected = getattr(theirs, name)(argument)
        np.testing.assert_allclose(getattr(ours, name)(argument), expected, rtol=1e-12, atol=0)
    assert ours.var() == pytest.approx(theirs.var(), rel=1e-14)


@pytest.mark.parametrize(
    ("noise", "epsilon"), [(Laplace(0.8), 3.75), (Huber(0.72, 2.5), 0.864), (Huber(3.0), 9.0)]
)
def test_epsilon_bounds_the_log_ratio_and_is_reached(noise, epsilon):
    x = np.linspace(-20, 20, 4001)
    ratio = noise.logpdf(x) - noise.logpdf(x + 3)
    assert ratio.max() == pytest.approx(noise.epsilon(3), rel=1e-10)
    assert noise.epsilon(3, 1e-5) == noise.epsilon(3) == pytest.approx(epsilon, rel=1e-14)


@pytest.mark.parametrize("cls", [Gaussian, Laplace, Huber])
@settings(deadline=None, max_examples=50)
@given(st.floats(1.0001, 1e8))
def test_from_variance_gives_that_variance(cls, variance):
    assert cls.from_variance(variance).var() == pytest.approx(variance, rel=1e-12)


@everywhere
def test_draws(mechanism):
    draws = mechanism.rvs((50, 40), rng=np.random.default_rng(11))
    assert draws.shape == (50, 40)
    assert draws.dtype == np.float64
    again = mechanism.rvs((50, 40), rng=np.random.default_rng(11))
    np.testing.assert_array_equal(draws, again)
    assert not np.array_equal(draws, mechanism.rvs((50, 40), rng=np.random.default_rng(12)))
    # Kolmogorov-Smirnov, fails for one seed in 10^4 of a right sampler.
    assert stats.kstest(draws.ravel(), mechanism.cdf).pvalue > 1e-4
    rng = np.random.default_rng(5)
    first, second = mechanism.rvs(7, rng=rng), mechanism.rvs(7, rng=rng)
    assert not np.any(first == second)
    assert isinstance(mechanism.rvs(rng=rng), float)
    assert mechanism.rvs((0, 3), rng=rng).shape == (0, 3)
    assert mechanism.rvs(3).shape == (3,)


@everywhere
def test_equal_by_value_and_picklable(mechanism):
    assert pickle.loads(pickle.dumps(mechanism)) == mechanism
    assert len({mechanism, pickle.loads(pickle.dumps(mechanism))}) == 1


@pytest.mark.parametrize(
    ("what", "build"),
    [
        ("scale", Gaussian),
        ("scale", Laplace),
        ("scale", lambda value: Huber(1.0, scale=value)),
        ("the Huber parameter a", Huber),
        ("variance", Gaussian.from_variance),
        ("variance", Laplace.from_variance),
        ("variance", Huber.from_variance),
        ("sensitivity", Laplace().epsilon),
        ("sensitivity", Huber(1.0).epsilon),
        ("sensitivity", lambda value: Gaussian().epsilon(value, 1e-5)),
        ("sensitivity", lambda value: Gaussian().delta(1.0, value)),
    ],
)
def test_arguments_that_must_be_positive(what, build):
    for value in (0, -1.0, math.nan, math.inf, "wide", None, 10**400):
        with pytest.raises(InputError, match=f"^{what} must be a positive finite number, got "):
            build(value)


@pytest.mark.parametrize("delta", [-1e-9, 1, math.nan, "small"])
@pytest.mark.parametrize("mechanism", [Gaussian(), Laplace(), Huber(1.0)], ids=str)
def test_delta_out_of_range(mechanism, delta):
    with pytest.raises(InputError, match=r"^delta must lie in \[0, 1\), got "):
        mechanism.epsilon(1.0, delta)
