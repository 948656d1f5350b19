"""Each line of the answer follows from the results that are planted for it."""

import numpy as np
import pandas as pd
import pytest

from dpmc.statistics.tests import Interval
from dpmc.studies.huber.answer import (
    answer,
    budgets,
    real_agreement,
    real_baselines,
    synthetic_agreement,
    synthetic_baselines,
    verdicts,
)
from dpmc.studies.huber.published.compare import compare
from dpmc.studies.huber.published.numbers import load
from dpmc.study.effects import answer_to, by_count, effect_text, signed
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED, VERDICTS


def scaled(trials, factor, **where):
    """A copy of the trials with the errors of some cells multiplied."""
    planted = trials.copy()
    mask = np.ones(len(planted), dtype=bool)
    for name, value in where.items():
        mask &= (planted[name] == value).to_numpy()
    planted.loc[mask, ["rmse_all", "rmse_heldout"]] *= factor
    return planted


def test_ten_lines_with_a_verdict_each(trials, comparison, claims):
    lines = answer(trials, comparison, claims)
    assert len(lines) == 10
    assert {line.verdict for line in lines} <= set(VERDICTS)
    assert len({line.title for line in lines}) == 10
    assert all(line.text.endswith(".") for line in lines)


def test_synthetic_agreement_counts(comparison):
    line = synthetic_agreement(comparison)
    assert line.verdict == SUPPORTED
    rows = comparison[comparison["dataset"] == "synthetic"]
    close = int((abs(rows["mean"] / rows["published"] - 1) <= 0.15).sum())
    assert line.text.startswith(f"{close} of 144 numbers lie within 15 %")
    deviating = int((rows["status"] == "deviates").sum())
    assert f"{deviating} differ by more" in line.text
    assert "over 10 trials" in line.text


def test_synthetic_agreement_can_fail_or_be_open(trials, published_folder):
    worse = scaled(trials, 1.3, dataset="synthetic", rank=5)
    frame = compare(worse, load(published_folder), budget_frame())
    assert synthetic_agreement(frame).verdict == CONTRADICTED
    assert synthetic_agreement(frame.assign(log_ratio=np.nan)).verdict == INCONCLUSIVE
    few = compare(trials[trials["rank"] == 5], load(published_folder), budget_frame())
    assert "of 48 numbers, of 144 reported, lie" in synthetic_agreement(few).text


def budget_frame():
    return pd.DataFrame(columns=["mechanism", "variance", "epsilon_corrected"])


def test_real_agreement(comparison):
    line = real_agreement(comparison)
    assert line.verdict == SUPPORTED
    assert "MovieLens 100K" in line.text
    assert "SweetRS" in line.text
    rows = comparison[comparison["dataset"].isin(["ml-100k", "sweetrs"])]
    deviating = int((rows["status"] == "deviates").sum())
    assert f"{deviating} of 24 numbers differ by more than sampling error" in line.text
    off = comparison.copy()
    private = (off["dataset"] == "ml-100k") & (off["mechanism"] == "huber")
    off.loc[private, "log_ratio"] = np.log(1.05)
    assert real_agreement(off).verdict == CONTRADICTED
    assert "MovieLens 100K +5.0 ±" in real_agreement(off).text
    gone = comparison.copy()
    gone.loc[gone["dataset"] == "ml-100k", ["mean", "log_ratio"]] = np.nan
    assert real_agreement(gone).verdict == INCONCLUSIVE
    assert real_agreement(gone).text.endswith("Data not available: MovieLens 100K.")
    gone.loc[gone["dataset"] == "sweetrs", ["mean", "log_ratio"]] = np.nan
    assert real_agreement(gone).verdict == INCONCLUSIVE
    noisy = comparison.copy()
    noisy.loc[noisy["mechanism"] == "none", ["mean", "log_ratio"]] = np.nan
    assert "with noise and – without (10 trials)" in real_agreement(noisy).text


@pytest.mark.parametrize(
    ("factor", "verdict", "count"), [(10, SUPPORTED, 108), (0.01, CONTRADICTED, 0)]
)
def test_synthetic_baselines(trials, factor, verdict, count):
    line = synthetic_baselines(scaled(trials, factor, method="user_item_bias"))
    assert line.verdict == verdict
    assert line.text.startswith(f"They do in {count} of 108 cells, in {count} with")


def test_real_baselines(trials, trials_without_data):
    line = real_baselines(trials)
    assert line.verdict == CONTRADICTED
    assert line.text.startswith("They do in 0 of 16 cells")
    assert real_baselines(trials_without_data).verdict == INCONCLUSIVE
    no_baseline = trials[trials["method"] != "global_mean"]
    assert real_baselines(no_baseline).text == "Not run."


def test_budgets(comparison):
    line = budgets(comparison)
    assert line.verdict == CONTRADICTED
    assert "7 of 12 are not: 4 for Gaussian noise" in line.text
    assert "3 for Huber noise (worst: 4.235 reported, 4.216 right)" in line.text
    assert "log10 for ln" in line.text
    assert budgets(comparison.assign(status="agrees")).verdict == SUPPORTED
    assert budgets(comparison.head(0)).verdict == INCONCLUSIVE


def test_the_leading_claims_have_the_verdicts_of_the_claims(trials, comparison, claims):
    lines = {line.title: line for line in answer(trials, comparison, claims)}
    for claim in claims[claims["id"].isin(["H3", "H7", "H9"])].to_dict("records"):
        line = lines[claim["claim"]]
        assert line.verdict == claim["verdict"]
        assert line.text.startswith(f"{claim['id']}: {signed(claim['effect'])}")
        assert f"on the reported numbers {claim['reported_verdict']}" in line.text
    dependent = claims.assign(depends_on="odd trials: no effect")
    assert answer_to(dependent, "H9").text.endswith("By another reading: odd trials: no effect.")
    for nothing in ("", np.nan):  # as it is made, and as it is read from a file
        assert "By another" not in answer_to(claims.assign(depends_on=nothing), "H9").text


def test_verdicts_are_counted(claims):
    counted = claims.assign(
        verdict=["supported"] * 22
        + ["contradicted"] * 6
        + ["no effect"] * 2
        + ["inconclusive"] * (len(claims) - 30),
        depends_on=["medians: contradicted"] * 3 + [""] * (len(claims) - 3),
    )
    line = verdicts(counted)
    assert line.verdict == SUPPORTED
    assert "22 are supported, 6 contradicted, 2 have no effect" in line.text
    assert f"and {len(claims) - 30} are inconclusive" in line.text
    assert "3 would be decided otherwise" in line.text
    assert verdicts(claims.assign(verdict="contradicted")).verdict == CONTRADICTED
    assert verdicts(claims.assign(verdict="inconclusive")).verdict == INCONCLUSIVE
    assert verdicts(claims.head(0)).verdict == INCONCLUSIVE


def test_effects_are_formatted_in_per_cent():
    assert signed(np.log(0.966)) == "−3.40 %"
    assert signed(np.nan) == "–"
    interval = Interval(np.log(1.02), 0.01, np.log(0.99), np.log(1.05), 10)
    assert effect_text(interval) == "+2.00 % [−1.00, +5.00]"


def test_all_none_or_some():
    assert by_count(3, 3) == SUPPORTED
    assert by_count(0, 3) == CONTRADICTED
    assert by_count(2, 3) == INCONCLUSIVE
