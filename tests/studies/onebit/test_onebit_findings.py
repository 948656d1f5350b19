"""The findings of the one-bit part are what its tables say."""

import numpy as np
import pandas as pd
import pytest
from invented_onebit import fake_trials, results
from scipy import stats

from dpmc.studies.onebit.comparisons import against, better, comparisons, worse
from dpmc.studies.onebit.findings import (
    beats_item_bias,
    beats_zero,
    caveats,
    onebit_answer,
    onebit_findings,
    real_signal,
    signal,
    winner,
)
from dpmc.studies.onebit.frames import NAMES, PUBLISHED
from dpmc.studies.onebit.guarantees import attacked, claims_kept, converged, users
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.study.frames import keeps_claim


@pytest.fixture(scope="module")
def tables():
    return results()


@pytest.fixture(scope="module")
def trials(tables):
    return tables["trials"]


def cell(trials, **where):
    keep = np.ones(len(trials), dtype=bool)
    for name, value in where.items():
        keep &= (trials[name] == value).to_numpy()
    return trials[keep]


def test_without_results_there_is_nothing_to_say(tables):
    nothing = dict.fromkeys(NAMES)
    assert onebit_findings(nothing) == onebit_answer(nothing) == onebit_answer({}) == []
    only = {**nothing, "bounds": tables["bounds"]}
    assert {finding.verdict for finding in onebit_findings(only)} == {INCONCLUSIVE}


def test_every_line_is_whole(tables):
    found = onebit_findings(tables)
    assert len({line.title for line in found}) == len(found) == 9
    for line in found:
        assert line.text.endswith(".")
        assert "nan" not in line.text
    answer = onebit_answer(tables)
    assert [line.title.partition(": ")[0] for line in answer] == ["One-bit completion"] * 2
    assert answer[0].text == found[0].text


def test_signal(trials):
    line = signal(trials)
    clear = cell(trials, dataset="synthetic", link="gaussian", observed_fraction=0.15,
                 mechanism="clear")["are_raw"]  # fmt: skip
    half = stats.t.ppf(0.975, len(clear) - 1) * stats.sem(clear)
    low, high = clear.mean() - half, clear.mean() + half
    assert line.verdict == CONTRADICTED
    assert f"{clear.mean():.2f} [{low:.2f}, {high:.2f}] raw" in line.text
    assert "over 8 trials" in line.text
    assert "below 1 from 30 % on with the Gaussian link, from 40 % on" in line.text
    assert "On the 500 × 500 instance it has" in line.text
    good = trials.assign(are_raw=trials["are_raw"] / 3)
    assert signal(good).verdict == SUPPORTED
    assert signal(None).verdict == INCONCLUSIVE
    assert signal(trials[trials["dataset"] != "synthetic"]).verdict == INCONCLUSIVE


def test_the_share_from_which_clear_is_below_one_has_no_gap(trials):
    # at 60 % it is above 1 again: below from 70 % on
    again = trials["are_raw"].where(trials["observed_fraction"] != 0.6, 2.0)
    assert "from 70 % on with the Gaussian link" in signal(trials.assign(are_raw=again)).text


def test_winner(trials):
    line = winner(trials)
    assert line.verdict == CONTRADICTED
    assert "MovieLens 100K: OutP, as published at 20 of 20" in line.text
    assert "Synthetic 100 × 100: InP at" in line.text
    only = trials[trials["dataset"].isin(["ml-100k", "restaurant"])]
    assert winner(only).verdict == SUPPORTED
    assert winner(None).verdict == INCONCLUSIVE


def test_one_trial_makes_nothing_significant(trials):
    one = trials[(trials["trial"] == 0) & (trials["dataset"] == "ml-100k")]
    one = one[one["constraint"] == "nuclear"]
    assert all(comparison.tied for comparison in comparisons(one, PUBLISHED, "truncated"))
    assert "no single one at 20 of 20" in winner(one).text


def test_a_comparison_is_decided_by_paired_tests():
    rng = np.random.default_rng(4)
    common = rng.standard_normal(20)
    rows = []
    for mechanism, gain, spread in (("inp", 0.02, 0.001), ("grap", 0.0, 0.001)):
        for trial in range(20):
            score = 0.6 + common[trial] + gain + spread * rng.standard_normal()
            rows.append(("ml-100k", "logistic", mechanism, 1.0, trial, score))
    names = ["dataset", "link", "mechanism", "epsilon", "trial", "accuracy_truncated"]
    frame = pd.DataFrame(rows, columns=names)
    (found,) = comparisons(frame, ("inp", "grap"), "truncated")
    # the spread over trials is fifty times the difference: only pairing shows it
    assert (found.best, found.tied) == ("inp", False)
    shuffled = frame.assign(trial=[*range(20), *rng.permutation(20)])
    (found,) = comparisons(shuffled, ("inp", "grap"), "truncated")
    assert found.tied


def test_beats_zero(trials):
    line = beats_zero(trials)
    assert line.verdict == CONTRADICTED
    assert "raw at 0 of 20, and worse at 20; truncated at 0 of 20" in line.text
    good = trials.assign(
        are_raw=trials["are_raw"].where(trials["mechanism"] == "zero", trials["are_raw"] / 4),
        are_truncated=trials["are_truncated"].where(
            trials["mechanism"] == "zero", trials["are_truncated"] / 4
        ),
    )
    assert beats_zero(good).verdict == SUPPORTED
    assert beats_zero(None).verdict == INCONCLUSIVE


def test_item_bias_at_the_same_epsilon(trials):
    line = beats_item_bias(trials)
    assert line.verdict == CONTRADICTED
    assert "MovieLens 100K: the best of the four is better at 0" in line.text
    assert "is better at 20 and worse at 0 of 20" in line.text  # synthetic
    worse_bias = trials["accuracy_truncated"].where(trials["mechanism"] != "private_item_bias", 0.5)
    assert beats_item_bias(trials.assign(accuracy_truncated=worse_bias)).verdict == SUPPORTED
    without = trials[trials["mechanism"] != "private_item_bias"]
    assert beats_item_bias(without).verdict == INCONCLUSIVE


def test_a_comparison_is_paired_and_signed(trials):
    here = cell(trials, dataset="ml-100k", constraint="nuclear")
    table = against(here, ("inp",), "private_item_bias", "truncated")
    row = table[(table["link"] == "gaussian") & (table["epsilon"] == 4)].iloc[0]
    values = {
        name: cell(here, link="gaussian", epsilon=4.0, mechanism=name)
        .set_index("trial")["accuracy_truncated"]
        for name in ("inp", "private_item_bias")
    }  # fmt: skip
    difference = values["inp"] - values["private_item_bias"]
    assert row["difference"] == pytest.approx(difference.mean())
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(difference, 0).pvalue)
    assert (better(table), worse(table)) == (0, len(table))
    # less error is better on synthetic data
    errors = cell(trials, dataset="synthetic", observed_fraction=0.15)
    found = against(errors, ("inp",), "private_item_bias", "truncated")
    assert better(found) == len(found)


def test_real_signal(trials):
    line = real_signal(trials)
    assert line.verdict == SUPPORTED
    clear = cell(trials, dataset="restaurant", link="logistic", mechanism="clear")
    assert f"RC, logistic link: {100 * clear['accuracy_raw'].mean():.1f} % against" in line.text
    swapped = trials["mechanism"].replace({"clear": "item_bias", "item_bias": "clear"})
    assert real_signal(trials.assign(mechanism=swapped)).verdict == CONTRADICTED


def test_claims_and_what_is_proven(trials):
    line = claims_kept(trials)
    assert line.verdict == CONTRADICTED
    for text in ("ObjP with the Gaussian link: 1.13 (Synthetic 100 × 100), ∞ (Synthetic 500",
                 "OutP, as published: 10,000 (Synthetic 100 × 100), 250,000",
                 "Kept: InP, GraP"):  # fmt: skip
        assert text in line.text
    honest = trials[keeps_claim(trials)]
    assert claims_kept(honest).verdict == SUPPORTED
    assert "proven" not in claims_kept(honest).text
    assert claims_kept(trials[trials["epsilon"].isna()]).verdict == INCONCLUSIVE


def test_a_claim_with_a_larger_delta_is_not_kept():
    row = {"claimed_epsilon": 1.0, "actual_epsilon": 1.0, "claimed_delta": 0.0}
    frame = pd.DataFrame([row | {"actual_delta": delta} for delta in (0.0, 1e-5)])
    assert keeps_claim(frame).tolist() == [True, False]
    assert keeps_claim(frame.assign(actual_epsilon=1 + 1e-6)).tolist() == [False, False]


def test_users(trials):
    line = users(trials)
    assert line.verdict == CONTRADICTED
    assert "MovieLens 100K: 600 (InP, ObjP, GraP, ObjP, corrected, Item bias, private)" in line.text
    assert "24.5 (GraP, Gaussian noise)" in line.text
    assert "OutP, as published" not in line.text
    # where more is observed, users have more signs: that does not mix with the rest
    more = trials["user_epsilon"].where(trials["observed_fraction"] != 0.5, 77.0)
    assert users(trials.assign(user_epsilon=more)).text == line.text
    assert users(trials[trials["mechanism"] == "outp"]).verdict == SUPPORTED


def test_attack(tables):
    line = attacked(tables["outp_change"], tables["outp_attack"])
    assert line.verdict == CONTRADICTED
    # at a claim of 10 the 20,000 samples cannot show more
    assert "more than the claim in 20 of 24 cases" in line.text
    assert "it is 5.00 on the block instance" in line.text
    assert "20,000 samples a case, 99.9 % confidence" in line.text
    weak = tables["outp_attack"].assign(lower_bound=0.0)
    assert attacked(None, weak).verdict == INCONCLUSIVE


def test_solves_that_did_not_converge_are_counted(trials):
    line = converged(trials)
    flags = trials["converged"].dropna().astype(bool)
    assert line.verdict == CONTRADICTED
    assert f"{int(flags.sum()):,} of {len(flags):,} did." in line.text
    assert f"ObjP {int((~flags).sum())} (" in line.text
    formatted = trials.assign(converged=trials["converged"].map({True: "True", False: "False"}))
    assert converged(formatted).text == line.text
    assert converged(trials[trials["trial"] > 0]).verdict == SUPPORTED
    assert converged(trials[trials["mechanism"] == "grap"]).verdict == INCONCLUSIVE


def test_caveats(trials):
    assert "one fixed split" in caveats(trials)
    assert "one fixed split" not in caveats(trials[trials["dataset"] != "ml-100k"])
    assert "no published number stands beside ours" in caveats(None)


def test_more_trials_are_said():
    assert "over 3 trials" in signal(fake_trials(trials=3)).text
