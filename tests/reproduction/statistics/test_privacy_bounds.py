"""Lower bounds on epsilon: exact intervals, stated error rates, power."""

import numpy as np
import pytest
from scipy import stats

from dpmc.mechanisms import Gaussian, Huber, Laplace
from dpmc_studies.statistics.privacy_bounds import (
    clopper_pearson,
    fit_of_sample,
    histogram_bound,
    independence,
    loss_bound,
    threshold_bound,
)

pytestmark = pytest.mark.slow

# pure epsilon 1 at shift 1; the Gaussian has epsilon 1 at its delta
CLAIMS = [(Laplace(1.0), 0.0), (Huber(1.0, 1.0), 0.0), (Gaussian(1.5), None)]


def delta_of(noise, delta):
    return noise.delta(1.0, 1.0) if delta is None else delta


def outputs(noise, samples, rng):
    return noise.rvs(samples, rng), 1.0 + noise.rvs(samples, rng)


def losses(noise, outputs):
    return [noise.logpdf(each) - noise.logpdf(each - 1.0) for each in outputs]


@pytest.mark.parametrize("tail", [0.025, 1e-4])
def test_intervals_are_the_exact_ones(tail):
    counts = np.array([0, 1, 7, 49, 50])
    lower, upper = clopper_pearson(counts, 50, tail)
    for count, low, high in zip(counts, lower, upper, strict=True):
        exact = stats.binomtest(int(count), 50).proportion_ci(1 - 2 * tail, method="exact")
        assert (low, high) == pytest.approx((exact.low, exact.high), abs=1e-12)


@pytest.mark.parametrize(("noise", "delta"), CLAIMS)
def test_a_million_samples_show_nine_tenths_of_epsilon(noise, delta):
    # seeds are fixed; with others the bound exceeds 1 in at most 0.1 % of the cases
    delta = delta_of(noise, delta)
    drawn = outputs(noise, 10**6, np.random.default_rng(1))
    bound = threshold_bound(*losses(noise, drawn), delta=delta, confidence=0.999)
    assert 0.9 <= bound <= 1.0
    assert 0.9 <= loss_bound(*losses(noise, drawn), delta=delta, confidence=0.999) <= 1.0
    assert 0.8 <= histogram_bound(*drawn, delta=delta, confidence=0.999) <= 1.0


@pytest.mark.parametrize(("noise", "delta"), CLAIMS)
@pytest.mark.parametrize("event", ["threshold", "histogram", "loss"])
def test_bounds_exceed_the_truth_no_more_often_than_stated(noise, delta, event):
    # 200 repetitions at 95 %: a right bound exceeds 1 in more than 27 with probability < 1e-6
    delta = delta_of(noise, delta)
    rng = np.random.default_rng(2)
    exceeded = 0
    for _ in range(200):
        drawn = outputs(noise, 4000, rng)
        if event == "histogram":
            bound = histogram_bound(*drawn, delta=delta, confidence=0.95)
        else:
            function = threshold_bound if event == "threshold" else loss_bound
            bound = function(*losses(noise, drawn), delta=delta, confidence=0.95)
        exceeded += bound > 1.0
    assert stats.binom.sf(27, 200, 0.05) < 1e-6
    assert exceeded <= 27


@pytest.mark.parametrize("bound", [threshold_bound, histogram_bound])
def test_trying_many_events_is_paid_for(bound):
    # equal laws have epsilon 0: a right bound at 50 % exceeds it in more than 134 of 200
    # repetitions with probability < 1e-6; the best of all events, not paid for, in more than 150
    rng = np.random.default_rng(8)
    exceeded = sum(
        bound(*rng.standard_normal((2, 2000)), delta=0.0, confidence=0.5) > 0 for _ in range(200)
    )
    assert stats.binom.sf(134, 200, 0.5) < 1e-6
    assert exceeded <= 134


def test_atoms_of_the_loss_do_not_split():
    # half of each law has the same loss 1 up to rounding errors that differ between the laws
    first, second = np.full(20000, 1.0), np.full(20000, 1.0)
    second += 1e-13
    first[::2], second[::2] = -1.0, -1.0
    bound = threshold_bound(second, first, delta=0.0, confidence=0.95)
    assert bound < 0.2


def test_both_directions_count():
    # an event that p never produces is found whichever law comes first
    rng = np.random.default_rng(3)
    inside, beyond = rng.random(5000), rng.random(5000) * 1.2
    assert threshold_bound(-inside, -beyond, delta=0.0, confidence=0.95) > 3
    assert threshold_bound(beyond, inside, delta=0.0, confidence=0.95) > 3
    assert histogram_bound(inside, beyond, delta=0.0, confidence=0.95) > 3
    assert histogram_bound(beyond, inside, delta=0.0, confidence=0.95) > 3


def test_delta_is_granted():
    # a tenth of the outputs gives the data away, which delta = 0.11 allows
    rng = np.random.default_rng(4)
    first, second = np.zeros(20000), np.zeros(20000)
    first[rng.random(20000) < 0.1] = 5.0
    assert threshold_bound(first, second, delta=0.0, confidence=0.95) > 5
    assert loss_bound(first, second, delta=0.0, confidence=0.95) == pytest.approx(5)
    assert loss_bound(first, second, delta=0.11, confidence=0.95) == 0
    assert threshold_bound(first, second, delta=0.11, confidence=0.95) < 0.1


def test_the_law_test_is_that_of_scipy():
    sample = Laplace(2.0).rvs(3000, np.random.default_rng(5))
    p_value = fit_of_sample(sample, Laplace(2.1).cdf)
    expected = stats.kstest(sample, Laplace(2.1).cdf, method="asymp").pvalue
    assert p_value == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize(("shared", "scale"), [(0.0, 1.0), (0.3, 1.0), (0.0, 0.8), (-0.3, 1.0)])
def test_independence_sees_shared_and_small_noise(shared, scale):
    # 99.9 % where there is nothing to see; 500 runs of 2 releases of 2 numbers
    rng = np.random.default_rng(6)
    own, common = rng.standard_normal((2, 500, 2, 2))
    drawn = np.stack([own[:, 0], shared * own[:, 0] + np.sqrt(1 - shared**2) * common[:, 0]], 1)
    p_value = independence(scale * drawn, Gaussian().cdf)
    assert (p_value > 0.001) == (shared == 0 and scale == 1)


def test_independence_has_a_uniform_law_under_independence():
    # 99.9 %
    rng = np.random.default_rng(7)
    noise = Laplace(0.7)
    found = [independence(noise.rvs((20, 3), rng), noise.cdf) for _ in range(400)]
    assert stats.kstest(found, "uniform").pvalue > 0.001
