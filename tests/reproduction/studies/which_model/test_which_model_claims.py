"""Claims about the default of dpmc fit: each verdict follows from what is planted."""

import numpy as np
import pandas as pd
import pytest
from fake_results.which_model import fake_popularity, fake_trials

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc_studies.statistics.paired import compare
from dpmc_studies.studies.which_model.claims import judge
from dpmc_studies.studies.which_model.claims.evidence import PREDICATES, Evidence
from dpmc_studies.studies.which_model.frames import NEW_DATA, PLACE, of_tuned


@pytest.fixture(scope="module")
def trials():
    return fake_trials()


def with_local_bayes(factor):
    """The comparison with a method as good as the best of the others, times a factor."""

    def change(trials):
        here = trials[(trials["variant"] == "tuned") & (trials["method"] != "local_bayes")]
        least = here.groupby(["dataset", "epsilon", "trial"])["rmse"].min().mul(factor)
        mine = least.reset_index().assign(method="local_bayes", variant="tuned")
        return pd.concat([here, mine], ignore_index=True)

    return change


def one_point_far_off(trials):
    off = (trials["dataset"] == "jester") & (trials["epsilon"] == 20)
    off &= (trials["method"] == "local_bayes") & (trials["variant"] == "tuned")
    return trials.assign(rmse=trials["rmse"].where(~off, 1.2 * trials["rmse"]))


def variant_times(name, factor):
    """The errors of a variant times a factor."""

    def change(trials):
        here = trials["variant"] == name
        return trials.assign(rmse=trials["rmse"].where(~here, factor * trials["rmse"]))

    return change


def method_times(name, factor, variant="searched"):
    """The errors of a method at settings of the search times a factor."""

    def change(trials):
        here = (trials["method"] == name) & (trials["variant"] == variant)
        return trials.assign(rmse=trials["rmse"].where(~here, factor * trials["rmse"]))

    return change


def test_the_middle_of_the_items_gains_most():
    table = fake_popularity()
    finding = PREDICATES["L4"](Evidence(popularity=table))
    assert finding.verdict == SUPPORTED
    most = (table["fifth"] == 5) & (table["variant"] == "features")
    gains = table.assign(rmse=table["rmse"].where(~most, 0.9 * table["rmse"]))
    assert PREDICATES["L4"](Evidence(popularity=gains)).verdict == CONTRADICTED


PLANTED = [
    ("L1", SUPPORTED, with_local_bayes(1.0), "more at 0 of 12 points"),
    ("L1", CONTRADICTED, with_local_bayes(1.02), "losses"),
    ("L1", CONTRADICTED, one_point_far_off, "11 wins, 1 losses"),
    ("L1", INCONCLUSIVE, lambda t: t[t["variant"] == "other"], "not part of this run"),
    ("L2", SUPPORTED, lambda t: t, "3 wins"),
    ("L2", CONTRADICTED, variant_times("features", 1.05), "0 wins, 3 losses"),
    ("L2", INCONCLUSIVE, lambda t: t[t["variant"] == "tuned"], "not part of this run"),
    ("L3", SUPPORTED, lambda t: t, "3 wins"),
    ("L3", CONTRADICTED, variant_times("shuffled_features", 1.01), "3 losses"),
    ("L5", SUPPORTED, lambda t: t, "6 wins"),
    ("L5", CONTRADICTED, variant_times("no_prior", 0.95), "6 losses"),
    ("L11", SUPPORTED, lambda t: t, "6 wins"),
    ("L12", SUPPORTED, variant_times("searched", 2.0), "DPALS (H-free, rows clipped)"),
    ("L12", CONTRADICTED, variant_times("searched", 0.9), "6 losses"),
    ("K1", SUPPORTED, method_times("dpals_weights", 0.9), "3 wins"),
    ("K1", CONTRADICTED, method_times("dpals_weights", 1.1), "3 losses"),
    ("K1", INCONCLUSIVE, lambda t: t[t["dataset"] == "jester"], "not part of this run"),
    ("K2", SUPPORTED, method_times("dpals_weights_h_free", 0.9), "3 wins"),
    ("K2", CONTRADICTED, method_times("dpals_h_free_clipped", 0.9), "3 losses"),
    ("W1", SUPPORTED, method_times("dp_gradient_spectral", 0.9), "6 wins"),
    ("W1", CONTRADICTED, method_times("dp_gradient_spectral", 1.1), "6 losses"),
    ("M1", SUPPORTED, method_times("dp_effects", 0.9), "6 wins"),
    ("M1", CONTRADICTED, method_times("private_user_item_bias", 0.9), "6 losses"),
    ("C1", SUPPORTED, method_times("dp_cmf_h_free", 0.9, "features"), "3 wins"),
    ("C1", CONTRADICTED, method_times("dp_cmf_h_free", 1.2, "features"), "3 losses"),
    ("C1", INCONCLUSIVE, lambda t: t[t["variant"] != "searched"], "not part of this run"),
    ("E1", SUPPORTED, method_times("dp_encoder", 0.9, "features"), "3 wins"),
    ("E1", CONTRADICTED, method_times("dpals_weights", 0.8), "3 losses"),
    ("L16", SUPPORTED, lambda t: t, "3 wins"),
    ("L16", CONTRADICTED, method_times("dp_encoder", 0.7, "features"), "3 losses"),
    ("L16", INCONCLUSIVE, lambda t: t[t["method"] == "local_bayes"], "not part of this run"),
    ("N1", SUPPORTED, method_times("dpals", 0.8), "6 wins"),
    ("N1", CONTRADICTED, method_times("dp_effects", 0.8), "6 losses"),
    ("L13", SUPPORTED, variant_times("posterior_0.1", 1.1), "of its lead over the others"),
    ("L13", CONTRADICTED, variant_times("posterior_0.1", 0.8), "losses"),
]


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), PLANTED)
def test_verdicts(trials, claim, verdict, change, words):
    finding = PREDICATES[claim](Evidence(change(trials)))
    assert finding.verdict == verdict
    assert words in finding.reason


NEW = [
    ("L17", SUPPORTED, variant_times("searched", 2.0), "RMSE over that of the best"),
    ("L17", CONTRADICTED, variant_times("searched", 0.9), "losses"),
    ("L18", SUPPORTED, variant_times("searched", 2.0), "wins"),
    ("L18", CONTRADICTED, variant_times("searched", 0.9), "losses"),
    ("L19", SUPPORTED, variant_times("no_prior", 1.05), "6 wins"),
    ("L20", CONTRADICTED, variant_times("no_covariance", 0.9), "6 losses"),
    ("L21", SUPPORTED, variant_times("plain_residuals", 1.05), "6 wins"),
]


def on_new_data(trials):
    """The same rows, of data sets that Local Bayes was not developed with."""
    names = dict(zip(trials["dataset"].unique(), NEW_DATA, strict=False))
    return trials.assign(dataset=trials["dataset"].map(names))


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), NEW)
def test_verdicts_on_new_data(trials, claim, verdict, change, words):
    finding = PREDICATES[claim](Evidence(new=on_new_data(change(trials))))
    assert finding.verdict == verdict
    assert words in finding.reason


def test_new_data_change_no_verdict_on_development_data(trials):
    """And are judged as soon as they are there."""
    new = variant_times("whole", 3.0)(variant_times("searched", 0.5)(trials))
    both = pd.concat([trials, on_new_data(new)], ignore_index=True)
    alone, beside = (
        judge.judge({"trials": each}).set_index("id").drop(columns=["holm", "depends_on"])
        for each in (trials, both)
    )
    ours = [name for name in alone.index if name not in ("L17", "L18", "L19", "L20", "L21")]
    pd.testing.assert_frame_equal(alone.loc[ours], beside.loc[ours])
    assert alone.loc["L17", "verdict"] == "not run"
    assert beside.loc["L17", "verdict"] == CONTRADICTED


@pytest.mark.parametrize("claim", PREDICATES)
def test_few_rows_break_nothing(trials, claim):
    for few in (trials[trials["trial"] == 0], trials[trials["dataset"] == "ml-100k"], None):
        assert "nan" not in PREDICATES[claim](Evidence(few)).reason
    assert PREDICATES[claim](Evidence()).verdict == INCONCLUSIVE


def test_the_default_is_compared_with_the_best_of_the_others(trials):
    table = compare(of_tuned(trials), PLACE)
    assert table.groupby("dataset").size().to_dict() == {"jester": 6, "ml-100k": 6}
    here = trials[(trials["variant"] == "tuned") & (trials["dataset"] == "ml-100k")]
    logs = np.log(here[here["epsilon"] == 5].pivot(index="trial", columns="method", values="rmse"))
    best = logs.drop(columns="local_bayes").mean().idxmin()
    row = table[(table["dataset"] == "ml-100k") & (table["epsilon"] == 5)].iloc[0]
    assert row["second"] == (best, "tuned")
    assert row["difference"] == pytest.approx((logs["local_bayes"] - logs[best]).mean())
    assert row["trials"] == 10


def test_the_lead_is_told_on_the_same_splits_and_over_the_better_of_both(trials):
    """Written once more, of posteriors on five splits that are worse than nothing at one place."""
    posterior = trials["variant"].str.startswith("posterior")
    five = trials[~posterior | (trials["trial"] < 5)]
    spoilt = posterior & (trials["dataset"] == "jester") & (trials["epsilon"] == 1)
    five = five.assign(rmse=five["rmse"].where(~spoilt, 3 * five["rmse"]))
    logs = five[five["trial"] < 5].assign(log=np.log(five["rmse"]))
    means = logs.groupby(["dataset", "epsilon", "method", "variant"])["log"].mean().reset_index()
    means = means[means["epsilon"].isin([1, 5, 20])]
    ours = means["method"] == "local_bayes"
    default = means[ours & (means["variant"] == "tuned")].set_index(["dataset", "epsilon"])["log"]
    others = means[~ours & ~means["variant"].isin(["features"])]
    as_they_are = others[~others["variant"].str.startswith("posterior")]
    lead, left = (
        100 * (each.groupby(["dataset", "epsilon"])["log"].min() - default).mean()
        for each in (as_they_are, others)
    )
    assert 0 < left < lead
    reason = PREDICATES["L13"](Evidence(five)).reason
    assert f"{lead:.2f} % on these splits, {left:.2f} % is left" in reason
