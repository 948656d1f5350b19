"""Claims of our own on one-bit completion: each verdict follows from what is planted for it."""

import numpy as np
import pandas as pd
import pytest
from committed import tables as committed_tables
from scipy import stats

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc_studies.frame.showing.frames import keeps_claim, select
from dpmc_studies.statistics.paired import leader
from dpmc_studies.studies.onebit.claims.evidence import PREDICATES, evidence_of
from dpmc_studies.studies.onebit.claims.own import places
from dpmc_studies.studies.onebit.frames import PUBLISHED

REAL = ["ml-100k", "restaurant"]
MISSING = "not part of this run"


@pytest.fixture(scope="module")
def trials():
    return committed_tables("onebit", trials=5)["trials"]


def judge(claim, trials):
    return PREDICATES[claim](evidence_of({"trials": trials}))


def unchanged(trials):
    return trials


def divided(trials):
    """A copy with a tenth of the errors, but for predicting zero."""
    zero = trials["mechanism"] == "zero"
    return trials.assign(
        **{
            name: trials[name].where(zero, trials[name] / 10)
            for name in ("are_raw", "are_truncated")
        }
    )


def with_a_bad_item_bias(trials):
    good = trials["mechanism"] != "private_item_bias"
    return trials[trials["dataset"].isin(REAL)].assign(
        accuracy_truncated=trials["accuracy_truncated"].where(good, 0.3)
    )


def of_clear(amount):
    def change(trials):
        clear = trials["mechanism"] == "clear"
        return trials.assign(accuracy_raw=trials["accuracy_raw"] + amount * clear)

    return change


PLANTED = [
    ("B1", SUPPORTED, divided, "2 hold"),
    ("B1", CONTRADICTED, unchanged, "Clear, which has no noise, at 15 % observed, over 5 trials"),
    ("B1", INCONCLUSIVE, lambda t: t[t["dataset"] != "synthetic"], MISSING),
    ("B2", SUPPORTED, lambda t: t[(t["epsilon"] == 1) & t["dataset"].isin(REAL[:1])], "OutP"),
    ("B2", CONTRADICTED, unchanged, "InP at"),
    ("B2", INCONCLUSIVE, lambda t: t[t["epsilon"].isna()], MISSING),
    ("B3", SUPPORTED, divided, "20 wins"),
    ("B3", CONTRADICTED, unchanged, "Truncated outputs."),
    ("B3", INCONCLUSIVE, lambda t: t[t["mechanism"] != "zero"], MISSING),
    ("B4", SUPPORTED, with_a_bad_item_bias, "40 wins, 0 losses"),
    ("B4", CONTRADICTED, unchanged, "MovieLens 100K better at 0 and worse at"),
    ("B4", INCONCLUSIVE, lambda t: t[t["mechanism"] != "private_item_bias"], MISSING),
    ("B5", SUPPORTED, of_clear(0.2), "4 wins"),
    ("B5", CONTRADICTED, of_clear(-0.2), "4 losses"),
    ("B5", INCONCLUSIVE, lambda t: t[~t["dataset"].isin(REAL)], MISSING),
    ("B6", SUPPORTED, lambda t: t[keeps_claim(t)], "Kept: InP"),
    ("B6", CONTRADICTED, unchanged, "Kept: InP, GraP"),
    ("B6", INCONCLUSIVE, lambda t: t[t["epsilon"].isna()], MISSING),
    ("B7", SUPPORTED, lambda t: t[t["mechanism"] == "outp"], "1.00 (Synthetic"),
    ("B7", CONTRADICTED, unchanged, "685 (MovieLens 100K)"),
    ("B7", INCONCLUSIVE, lambda t: t[t["epsilon"].isna()], MISSING),
    ("B8", SUPPORTED, unchanged, " did."),
    ("B8", CONTRADICTED, lambda t: t.assign(converged=t["converged"].replace({True: False})),
     "Stopped before: Clear"),
    ("B8", INCONCLUSIVE, lambda t: t[t["mechanism"] == "grap"], MISSING),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), PLANTED)
def test_verdicts(trials, claim, verdict, change, words):
    finding = judge(claim, change(trials))
    assert finding.verdict == verdict, finding.reason
    assert words in finding.reason


def test_the_signal_is_that_of_clear(trials):
    clear = [
        select(trials, dataset="synthetic", link=link, observed_fraction=0.15, mechanism="clear")
        for link in ("gaussian", "logistic")
    ]
    clear = max((each["are_raw"] for each in clear), key=np.mean)
    finding = judge("B1", trials)
    assert finding.effect == pytest.approx(clear.mean())
    # two links: each interval has half of the 5 %
    half = stats.t.ppf(1 - 0.025 / 2, len(clear) - 1) * stats.sem(clear)
    assert finding.interval_low == pytest.approx(clear.mean() - half)


def test_effects_of_two_units_are_not_averaged(trials):
    assert np.isnan(judge("B4", trials).effect)
    assert np.isfinite(judge("B4", trials[trials["dataset"] == "synthetic"]).effect)


def test_one_trial_makes_nothing_significant(trials):
    one = trials[(trials["trial"] == 0) & (trials["dataset"] == "ml-100k")]
    one = one[one["constraint"] == "nuclear"]
    for errors in places(one, "truncated").values():
        assert leader(errors, PUBLISHED).tied
    assert "Best alone: none, of 20 places." in judge("B2", one).reason


def test_a_place_has_what_has_no_noise_and_less_is_better(trials):
    both = places(trials, "truncated")
    where = {"dataset": "ml-100k", "constraint": "nuclear", "link": "gaussian"}
    errors = both["ml-100k", "gaussian", 4.0]
    for name, more in (("inp", {"epsilon": 4.0}), ("majority", {})):
        rows = select(trials, mechanism=name, **where, **more)
        assert errors[name].to_numpy() == pytest.approx(-rows["accuracy_truncated"].to_numpy())
    rows = select(trials, dataset="synthetic", constraint="both", observed_fraction=0.15,
                  link="logistic", mechanism="grap", epsilon=2.0)  # fmt: skip
    drawn = both["synthetic", "logistic", 2.0]["grap"]
    assert drawn.to_numpy() == pytest.approx(np.log(rows["are_truncated"].to_numpy()))


def test_a_claim_with_a_larger_delta_is_not_kept():
    row = {"claimed_epsilon": 1.0, "actual_epsilon": 1.0, "claimed_delta": 0.0}
    frame = pd.DataFrame([row | {"actual_delta": delta} for delta in (0.0, 1e-5)])
    assert keeps_claim(frame).tolist() == [True, False]
    assert keeps_claim(frame.assign(actual_epsilon=1 + 1e-6)).tolist() == [False, False]
