"""Reasons of claims name methods, data sets and budgets as the page does, not as the code does."""

import re

import pytest
from every_study import REFERENCE

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.showing.frames import in_list
from dpmc_studies.studies.dpals.frames import DATASETS

CODE = re.compile(
    r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b"  # dpals_literal, entry_change
    r"|\b(?:eps|dpals|dpfw|als|irls|huber|gaussian|laplace|synthetic(?! ))\b"
    rf"|\b(?:{'|'.join(name for name in DATASETS if '-' in name)})\b"
)


@pytest.mark.parametrize("path", sorted(REFERENCE.glob("*/expected/*/claims.csv")), ids=str)
def test_reasons_have_no_names_of_the_code(path):
    claims = read_frame(path).set_index("id")
    if "reason" in claims:  # reduced profiles keep verdicts alone
        found = claims["reason"].fillna("").map(CODE.findall)
        assert found[found.map(len) > 0].to_dict() == {}


def test_a_label_in_a_list_has_no_comma():
    assert in_list("DPALS, H-free, rows clipped") == "DPALS (H-free, rows clipped)"
    assert in_list("Synthetic, 5,000 users") == "Synthetic (5,000 users)"
    assert in_list("DP-AltMin") == "DP-AltMin"
