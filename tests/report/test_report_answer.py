"""Each line of the answer follows from the results that are planted for it."""

import numpy as np
import pandas as pd
import pytest

from dpmc.statistics.tests import Interval
from dpmc.studies.huber.answer import (
    answer,
    budgets,
    cost_of_variance,
    huber_advantage,
    irls_advantage,
    real_agreement,
    real_baselines,
    synthetic_agreement,
    synthetic_baselines,
    verdicts,
)
from dpmc.studies.huber.published.compare import compare
from dpmc.studies.huber.published.numbers import load
from dpmc.studies.huber.statistics import pooled_difference, reported_difference
from dpmc.study.effects import FAILS, HOLDS, OPEN, effect_text, judged, signed


def scaled(trials, factor, **where):
    """A copy of the trials with the errors of some cells multiplied."""
    planted = trials.copy()
    mask = np.ones(len(planted), dtype=bool)
    for name, value in where.items():
        mask &= (planted[name] == value).to_numpy()
    planted.loc[mask, ["rmse_all", "rmse_heldout"]] *= factor
    return planted


def test_ten_lines_with_a_verdict_each(trials, comparison, claims):
    lines = answer(trials, comparison, claims, None)
    assert len(lines) == 10
    assert {line.verdict for line in lines} <= {HOLDS, FAILS, OPEN}
    assert len({line.title for line in lines}) == 10
    assert all(line.text.endswith(".") for line in lines)


def test_synthetic_agreement_counts(comparison):
    line = synthetic_agreement(comparison)
    assert line.verdict == HOLDS
    rows = comparison[comparison["dataset"] == "synthetic"]
    close = int((abs(rows["mean"] / rows["published"] - 1) <= 0.15).sum())
    assert line.text.startswith(f"{close} of 144 numbers lie within 15 %")
    deviating = int((rows["status"] == "deviates").sum())
    assert f"{deviating} differ by more" in line.text
    assert "over 10 trials" in line.text


def test_synthetic_agreement_can_fail_or_be_open(trials, published_folder):
    worse = scaled(trials, 1.3, dataset="synthetic", rank=5)
    frame = compare(worse, load(published_folder), budget_frame())
    assert synthetic_agreement(frame).verdict == FAILS
    assert synthetic_agreement(frame.assign(log_ratio=np.nan)).verdict == OPEN
    few = compare(trials[trials["rank"] == 5], load(published_folder), budget_frame())
    assert "of 48 numbers, of 144 reported, lie" in synthetic_agreement(few).text


def budget_frame():
    return pd.DataFrame(columns=["mechanism", "variance", "epsilon_corrected"])


def test_real_agreement(comparison):
    line = real_agreement(comparison)
    assert line.verdict == HOLDS
    assert "MovieLens 100K" in line.text
    assert "SweetRS" in line.text
    rows = comparison[comparison["dataset"].isin(["ml-100k", "sweetrs"])]
    deviating = int((rows["status"] == "deviates").sum())
    assert f"{deviating} of 24 numbers differ by more than sampling error" in line.text
    off = comparison.copy()
    private = (off["dataset"] == "ml-100k") & (off["mechanism"] == "huber")
    off.loc[private, "log_ratio"] = np.log(1.05)
    assert real_agreement(off).verdict == FAILS
    assert "MovieLens 100K +5.0 ±" in real_agreement(off).text
    gone = comparison.copy()
    gone.loc[gone["dataset"] == "ml-100k", ["mean", "log_ratio"]] = np.nan
    assert real_agreement(gone).verdict == OPEN
    assert real_agreement(gone).text.endswith("Data not available: MovieLens 100K.")
    gone.loc[gone["dataset"] == "sweetrs", ["mean", "log_ratio"]] = np.nan
    assert real_agreement(gone).verdict == OPEN
    noisy = comparison.copy()
    noisy.loc[noisy["mechanism"] == "none", ["mean", "log_ratio"]] = np.nan
    assert "with noise and – without (10 trials)" in real_agreement(noisy).text


def test_pooled_difference_is_the_mean_over_cells_and_trials(trials):
    part = trials[(trials["dataset"] == "synthetic") & (trials["variance"] == 2)]
    interval = pooled_difference(part, "mechanism", "huber", "gaussian")
    logs = part.assign(log=np.log(part["rmse_all"]))
    table = logs.pivot_table(
        index=["rank", "observed_fraction", "method", "trial"], columns="mechanism", values="log"
    )
    assert interval.estimate == pytest.approx((table["huber"] - table["gaussian"]).mean())
    assert interval.low < interval.estimate < interval.high
    assert interval.trials == 10


def test_reported_difference_is_that_of_the_tables(comparison):
    part = comparison[(comparison["dataset"] == "synthetic") & (comparison["variance"] == 2)]
    logs = part.assign(log=np.log(part["published"]))
    table = logs.pivot_table(
        index=["rank", "observed_fraction", "method"], columns="mechanism", values="log"
    )
    expected = (table["huber"] - table["laplace"]).mean()
    assert reported_difference(part, "mechanism", "huber", "laplace") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.06, -0.02, HOLDS),
        (0.001, 0.04, FAILS),
        (-0.004, 0.006, FAILS),
        (-0.008, -0.001, FAILS),
        (-0.005, 0.02, FAILS),
        (-0.05, 0.02, OPEN),
        (np.nan, np.nan, OPEN),
    ],
)
def test_judging_an_interval(low, high, verdict):
    assert judged(Interval((low + high) / 2, 0.01, low, high, 10)) == verdict


@pytest.mark.parametrize(("factor", "verdict"), [(0.95, HOLDS), (1.0, FAILS), (1.05, FAILS)])
def test_huber_advantage(trials, comparison, factor, verdict):
    line = huber_advantage(scaled(trials, factor, mechanism="huber"), comparison)
    assert line.verdict == verdict
    assert "(reported −1.8" in line.text
    assert "10 trials a cell" in line.text


def test_huber_advantage_over_one_alone_is_not_enough(trials, comparison):
    planted = scaled(trials, 1.1, mechanism="laplace")
    assert huber_advantage(planted, comparison).verdict == FAILS


@pytest.mark.parametrize(("factor", "verdict"), [(0.9, HOLDS), (1.1, FAILS)])
def test_irls_advantage(trials, comparison, factor, verdict):
    assert irls_advantage(scaled(trials, factor, method="irls"), comparison).verdict == verdict


@pytest.mark.parametrize(("factor", "verdict"), [(1.0, HOLDS), (0.5, FAILS)])
def test_cost_of_variance(trials, comparison, factor, verdict):
    assert cost_of_variance(scaled(trials, factor, variance=2.0), comparison).verdict == verdict


def test_too_few_trials_leave_it_open(trials, comparison):
    few = trials[trials["trial"] < 2]
    line = huber_advantage(few, comparison)
    assert line.verdict == OPEN
    assert "too few trials for an interval" in line.text
    assert huber_advantage(trials.head(0), comparison).verdict == OPEN


@pytest.mark.parametrize(("factor", "verdict", "count"), [(10, HOLDS, 108), (0.01, FAILS, 0)])
def test_synthetic_baselines(trials, factor, verdict, count):
    line = synthetic_baselines(scaled(trials, factor, method="user_item_bias"))
    assert line.verdict == verdict
    assert line.text.startswith(f"They do in {count} of 108 cells, in {count} with")


def test_real_baselines(trials, trials_without_data):
    line = real_baselines(trials)
    assert line.verdict == FAILS
    assert line.text.startswith("They do in 0 of 16 cells")
    assert real_baselines(trials_without_data).verdict == OPEN
    no_baseline = trials[trials["method"] != "global_mean"]
    assert real_baselines(no_baseline).text == "Not run."


def test_budgets(comparison):
    line = budgets(comparison)
    assert line.verdict == FAILS
    assert "7 of 12 are not: 4 for Gaussian noise" in line.text
    assert "3 for Huber noise (worst: 4.235 reported, 4.216 right)" in line.text
    assert "log10 for ln" in line.text
    assert budgets(comparison.assign(status="agrees")).verdict == HOLDS
    assert budgets(comparison.head(0)).verdict == OPEN


def test_verdicts_and_stability(claims):
    counted = claims.assign(
        verdict=["supported"] * 22
        + ["contradicted"] * 6
        + ["no effect"] * 2
        + ["inconclusive"] * (len(claims) - 30)
    )
    stability = pd.DataFrame(
        {"id": counted["id"], "stable": [True] * (len(claims) - 7) + [False] * 7}
    )
    line = verdicts(counted, stability)
    assert line.verdict == HOLDS
    assert "22 are supported, 6 contradicted, 2 have no effect" in line.text
    assert f"and {len(claims) - 30} are inconclusive" in line.text
    assert f"do not disagree on {len(claims) - 7} of {len(claims)}" in line.text
    assert "have not been judged" in verdicts(counted, None).text
    assert verdicts(claims.assign(verdict="contradicted"), None).verdict == FAILS
    assert verdicts(claims.assign(verdict="inconclusive"), None).verdict == OPEN
    assert verdicts(claims.head(0), None).verdict == OPEN


def test_effects_are_formatted_in_per_cent():
    assert signed(np.log(0.966)) == "−3.40 %"
    assert signed(np.nan) == "–"
    interval = Interval(np.log(1.02), 0.01, np.log(0.99), np.log(1.05), 10)
    assert effect_text(interval) == "+2.00 % [−1.00, +5.00]"
