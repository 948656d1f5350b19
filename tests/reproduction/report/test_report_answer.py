"""Lines of the answer are claims as they were judged; those of the Huber paper's own claims."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from committed import table as committed_table

from dpmc_studies.frame.judging.claims import STATEMENT, table_of_verdicts
from dpmc_studies.frame.judging.effects import lines_of, signed
from dpmc_studies.frame.judging.finding import (
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_RUN,
    SUPPORTED,
    Finding,
)
from dpmc_studies.frame.judging.rules import not_available
from dpmc_studies.frame.judging.wording import told
from dpmc_studies.frame.showing.frames import percent
from dpmc_studies.report.numbers import effect_text
from dpmc_studies.studies.huber.chapter import TEXT
from dpmc_studies.studies.huber.claims.evidence import Evidence
from dpmc_studies.studies.huber.claims.judge import PREDICATES
from dpmc_studies.studies.huber.reported.compare import compare
from dpmc_studies.studies.huber.reported.numbers import load

ANSWERS = TEXT.entries["answers"]

HOME = Path(__file__).parents[3]


def found(claim, **tables):
    return PREDICATES[claim](Evidence(None, None, {}, None, None, tables))


def scaled(trials, factor, **where):
    """A copy of the trials with the errors of some cells multiplied."""
    planted = trials.copy()
    mask = np.ones(len(planted), dtype=bool)
    for name, value in where.items():
        mask &= (planted[name] == value).to_numpy()
    planted.loc[mask, ["rmse_all", "rmse_heldout"]] *= factor
    return planted


# -- lines ------------------------------------------------------------------------------------


def test_lines_are_the_claims_in_the_order_of_the_page(claims):
    lines = lines_of(claims, ANSWERS)
    assert [line.claim for line in lines] == list(ANSWERS)
    judged = claims.set_index("id")
    for line in lines:
        claim = judged.loc[line.claim]
        assert (line.verdict, line.title) == (claim["verdict"], claim["claim"])
        assert line.text.startswith(f"{line.claim}: {claim['reason']}")
        assert line.text.endswith(".")
    assert lines_of(None, ANSWERS) == lines_of(claims, ["X1"]) == []
    (line,) = lines_of(claims, ["R1"], "Errors")
    assert line.title == f"Errors: {judged.loc['R1', 'claim']}"


def test_a_line_says_by_which_other_reading_it_would_be_another(claims):
    (line,) = lines_of(claims.assign(depends_on="odd trials: no effect"), ["H9"])
    assert line.text.endswith(" By another reading: odd trials: no effect.")
    for nothing in ("", np.nan):  # as it is made, and as it is read from a file
        (line,) = lines_of(claims.assign(depends_on=nothing), ["H9"])
        assert "By another" not in line.text


def test_what_was_found_is_said_by_verdict_with_its_number(claims):
    numbers = {"verdict": SUPPORTED, "effect": np.log(0.9), "interval_low": np.log(0.8)}
    judged = claims.assign(**numbers, interval_high=np.log(1.1))
    found = {"H9": {SUPPORTED: "It is {effect}{interval}, {size}, {opposite}, {more}."}}
    (line,) = lines_of(judged, ["H9"], found=found, more="and more")
    assert line.found == "It is −10.00 % (−20.00 % to +10.00 %), 11.11 %, +11.11 %, and more."
    (line,) = lines_of(judged.assign(interval_low=np.nan), ["H9"], found=found, more="")
    assert "(" not in line.found
    # no sentence is known for another verdict, or of another claim
    assert lines_of(judged.assign(verdict=CONTRADICTED), ["H9"], found=found)[0].found == ""
    assert lines_of(judged, ["H3"], found=found)[0].found == ""


def test_an_open_claim_without_its_data_was_not_run():
    assert not_available("trials").status == NOT_RUN
    assert Finding(INCONCLUSIVE, reason="Not part of this run (1 of 2)").status == NOT_RUN
    assert Finding(INCONCLUSIVE, reason="fewer than 2 trials").status == INCONCLUSIVE
    assert Finding(CONTRADICTED, reason="not part of this run (SweetRS)").status == CONTRADICTED
    claim = dict.fromkeys(STATEMENT, "x")
    table = table_of_verdicts([claim], {"x": lambda _: not_available("trials")}, None)
    assert list(table["verdict"]) == [NOT_RUN]


def test_log_ratios_of_errors_stand_in_per_cent():
    claim = {"effect": np.log(0.9), "interval_low": np.log(0.8), "interval_high": np.nan}
    of_errors = {"rule": "all", "predicate": "ALL of log RMSE of A minus that of B."}
    assert effect_text(claim | of_errors) == "−10.00 %"
    first_word = {"rule": "most", "predicate": "MOST. Log RMSE of A minus that of B."}
    assert effect_text(claim | first_word) == "−10.00 %"
    assert effect_text(claim | of_errors | {"interval_high": 0.0}).endswith("[−20.00 %, +0.00 %]")
    plain = effect_text(claim | {"rule": "fact", "predicate": "log RMSE"})
    assert plain == "−0.1054"
    for text in ("ALL of log RMSE. Effect: the slope.", "ALL of log(A / B). Effect: the ratio."):
        assert effect_text(claim | {"rule": "all", "predicate": text}) == plain
    within = {"rule": "within", "predicate": "WITHIN: RMSE of A over that of B at most 1.01."}
    assert effect_text(claim | within) == "−10.00 %"
    assert effect_text(claim | {"rule": "within", "predicate": "WITHIN: RMSE of A."}) == plain
    accuracy = {"rule": "all", "predicate": "ALL of the accuracy of A minus that of B."}
    assert effect_text(claim | accuracy) == "−10.54 points"


def test_no_effect_of_a_committed_claim_is_a_bare_log_ratio():
    """Where the reason gives the effect in per cent, the column does too."""
    for study in ("equal_privacy", "huber", "onebit"):
        kept = HOME / "results" / "reference" / study / "expected" / "full" / "claims.csv"
        table = pd.read_csv(kept).dropna(subset=["effect"])
        written = HOME / "src" / "dpmc_studies" / "studies" / study / "claims.yaml"
        claims = yaml.safe_load(written.read_text(encoding="utf-8"))
        predicates = {
            claim["id"]: told(claim["compare"]) if "compare" in claim else claim["predicate"]
            for claim in claims
        }
        for claim in table[table["rule"] != "fact"].to_dict("records"):
            text = signed(claim["effect"]).replace("−", "-")
            if f" {text}" in claim["reason"]:
                shown = effect_text(claim | {"predicate": predicates[claim["id"]]})
                assert shown.startswith(signed(claim["effect"])), claim["id"]


# -- claims of our own ------------------------------------------------------------------------


def test_synthetic_agreement_counts(comparison):
    finding = found("R1", comparison=comparison)
    assert finding.verdict == SUPPORTED
    rows = comparison[comparison["dataset"] == "synthetic"]
    close = int((abs(rows["published"] / rows["mean"] - 1) <= 0.15).sum())  # of our means
    assert finding.reason.startswith(f"{close} of 144 numbers lie within 15 %")
    deviating = int((rows["status"] == "deviates").sum())
    assert f"{deviating} of 144 numbers differ by more" in finding.reason
    assert "over 10 trials" in finding.reason


def test_synthetic_agreement_can_fail_or_be_open(trials):
    worse = scaled(trials, 1.3, dataset="synthetic", rank=5)
    frame = compare(worse, load(), budget_frame())
    assert found("R1", comparison=frame).verdict == CONTRADICTED
    # close enough, but all on one side
    near = compare(scaled(trials, 1.1), load(), budget_frame())
    assert found("R1", comparison=near).verdict == CONTRADICTED
    nothing = frame.assign(log_ratio=np.nan)
    assert found("R1", comparison=nothing).verdict == found("R1").verdict == INCONCLUSIVE


def test_a_printed_number_is_near_if_it_lies_within_a_share_of_our_mean(comparison):
    ratios = np.array([0.865, 0.869, 0.871, 1.149, 1.176, 1.2])  # of our mean to it
    few = comparison[comparison["dataset"] == "synthetic"].head(6).assign(log_ratio=np.log(ratios))
    assert found("R1", comparison=few).reason.startswith("3 of 6 numbers lie within 15 % of our")


def budget_frame():
    return pd.DataFrame(columns=["mechanism", "variance", "epsilon_corrected"])


@pytest.fixture(scope="module")
def near(comparison):
    """Numbers of which those on real data are as printed."""
    real = comparison["dataset"].isin(["ml-100k", "sweetrs"])
    return comparison.assign(log_ratio=comparison["log_ratio"].where(~real, 0.0))


def test_real_agreement(near):
    comparison = near
    finding = found("R2", comparison=comparison)
    assert finding.verdict == SUPPORTED
    assert "MovieLens 100K" in finding.reason
    assert "SweetRS" in finding.reason
    rows = comparison[comparison["dataset"].isin(["ml-100k", "sweetrs"])]
    deviating = int((rows["status"] == "deviates").sum())
    assert f"{deviating} of 24 numbers differ by more than sampling error" in finding.reason
    off = comparison.copy()
    private = (off["dataset"] == "ml-100k") & (off["mechanism"] == "huber")
    off.loc[private, "log_ratio"] = np.log(1.05)
    assert found("R2", comparison=off).verdict == CONTRADICTED
    assert "MovieLens 100K +5.00 %" in found("R2", comparison=off).reason
    for dataset, beyond in (("ml-100k", 1.03), ("sweetrs", 1.06)):
        for noisy in (True, False):  # all four halves count
            half = comparison.copy()
            here = (half["dataset"] == dataset) & ((half["mechanism"] != "none") == noisy)
            half.loc[here, "log_ratio"] = np.log(beyond)
            assert found("R2", comparison=half).verdict == CONTRADICTED


def test_real_agreement_without_data_is_open(near):
    gone = near.copy()
    gone.loc[gone["dataset"] == "ml-100k", ["mean", "log_ratio"]] = np.nan
    finding = found("R2", comparison=gone)
    assert finding.verdict == INCONCLUSIVE
    assert finding.reason.endswith("not part of this run (MovieLens 100K).")
    gone.loc[gone["dataset"] == "sweetrs", ["mean", "log_ratio"]] = np.nan
    assert found("R2", comparison=gone).verdict == INCONCLUSIVE


@pytest.mark.parametrize(("factor", "verdict"), [(10, SUPPORTED), (0.01, CONTRADICTED)])
def test_synthetic_baselines(trials, factor, verdict):
    finding = found("R3", trials=scaled(trials, factor, method="user_item_bias"))
    assert finding.verdict == verdict
    wins, losses = (108, 0) if verdict == SUPPORTED else (0, 108)
    assert finding.reason.startswith(f"{wins} wins, {losses} losses, 0 undecided of 108")


def test_baselines_are_those_of_the_cell(trials):
    # lower where ratings are few alone: the other cells do not see it
    low = scaled(trials, 0.01, method="user_item_bias", observed_fraction=0.05)
    high = scaled(low, 10, method="user_item_bias", observed_fraction=0.15)
    high = scaled(high, 10, method="user_item_bias", observed_fraction=0.1)
    assert found("R3", trials=high).reason.startswith("72 wins, 36 losses")


def test_real_baselines(trials, trials_without_data):
    finding = found("R4", trials=trials)
    assert finding.verdict == CONTRADICTED
    assert finding.reason.startswith("0 wins, 16 losses, 0 undecided of 16")
    assert found("R4", trials=trials_without_data).verdict == INCONCLUSIVE
    no_baseline = trials[trials["method"] != "global_mean"]
    assert "not part of this run" in found("R4", trials=no_baseline).reason
    assert found("R4").verdict == INCONCLUSIVE


def test_budgets(comparison):
    finding = found("R5", comparison=comparison)
    assert finding.verdict == CONTRADICTED
    assert "7 of 12 are not: 4 with Gaussian noise, 3 with Huber noise" in finding.reason
    assert "log10 for ln" in finding.reason
    assert found("R5", comparison=comparison.assign(status="agrees")).verdict == SUPPORTED
    assert found("R5", comparison=comparison.head(0)).verdict == INCONCLUSIVE
    assert found("R5").verdict == INCONCLUSIVE


def test_what_the_reported_epsilon_is():
    losses = committed_table("huber", "transcript_loss")
    finding = found("R6", transcript_loss=losses)
    assert finding.verdict == CONTRADICTED
    assert "no finite guarantee" in finding.reason
    synthetic = losses.query("dataset == 'synthetic'")
    share = percent(synthetic["share_above_total"].mean())
    assert f"exceeds the total in {share} of cases on Synthetic" in finding.reason
    harmless = losses.assign(share_above_total=0.0)
    assert found("R6", transcript_loss=harmless).verdict == INCONCLUSIVE
    assert found("R6").verdict == INCONCLUSIVE
