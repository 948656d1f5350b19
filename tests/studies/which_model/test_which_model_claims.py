"""Claims about the default of dpmc fit: each verdict follows from what is planted."""

import numpy as np
import pandas as pd
import pytest
from fake_results.which_model import fake_trials

from dpmc.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc.statistics.paired import compare
from dpmc.studies.which_model.claims import judge  # noqa: F401  (registers predicates)
from dpmc.studies.which_model.claims.evidence import PREDICATES, Evidence
from dpmc.studies.which_model.frames import PLACE, of_local_bayes, tuned


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


PLANTED = [
    ("L1", SUPPORTED, with_local_bayes(1.0), "more at 0 of 12 points"),
    ("L1", CONTRADICTED, with_local_bayes(1.02), "losses"),
    ("L1", CONTRADICTED, one_point_far_off, "11 wins, 1 losses"),
    ("L1", INCONCLUSIVE, lambda t: t[t["variant"] == "other"], "data not available"),
]


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), PLANTED)
def test_verdicts(trials, claim, verdict, change, words):
    finding = PREDICATES[claim](Evidence(change(trials)))
    assert finding.verdict == verdict
    assert words in finding.reason


@pytest.mark.parametrize("claim", PREDICATES)
def test_few_rows_break_nothing(trials, claim):
    for few in (trials[trials["trial"] == 0], trials[trials["dataset"] == "ml-100k"], None):
        assert "nan" not in PREDICATES[claim](Evidence(few)).reason
    assert PREDICATES[claim](Evidence()).verdict == INCONCLUSIVE


def test_the_default_is_compared_with_the_best_of_the_others(trials):
    table = compare(of_local_bayes(tuned(trials)), PLACE)
    assert table.groupby("dataset").size().to_dict() == {"jester": 6, "ml-100k": 6}
    here = trials[(trials["variant"] == "tuned") & (trials["dataset"] == "ml-100k")]
    logs = np.log(here[here["epsilon"] == 5].pivot(index="trial", columns="method", values="rmse"))
    best = logs.drop(columns="local_bayes").mean().idxmin()
    row = table[(table["dataset"] == "ml-100k") & (table["epsilon"] == 5)].iloc[0]
    assert row["second"] == best
    assert row["difference"] == pytest.approx((logs["local_bayes"] - logs[best]).mean())
    assert row["trials"] == 10
