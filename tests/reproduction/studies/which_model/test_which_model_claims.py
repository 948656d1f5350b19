"""Claims about the default of dpmc fit: each verdict follows from what is planted."""

import numpy as np
import pandas as pd
import pytest
from fake_results import which_model

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc_studies.statistics.paired import compare
from dpmc_studies.studies.which_model.claims import PREDICATES, Evidence, judge
from dpmc_studies.studies.which_model.frames import LATER, METHODS, NEW_DATA, PLACE, of_tuned

ENCODED, WHOLE = ("dp_encoder", "dp_encoder_h_free"), {"variant": "whole"}
DEFAULT = {"method": "local_bayes", "variant": "tuned"}


def scaled(table, factor, metric="rmse", **where):
    """A copy with the errors of some methods and variants multiplied."""
    here = np.ones(len(table), dtype=bool)
    for name, values in where.items():
        here &= table[name].isin([values] if isinstance(values, str) else values).to_numpy()
    return table.assign(**{metric: table[metric].where(~here, factor * table[metric])})


def with_local_bayes(trials, factor):
    """The comparison with a method as good as the best of the others, times a factor."""
    here = trials[(trials["variant"] == "tuned") & (trials["method"] != "local_bayes")]
    least = here.groupby(["dataset", "epsilon", "trial"])["rmse"].min().mul(factor)
    mine = least.reset_index().assign(method="local_bayes", variant="tuned")
    return pd.concat([here, mine], ignore_index=True)


# whose errors are a third where a claim is supported, and three times as large where contradicted
FIRST = {
    "L2": {"variant": "features", "method": "local_bayes"},
    "L3": {"variant": "shuffled_features"},
    "L12": DEFAULT,
    "L13": DEFAULT,
    "L16": {"method": "local_bayes", "variant": "features"},
    "K1": {"method": "dpals_weights", "variant": "searched"},
    "K2": {"method": "dpals_weights_h_free", "variant": "searched"},
    "W1": {"method": "dp_gradient_spectral", "variant": "searched"},
    "M1": {"method": "dp_effects", "variant": "searched"},
    "C1": {"method": ("dp_cmf", "dp_cmf_h_free"), "variant": "features"},
    "E1": {"method": ENCODED, "variant": "features"},
    "N1": {"method": {*METHODS} - {*LATER}, "variant": "searched"},
    **{f"L{number}": WHOLE for number in range(5, 12)},
}
FIRST_ON_NEW_DATA = {
    "L17": DEFAULT,
    "L18": DEFAULT,
    **{f"L{number}": WHOLE for number in range(19, 22)},
}
LISTS = {"L14": "private_popularity", "L15": "local_bayes"}


@pytest.mark.parametrize(("factor", "verdict"), [(1 / 3, SUPPORTED), (3, CONTRADICTED)])
@pytest.mark.parametrize("claim", [*FIRST, *FIRST_ON_NEW_DATA, *LISTS])
def test_verdicts(trials, claim, factor, verdict):
    if claim in LISTS:  # a list with less recall is worse
        ranking = which_model.tables()["ranking"]
        evidence = Evidence(ranking=scaled(ranking, factor, "recall", method=LISTS[claim]))
    elif claim in FIRST:
        evidence = Evidence(scaled(trials, factor, **FIRST[claim]))
    else:
        evidence = Evidence(new=on_new_data(scaled(trials, factor, **FIRST_ON_NEW_DATA[claim])))
    finding = PREDICATES[claim](evidence)
    assert finding.verdict == verdict, finding.reason


def on_new_data(trials):
    """The same rows, of data sets that Local Bayes was not developed with."""
    names = dict(zip(trials["dataset"].unique(), NEW_DATA, strict=False))
    return trials.assign(dataset=trials["dataset"].map(names))


@pytest.mark.parametrize(
    ("factor", "verdict", "words"),
    [(1.0, SUPPORTED, "more at 0 of 18 points"), (1.1, CONTRADICTED, "losses")],
)
def test_near_the_best_of_the_others(trials, factor, verdict, words):
    finding = PREDICATES["L1"](Evidence(with_local_bayes(trials, factor)))
    assert finding.verdict == verdict
    assert words in finding.reason


def test_one_point_far_off_contradicts_all(trials):
    off = (trials["dataset"] == "jester") & (trials["epsilon"] == 20)
    off &= (trials["method"] == "local_bayes") & (trials["variant"] == "tuned")
    worse = trials.assign(rmse=trials["rmse"].where(~off, 1.2 * trials["rmse"]))
    assert PREDICATES["L1"](Evidence(worse)).verdict == CONTRADICTED


def test_new_data_change_no_verdict_on_development_data(trials):
    """And are judged as soon as they are there."""
    new = scaled(scaled(trials, 0.5, variant="searched"), 3.0, variant="whole")
    both = pd.concat([trials, on_new_data(new)], ignore_index=True)
    alone, beside = (
        judge({"trials": each}).set_index("id").drop(columns=["holm", "depends_on"])
        for each in (trials, both)
    )
    ours = [name for name in alone.index if name not in FIRST_ON_NEW_DATA]
    pd.testing.assert_frame_equal(alone.loc[ours], beside.loc[ours])
    assert alone.loc["L17", "verdict"] == "not run"
    assert beside.loc["L17", "verdict"] == CONTRADICTED


@pytest.mark.parametrize("claim", PREDICATES)
def test_few_rows_break_nothing(trials, claim):
    for few in (trials[trials["trial"] == 0], trials[trials["dataset"] == "ml-100k"], None):
        assert "nan" not in PREDICATES[claim](Evidence(few)).reason
    finding = PREDICATES[claim](Evidence())
    assert finding.verdict == INCONCLUSIVE
    assert "not part of this run" in finding.reason


def test_the_default_is_compared_with_the_best_of_the_others(trials):
    table = compare(of_tuned(trials), PLACE)
    assert table.groupby("dataset").size().to_dict() == {"jester": 6, "ml-100k": 6, "sweetrs": 6}
    here = trials[(trials["variant"] == "tuned") & (trials["dataset"] == "ml-100k")]
    logs = np.log(here[here["epsilon"] == 5].pivot(index="trial", columns="method", values="rmse"))
    best = logs.drop(columns="local_bayes").mean().idxmin()
    row = table[(table["dataset"] == "ml-100k") & (table["epsilon"] == 5)].iloc[0]
    assert row["second"] == (best, "tuned")
    assert row["difference"] == pytest.approx((logs["local_bayes"] - logs[best]).mean())
    assert row["trials"] == 10


def test_the_lead_is_told_on_the_same_splits_and_over_the_better_of_both(trials):
    """Written once more, of posteriors that are worse than nothing at one place."""
    posterior = trials["variant"].str.startswith("posterior")
    spoilt = posterior & (trials["dataset"] == "jester") & (trials["epsilon"] == 1)
    five = trials.assign(rmse=trials["rmse"].where(~spoilt, 3 * trials["rmse"]))
    splits = trials.loc[posterior, ["dataset", "epsilon", "trial"]].drop_duplicates()
    logs = five.merge(splits).assign(log=lambda rows: np.log(rows["rmse"]))
    kinds = logs["variant"].isin(["tuned", "searched"])
    kinds |= logs["variant"].str.startswith("posterior")
    means = logs[kinds].groupby(["dataset", "epsilon", "method", "variant"])["log"].mean()
    means = means.reset_index()
    ours = means["method"] == "local_bayes"
    default = means[ours].set_index(["dataset", "epsilon"])["log"]
    others = means[~ours]
    as_they_are = others[~others["variant"].str.startswith("posterior")]
    lead, left = (
        100 * (each.groupby(["dataset", "epsilon"])["log"].min() - default).mean()
        for each in (as_they_are, others)
    )
    assert 0 < left < lead
    reason = PREDICATES["L13"](Evidence(five)).reason
    assert f"{lead:.2f} % on these splits, {left:.2f} % is left" in reason
