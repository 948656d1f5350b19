"""The findings of DPALS are what its tables say."""

import numpy as np
import pandas as pd
import pytest
from invented_dpals import fake_timing, results
from scipy import stats

from dpmc.studies.dpals.comparisons import best_of, less, more, ratios
from dpmc.studies.dpals.default_method import against_best, never_worse
from dpmc.studies.dpals.errors import (
    alternating,
    beats_biases,
    beats_frank_wolfe,
    best_private,
    more_users,
    near_als,
)
from dpmc.studies.dpals.findings import (
    beside_ours,
    caveats,
    dpals_answer,
    dpals_findings,
    numbers_met,
)
from dpmc.studies.dpals.frames import NAMES, standard
from dpmc.studies.dpals.guarantees import claims_kept, few_iterations, linear_time, published_noise
from dpmc.studies.dpals.starts import random_starts
from dpmc.studies.dpals.variants import better_items, better_sampling, projected, surrogates
from dpmc.study.chapter import PUBLISHED_COLUMNS
from dpmc.study.finding import AGREES, CONTRADICTED, INCONCLUSIVE, NOT_COMPARED, SUPPORTED
from dpmc.study.frames import select

ON_TRIALS = (beats_frank_wolfe, best_private, more_users, near_als, beats_biases, alternating,
             claims_kept, never_worse, projected, better_sampling, better_items)  # fmt: skip


@pytest.fixture(scope="module")
def tables():
    return results()


@pytest.fixture(scope="module")
def trials(tables):
    return tables["trials"]


def scaled(trials, method, factor):
    return trials.assign(
        rmse=trials["rmse"].where(trials["method"] != method, factor * trials["rmse"])
    )


def test_without_results_there_is_nothing_to_say(tables):
    nothing = dict.fromkeys(NAMES)
    assert dpals_findings(nothing) == dpals_answer(nothing) == dpals_answer({}) == []
    only = {**nothing, "coverage": tables["coverage"]}
    assert {finding.verdict for finding in dpals_findings(only)} == {INCONCLUSIVE}
    assert "generated" not in caveats(None)


def test_every_line_is_whole(tables):
    found = dpals_findings(tables)
    assert len({line.title for line in found}) == len(found) == 17
    for line in found:
        assert line.text.endswith((".", ".)"))
        assert "nan" not in line.text
    answer = dpals_answer(tables)
    assert [line.title.partition(": ")[0] for line in answer] == ["User-level factorisation"] * 3
    assert "generated" in caveats(tables["trials"])


@pytest.mark.parametrize("judge", ON_TRIALS)
def test_one_trial_or_few_rows_break_nothing(trials, judge):
    for few in (
        trials[trials["trial"] == 0],
        trials[trials["dataset"] == "ml-100k"],
        trials[trials["dataset"] == "surrogate-20m"],
        trials[trials["epsilon"].isna()],
        trials[trials["variant"] != "standard"],
    ):
        found = judge(few)
        assert "nan" not in found.text
    assert judge(None).verdict == INCONCLUSIVE


def test_ratios_are_paired(trials):
    here = standard(trials, "ml-100k")
    table = ratios(here, "dpals", "private_user_item_bias")
    row = table[table["epsilon"] == 5].iloc[0]
    logs = {
        name: np.log(
            here[(here["method"] == name) & (here["epsilon"] == 5)].set_index("trial")["rmse"]
        )
        for name in ("dpals", "private_user_item_bias")
    }
    difference = logs["dpals"] - logs["private_user_item_bias"]
    assert row["ratio"] == pytest.approx(np.exp(difference.mean()))
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(difference, 0).pvalue)
    # the spread over trials is four times what pairing leaves
    assert np.log(row["high"] / row["low"]) < np.ptp(logs["dpals"])
    against_free = ratios(here, "dpals", "als")
    assert len(against_free) == 5
    assert ratios(here, "dpals", "unknown").empty
    assert not (less(table) & more(table)).any()


def test_the_best_method_and_whether_it_is_alone():
    rng = np.random.default_rng(3)
    common = rng.standard_normal(10)
    rows = [
        (name, 1.0, trial, np.exp(common[trial] + level + 0.001 * rng.standard_normal()))
        for name, level in (("dpals", 0.0), ("dpfw", 0.01), ("dp_svd", 0.0))
        for trial in range(10)
    ]
    frame = pd.DataFrame(rows, columns=["method", "epsilon", "trial", "rmse"])
    (found,) = best_of(frame, ("dpals", "dpfw")).itertuples()
    assert (found.best, found.alone) == ("dpals", True)
    assert not best_of(frame, ("dpals", "dpfw", "dp_svd"))["alone"].item()
    assert not best_of(frame[frame["trial"] == 0], ("dpals", "dpfw"))["alone"].item()


def test_frank_wolfe(trials):
    line = beats_frank_wolfe(trials)
    assert line.verdict == SUPPORTED
    here = ratios(standard(trials, "synthetic-50k"), "dpfw", "dpals")["ratio"]
    assert f"{here.min():.2f} to {here.max():.1f} times at 50,000 users" in line.text
    assert "At ε = 1 DPFW is not better than the global mean at 2 of 4" in line.text
    assert beats_frank_wolfe(scaled(trials, "dpals", 100)).verdict == CONTRADICTED


def test_the_best_private_method(trials):
    line = best_private(trials)
    assert line.verdict == CONTRADICTED
    assert "DPALS, H-free, rows clipped at 5 of 5 (Synthetic, 5,000 users, " in line.text
    assert best_private(scaled(trials, "dpals", 0.01)).verdict == SUPPORTED
    # generated data do not count
    assert "Generated" not in line.text


def test_users_help(trials):
    assert (
        more_users(trials[trials["method"] == "dpals"]).verdict == INCONCLUSIVE
    )  # level at epsilon 1
    falling = trials.assign(rmse=1e4 / trials["users"])
    assert more_users(falling).verdict == SUPPORTED
    assert "DPALS 0.100" in more_users(falling).text
    assert more_users(trials.assign(rmse=trials["users"])).verdict == CONTRADICTED


def test_near_als_on_real_ratings_alone(trials):
    good = trials[trials["dataset"] != "jester-5k"]
    line = near_als(good)
    assert line.verdict == SUPPORTED
    assert "MovieLens 100K 1.02 to 1.03" in line.text
    assert "users" not in line.text
    assert near_als(scaled(good, "dpals", 2)).verdict == CONTRADICTED


def test_biases_and_alternating_methods(trials):
    assert beats_biases(trials).verdict == CONTRADICTED
    assert beats_biases(scaled(trials, "dpals", 0.5)).verdict == SUPPORTED
    assert "the user’s own mean, which is free" in beats_biases(trials).text
    assert alternating(trials).verdict == CONTRADICTED
    few = trials[trials["method"].isin(["dpals", "dp_altmin"])]
    assert alternating(scaled(few, "dpals", 10)).verdict == SUPPORTED


def test_noise_of_theorem_one(tables):
    line = published_noise(tables["accounting"])
    assert line.verdict == CONTRADICTED
    assert "1.060 for 1 (k = 50, T = 2), 5.575 for 5" in line.text
    assert "at δ = 1e-5" in line.text
    kept = tables["accounting"].assign(epsilon_at_published=lambda rows: rows["epsilon"])
    assert published_noise(kept).verdict == SUPPORTED


def test_claims_kept(trials):
    line = claims_kept(trials)
    assert line.verdict == CONTRADICTED
    assert "DPALS, as published 1.060 times" in line.text
    assert line.text.startswith("13 methods keep it")
    honest = trials[trials["method"] != "dpals_literal"]
    assert claims_kept(honest).verdict == SUPPORTED


def test_projection(trials):
    line = projected(trials)
    assert line.verdict == CONTRADICTED  # each at its best lambda they agree
    bad = trials.assign(
        rmse=trials["rmse"].where(~trials["variant"].str.startswith("none_"), trials["rmse"] * 2)
    )
    assert projected(bad).verdict == SUPPORTED


def test_generated_data_give_no_verdict(trials, tables):
    for judge in (better_sampling, better_items):
        line = judge(trials)
        assert line.verdict == INCONCLUSIVE
        assert "On generated data only, so no verdict on the paper." in line.text
    line = surrogates(tables["claims_surrogate"])
    assert line.verdict == INCONCLUSIVE
    assert "1 supported (S1); 1 contradicted (S2); 1 inconclusive (S3)" in line.text


def real(trials, factor, trials_of=8):
    """The variants of the generated data as if of MovieLens 10M, several times."""
    rng = np.random.default_rng(2)
    here = trials[trials["variant"].str.startswith(("uniform", "adaptive"))]
    parts = []
    for trial in range(trials_of):
        noise = np.exp(0.001 * rng.standard_normal(len(here)))
        parts.append(here.assign(dataset="ml-10m", trial=trial, rmse=here["rmse"] * noise))
    found = pd.concat(parts, ignore_index=True)
    chosen = found["variant"].str.startswith("adaptive")
    return found.assign(rmse=found["rmse"].where(~chosen, factor * found["rmse"]))


def test_sampling_and_items_on_real_data(trials):
    assert better_sampling(real(trials, 1.0)).verdict == SUPPORTED
    assert better_sampling(real(trials, 1.1)).verdict == CONTRADICTED
    assert better_items(real(trials, 1.0)).verdict == CONTRADICTED
    small = real(trials, 1.0)
    small = small.assign(rmse=small["rmse"].where(~small["variant"].str.contains("0.2"), 0.5))
    assert better_items(small).verdict == SUPPORTED


def test_iterations_and_time(tables):
    line = few_iterations(tables["iterations"])
    assert line.verdict == INCONCLUSIVE
    assert "3 against 14 at ε = 20, 6 against 15 without privacy" in line.text
    some = tables["iterations"].query("epsilon == 20")
    assert few_iterations(some).verdict == SUPPORTED
    assert few_iterations(None).verdict == INCONCLUSIVE
    assert linear_time(tables["timing"]).verdict == SUPPORTED
    slow = fake_timing().assign(seconds=lambda rows: rows["seconds"] * rows["ratings"])
    assert linear_time(slow).verdict == CONTRADICTED
    assert linear_time(slow[slow["users"] == 5000]).verdict == INCONCLUSIVE
    assert linear_time(slow[slow["method"] == "als"]).verdict == INCONCLUSIVE


def test_numbers_from_elsewhere(trials, tables):
    line = numbers_met(trials, tables["published"])
    assert line.verdict == CONTRADICTED
    assert line.text.startswith("4 of 5 within 15 %")
    assert "2 of 7 have not been run" in line.text
    far = tables["published"]["method"] == "dpfw"
    assert numbers_met(trials, tables["published"][~far]).verdict == SUPPORTED
    assert "None of 7 has been run" in numbers_met(None, tables["published"]).text


def test_published_numbers_stand_beside_ours(trials, tables):
    published = tables["published"].assign(source="paper")
    rows = beside_ours(trials, published)
    assert set(PUBLISHED_COLUMNS) <= set(rows)
    assert len(rows) == len(published)
    run = rows[rows["mean"].notna()]
    assert len(run) == 5
    assert (run["status"] == AGREES).sum() == 4
    assert set(rows.loc[rows["mean"].isna(), "status"]) == {NOT_COMPARED}
    # what a prototype gave is not published
    assert beside_ours(trials, published.assign(source="prototype")).empty
    assert set(beside_ours(None, published)["status"]) == {NOT_COMPARED}


def test_a_start_that_fails_is_counted(trials):
    drawn = trials["dataset"].str.startswith("synthetic") & (trials["variant"] == "standard")
    level = trials.assign(rmse=trials["rmse"].where(~drawn, 0.1))
    assert random_starts(level).verdict == SUPPORTED
    one = level[drawn & (level["method"] == "dpals")].index[0]
    line = random_starts(level.assign(rmse=level["rmse"].where(level.index != one, 0.3)))
    assert line.verdict == CONTRADICTED
    assert line.text.startswith("1 of ")
    assert "at most 3 times" in line.text
    assert random_starts(None).verdict == INCONCLUSIVE


def test_the_default_is_compared_with_the_best_of_the_others(trials):
    found = against_best(trials)
    assert found.groupby("dataset").size().to_dict() == {"jester": 6, "ml-100k": 6}
    here = trials[(trials["variant"] == "tuned") & (trials["dataset"] == "ml-100k")]
    logs = np.log(here[here["epsilon"] == 5].pivot(index="trial", columns="method", values="rmse"))
    best = logs.drop(columns="local_bayes").mean().idxmin()
    row = select(found, dataset="ml-100k", epsilon=5).iloc[0]
    assert row["best"] == best
    assert row["ratio"] == pytest.approx(np.exp((logs["local_bayes"] - logs[best]).mean()))
    assert row["trials"] == 10


@pytest.mark.parametrize(
    ("factor", "verdict"), [(1.0, SUPPORTED), (1.02, CONTRADICTED), (1.2, CONTRADICTED)]
)
def test_the_default_may_be_hardly_worse_and_rarely(trials, factor, verdict):
    # as good as the best of the others, times a factor
    here = trials[(trials["variant"] == "tuned") & (trials["method"] != "local_bayes")]
    least = here.groupby(["dataset", "epsilon", "trial"])["rmse"].min().mul(factor).reset_index()
    mine = least.assign(method="local_bayes", variant="tuned")
    assert never_worse(pd.concat([here, mine], ignore_index=True)).verdict == verdict


def test_one_point_far_off_is_too_much(trials):
    off = (trials["dataset"] == "jester") & (trials["epsilon"] == 20)
    off &= (trials["method"] == "local_bayes") & (trials["variant"] == "tuned")
    good = never_worse(trials)
    bad = never_worse(trials.assign(rmse=trials["rmse"].where(~off, 1.2 * trials["rmse"])))
    assert (good.verdict, bad.verdict) == (SUPPORTED, CONTRADICTED)
    assert "11 of 12" in bad.text
