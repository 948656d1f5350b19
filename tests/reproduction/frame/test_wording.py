"""How a claim of the form "A against B" is judged is written from its data."""

import pytest

from dpmc_studies.frame.judging.wording import told
from dpmc_studies.studies.equal_privacy import claims as own
from dpmc_studies.yaml_files import beside, read_plain

COORDINATES = {
    "mechanism": {"huber": "Huber noise", "laplace": "Laplace noise", "gaussian": "Gaussian noise"},
    "method": {"als": "ALS", "searched": "", "h_free": "DPALS, H-free", "dpfw": "DPFW, exact"},
    "epsilon": (),
    "rank": (5, 10),
}
SIDES = {"first": {"mechanism": "huber"}, "second": {"mechanism": ["gaussian", "laplace"]}}


@pytest.mark.parametrize(
    ("entry", "text"),
    [
        (
            {"rule": "all", "where": {"rank": 5, "epsilon": [1, 2]}},
            "Supported if the RMSE with Huber noise is significantly lower than that with Gaussian "
            "noise and Laplace noise in at least 90 % of the comparisons, and significantly higher "
            "in none. Contradicted if it is significantly higher in any. No effect if the average "
            "is within ±1 % (ours). Only cells with rank 5 (ε 1 and 2) are compared.",
        ),
        (
            {"rule": "most", "below": -0.01, "second": {"best": SIDES["second"]}},
            "Supported if the RMSE with Huber noise is on average less than 0.99 times that with "
            "the best of Gaussian noise and Laplace noise, and significantly lower in more than "
            "half of the comparisons. Contradicted if it is higher on average or in more than "
            "half. No effect if the average is within ±1 % (ours). The bound is ours.",
        ),
        (
            {"rule": "within", "unit": "times", "low": 0.5, "high": 2, "margin_of": "the paper's"},
            "Supported if the RMSE with Huber noise is at least 0.5 and at most 2 times that with "
            "Gaussian noise and Laplace noise in every comparison. Contradicted if it clearly is "
            "not in any. The bound is the paper's.",
        ),
        (
            {"rule": "pooled", "unit": "points", "second": {"best": {"method": "als"}}},
            "Supported if the accuracy with Huber noise is on average higher than that with ALS. "
            "Contradicted if it is lower. No effect if the average is within ±1 point (ours).",
        ),
        (
            {"rule": "some", "measure": "ARE", "over": {"method": "als"}},
            "Supported if the ARE with Huber noise is significantly lower than that with Gaussian "
            "noise and Laplace noise in at least one comparison. Contradicted if it is higher in "
            "all. Each ARE is first divided by that with ALS.",
        ),
    ],
)
def test_every_rule_is_a_sentence(entry, text):
    assert told(SIDES | entry, COORDINATES) == text


def test_commas_of_labels_do_not_mix_with_those_of_lists():
    sides = {"first": {"method": ["h_free", "dpfw"]}, "second": {"method": "h_free", "epsilon": 1}}
    text = told(sides | {"rule": "pooled"}, COORDINATES)
    assert "with DPALS (H-free) and DPFW (exact) is on average" in text
    assert "that with DPALS (H-free), ε 1." in text


def test_parts_are_named_and_empty_labels_left_out():
    part = {"first": {"mechanism": "huber", "method": "searched"}, "rule": "pooled", "name": "one"}
    text = told({"parts": [part | {"second": {"mechanism": "laplace"}}]}, COORDINATES)
    assert text.startswith(
        "All parts must hold. “one”: Supported if the RMSE with Huber noise is on"
    )


def test_labels_of_a_study_are_in_its_sentences():
    claims = {each["id"]: each for each in read_plain(beside(own.__file__, "claims.yaml"))}
    text = told(claims["P4"]["compare"], own.COORDINATES)
    assert "the RMSE with Local Bayes is significantly less than 1.01 times that with" in text
    assert "neighbours where one user joins or leaves" in text
