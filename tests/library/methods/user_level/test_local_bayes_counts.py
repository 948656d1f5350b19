"""How often items are rated: against numerical integration, and what a long tail asks for."""

import numpy as np
import pytest
from scipy import integrate

from dpmc.methods.user_level.local_bayes import counts

RARE, FREQUENT, SHARE = 3.0, 100.0, 0.8
"""Means of two exponential distributions, in deviations of the noise, and the share of the first"""


def integrated(density, upper):
    """Return mean and variance of what has a density on the numbers from 0."""
    mass, first, second = (
        integrate.quad(lambda x, k=k: x**k * density(x), 0, upper, limit=500)[0] for k in range(3)
    )
    return first / mass, second / mass - (first / mass) ** 2


def drawn_counts(seed, n_items):
    rng = np.random.default_rng(seed)
    means = np.where(rng.random(n_items) < SHARE, RARE, FREQUENT)
    truth = rng.exponential(means)
    return truth, truth + rng.standard_normal(n_items)


@pytest.mark.parametrize("centre", [-3000.0, -990.0, -40.0, -3.0, 0.0, 0.7, 5.0, 50.0])
def test_moments_of_a_normal_distribution_cut_off_at_zero(centre):
    first, second = counts._moments(np.array([centre]))
    width = 1 if centre > -1 else -1 / centre
    mean, variance = integrated(
        lambda x: np.exp(-((x - centre) ** 2 - min(centre, 0) ** 2) / 2),
        max(centre, 0) + 30 * width,
    )
    assert first[0] == pytest.approx(mean, rel=1e-4)
    assert second[0] - first[0] ** 2 == pytest.approx(variance, rel=1e-3)


@pytest.mark.parametrize("n_items", [8, 2000])  # kept and not
def test_moments_that_are_kept_are_those_of_the_same_counts_and_noise(n_items):
    for seed, noise in ((0, 1.0), (1, 1.0), (0, 2.0), (0, 1.0)):
        _, noised = drawn_counts(seed, n_items)
        moments = counts._moments_of(noised, noise)
        for found, expected in zip(moments, counts._find_moments(noised, noise), strict=True):
            np.testing.assert_array_equal(found, expected)


def test_counts_are_about_the_posterior_of_the_mixture_that_they_were_drawn_from():
    """Its weights are learnt from 50,000 items, so that they differ by some per cent."""
    _, noised = drawn_counts(0, 50_000)
    noise = 7.0
    mean, variance = counts._moments_of(noise * noised, noise)
    for place in (-1.5, 0.0, 1.0, 3.0, 6.0, 20.0, 150.0):
        item = np.argmin(np.abs(noised - place))
        start = max(noised[item] - 12, 0)

        def density(more, start=start, seen=noised[item]):
            x = start + more
            likely = SHARE / RARE * np.exp(-x / RARE)
            likely += (1 - SHARE) / FREQUENT * np.exp(-x / FREQUENT)
            return likely * np.exp((start - x) * (start + x - 2 * seen) / 2 + start / RARE)

        expected, spread = integrated(density, 24)
        assert mean[item] / noise == pytest.approx(start + expected, rel=0.03)
        assert variance[item] / noise**2 == pytest.approx(spread, rel=0.03)


@pytest.mark.parametrize("noise", [1e-9, 0.1, 1e9])
def test_shares_are_positive_and_of_sum_1(noise):
    truth, noised = drawn_counts(3, 500)
    for found in (
        counts.read(noise * noised, noise),
        counts.read(np.zeros(500), noise),
        counts.read(noise * noised, noise).observe(-truth, noise, 1.0),
    ):
        assert found.shares.sum() == pytest.approx(1, rel=1e-12)
        assert found.shares.min() > 0
        assert np.isfinite(found.variation).all()
        assert found.variation.min() >= 0
