"""Huber noise against 50-digit arithmetic, from a = 1e-3 to 1e3 and to tails of 1e-300."""

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf
from scipy import integrate

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Huber, Laplace

PARAMETERS = [1e-3, 0.1, 0.72, 1.0759, 3.0, 10.0, 50.0, 1e3]
at_every_a = pytest.mark.parametrize("a", PARAMETERS)


@pytest.fixture(autouse=True)
def fifty_digits():
    with mpmath.workdps(50):
        yield


def loss(t, a):
    return t * t / 2 if t <= a else a * (t - a / 2)


def tail_integral(t, a):
    """Integral of exp(-rho_a) beyond t >= 0, the formulas checked by the first test below."""
    if t >= a:
        return mpmath.exp(-loss(t, a)) / a
    middle = mpmath.sqrt(mpmath.pi / 2) * (
        mpmath.erfc(t / mpmath.sqrt(2)) - mpmath.erfc(a / mpmath.sqrt(2))
    )
    return middle + mpmath.exp(-a * a / 2) / a


def reference_sf(x, a):
    t, a = abs(mpf(x)), mpf(a)
    tail = tail_integral(t, a) / (2 * tail_integral(mpf(0), a))
    return tail if x >= 0 else 1 - tail


def reference_logpdf(x, a):
    t, a = abs(mpf(x)), mpf(a)
    return -loss(t, a) - mpmath.log(2 * tail_integral(mpf(0), a))


@pytest.mark.parametrize("a", [0.1, 0.72, 1.0759, 3.0, 10.0])
@pytest.mark.parametrize("t", [0.0, 0.05, 0.9, 2.5, 4.0])
def test_the_reference_itself_by_quadrature(a, t):
    a, t = mpf(a), mpf(t)
    kink = [a] if t < a else []
    far = [max(t, a) + k / a for k in (1, 3, 10, 30, 150)]
    area = mpmath.quad(lambda u: mpmath.exp(-loss(u, a)), [t, *kink, *far])
    assert mpmath.almosteq(area, tail_integral(t, a), rel_eps=mpf(10) ** -30)


def points(a):
    """Both branches, their border, and tails out to about 1e-300."""
    far = a + 680 / a if a < 36 else 37.0
    return [0.0, 1e-9, 1e-3, 0.3, 0.7, 1.5, 5.0, 0.999 * a, a, 1.001 * a, 0.4 * far, far]


@at_every_a
@pytest.mark.parametrize("scale", [1.0, 1e-4, 300.0])
def test_density_and_distribution(a, scale):
    noise = Huber(a, scale)
    for t in points(a):
        for x in (t, -t):
            # x = t * scale rounds, and so do the two terms of the exponent.
            exponent = 1 + float(abs(reference_logpdf(x, a)))
            assert noise.logpdf(x * scale) == pytest.approx(
                float(reference_logpdf(x, a) - mpmath.log(scale)), rel=1e-14, abs=1e-14 * exponent
            )
            expected = float(mpmath.exp(reference_logpdf(x, a)) / scale)
            assert noise.pdf(x * scale) == pytest.approx(expected, rel=1e-14 * exponent, abs=0)
            expected = float(reference_sf(x, a))
            if expected > 1e-305:
                assert noise.sf(x * scale) == pytest.approx(expected, rel=1e-14 * exponent, abs=0)
                assert noise.cdf(-x * scale) == noise.sf(x * scale)


@at_every_a
@pytest.mark.parametrize("scale", [1.0, 1e-4])
def test_quantiles_down_to_1e_300(a, scale):
    noise = Huber(a, scale)
    border = noise.tail_mass / 2
    for q in [1e-300, 1e-200, 1e-50, 1e-9, 0.01, 0.2, 0.4, 0.49, 0.4999, 0.5 - 1e-9, border]:
        if q == 0:
            continue
        z = noise.isf(q) / scale
        # The exact quantile is z + (sf(z) - q)/pdf(z) to first order.
        step = (reference_sf(z, a) - mpf(q)) / mpmath.exp(reference_logpdf(z, a))
        # Relative, or, near the centre, as good as q itself is known (to 1e-16).
        known = 1e-16 * q / float(mpmath.exp(reference_logpdf(z, a)))
        assert abs(float(step)) <= 4e-15 * abs(z) + 2 * known
        assert noise.ppf(q) == -noise.isf(q)
        assert noise.isf(1 - q) == -noise.isf(1 - (1 - q))


@at_every_a
def test_variance_and_tail_mass_to_full_precision(a):
    noise, exact = Huber(a, scale=2.0), mpf(a)
    normaliser = 2 * tail_integral(mpf(0), exact)

    def expectation(function):
        inner = mpmath.linspace(0, min(exact, 40), 9)
        outer = [exact + k / exact for k in (0, 1, 4, 12, 40, 150)] if a < 40 else []
        area = sum(
            mpmath.quad(lambda t: function(t) * mpmath.exp(-loss(t, exact)), nodes)
            for nodes in (inner, outer)
            if nodes
        )
        return 2 * area / normaliser

    close = {"rel": 1e-14, "abs": 0}
    assert noise.var() == pytest.approx(float(4 * expectation(lambda t: t**2)), **close)
    assert noise.tail_mass == pytest.approx(
        float(2 * tail_integral(exact, exact) / normaliser), rel=1e-12, abs=1e-320
    )


def test_no_warning_at_any_a():
    with np.errstate(all="raise", under="ignore"):
        for a in [*PARAMETERS, 1e-40, 1e40]:
            noise = Huber(a)
            x = noise.isf([0, 1e-300, 1e-5, 0.3, 0.5, 1])
            assert noise.sf(x[1:5]) == pytest.approx([1e-300, 1e-5, 0.3, 0.5], rel=1e-12)
            assert np.isfinite(noise.var())


def test_limits_are_laplace_and_gaussian():
    x = np.linspace(-30, 30, 201)
    np.testing.assert_allclose(Huber(1e-6).sf(x * 1e6), Laplace(1e6).sf(x * 1e6), rtol=1e-10)
    np.testing.assert_allclose(Huber(60.0).sf(x), Gaussian(1.0).sf(x), rtol=1e-12)


@pytest.mark.parametrize(("variance", "a"), [(2, 1.075978), (3, 0.843268), (4, 0.720240)])
def test_a_of_the_variances_of_the_papers(variance, a):
    noise = Huber.from_variance(variance)
    assert noise.a == pytest.approx(a, abs=6e-7)
    second = integrate.quad(lambda x: x * x * noise.pdf(x), 0, 60, points=[a], epsabs=1e-12)[0]
    assert 2 * second == pytest.approx(variance, rel=1e-10)


def test_variance_one_is_the_convention_of_the_papers():
    assert Huber.from_variance(1) == Huber(3.0)
    assert Huber(3.0).var() == pytest.approx(1.003610, abs=5e-7)


@settings(deadline=None, max_examples=80)
@given(st.floats(-15, 90), st.floats(-3, 3))
def test_variance_to_a_to_variance(log_excess, log_scale):
    scale = 10**log_scale
    variance = scale**2 * (1 + 10**log_excess)
    noise = Huber.from_variance(variance, scale=scale)
    assert noise.scale == scale
    assert noise.var() == pytest.approx(variance, rel=1e-13)


@pytest.mark.parametrize(("variance", "scale"), [(0.99, 1.0), (4.0, 2.0), (3.9, 2.0), (1e-4, 1)])
def test_a_variance_that_no_a_reaches(variance, scale):
    with pytest.raises(InputError, match=f"must be above {scale * scale:g} .* got {variance:g}"):
        Huber.from_variance(variance, scale=scale)


@pytest.mark.parametrize("a", [1e-51, 1e51])
def test_a_out_of_range(a):
    with pytest.raises(InputError, match="a must lie between 1e-50 and 1e\\+50"):
        Huber(a)
