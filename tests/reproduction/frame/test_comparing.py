"""Claims of the form "A against B" as data: each part of an entry decides what it says."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from document_texts import fenced

from dpmc.errors import InputError
from dpmc_studies.frame.judging.choices import USUAL, Choices
from dpmc_studies.frame.judging.claims import load_claims, table_of_verdicts
from dpmc_studies.frame.judging.comparing import (
    RULES,
    at_places,
    compared_claims,
)
from dpmc_studies.frame.judging.finding import CONTRADICTED, INCONCLUSIVE, NO_EFFECT, SUPPORTED
from dpmc_studies.frame.judging.rules import Sample
from dpmc_studies.studies.equal_privacy import claims as own
from dpmc_studies.studies.equal_privacy.claims import Evidence

HOME = Path(__file__).parents[3]

COORDINATES = {
    "dataset": ("stars", "films"),
    "epsilon": (),
    "method": ("als", "irls", "svd", "mean", "private_knn"),
}
GROUPS = {"factorisations": ("als", "irls", "svd")}
MEANS = {"als": 0.0, "irls": -0.1, "svd": 0.1, "mean": 0.2}


def entry(text):
    return f"- id: A1\n  compare: {{{text}}}\n"


def predicate(tmp_path, text, judge=lambda evidence, comparison: comparison, **limits):
    (tmp_path / "claims.yaml").write_text(entry(text))
    path = tmp_path / "claims.yaml"
    return compared_claims(path, judge, COORDINATES, GROUPS, **limits)["A1"]


def places(**means):
    rng = np.random.default_rng(0)
    return {
        (dataset, epsilon): pd.DataFrame(
            {name: mean + 0.001 * rng.standard_normal(10) for name, mean in (MEANS | means).items()}
        )
        for dataset in ("stars", "films")
        for epsilon in (1.0, 2.0)
    }


def judge(errors, comparison):
    found = at_places(comparison, errors, ["dataset", "epsilon"], ["method"])
    return comparison.judge({str(place): pair.differences for place, pair in found.items()})


@pytest.mark.parametrize(
    ("text", "verdict", "words"),
    [
        ("first: {method: irls}, second: {method: als}, rule: all", SUPPORTED, "4 wins"),
        ("first: {method: irls}, second: {method: als}, rule: most", SUPPORTED, "4 wins"),
        ("first: {method: als}, second: {method: irls}, rule: all", CONTRADICTED, "4 losses"),
        # the best of a group, and where they are compared
        (
            "first: {method: svd}, second: {best: {method: factorisations}}, "
            "where: {dataset: stars}, rule: all",
            CONTRADICTED,
            "2 losses",
        ),
        ("first: {method: als}, second: {method: svd}, rule: within, high: 0.2", SUPPORTED,
         "4 hold"),
        ("first: {method: als}, second: {method: als}, rule: most", NO_EFFECT, "4 undecided"),
        # at least one of several, and none where all are worse
        ("first: {method: [irls, svd]}, second: {method: als}, rule: some", SUPPORTED, "least"),
        ("first: {method: svd}, second: {method: als}, rule: some", CONTRADICTED, "4 losses"),
        # every part has to hold
        (
            "parts: [{name: a, first: {method: irls}, second: {method: als}, rule: all}, "
            "{name: b, first: {method: svd}, second: {method: mean}, rule: most}]",
            SUPPORTED,
            "b: 4 wins",
        ),
        (
            "parts: [{name: a, first: {method: irls}, second: {method: als}, rule: all}, "
            "{name: b, first: {method: mean}, second: {method: svd}, rule: most}]",
            CONTRADICTED,
            "a: 4 wins",
        ),
        # a threshold is a share: 15 % more error is allowed, 5 % is not
        (
            "first: {method: als}, second: {method: irls}, rule: all, threshold: 0.15",
            SUPPORTED,
            "4 wins",
        ),
        (
            "first: {method: als}, second: {method: irls}, rule: all, threshold: 0.05",
            CONTRADICTED,
            "4 losses",
        ),
        # a bound on the pooled effect of MOST: 9.5 % less is not 20 % less
        ("first: {method: irls}, second: {method: als}, rule: most, below: -0.2", INCONCLUSIVE, ""),
        (
            "first: {method: als}, second: {method: mean}, where: {epsilon: 9}, rule: all, "
            "missing: such a budget",
            INCONCLUSIVE,
            "not part of this run (such a budget)",
        ),
    ],
)  # fmt: skip
def test_verdicts(tmp_path, text, verdict, words):
    finding = predicate(tmp_path, text, judge)(places())
    assert (finding.verdict, words in finding.reason) == (verdict, True), finding.reason


def test_bounds_of_ours_are_wider_in_a_wider_reading(tmp_path):
    rows = {"stars": np.log(1.015) + 0.0001 * np.arange(-5, 6)}
    text = "first: {method: als}, second: {method: irls}, rule: all, threshold: 0.01"
    wide = Choices(widening=2.0)
    ours = predicate(tmp_path, text)(None)
    assert [ours.judge(rows, each).verdict for each in (USUAL, wide)] == [CONTRADICTED, SUPPORTED]
    text = "first: {method: als}, second: {method: irls}, rule: within, high: 0.01"
    papers = predicate(tmp_path, f"{text}, margin_of: the paper's")(None)
    assert {papers.judge(rows, each).verdict for each in (USUAL, wide)} == {CONTRADICTED}


def test_a_sample_is_judged_beside_what_is_reported(tmp_path):
    text = "first: {method: irls}, second: {method: als}, rule: pooled"
    ours = -0.1 + 0.001 * np.arange(10)[None, :]
    found = predicate(tmp_path, text)(None).judge(Sample(ours, np.array([[0.1]])))
    assert (found.verdict, found.reported_verdict) == (SUPPORTED, CONTRADICTED)


def test_a_list_is_each_of_its_values(tmp_path):
    comparison = predicate(
        tmp_path, "first: {method: [als, svd], epsilon: 1}, second: {method: mean}, rule: most"
    )(None)
    assert list(comparison.first.each()) == [
        {"method": "als", "epsilon": 1},
        {"method": "svd", "epsilon": 1},
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("first: {method: als}, second: {method: irls}", "compare first with second by a rule"),
        ("first: {metod: als}, second: {method: irls}, rule: all", "'metod' is no coordinate"),
        ("first: {method: alz}, second: {method: irls}, rule: all", "did you mean 'als'"),
        ("first: {method: knn}, second: {method: als}, rule: all", "did you mean 'private_knn'"),
        (
            "first: {method: als}, second: {method: irls}, where: {dataset: film}, rule: all",
            "'film' is no dataset (stars, films) (did you mean 'films'?)",
        ),
        (
            "first: {method: als, epsilon: low}, second: {method: irls}, rule: all",
            "epsilon must be a number, not 'low'",
        ),
        ("first: {method: als}, second: {method: irls}, rule: al", "'al' is no rule"),
        ("first: als, second: {method: irls}, rule: all", "must name coordinates"),
        ("first: {method: als}, second: {method: irls}, rule: all, lwo: 1", "'lwo' is no key"),
        ("parts: [{first: {method: als}, rule: all}]", "compare first with second by a rule"),
        (
            "first: {method: als}, second: {method: irls}, rule: all, over: {method: svd}",
            "'over' is no key",
        ),
        ("first: {method: als}, second: {method: irls}, rule: pooled, low: 1", "'low' is no key"),
        ("first: {method: als}, second: {method: irls}, rule: all, unit: kg", "'kg' is no unit"),
    ],
)
def test_what_is_not_known_is_refused(tmp_path, text, words):
    with pytest.raises(InputError, match="the claim A1") as refusal:
        predicate(tmp_path, text)
    assert words in str(refusal.value)


@pytest.mark.parametrize(
    ("text", "limits", "words"),
    [
        ("where: {method: als}", {"models": ["method"]}, "no coordinate here (dataset, epsilon)"),
        ("where: {epsilon: 1}", {"needed": ["epsilon", "dataset"]}, "must name its dataset"),
        ("where: {epsilon: 1}", {"best": ["second"]}, "no best for first"),
    ],
)
def test_what_a_study_cannot_compare_is_refused(tmp_path, text, limits, words):
    sides = "first: {best: {method: [als, irls]}}, second: {method: svd}, rule: all"
    predicate(tmp_path, f"{sides}, {text.replace('method: als', 'epsilon: 2')}")
    with pytest.raises(InputError, match="the claim A1") as refusal:
        predicate(tmp_path, f"{sides}, {text}", **limits)
    assert words in str(refusal.value)


def equal_privacy(tmp_path, text):
    (tmp_path / "claims.yaml").write_text(text)
    found = compared_claims(
        tmp_path / "claims.yaml", own.judged, own.COORDINATES, own.GROUPS, own.MODEL
    )
    calibrated = HOME / "results/reference/equal_privacy/calibrated.csv"
    evidence = Evidence(pd.read_csv(calibrated), None)
    claims = load_claims(tmp_path / "claims.yaml", found)
    return table_of_verdicts(claims, found, evidence).iloc[0]


def test_the_documented_example_is_judged_on_the_reference(tmp_path):
    (block,) = (b for b in fenced(HOME / "docs" / "extend.md") if b.language == "yml")
    found = equal_privacy(tmp_path, block.text)
    assert (found["effect"] < 0, "of 6" in found["reason"]) == (True, True), found["reason"]


def test_every_rule_judges_something():
    assert all(rule.of_sample or rule.of_rows for rule in RULES.values())
