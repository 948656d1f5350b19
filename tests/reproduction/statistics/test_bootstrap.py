"""Bootstrap intervals: against scipy's resampling, and how often they cover."""

import numpy as np
import pytest
from scipy import stats

from dpmc_studies.statistics.bootstrap import (
    bootstrap_interval,
    cell_weights,
    pooled_interval,
    pooled_spread_ratio,
)


def test_one_cell_agrees_with_scipy_at_the_same_levels():
    values = np.random.default_rng(1).gamma(2.0, size=12)
    ours = pooled_interval(values[None, :])
    # Hesterberg's widened level for 12 trials, by scipy's distributions.
    level = stats.norm.cdf(-np.sqrt(12 / 11) * stats.t.ppf(0.975, 11))
    theirs = stats.bootstrap(
        [values],
        np.mean,
        n_resamples=40_000,
        confidence_level=1 - 2 * level,
        method="percentile",
        rng=np.random.default_rng(2),
    )
    # Monte Carlo error of a 1 % quantile from 10,000 resamples: about .04 standard errors.
    tolerance = 0.15 * theirs.standard_error
    assert ours.estimate == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=tolerance)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=tolerance)
    assert ours.standard_error == pytest.approx(stats.sem(values), rel=0.03)


@pytest.mark.parametrize("trials", [5, 12])
def test_the_interval_is_the_t_interval_where_resamples_are_normal(trials):
    # A statistic whose resamples are the quantiles of a normal distribution of variance
    # (n - 1) / n, as those of a mean of n values of variance n are.
    def quantiles(weights):
        shares = (np.arange(len(weights)) + 0.5) / len(weights)
        return np.sqrt((trials - 1) / trials) * stats.norm.ppf(shares)

    found = bootstrap_interval(quantiles, trials, resamples=1_000_000)
    half = stats.t.ppf(0.975, trials - 1)
    assert (found.low, found.high) == pytest.approx((-half, half), rel=1e-3)
    assert (found.estimate, found.standard_error) == pytest.approx((0, 1), abs=1e-3)


def test_a_resample_draws_the_same_trials_in_all_cells():
    # Two cells whose trials cancel: only a joint resample sees that the pooled mean is exact.
    values = np.random.default_rng(3).normal(size=10)
    found = pooled_interval(np.array([values, 1.0 - values]))
    assert (found.low, found.high) == pytest.approx((0.5, 0.5))


@pytest.mark.parametrize("cells", [1, 12])
def test_pooled_interval_covers_in_95_percent_at_ten_trials(cells):
    # 1500 samples: the share covered has standard error .0056; .025 off has chance 1e-5. The
    # plain percentile interval would cover in 90 %.
    rng = np.random.default_rng(4)
    covered = 0
    for _ in range(1500):
        values = 0.3 * rng.normal(size=10) + rng.normal(size=(cells, 10))
        found = pooled_interval(values, resamples=2000)
        covered += found.low <= 0 <= found.high
    assert covered / 1500 == pytest.approx(0.95, abs=0.025)


def loud_and_quiet(seed, trials, effects=(0.0,) * 12):
    """Return cells of which every other scatters twenty times as much."""
    rng = np.random.default_rng(seed)
    spread = np.where(np.arange(len(effects)) % 2, 0.01, 0.2)
    noise = rng.normal(size=(len(effects), trials))
    return np.array(effects)[:, None] + spread[:, None] * noise


def test_cells_count_by_their_inverse_variance():
    values = loud_and_quiet(8, 30)
    weights = cell_weights(values)
    variance = values.var(axis=1, ddof=1) / 30
    # all effects are equal, so that little is between them
    assert weights[1::2].min() > 50 * weights[::2].max()
    found, plain = pooled_interval(values), pooled_interval(values, weighted=False)
    assert found.estimate == pytest.approx(weights @ values.mean(axis=1) / weights.sum())
    assert plain.estimate == pytest.approx(values.mean())
    assert found.standard_error < 0.2 * plain.standard_error
    assert found.standard_error > 0.8 * (1 / variance).sum() ** -0.5


def test_weights_by_hand():
    # Three cells with standard errors 1, 1, 2 and means 0, 4, 8, by the formulas of the source.
    quantiles = stats.norm.ppf((np.arange(20) + 0.5) / 20)
    quantiles /= quantiles.std(ddof=1) / np.sqrt(20)
    values = np.array([0.0, 4.0, 8.0])[:, None] + np.outer([1, 1, 2], quantiles)
    inverse = np.array([1, 1, 0.25])
    q = inverse @ (np.array([0, 4, 8]) - 6 / 2.25) ** 2
    between = (q - 2) / (2.25 - 2.0625 / 2.25)
    np.testing.assert_allclose(cell_weights(values), 1 / (np.array([1, 1, 4]) + between))


def test_few_trials_or_a_cell_without_spread_leave_all_alike():
    assert set(cell_weights(loud_and_quiet(10, 19))) == {1.0}
    constant = loud_and_quiet(10, 30)
    constant[3] = 0.5
    assert set(cell_weights(constant)) == {1.0}


def test_weighted_intervals_cover_at_twenty_trials():
    # 600 samples: the share covered has standard error .01; five trials would cover in 81 %.
    covered = 0
    for seed in range(600):
        found = pooled_interval(loud_and_quiet(seed, 20), resamples=1000)
        covered += found.low <= 0 <= found.high
    assert 0.89 < covered / 600 < 0.98


def test_cells_with_different_numbers_of_trials_count_alike():
    values = np.full((2, 10), np.nan)
    values[0] = np.linspace(0, 1, 10)
    values[1, :6] = 3.0
    found = pooled_interval(values)
    assert found.estimate == pytest.approx((0.5 + 3.0) / 2)
    assert found.trials == 10
    assert found.low < found.estimate < found.high


@pytest.mark.parametrize("trials", [1, 2, 4])
def test_few_trials_have_an_estimate_without_interval(trials):
    found = pooled_interval(np.ones((2, trials)))
    assert (found.estimate, found.trials) == (1.0, trials)
    assert np.isnan([found.low, found.high]).all()
    nothing = pooled_interval(np.full((2, trials), np.nan))
    assert np.isnan(nothing.estimate)
    assert nothing.trials == 0


def test_resamples_without_a_value_are_left_out():
    def defined_for_some(weights):
        return np.where(weights[:, 0] > 0, 2.0, np.nan)

    assert bootstrap_interval(defined_for_some, 6).low == 2.0


class TestSpreadRatio:
    def test_estimate_is_the_mean_log_ratio_of_standard_deviations(self):
        rng = np.random.default_rng(7)
        first, second = rng.normal(5.0, [[1.0], [3.0]], size=(2, 2, 9))
        first[0, 3] = np.nan
        expected = np.mean(
            [np.log(np.nanstd(a) / np.nanstd(b)) for a, b in zip(first, second, strict=True)]
        )
        assert pooled_spread_ratio(first, second).estimate == pytest.approx(expected)

    def test_a_large_common_mean_loses_nothing(self):
        rng = np.random.default_rng(8)
        first, second = rng.normal(size=(2, 3, 10))
        near, far = (pooled_spread_ratio(first + c, second + c).estimate for c in (0.0, 1e6))
        assert far == pytest.approx(near, abs=1e-6)

    def test_a_planted_ratio_is_covered(self):
        # 300 samples at a nominal 95 % (in fact 97 %, a little wide): fewer than 267 covered
        # has chance below 1e-5.
        rng = np.random.default_rng(9)
        covered = 0
        for _ in range(300):
            first, second = 2.0 * rng.normal(size=(18, 10)), rng.normal(size=(18, 10))
            found = pooled_spread_ratio(first, second, resamples=2000)
            covered += found.low <= np.log(2.0) <= found.high
        assert covered >= 267

    def test_cells_without_spread_are_left_out(self):
        values = np.random.default_rng(10).normal(size=(1, 10))
        flat = np.full((1, 10), 0.1)
        found = pooled_spread_ratio(np.vstack([2 * values, flat]), np.vstack([values, values]))
        assert found.estimate == pytest.approx(np.log(2.0))
        assert np.isnan(pooled_spread_ratio(flat, values).estimate)


def test_pooled_interval_of_any_layout():
    """Intervals are remembered by the bytes of an array."""
    wide = np.random.default_rng(3).normal(size=(4, 24))
    values = wide[:, ::2]
    expected = pooled_interval(values.copy())
    for same in (values, np.asfortranarray(values), values.T.copy().T):
        np.testing.assert_allclose(pooled_interval(same), expected, rtol=1e-12)
    other = pooled_interval(values.reshape(6, -1))
    assert other.estimate == pytest.approx(expected.estimate)
    assert other.low != expected.low
