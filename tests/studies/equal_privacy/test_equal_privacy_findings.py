"""Each line about models at equal privacy follows from the results that are planted for it."""

import numpy as np
import pandas as pd
import pytest
from privacy_results import fake_calibrated, fake_frontier
from scipy import stats

from dpmc.studies.equal_privacy.comparisons import advantage, better, factor_models, worse
from dpmc.studies.equal_privacy.findings import (
    NOT_RUN,
    against_baselines,
    against_constant,
    cost,
    findings,
    huber_at_equal_privacy,
    least_noise,
    nothing_to_choose,
    usable,
)
from dpmc.studies.equal_privacy.frames import NAMES, model_label
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import select


@pytest.fixture(scope="module")
def calibrated():
    return fake_calibrated()


@pytest.fixture(scope="module")
def results(calibrated):
    return {"calibrated": calibrated, "frontier": fake_frontier()}


def scaled(calibrated, factor, methods=None, **where):
    """A copy with the errors of some models multiplied."""
    planted = calibrated.copy()
    rows = select(planted, **where)
    if methods:
        rows = rows[rows["method"].isin(methods)]
    planted.loc[rows.index, ["rmse_all", "rmse_heldout"]] *= factor
    return planted


FACTORS = ["private_als", "private_irls"]


def with_local_bayes(calibrated, factor):
    """A copy with a model whose errors are so many times those of biases, where users are."""
    rows = select(calibrated, relation="user_add_remove", method="private_user_item_bias")
    rows = rows[rows["mechanism"] == "gaussian"].assign(method="local_bayes")
    planted = pd.concat([calibrated, rows], ignore_index=True)
    ours = planted["method"] == "local_bayes"
    planted.loc[ours, ["rmse_all", "rmse_heldout"]] *= factor
    return planted


@pytest.mark.parametrize(
    ("factor", "verdict", "words"),
    [(0.1, SUPPORTED, "higher at 0"), (2.0, CONTRADICTED, "lower by over 1 % at 0 of 30 budgets")],
)
def test_local_bayes_against_the_best_that_was_tuned(calibrated, factor, verdict, words):
    line = nothing_to_choose(with_local_bayes(calibrated, factor))
    assert line.verdict == verdict
    assert words in line.text


def test_every_line_has_a_verdict_and_numbers(results):
    calibrated = with_local_bayes(results["calibrated"], 0.9)
    lines = findings(results | {"calibrated": calibrated})
    assert len({line.title for line in lines}) == len(lines) == 7
    for line in lines:
        assert line.verdict in (SUPPORTED, CONTRADICTED)
        assert line.text.endswith(".")
        assert "nan" not in line.text


def test_without_results_there_is_a_line_that_says_so():
    (line,) = findings(dict.fromkeys(NAMES))
    assert (line.verdict, line.text) == (INCONCLUSIVE, NOT_RUN)


@pytest.mark.parametrize(("name", "left_open"), [("calibrated", 2), ("frontier", 6)])
def test_each_table_alone_leaves_the_other_lines_open(results, name, left_open):
    lines = findings({**dict.fromkeys(NAMES), name: results[name]})
    assert sum(line.verdict == INCONCLUSIVE for line in lines) == left_open


def test_cost_is_that_of_the_best_private_model(calibrated):
    line = cost(calibrated)
    assert line.verdict == SUPPORTED
    here = select(calibrated, dataset="ml-100k", relation="entry_change", epsilon=10)
    best = here.groupby(["method", "mechanism"])["rmse_heldout"].mean().min()
    free = calibrated[calibrated["relation"].isna() & (calibrated["dataset"] == "ml-100k")]
    ratio = best / free.groupby("method")["rmse_heldout"].mean().min()
    assert f"one rating protected at ε = 10: +{100 * (ratio - 1):.1f} % (MovieLens 100K)" in (
        line.text
    )
    cheap = scaled(calibrated, 0.01, methods=FACTORS)
    assert cost(cheap).verdict == CONTRADICTED
    assert cost(calibrated[calibrated["relation"].notna()]).verdict == INCONCLUSIVE
    assert cost(None).verdict == INCONCLUSIVE


def test_advantage_is_the_paired_difference_of_the_best(calibrated):
    ours, others = factor_models(calibrated, ["huber"]), factor_models(calibrated, ["gaussian"])
    frame = advantage(calibrated, ours, others)
    row = select(frame, dataset="sweetrs", relation="entry_change", epsilon=2).iloc[0]
    here = select(calibrated, dataset="sweetrs", relation="entry_change", epsilon=2)
    logs = {
        key: np.log(part.sort_values("trial")["rmse_heldout"].to_numpy())
        for key, part in here.groupby(["method", "mechanism"])
    }
    first = min(ours, key=lambda key: logs[key].mean())
    second = min(others, key=lambda key: logs[key].mean())
    assert (row["first"], row["second"]) == (first, second)
    test = stats.ttest_rel(logs[first], logs[second])
    assert row["difference"] == pytest.approx((logs[first] - logs[second]).mean())
    assert row["low"] == pytest.approx(test.confidence_interval(0.95).low)
    assert row["p_adjusted"] >= test.pvalue
    # planted: no mechanism is better; Holm at 5 % over all budgets, fixed seed
    assert not (better(frame) | worse(frame)).any()


def test_an_advantage_within_one_per_cent_is_none(calibrated):
    planted = scaled(calibrated, 1.0, mechanism="huber").copy()
    keys = ["dataset", "relation", "epsilon", "method", "trial"]
    gaussian = planted[planted["mechanism"] == "gaussian"].set_index(keys)
    rows = planted["mechanism"] == "huber"
    index = pd.MultiIndex.from_frame(planted.loc[rows, keys])
    for factor, expected in ((0.995, False), (0.98, True)):
        for name in ("rmse_all", "rmse_heldout"):
            planted.loc[rows, name] = factor * gaussian[name].reindex(index).to_numpy()
        models = [factor_models(planted, [name]) for name in ("huber", "gaussian")]
        assert better(advantage(planted, *models)).all() == expected


def test_against_baselines_names_the_budgets(calibrated):
    line = against_baselines(calibrated, "user_add_remove")
    assert line.verdict == CONTRADICTED
    assert "Synthetic, 20,000 × 500 at ε = 2, 5, 10 and 20" in line.text
    assert "MovieLens 100K nowhere" in line.text
    good = scaled(calibrated, 0.2, methods=FACTORS)
    line = against_baselines(good, "user_add_remove")
    assert line.verdict == SUPPORTED
    assert "It does at 30 of 30 budgets" in line.text
    assert "Jester 5k everywhere" in line.text
    assert against_baselines(None, "entry_change").verdict == INCONCLUSIVE
    alone = calibrated[calibrated["method"].isin(FACTORS)]
    assert against_baselines(alone, "entry_change").verdict == INCONCLUSIVE


def test_against_constant_names_where_nothing_helps(calibrated):
    line = against_constant(calibrated)
    assert line.verdict == CONTRADICTED
    assert "if one user joins or leaves:" in line.text
    assert "MovieLens 100K at ε = 0.5 and 1" in line.text
    good = scaled(calibrated, 0.2, methods=FACTORS)
    line = against_constant(good)
    assert line.verdict == SUPPORTED
    assert line.text == "One does at 72 of 72 budgets."
    assert against_constant(None).verdict == INCONCLUSIVE
    assert against_constant(calibrated.head(0)).verdict == INCONCLUSIVE


@pytest.mark.parametrize(
    ("factor", "verdict", "wins"), [(0.9, SUPPORTED, 54), (1.0, CONTRADICTED, 0)]
)
def test_huber_at_equal_privacy(calibrated, factor, verdict, wins):
    line = huber_at_equal_privacy(scaled(calibrated, factor, mechanism="huber"))
    assert line.verdict == verdict
    # user level has Huber noise at three budgets only
    assert f"at {wins} of 54 budgets by over 1 %, loses at 0" in line.text
    assert f"Of all {72} budgets" in line.text


def test_huber_that_was_not_run_is_open(calibrated):
    without = calibrated[calibrated["mechanism"] != "huber"]
    assert huber_at_equal_privacy(without).verdict == INCONCLUSIVE
    assert huber_at_equal_privacy(None).verdict == INCONCLUSIVE


def test_least_noise(results):
    line = least_noise(results["frontier"])
    assert line.verdict == SUPPORTED
    best = results["frontier"].loc[results["frontier"]["ratio"].idxmin()]
    assert f"at {best['releases']:g} releases and ε = {best['epsilon']:g}" in line.text
    assert least_noise(results["frontier"].assign(best="laplace")).verdict == CONTRADICTED
    assert least_noise(None).verdict == INCONCLUSIVE


@pytest.mark.parametrize(
    ("factor", "verdict"), [(0.2, SUPPORTED), (1.0, INCONCLUSIVE), (5.0, CONTRADICTED)]
)
def test_the_answer_has_a_line_on_privacy(calibrated, factor, verdict):
    line = usable(scaled(calibrated, factor, methods=FACTORS))
    assert line.verdict == verdict
    assert usable(None).verdict == INCONCLUSIVE
    assert "of 30 budgets" in line.text


def test_models_are_named():
    assert model_label("private_irls", "huber") == "A-IRLS + Huber"
    assert model_label("als", "none") == "ALS without noise"
    assert model_label("item_bias", "none") == "Item bias, not private"
    assert model_label("mine", "my_noise") == "mine + my_noise"
