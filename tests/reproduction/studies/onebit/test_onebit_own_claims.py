"""Claims of our own on one-bit completion: each verdict follows from what is planted for it."""

import fake_results
import numpy as np
import pandas as pd
import pytest
from fake_results.onebit import fake_trials
from scipy import stats

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED
from dpmc_studies.frame.showing.frames import keeps_claim
from dpmc_studies.statistics.paired import compare, leader, less, more, pairs
from dpmc_studies.studies.onebit.chapter import TEXT, caveats, chapter
from dpmc_studies.studies.onebit.claims.evidence import PREDICATES, evidence_of
from dpmc_studies.studies.onebit.claims.own import PLACE, places
from dpmc_studies.studies.onebit.frames import PUBLISHED

ANSWERS, FINDINGS = TEXT.entries["answers"], TEXT.entries["findings"]

OWN = [f"B{number}" for number in range(1, 9)]


@pytest.fixture(scope="module")
def trials():
    return fake_trials()


def cell(trials, **where):
    keep = np.ones(len(trials), dtype=bool)
    for name, value in where.items():
        keep &= (trials[name] == value).to_numpy()
    return trials[keep]


@pytest.fixture(scope="module")
def found(trials):
    """Return what judges a claim, on all trials unless given others."""
    evidence = evidence_of(trials)

    def judged(claim, others=None):
        return PREDICATES[claim](evidence if others is None else evidence_of(others))

    return judged


def unchanged(trials):
    return None


def divided(trials, factor):
    """A copy with smaller errors of all but predicting zero."""
    names = ["are_raw", "are_truncated"]
    zero = trials["mechanism"] == "zero"
    return trials.assign(
        **{name: trials[name].where(zero, trials[name] / factor) for name in names}
    )


def with_a_bad_item_bias(trials):
    values = trials["accuracy_truncated"].where(trials["mechanism"] != "private_item_bias", 0.5)
    return trials.assign(accuracy_truncated=values)


def swapped(trials):
    names = trials["mechanism"].replace({"clear": "item_bias", "item_bias": "clear"})
    return trials.assign(mechanism=names)


REAL = ["ml-100k", "restaurant"]
PLANTED = [
    ("B1", SUPPORTED, lambda t: t.assign(are_raw=t["are_raw"] / 3), "2 hold"),
    ("B1", CONTRADICTED, unchanged, "Clear, which has no noise, at 15 % observed"),
    ("B1", INCONCLUSIVE, lambda t: t[t["dataset"] != "synthetic"], "not part of this run"),
    ("B2", SUPPORTED, lambda t: t[t["dataset"].isin(REAL)], "OutP (as published) leads most often"),
    ("B2", CONTRADICTED, unchanged, "InP at"),
    ("B2", INCONCLUSIVE, lambda t: t[t["epsilon"].isna()], "not part of this run"),
    ("B3", SUPPORTED, lambda t: divided(t, 4), "20 wins"),
    ("B3", CONTRADICTED, unchanged, "Truncated outputs."),
    ("B3", INCONCLUSIVE, lambda t: t[t["mechanism"] != "zero"], "not part of this run"),
    ("B4", SUPPORTED, with_a_bad_item_bias, "68 wins, 0 losses"),
    ("B4", CONTRADICTED, unchanged, "MovieLens 100K better at 0 and worse at 20 of 20"),
    (
        "B4",
        INCONCLUSIVE,
        lambda t: t[t["mechanism"] != "private_item_bias"],
        "not part of this run",
    ),
    ("B5", SUPPORTED, unchanged, "4 wins"),
    ("B5", CONTRADICTED, swapped, "4 losses"),
    ("B5", INCONCLUSIVE, lambda t: t[~t["dataset"].isin(REAL)], "not part of this run"),
    ("B6", SUPPORTED, lambda t: t[keeps_claim(t)], "Kept: InP"),
    ("B6", CONTRADICTED, unchanged, "1.13 to ∞ (ObjP)"),
    ("B6", CONTRADICTED, unchanged, "(OutP (as published))"),
    ("B6", CONTRADICTED, unchanged, "Kept: InP, GraP"),
    ("B6", INCONCLUSIVE, lambda t: t[t["epsilon"].isna()], "not part of this run"),
    ("B7", SUPPORTED, lambda t: t[t["mechanism"] == "outp"], "1.00 (MovieLens 100K)"),
    ("B7", CONTRADICTED, unchanged, "600 (MovieLens 100K)"),
    ("B7", INCONCLUSIVE, lambda t: t[t["epsilon"].isna()], "not part of this run"),
    ("B8", SUPPORTED, lambda t: t[t["trial"] > 0], " did."),
    ("B8", CONTRADICTED, unchanged, "Stopped before: ObjP"),
    ("B8", INCONCLUSIVE, lambda t: t[t["mechanism"] == "grap"], "not part of this run"),
]


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), PLANTED)
def test_verdicts(found, trials, claim, verdict, change, words):
    finding = found(claim, change(trials))
    assert finding.verdict == verdict
    assert words in finding.reason


def test_every_line_is_a_claim(found):
    assert {*FINDINGS, *ANSWERS} - {"O15"} == set(OWN)
    for claim in OWN:
        reason = found(claim).reason
        assert reason.endswith(".")
        assert "nan" not in reason


def test_the_signal_is_that_of_clear(found, trials):
    clear = cell(trials, dataset="synthetic", link="logistic", observed_fraction=0.15,
                 mechanism="clear")["are_raw"]  # fmt: skip
    finding = found("B1")
    assert finding.effect == pytest.approx(clear.mean())
    # two links: each interval has half of the 5 %
    half = stats.t.ppf(1 - 0.025 / 2, len(clear) - 1) * stats.sem(clear)
    assert finding.interval_low == pytest.approx(clear.mean() - half)
    assert "over 8 trials" in finding.reason
    assert "over 3 trials" in found("B1", fake_trials(trials=3)).reason


def test_effects_of_two_units_are_not_averaged(found, trials):
    assert np.isnan(found("B4").effect)
    assert "%" not in found("B4").reason.partition(".")[0]
    assert np.isfinite(found("B4", trials[trials["dataset"] == "synthetic"]).effect)


def test_one_trial_makes_nothing_significant(found, trials):
    one = trials[(trials["trial"] == 0) & (trials["dataset"] == "ml-100k")]
    one = one[one["constraint"] == "nuclear"]
    for errors in places(one, "truncated").values():
        assert leader(errors, PUBLISHED).tied
    assert "Best alone: none, of 20 places." in found("B2", one).reason
    assert found("B2", one).verdict == INCONCLUSIVE


def test_a_place_has_what_has_no_noise_and_less_is_better(trials):
    here = cell(trials, dataset="ml-100k", constraint="nuclear")
    both = places(trials, "truncated")
    errors = both["ml-100k", "gaussian", 4.0]
    for name, epsilon in (("inp", 4.0), ("majority", None)):
        rows = cell(here, link="gaussian", mechanism=name).set_index("trial")
        rows = rows if epsilon is None else rows[rows["epsilon"] == epsilon]
        assert errors[name].to_numpy() == pytest.approx(-rows["accuracy_truncated"].to_numpy())
    rows = cell(trials, dataset="synthetic", constraint="both", observed_fraction=0.15,
                link="logistic", mechanism="grap", epsilon=2.0).set_index("trial")  # fmt: skip
    drawn = both["synthetic", "logistic", 2.0]["grap"]
    assert drawn.to_numpy() == pytest.approx(np.log(rows["are_truncated"].to_numpy()))
    table = compare(pairs(both, ["inp"], ["private_item_bias"]), PLACE)
    real = table["dataset"] == "ml-100k"
    assert more(table)[real].all()
    assert less(table)[table["dataset"] == "synthetic"].all()


def test_a_claim_with_a_larger_delta_is_not_kept():
    row = {"claimed_epsilon": 1.0, "actual_epsilon": 1.0, "claimed_delta": 0.0}
    frame = pd.DataFrame([row | {"actual_delta": delta} for delta in (0.0, 1e-5)])
    assert keeps_claim(frame).tolist() == [True, False]
    assert keeps_claim(frame.assign(actual_epsilon=1 + 1e-6)).tolist() == [False, False]


def test_users(found, trials):
    reason = found("B7").reason
    # where more is observed, users have more signs: that does not mix with the rest
    more_signs = trials["user_epsilon"].where(trials["observed_fraction"] != 0.5, 77.0)
    assert found("B7", trials.assign(user_epsilon=more_signs)).reason == reason


def test_solves_that_did_not_converge_are_counted(found, trials):
    reason = found("B8").reason
    flags = trials["converged"].dropna().astype(bool)
    assert f"{int(flags.sum()):,} of {len(flags):,} did." in reason
    assert f"ObjP {int((~flags).sum())}." in reason
    formatted = trials.assign(converged=trials["converged"].map({True: "True", False: "False"}))
    assert found("B8", formatted).reason == reason


def test_caveats_stand_in_the_chapter(trials, tmp_path):
    assert "one fixed split" in caveats(trials)
    assert "one fixed split" not in caveats(trials[trials["dataset"] != "ml-100k"])
    assert "are not available" in caveats(None)
    folder = fake_results.write("onebit", tmp_path / "onebit", ["trials"])
    assert chapter(folder, {}).caveat == caveats(trials)
