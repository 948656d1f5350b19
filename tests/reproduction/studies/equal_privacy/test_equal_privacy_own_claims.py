"""Claims of our own on models at equal privacy: verdicts follow from what is planted for them."""

import numpy as np
import pandas as pd
import pytest
from fake_results.equal_privacy import fake_calibrated, fake_frontier

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, NO_EFFECT, SUPPORTED
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.studies.equal_privacy.chapter import TEXT
from dpmc_studies.studies.equal_privacy.claims import own
from dpmc_studies.studies.equal_privacy.claims.evidence import PREDICATES, Evidence

ANSWERS, FINDINGS = TEXT.entries["answers"], TEXT.entries["findings"]

FACTORS = ["private_als", "private_irls"]
EPSILONS = 6


@pytest.fixture(scope="module")
def calibrated():
    return fake_calibrated()


def scaled(calibrated, factor, methods=None, **where):
    """A copy with the errors of some models multiplied."""
    planted = calibrated.copy()
    rows = select(planted, **where)
    if methods:
        rows = rows[rows["method"].isin(methods)]
    planted.loc[rows.index, ["rmse_all", "rmse_heldout"]] *= factor
    return planted


def with_local_bayes(calibrated, factor):
    """A copy with a model whose errors are so many times those of biases, where users are."""
    rows = select(calibrated, relation="user_add_remove", method="private_user_item_bias")
    rows = rows[rows["mechanism"] == "gaussian"].assign(method="local_bayes")
    rows = rows.assign(**{name: factor * rows[name] for name in ("rmse_all", "rmse_heldout")})
    return pd.concat([calibrated, rows], ignore_index=True)


def found(claim, calibrated=None, frontier=None):
    return PREDICATES[claim](Evidence(calibrated, frontier))


def private(calibrated):
    return calibrated[calibrated["relation"].notna()]


PLANTED = [
    ("P1", SUPPORTED, lambda t: t, "72 wins, 0 losses"),
    ("P1", CONTRADICTED, lambda t: scaled(t, 0.01, FACTORS), "0 wins, 72 losses"),
    ("P1", INCONCLUSIVE, private, "not part of this run"),
    ("P2", SUPPORTED, lambda t: scaled(t, 0.2, FACTORS), "30 wins, 0 losses"),
    ("P2", CONTRADICTED, lambda t: t, "23 wins, 4 losses"),
    ("P2", INCONCLUSIVE, lambda t: t[t["method"].isin(FACTORS)], "not part of this run"),
    ("P3", SUPPORTED, lambda t: scaled(t, 0.2, FACTORS), "30 wins, 0 losses"),
    ("P3", CONTRADICTED, lambda t: t, "9 wins, 20 losses"),
    ("P3", CONTRADICTED, lambda t: scaled(t, 5.0, FACTORS), "0 wins, 30 losses"),
    ("P4", SUPPORTED, lambda t: with_local_bayes(t, 0.1), "30 wins, 0 losses"),
    # as good as the best of the others everywhere is not worse than it
    ("P4", CONTRADICTED, lambda t: with_local_bayes(t, 2.0), "0 wins, 30 losses"),
    ("P4", INCONCLUSIVE, lambda t: t, "not part of this run"),
    ("P5", SUPPORTED, lambda t: scaled(t, 0.2, FACTORS), "72 wins, 0 losses"),
    ("P5", CONTRADICTED, lambda t: t, "58 wins, 13 losses"),
    ("P5", INCONCLUSIVE, lambda t: t.head(0), "not part of this run"),
    # user level has Huber noise at three budgets only
    ("P6", SUPPORTED, lambda t: scaled(t, 0.9, mechanism="huber"), "54 wins, 0 losses"),
    ("P6", NO_EFFECT, lambda t: t, "54 undecided of 54"),
    ("P6", CONTRADICTED, lambda t: scaled(t, 1.1, mechanism="huber"), "0 wins, 54 losses"),
    ("P6", INCONCLUSIVE, lambda t: t[t["mechanism"] != "huber"], "not part of this run"),
    ("P8", SUPPORTED, lambda t: scaled(t, 0.2, FACTORS), "60 wins, 0 losses"),
    ("P8", CONTRADICTED, lambda t: scaled(t, 5.0, FACTORS), "0 wins, 60 losses"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), PLANTED)
def test_verdicts(calibrated, claim, verdict, change, words):
    finding = found(claim, change(calibrated))
    assert finding.verdict == verdict
    assert words in finding.reason


@pytest.mark.parametrize("claim", [*FINDINGS, *ANSWERS])
def test_what_was_not_run_is_open(claim):
    finding = found(claim)
    assert finding.verdict == INCONCLUSIVE
    assert "not part of this run" in finding.reason


@pytest.mark.parametrize("factor", [1.005, 0.995])
def test_local_bayes_within_one_per_cent_of_the_best_is_not_worse(calibrated, factor):
    best = calibrated[calibrated["method"] == "private_user_item_bias"]
    others = with_local_bayes(best, factor)
    finding = found("P4", others)
    assert finding.verdict == SUPPORTED
    assert "30 wins, 0 losses" in finding.reason
    rows = own.comparisons(Evidence(others)).query("claim == 'P4'")
    assert len(rows) == 30
    assert (rows["difference"] < 0).all() == (factor < 1)


def test_cost_is_that_of_the_best_private_model(calibrated):
    here = select(calibrated, dataset="ml-100k", relation="entry_change", epsilon=10)
    logs = np.log(here["rmse_heldout"]).groupby([here["method"], here["mechanism"]]).mean()
    free = calibrated[calibrated["relation"].isna() & (calibrated["dataset"] == "ml-100k")]
    least = np.log(free["rmse_heldout"]).groupby(free["method"]).mean().min()
    rows = own.comparisons(Evidence(calibrated))
    (row,) = select(
        rows, claim="P1", dataset="ml-100k", relation="entry_change", epsilon=10
    ).itertuples()
    assert row.difference == pytest.approx(least - logs.min(), rel=1e-9)
    assert row.second == " + ".join(logs.idxmin())


def test_comparisons_are_those_that_claims_are_judged_on(calibrated):
    table = own.comparisons(Evidence(with_local_bayes(calibrated, 0.9)))
    assert tuple(table.columns) == own.COLUMNS
    counted = table.groupby("claim").size().to_dict()
    assert counted == {"P1": 72, "P2": 30, "P3": 30, "P4": 30, "P5": 72, "P6": 54, "P8": 60}
    assert own.comparisons(Evidence()).empty


def test_where_huber_noise_needs_least():
    frontier = fake_frontier()
    finding = found("P7", frontier=frontier)
    assert finding.verdict == SUPPORTED
    best = frontier.loc[frontier["ratio"].idxmin()]
    assert f"at {best['releases']:g} releases and ε = {best['epsilon']:g}" in finding.reason
    assert found("P7", frontier=frontier.assign(best="laplace")).verdict == CONTRADICTED


def test_every_claim_of_our_own_is_a_line_with_numbers(calibrated):
    for lines in (FINDINGS, ANSWERS):
        assert len(set(lines)) == len(lines)
    own_claims = {claim for claim in PREDICATES if claim.startswith("P")}
    shown = {*FINDINGS, *ANSWERS}
    assert shown == own_claims | {"H34"}  # the one claim of a paper among the answers
    for claim in sorted(shown):
        finding = found(claim, with_local_bayes(calibrated, 0.9), fake_frontier())
        assert finding.verdict != INCONCLUSIVE
        assert "nan" not in finding.reason
