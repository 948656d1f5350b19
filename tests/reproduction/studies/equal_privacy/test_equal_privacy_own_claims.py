"""P1 to P8 on the committed fits with planted errors: each verdict comes out where it must."""

import numpy as np
import pandas as pd
import pytest
from fake_results import equal_privacy

from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, NO_EFFECT, SUPPORTED
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.studies.equal_privacy.chapter import TEXT
from dpmc_studies.studies.equal_privacy.claims import (
    COLUMNS,
    PREDICATES,
    Evidence,
    compared_places,
)

FACTORS = ("private_als", "private_irls")
BEST, WORST = (1e-3, 1e3)
PLANTED = [
    ("P1", SUPPORTED, (10.0, (*FACTORS, "local_bayes")), "72 wins, 0 losses"),
    ("P1", CONTRADICTED, (1e-8, FACTORS), "0 wins, 72 losses"),
    ("P2", SUPPORTED, (BEST, FACTORS), "30 wins, 0 losses"),
    ("P2", CONTRADICTED, (1.0, FACTORS), "8 wins, 19 losses"),
    ("P3", SUPPORTED, (BEST, FACTORS), "30 wins, 0 losses"),
    ("P3", CONTRADICTED, (WORST, FACTORS), "0 wins, 30 losses"),
    ("P4", SUPPORTED, (BEST, ("local_bayes",)), "30 wins, 0 losses"),
    ("P4", CONTRADICTED, (WORST, ("local_bayes",)), "0 wins, 30 losses"),
    ("P5", SUPPORTED, (BEST, FACTORS), "72 wins, 0 losses"),
    ("P5", CONTRADICTED, (BEST, ("private_global_mean",)), "0 wins, 72 losses"),
    ("P6", NO_EFFECT, (1.0, FACTORS), "54 undecided of 54"),
    ("P8", SUPPORTED, (BEST, FACTORS), "60 wins, 0 losses"),
    ("P8", CONTRADICTED, (WORST, FACTORS), "0 wins, 60 losses"),
]


@pytest.mark.parametrize(("claim", "verdict", "change", "words"), PLANTED)
def test_verdicts(scaled, claim, verdict, change, words):
    factor, methods = change
    finding = PREDICATES[claim](Evidence(scaled(factor, method=methods)))
    assert finding.verdict == verdict, finding.reason
    assert words in finding.reason


@pytest.mark.parametrize(("factor", "verdict"), [(0.9, SUPPORTED), (1.1, CONTRADICTED)])
def test_verdicts_on_huber_noise(scaled, factor, verdict):
    assert PREDICATES["P6"](Evidence(scaled(factor, mechanism="huber"))).verdict == verdict


@pytest.mark.parametrize("claim", [*TEXT.entries["findings"], *TEXT.entries["answers"]])
def test_what_was_not_run_is_open(claim):
    finding = PREDICATES[claim](Evidence())
    assert finding.verdict == INCONCLUSIVE
    assert "not part of this run" in finding.reason


@pytest.mark.parametrize("factor", [1.005, 0.995])
def test_local_bayes_within_one_per_cent_of_the_best_is_not_worse(calibrated, factor):
    biases = select(calibrated, relation="user_add_remove", method="private_user_item_bias")
    errors = ["rmse_all", "rmse_heldout"]
    ours = biases.assign(method="local_bayes", **{name: factor * biases[name] for name in errors})
    others = pd.concat([biases, ours], ignore_index=True)
    assert PREDICATES["P4"](Evidence(others)).verdict == SUPPORTED
    rows = compared_places(Evidence(others)).query("claim == 'P4'")
    assert len(rows) == 30
    assert (rows["difference"] < 0).all() == (factor < 1)


def test_cost_is_that_of_the_best_private_model(calibrated):
    here = select(calibrated, dataset="ml-100k", relation="entry_change", epsilon=10)
    logs = np.log(here["rmse_heldout"]).groupby([here["method"], here["mechanism"]]).mean()
    free = calibrated[calibrated["relation"].isna() & (calibrated["dataset"] == "ml-100k")]
    least = np.log(free["rmse_heldout"]).groupby(free["method"]).mean().min()
    rows = compared_places(Evidence(calibrated))
    assert tuple(rows.columns) == COLUMNS
    (row,) = select(
        rows, claim="P1", dataset="ml-100k", relation="entry_change", epsilon=10
    ).itertuples()
    assert row.difference == pytest.approx(least - logs.min(), rel=1e-9)
    assert row.second == " + ".join(logs.idxmin())


def test_where_huber_noise_needs_least():
    frontier = equal_privacy.tables()["frontier"]
    finding = PREDICATES["P7"](Evidence(frontier=frontier))
    assert finding.verdict == SUPPORTED
    best = frontier.loc[frontier["ratio"].idxmin()]
    assert f"at {best['releases']:g} releases and ε = {best['epsilon']:g}" in finding.reason
    nowhere = Evidence(frontier=frontier.assign(best="laplace"))
    assert PREDICATES["P7"](nowhere).verdict == CONTRADICTED


def test_every_claim_of_our_own_is_shown():
    shown = [*TEXT.entries["findings"], *TEXT.entries["answers"]]
    own_claims = {claim for claim in PREDICATES if claim.startswith("P")}
    # H34 is the one claim of a paper among the answers
    assert set(shown) == own_claims | {"H34"}
