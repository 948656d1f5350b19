"""Numbers about the mechanisms, against quadrature and closed forms."""

import math

import numpy as np
import pytest
from scipy import integrate

from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc_studies.mechanism_facts import (
    huber_to_laplace_variance,
    largest_log_ratio,
    published_inverse_cdf,
    total_variation,
)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (Huber(3.0), Gaussian.from_variance(Huber(3.0).var())),
        (Huber(0.7), Laplace.from_variance(Huber(0.7).var())),
        (Gaussian(1.0), Gaussian(2.0)),
        (Laplace(1.0), Gaussian(0.5)),
    ],
    ids=str,
)
def test_total_variation_by_quadrature(first, second):
    x = np.linspace(0, 60, 600_001)
    area = integrate.simpson(np.abs(first.pdf(x) - second.pdf(x)), x=x)
    assert total_variation(first, second) == pytest.approx(area, rel=1e-6)
    assert total_variation(second, first) == pytest.approx(total_variation(first, second))


def test_total_variation_of_the_thesis():
    near_gaussian, near_laplace = Huber(3.0), Huber(0.7)
    to_gaussian = total_variation(near_gaussian, Gaussian(near_gaussian.std()))
    to_laplace = total_variation(near_laplace, Laplace.from_variance(near_laplace.var()))
    assert to_gaussian == pytest.approx(0.0009, abs=5e-5)
    assert to_laplace == pytest.approx(0.0208, abs=5e-5)


def test_total_variation_at_the_ends():
    assert total_variation(Huber(1.0), Huber(1.0)) == 0
    assert total_variation(Laplace(1.0), Laplace(1e9)) == pytest.approx(1, abs=1e-6)
    # Two normal densities cross at x^2 = 2 log(s)/(1 - 1/s^2).
    cross = math.sqrt(2 * math.log(2) / (1 - 1 / 4))
    exact = 2 * (Gaussian(2.0).sf(cross) - Gaussian(1.0).sf(cross))
    assert total_variation(Gaussian(1.0), Gaussian(2.0)) == pytest.approx(exact, rel=1e-13)


@pytest.mark.parametrize("a", [0.1, 0.7, 1.0759, 3.0, 20.0, 1e3])
@pytest.mark.parametrize("sensitivity", [0.2, 5.0])
def test_largest_log_ratio_of_huber_noise_is_a_times_sensitivity(a, sensitivity):
    assert largest_log_ratio(Huber(a), sensitivity) == pytest.approx(a * sensitivity, abs=1e-9)
    assert largest_log_ratio(Huber(a, 4.0), sensitivity) == pytest.approx(a * sensitivity / 4)


def test_largest_log_ratio_of_the_other_two():
    assert largest_log_ratio(Laplace(2.0), 5.0) == pytest.approx(2.5, abs=1e-11)
    assert largest_log_ratio(Gaussian(1.0), 5.0) == math.inf


def test_no_huber_noise_has_less_variance_than_laplace_at_equal_pure_epsilon():
    a = np.geomspace(1e-3, 100, 60)
    ratio = np.array([huber_to_laplace_variance(value) for value in a])
    assert np.all(ratio > 1 - 1e-15)
    assert np.all(np.diff(ratio[a > 0.05]) > 0)
    assert ratio[0] == pytest.approx(1, abs=1e-11)
    # With equal epsilon by construction:
    epsilon, sensitivity, value = 0.7, 3.0, 1.3
    huber = Huber(value, scale=value * sensitivity / epsilon)
    laplace = Laplace(sensitivity / epsilon)
    assert huber.epsilon(sensitivity) == pytest.approx(laplace.epsilon(sensitivity))
    assert huber_to_laplace_variance(value) == pytest.approx(huber.var() / laplace.var())


def test_published_inverse_cdf_at_one_point():
    assert published_inverse_cdf(0.95, 1.0) == pytest.approx(-1.423, abs=5e-4)
    assert Huber(1.0).ppf(0.95) == pytest.approx(2.423, abs=5e-4)


def test_published_inverse_cdf_is_the_reported_formula():
    a = 1.0764
    normaliser = 1 / (Huber(a).pdf(0.0))
    y = np.array([0.83, 0.9, 0.95, 0.999])
    reported = a / 2 + np.log(a * normaliser * (1 - y)) / a
    np.testing.assert_allclose(published_inverse_cdf(y, a), reported, rtol=1e-12)
    below = np.array([0.001, 0.1, 0.3, 0.5, 0.8])
    np.testing.assert_array_equal(published_inverse_cdf(below, a), Huber(a).ppf(below))


def test_moments_of_the_reported_sampler():
    a = 1.0764
    border = Huber(a).tail_mass / 2
    ends = [border, 1 - border]
    mean = integrate.quad(lambda y: published_inverse_cdf(y, a), 0, 1, points=ends)[0]
    second = integrate.quad(lambda y: published_inverse_cdf(y, a) ** 2, 0, 1, points=ends)[0]
    assert mean == pytest.approx(-(Huber(a).tail_mass / 2) * (a + 2 / a), rel=1e-6)
    # A sample of the reported sampler gave -0.536 and 1.136 in place of 0 and 2.
    assert mean == pytest.approx(-0.5376, abs=1e-4)
    assert second - mean**2 == pytest.approx(1.1312, abs=1e-4)
