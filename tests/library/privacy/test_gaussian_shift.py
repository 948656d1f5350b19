"""Huber and Laplace noise by an l2 bound: slopes, trade-offs by integration, products by draws."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc.privacy.accounting import Releases, epsilon
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.losses import Loss, gaussian_shift

NOISES = [Huber(0.3), Huber(1.076), Huber(2.0, 0.7), Huber(3.0), Laplace(1.0), Laplace(2.5)]
WORST = Gaussian(1.0)
of = {"relation": "entry_change"}


def slope(noise, x):
    """Slope at x of the map that makes the noise normal: its distribution function by quadrature.

    Laplace noise and tails are exponential beyond 30 scales, of no weight to 1e-12.
    """
    density = float(noise.pdf(x))
    tail = integrate.quad(noise.pdf, x, x + 40 * noise.std(), epsabs=1e-14, epsrel=1e-12)[0]
    return density / stats.norm.pdf(stats.norm.isf(tail))


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_no_slope_is_above_that_at_the_middle(noise):
    bound = gaussian_shift(noise, 1.0)
    slopes = [slope(noise, x) for x in np.linspace(1e-4, 5, 60) * noise.std()]
    assert max(slopes) <= bound * (1 + 1e-8)
    assert slopes[0] == pytest.approx(bound, rel=1e-3)  # and it is attained
    assert slope(noise, 1e-9) == pytest.approx(bound, rel=1e-7)


def test_the_numbers_of_the_table():
    """Deviation relative to Gaussian noise at the same mu."""
    found = {a: gaussian_shift(Huber(a), 1.0) * Huber(a).std() for a in (0.5, 1.5, 2, 2.5, 3)}
    expected = {0.5: 1.587, 1.5: 1.103, 2: 1.031, 2.5: 1.0076, 3: 1.0015}
    assert found == pytest.approx(expected, abs=5e-4)
    assert gaussian_shift(Laplace(1.0), 1.0) == pytest.approx(math.sqrt(math.pi / 2), rel=1e-14)
    assert gaussian_shift(Huber(1e4), 1.0) == pytest.approx(1, rel=1e-12)
    assert gaussian_shift(Gaussian(2.0), 3.0) == pytest.approx(1.5, rel=1e-15)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
@pytest.mark.parametrize("moved", [0.01, 0.3, 1.0, 3.0])
def test_one_coordinate_loses_no_more_than_gaussian_noise(noise, moved):
    """Of one coordinate delta is known exactly, as the integral of (p - e^epsilon q)+."""
    sensitivity = moved * noise.std()
    mu, loss = gaussian_shift(noise, sensitivity), Loss(noise, sensitivity)
    for at in np.linspace(0, 0.99 * min(loss.largest, 4 * mu), 8):
        assert loss.delta(at) <= WORST.delta(at, mu) * (1 + 1e-9)
    # at epsilon 0 and a small shift it loses as much: no smaller mu would do
    assert Loss(noise, 0.001 * noise.std()).delta(0.0) == pytest.approx(
        WORST.delta(0.0, gaussian_shift(noise, 0.001 * noise.std())), rel=1e-3
    )


@pytest.mark.parametrize("noise", [Huber(1.076), Huber(2.0), Laplace(1.0)], ids=repr)
@pytest.mark.parametrize("coordinates", [5, 32])
@pytest.mark.parametrize("length", [1.0, 2.0])
def test_a_vector_loses_no_more_than_gaussian_noise(noise, coordinates, length):
    """delta = E[(1 - e^(epsilon - loss))+] by draws; wrong alarms in all 24 cases: 1 in 10,000."""
    rng = np.random.default_rng([17, coordinates, int(length)])
    shift = np.full(coordinates, length * noise.std() / math.sqrt(coordinates))
    mu = gaussian_shift(noise, length * noise.std())
    draws = noise.rvs((100_000, coordinates), rng)
    losses = (noise.logpdf(draws) - noise.logpdf(draws + shift)).sum(axis=1)
    for at in (0.5, 1.5):
        terms = np.maximum(-np.expm1(at - losses), 0)
        least = terms.mean() - 4.5 * terms.std() / math.sqrt(terms.size)
        assert least <= WORST.delta(at, mu)
        assert terms.mean() >= 0.4 * WORST.delta(at, mu)  # so a mu that is too small shows


@pytest.mark.parametrize("noise", [Laplace(1.5), Huber(1.2, 2.0)], ids=repr)
def test_releases_by_an_l2_bound_are_accounted_for_as_gaussian_ones(noise):
    ours = [Releases(noise, 1.5, 7, norm="l2"), Releases(Gaussian(3.0), 1.0, 2, norm="l2")]
    mu = math.sqrt(7 * gaussian_shift(noise, 1.5) ** 2 + 2 / 9)
    found = epsilon(ours, 1e-6, accountant="exact", **of)
    assert found.epsilon == pytest.approx(WORST.epsilon(mu, 1e-6), rel=1e-12)
    assert found.lower == 0  # the noise may lose less than what it is accounted as
    assert epsilon(ours, 1e-6, **of).epsilon >= found.epsilon * (1 - 1e-6)  # by distributions
    with pytest.raises(InputError, match="no guarantee at delta = 0"):
        epsilon(ours[0], 0.0, **of)
    scalar = epsilon(Releases(noise, 1.5, 7), 1e-6, **of)
    assert scalar.epsilon <= epsilon(ours[0], 1e-6, **of).epsilon  # one number: the exact law
    assert scalar.lower > 0


@pytest.mark.parametrize(("releases", "budget"), [(1, 0.3), (10, 5.0), (400, 20.0)])
def test_noise_by_an_l2_bound_is_as_large_as_its_budget_needs(releases, budget):
    given = {"releases": releases, "epsilon": budget, "delta": 1e-6}
    gaussian = calibrate("gaussian", **given).noise.std()
    for mechanism, ratio in (("huber", 1.0015), ("laplace", 1.7725)):
        made = calibrate(mechanism, norm=2, **given)
        assert made.noise.std() / gaussian == pytest.approx(ratio, abs=1e-4)
        assert made.accountant == "gdp"
        spent = epsilon(
            Releases(made.noise, 1.0, releases, norm="l2"), 1e-6, accountant="exact", **of
        )
        assert spent.epsilon == pytest.approx(budget, rel=1e-9)
    assert calibrate("gaussian", norm=2, **given) == calibrate("gaussian", **given)


def test_a_norm_that_is_none_is_refused():
    given = {"releases": 1, "epsilon": 1.0, "delta": 1e-6}
    with pytest.raises(InputError, match="norm must be 2 of gaussian noise, got 1"):
        calibrate("gaussian", norm=1, **given)
    with pytest.raises(InputError, match="norm must be 1 or 2 of huber noise, got 3"):
        calibrate("huber", norm=3, **given)
    with pytest.raises(InputError, match="Gaussian noise gives no guarantee at delta = 0"):
        calibrate("huber", norm=2, **(given | {"delta": 0.0}))
