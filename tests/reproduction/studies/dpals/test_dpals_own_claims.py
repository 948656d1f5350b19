"""Claims of our own on methods that protect users: each verdict follows from what is planted."""

import fake_results
import numpy as np
import pytest
from fake_results.dpals import tables as results
from scipy import stats

from dpmc_studies.frame.judging.finding import (
    AGREES,
    CONTRADICTED,
    INCONCLUSIVE,
    NOT_COMPARED,
    SUPPORTED,
)
from dpmc_studies.frame.showing.chapter import PUBLISHED_COLUMNS
from dpmc_studies.frame.showing.frames import keeps_claim
from dpmc_studies.statistics.paired import compare, pairs
from dpmc_studies.studies.dpals.chapter import TEXT, chapter
from dpmc_studies.studies.dpals.claims.evidence import evidence_of
from dpmc_studies.studies.dpals.claims.judge import PREDICATES
from dpmc_studies.studies.dpals.claims.own import beside_ours
from dpmc_studies.studies.dpals.comparisons import PLACE, places
from dpmc_studies.studies.dpals.frames import standard

ANSWERS, FINDINGS = TEXT.entries["answers"], TEXT.entries["findings"]

OWN = [f"F{number}" for number in (1, 2, 3, 4, 5, 6, 8)]


@pytest.fixture(scope="module")
def tables():
    return results()


@pytest.fixture(scope="module")
def trials(tables):
    """Those of a run without `config/large.yaml`."""
    found = tables["trials"]
    return found[~found["dataset"].str.startswith(("ml-10m", "ml-20m"))]


@pytest.fixture(scope="module")
def evidence(trials):
    """That of all trials, from which claims take what others made of it."""
    return evidence_of({"trials": trials})


def found(claim, trials, published=None):
    return PREDICATES[claim](evidence_of({"trials": trials, "published": published}))


def unchanged(trials):
    return trials


def scaled(trials, method, factor):
    return trials.assign(
        rmse=trials["rmse"].where(trials["method"] != method, factor * trials["rmse"])
    )


def of_methods(trials, *names):
    return trials[trials["method"].isin(names)]


def level(trials):
    """A copy in which all fits on synthetic data have one error."""
    drawn = trials["dataset"].str.startswith("synthetic") & (trials["variant"] == "standard")
    return trials.assign(rmse=trials["rmse"].where(~drawn, 0.1))


def with_one_far_off(trials):
    flat = level(trials)
    mine = (flat["dataset"] == "synthetic-5k") & (flat["method"] == "dpals")
    one = flat[mine & (flat["variant"] == "standard")].index[0]
    return flat.assign(rmse=flat["rmse"].where(flat.index != one, 0.3))


def nothing_private(trials):
    return trials[trials["epsilon"].isna()]


PLANTED = [
    ("F1", SUPPORTED, lambda t: scaled(t, "dpals", 0.01), "DPALS at 5 of 5"),
    ("F1", CONTRADICTED, unchanged, "DPALS (H-free, rows clipped) at 5 of 5 ε"),
    ("F1", INCONCLUSIVE, lambda t: of_methods(t, "dpals", "als"), "not part of this run"),
    ("F2", SUPPORTED, lambda t: t[t["method"] != "dpals_literal"], "methods keep it"),
    ("F2", CONTRADICTED, unchanged, "DPALS (as published) 1.060 times"),
    ("F2", INCONCLUSIVE, nothing_private, "not part of this run"),
    ("F3", SUPPORTED, level, "0 of"),
    ("F3", CONTRADICTED, with_one_far_off, "at most 3 times"),
    ("F3", INCONCLUSIVE, lambda t: t[t["trial"] == 0], "not part of this run"),
    ("D39", CONTRADICTED, with_one_far_off, "at most 3 times"),
    ("D38", SUPPORTED, lambda t: scaled(t, "dpals", 0.5), "10 wins"),
    ("D38", CONTRADICTED, lambda t: scaled(t, "dpals", 2), "losses"),
    ("F4", SUPPORTED, unchanged, "MovieLens 100K 1.02 to 1.03"),
    ("F4", CONTRADICTED, lambda t: scaled(t, "dpals", 2), "0 hold"),
    ("F4", INCONCLUSIVE, lambda t: t[t["method"] != "als"], "not part of this run"),
    ("F5", SUPPORTED, lambda t: scaled(t, "dpals", 0.5), "the user’s own mean, which is free"),
    ("F5", CONTRADICTED, unchanged, "MovieLens 100K 0.994 to 1.14"),
    ("F5", INCONCLUSIVE, lambda t: of_methods(t, "dpals", "als"), "not part of this run"),
    (
        "F6",
        SUPPORTED,
        lambda t: scaled(of_methods(t, "dpals", "dp_altmin"), "dpals", 10),
        "less at 25 and more at 0 of 25",
    ),
    ("F6", CONTRADICTED, unchanged, "DP-SAltLS"),
    ("F6", INCONCLUSIVE, lambda t: of_methods(t, "dpals"), "not part of this run"),
]


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), PLANTED)
def test_verdicts(trials, evidence, claim, verdict, change, words):
    finding = PREDICATES[claim](evidence) if change is unchanged else found(claim, change(trials))
    assert finding.verdict == verdict
    assert words in finding.reason


@pytest.mark.parametrize("claim", OWN)
def test_one_trial_or_few_rows_break_nothing(trials, claim):
    for few in (
        trials[trials["trial"] == 0],
        trials[trials["dataset"] == "ml-100k"],
        trials[trials["dataset"] == "jester"],
        trials[trials["epsilon"].isna()],
        trials[trials["variant"] != "standard"],
        None,
    ):
        assert "nan" not in found(claim, few).reason
    assert found(claim, None).verdict == INCONCLUSIVE


def test_every_line_is_a_claim(tables):
    assert set(OWN) <= set(FINDINGS)
    assert set(ANSWERS) < set(FINDINGS)
    for claim in OWN:
        reason = found(claim, tables["trials"], tables["published"]).reason
        assert reason.endswith((".", ".)"))


def test_how_settings_were_chosen_stands_in_the_chapter(tmp_path):
    folder = fake_results.write("dpals", tmp_path / "dpals", ["trials"])
    assert chapter(folder, {}).caveat == TEXT("tuned")


def test_places_are_paired_and_what_has_no_epsilon_stands_at_all(trials):
    here = standard(trials, "ml-100k")
    every = places(here)
    table = compare(pairs(every, ["dpals"], ["private_user_item_bias"]), PLACE)
    row = table[table["epsilon"] == 5].iloc[0]
    logs = {
        name: np.log(
            here[(here["method"] == name) & (here["epsilon"] == 5)].set_index("trial")["rmse"]
        )
        for name in ("dpals", "private_user_item_bias")
    }
    difference = logs["dpals"] - logs["private_user_item_bias"]
    assert row["difference"] == pytest.approx(difference.mean())
    assert row["p_value"] == pytest.approx(stats.ttest_1samp(difference, 0).pvalue)
    # the spread over trials is four times what pairing leaves
    assert row["high"] - row["low"] < np.ptp(logs["dpals"])
    assert len(pairs(every, ["dpals"], ["als"])) == 5
    assert pairs(every, ["dpals"], ["unknown"]) == {}


def test_no_ratings_count_twice(evidence):
    for claim in OWN[:1] + OWN[3:6]:
        assert "Jester 5k" not in PREDICATES[claim](evidence).reason
    assert "users" not in PREDICATES["F4"](evidence).reason.partition(". Error")[2]


def test_published_numbers_are_met(trials, tables):
    published = tables["published"].assign(source="paper")
    finding = found("F8", trials, published)
    assert finding.verdict == CONTRADICTED
    assert finding.effect == 3 / 4
    assert finding.reason.startswith("3 of 4 within 15 %")
    assert "3 of 7 have not been run" in finding.reason
    far = published["method"] == "dpfw"
    assert found("F8", trials, published[~far]).verdict == SUPPORTED
    assert found("F8", None, published).verdict == INCONCLUSIVE
    # a prototype's are no published ones
    own = published.assign(
        source=published["source"].where(published["metric"] != "rmse", "prototype")
    )
    lacking = found("F8", trials, own)
    assert (lacking.verdict, "none of 1 published numbers" in lacking.reason) == (
        INCONCLUSIVE,
        True,
    )


def test_published_numbers_stand_beside_ours(trials, tables):
    published = tables["published"].assign(source="paper")
    rows = beside_ours(trials, published)
    assert set(PUBLISHED_COLUMNS) <= set(rows)
    assert len(rows) == len(published)
    run = rows[rows["mean"].notna()]
    assert len(run) == 4
    assert (run["status"] == AGREES).sum() == 3
    assert set(rows.loc[rows["mean"].isna(), "status"]) == {NOT_COMPARED}
    # what a prototype gave is not published
    assert beside_ours(trials, published.assign(source="prototype")).empty
    assert set(beside_ours(None, published)["status"]) == {NOT_COMPARED}


def test_what_is_kept_counts_delta_too(trials):
    rows = trials[trials["epsilon"].notna()].head(1)
    assert not keeps_claim(rows.assign(actual_delta=1.0)).any()
