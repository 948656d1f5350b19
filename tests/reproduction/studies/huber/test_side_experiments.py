"""The claims that need an experiment of their own: timing, convergence, many starts."""

import numba
import numpy as np
import pytest
from scipy import stats

from dpmc.mechanisms import Huber
from dpmc_studies.studies.huber.claims.noise_facts import audited_epsilon, epsilon_of_counts


class TestTiming:
    @pytest.mark.parametrize(
        ("ratio", "spread", "expected"),
        [(8.0, 0.02, "supported"), (1.5, 0.02, "contradicted"), (3.5, 0.5, "inconclusive")],
    )
    def test_verdict(self, verdict, timing, ratio, spread, expected):
        found = verdict("H18", timing=timing(ratio, spread=spread))
        assert found["verdict"] == expected
        assert found["effect"] == pytest.approx(ratio, rel=0.05 if spread < 0.1 else 1)
        assert found["n"] == 5
        assert " (fast kernel)" in found["reason"]

    def test_one_slow_data_set_contradicts(self, verdict, timing):
        table = timing(8.0)
        slow = (table["dataset"] == "sweetrs") & (table["irls_iterations"] == 1)
        table.loc[slow, "seconds"] *= 7  # ALS as slow as A-IRLS
        assert verdict("H18", timing=table)["verdict"] == "contradicted"

    def test_without_the_fast_kernel_or_a_second_repeat(self, verdict, timing):
        table = timing(8.0)
        direct = table[table["kernel"] == "direct"]
        assert verdict("H18", timing=direct)["verdict"] == "supported"
        once = verdict("H18", timing=direct[direct["repeat"] == 0])
        assert (once["verdict"], once["effect"]) == ("inconclusive", pytest.approx(8, rel=0.05))

    def test_without_the_direct_kernel_or_without_k_2(self, verdict, timing):
        table = timing(8.0)
        for part in (
            table[table["kernel"] == "fast"],
            table[table["irls_iterations"] == 20],
            table.iloc[:0],
        ):
            found = verdict("H18", timing=part)
            assert found["verdict"] == "not run"
            assert found["reason"].startswith("not part of this run")


class TestConvergence:
    @pytest.mark.parametrize(
        ("wider", "higher", "expected"),
        [
            (10.0, 1.5, "supported"),
            (1.5, 1.5, "contradicted"),  # not wide enough
            (10.0, 0.8, "contradicted"),  # wide, but ends lower
            (3.0, 1.5, "inconclusive"),  # on the edge
        ],
    )
    def test_verdict(self, verdict, convergence, wider, higher, expected):
        found = verdict("H35", convergence=convergence(wider, higher))
        assert found["verdict"] == expected
        assert found["effect"] == pytest.approx(wider, rel=0.25)
        assert found["interval_low"] < found["effect"] < found["interval_high"]

    def test_early_iterations_do_not_count(self, verdict, convergence):
        table = convergence(1.0, 1.5)
        early = (table["noise_target"] == "iterate") & (table["iteration"] <= 40)
        table.loc[early, "rmse_all"] *= np.random.default_rng(0).uniform(1, 3, early.sum())
        assert verdict("H35", convergence=table)["verdict"] == "contradicted"

    def test_one_noise_target_is_no_comparison(self, verdict, convergence):
        table = convergence()
        for part in (table[table["noise_target"] == "iterate"], table.iloc[:0], None):
            found = verdict("H35", convergence=part)
            assert found["verdict"] == "not run"
            assert found["reason"].startswith("not part of this run")


class TestStarts:
    @pytest.mark.parametrize(
        ("lower", "expected"),
        [(0.05, "supported"), (0.0, "no effect"), (-0.05, "contradicted")],
    )
    def test_verdict(self, verdict, starts, lower, expected):
        found = verdict("H36", starts=starts(lower))
        assert found["verdict"] == expected, found["reason"]
        assert found["effect"] == pytest.approx(-lower, abs=0.003)
        assert found["n"] == 20

    def test_without_local_minima_there_is_none_to_leave(self, verdict, starts):
        found = verdict("H36", starts=starts(0.05, apart=0.0))
        assert found["verdict"] == "contradicted"
        assert "scatters by 0.00 % at rank 5, 0.00 % at rank 20" in found["reason"]

    def test_a_rank_with_one_minimum_does_not_count(self, verdict, starts):
        table = starts(0.05)
        one = (table["rank"] == 5) & (table["mechanism"] == "none")
        table.loc[one, "settled_loss"] = 7.0
        high = (table["rank"] == 5) & (table["mechanism"] == "huber")
        table.loc[high, "settled_loss"] *= 2.0
        found = verdict("H36", starts=table)
        assert (found["verdict"], found["effect"]) == ("supported", pytest.approx(-0.05, abs=0.003))

    def test_laplace_noise_decides_nothing(self, verdict, starts):
        table = starts(0.05)
        table.loc[table["mechanism"] == "laplace", "settled_loss"] *= 0.5
        found = verdict("H36", starts=table)
        assert found["verdict"] == "supported"
        assert "against Laplace noise +" in found["reason"]

    def test_only_starts_that_all_mechanisms_have_count(self, verdict, starts):
        table = starts()
        lost = (table["mechanism"] == "laplace") & (table["start"] > 15)
        assert verdict("H36", starts=table[~lost])["n"] == 16

    def test_one_start_is_no_scatter(self, verdict, starts):
        table = starts()
        assert verdict("H36", starts=table[table["start"] == 0])["verdict"] == "inconclusive"

    def test_a_missing_mechanism_is_missing_data(self, verdict, starts):
        table = starts()
        for part in (table[table["mechanism"] != "laplace"], table.iloc[:0], None):
            found = verdict("H36", starts=part)
            assert found["verdict"] == "not run"
            assert found["reason"].startswith("not part of this run")


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="draws millions of samples")
def test_the_audit_does_not_claim_more_than_there_is():
    # A 95 % bound, 20 audits at 100,000 samples: more than 4 too high have chance 1e-3 (the
    # bound is on both sides, so the true rate is below 5 %).
    noise = Huber.from_variance(2.0)
    rng = np.random.default_rng(1)
    for sensitivity, least in ((1.0, 0.9), (5.0, 0.8)):
        bounds = [audited_epsilon(noise, rng, 100_000, sensitivity) for _ in range(20)]
        assert sum(bound > noise.epsilon(sensitivity) for bound in bounds) <= 4
        assert np.median(bounds) > least * noise.epsilon(sensitivity)


def test_the_bound_is_clopper_pearson():
    low = stats.binomtest(900, 10_000).proportion_ci(0.95, method="exact").low
    high = stats.binomtest(100, 10_000).proportion_ci(0.95, method="exact").high
    assert epsilon_of_counts(900, 100, 10_000) == pytest.approx(np.log(low / high))
