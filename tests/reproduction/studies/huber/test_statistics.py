"""Tests, intervals and tables over trials, against scipy.stats and plain loops."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from dpmc.errors import InputError
from dpmc_studies.statistics.tests import holm, log_positive, row_tests, trial_matrix
from dpmc_studies.studies.huber.cells import COORDINATES
from dpmc_studies.studies.huber.differences import differences


def rows(mechanism, values, *, dataset="synthetic", variance=1.0, method="als"):
    """Return trial rows of one cell; a value of None leaves that trial out."""
    metric = "rmse_all" if dataset == "synthetic" else "rmse_heldout"
    return pd.DataFrame(
        {
            "dataset": dataset,
            "rank": 5,
            "variance": variance,
            "observed_fraction": 0.1,
            "method": method,
            "mechanism": mechanism,
            "irls_iterations": np.nan,
            "trial": [t for t, value in enumerate(values) if value is not None],
            "rmse_all": np.nan,
            "rmse_heldout": np.nan,
        }
        | {metric: [value for value in values if value is not None]}
    )


class TestRowTests:
    def test_equals_scipy_row_by_row(self):
        rng = np.random.default_rng(1)
        values = rng.normal(0.3, [[1.0], [0.1], [5.0]], size=(3, 8))
        values[1, 2] = np.nan
        found = row_tests(values, null=0.2)
        for row, *ours in zip(values, *found, strict=True):
            present = row[np.isfinite(row)]
            reference = stats.ttest_1samp(present, 0.2)
            interval = reference.confidence_interval(0.95)
            expected = [
                present.mean(), stats.sem(present), *interval, reference.pvalue, present.size
            ]  # fmt: skip
            np.testing.assert_allclose(ours, expected, rtol=1e-10)

    @pytest.mark.parametrize("values", [[], [np.nan, np.nan], [0.5], [0.5, np.nan]])
    def test_fewer_than_two_trials_give_no_interval(self, values):
        found = row_tests(np.array([values], dtype=float))
        assert found.trials[0] == np.isfinite(values).sum()
        assert np.isnan([found.standard_error[0], found.low[0], found.p_value[0]]).all()

    def test_without_spread_the_mean_is_the_null_or_it_is_not(self):
        found = row_tests(np.array([[0.25] * 4, [0.5] * 4]), null=0.25)
        np.testing.assert_array_equal(found.p_value, [1.0, 0.0])

    def test_interval_covers_in_95_percent(self):
        # 4000 samples: the share covered has standard error .0034; .015 off has chance 1e-5.
        rng = np.random.default_rng(3)
        found = row_tests(rng.normal(2.0, 3.0, size=(4000, 6)))
        covered = np.mean((found.low <= 2.0) & (found.high >= 2.0))
        assert covered == pytest.approx(0.95, abs=0.015)


class TestHolm:
    @given(st.lists(st.floats(0, 1) | st.just(np.nan), max_size=8))
    @settings(max_examples=60, deadline=None)
    def test_rejects_what_the_stepwise_procedure_rejects(self, p_values):
        for level in (0.01, 0.05, 0.3):
            rejected = set()
            tested = [i for i, p in enumerate(p_values) if np.isfinite(p)]
            for step, i in enumerate(sorted(tested, key=lambda i: p_values[i])):
                if p_values[i] * (len(tested) - step) > level:
                    break
                rejected.add(i)
            assert set(np.flatnonzero(holm(p_values) <= level)) == rejected

    def test_keeps_the_family_wise_error_at_5_percent(self):
        # 2000 families of 20 true hypotheses: at a true rate of .05, more than 139 families
        # with an error have chance 1e-4.
        p_values = np.random.default_rng(4).uniform(size=(2000, 20))
        errors = sum((holm(family) <= 0.05).any() for family in p_values)
        assert errors <= 139


class TestTables:
    def test_matrix_does_not_depend_on_the_order_of_rows(self):
        table = pd.concat(
            [rows("huber", [1.0, 2.0, None]), rows("none", [3.0, None, 4.0], variance=np.nan)]
        )
        cells, matrix = trial_matrix(table, table["rmse_all"], COORDINATES)
        shuffled = table.sample(frac=1, random_state=1)
        cells_too, matrix_too = trial_matrix(shuffled, shuffled["rmse_all"], COORDINATES)
        pd.testing.assert_frame_equal(cells, cells_too)
        np.testing.assert_array_equal(matrix, matrix_too)
        assert cells["mechanism"].tolist() == ["huber", "none"]
        np.testing.assert_array_equal(matrix, [[1, 2, np.nan], [3, np.nan, 4]])

    def test_a_trial_that_comes_twice_is_refused_by_name(self):
        table = pd.concat([rows("huber", [1.0, 2.0]), rows("huber", [3.0])])
        with pytest.raises(InputError, match=r"trial 0 of dataset synthetic.*huber more than once"):
            trial_matrix(table, table["rmse_all"], COORDINATES)

    def test_paired_differences_use_the_common_trials_of_matching_cells(self):
        rng = np.random.default_rng(5)
        huber, gaussian = np.exp(rng.normal(size=(2, 6)))
        huber_short = [*huber[:5], None]
        table = pd.concat(
            [
                rows("huber", huber_short),
                rows("gaussian", gaussian),
                rows("huber", huber, variance=2.0),  # no partner
                rows("huber", huber, method="rank_one"),
                rows("gaussian", 1.01 * huber, method="rank_one"),
            ]
        )
        found = differences(table).set_index("method")
        assert list(found.index) == ["als", "rank_one"]
        reference = stats.ttest_rel(np.log(huber[:5]), np.log(gaussian[:5]))
        als = found.loc["als"]
        assert als["trials"] == 5
        assert als["difference"] == pytest.approx(np.log(huber[:5] / gaussian[:5]).mean())
        assert (als["low"], als["high"]) == pytest.approx(tuple(reference.confidence_interval()))
        assert als["p_adjusted"] == pytest.approx(reference.pvalue)  # the other one is certain
        assert found.loc["rank_one", "difference"] == pytest.approx(-np.log(1.01))

    def test_logarithm_of_what_has_none_is_missing(self):
        found = log_positive([1.0, 0.0, -1.0, np.inf, np.nan])
        np.testing.assert_array_equal(found, [0.0] + [np.nan] * 4)
