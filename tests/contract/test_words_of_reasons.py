"""Reasons of claims name methods, data sets and budgets as the page does, not as the code does."""

import re
from functools import cache

import pytest
from fake_results import dpals, equal_privacy, huber, onebit, which_model

from dpmc_studies.frame.showing.frames import in_list
from dpmc_studies.studies.dpals.claims.evidence import evidence_of as dpals_evidence
from dpmc_studies.studies.dpals.claims.judge import PREDICATES as OF_DPALS
from dpmc_studies.studies.dpals.frames import DATASETS
from dpmc_studies.studies.equal_privacy.claims import PREDICATES as OF_EQUAL_PRIVACY
from dpmc_studies.studies.equal_privacy.claims import Evidence as EqualPrivacyEvidence
from dpmc_studies.studies.huber.claims.contrasts import LogRmse
from dpmc_studies.studies.huber.claims.evidence import Evidence as HuberEvidence
from dpmc_studies.studies.huber.claims.judge import PREDICATES as OF_HUBER
from dpmc_studies.studies.huber.reported.numbers import load
from dpmc_studies.studies.onebit.claims.evidence import evidence_of as onebit_evidence
from dpmc_studies.studies.onebit.claims.judge import PREDICATES as OF_ONEBIT
from dpmc_studies.studies.which_model.claims import NAMES
from dpmc_studies.studies.which_model.claims import PREDICATES as OF_WHICH_MODEL
from dpmc_studies.studies.which_model.claims import Evidence as WhichModelEvidence

CODE = re.compile(
    r"\b[a-z0-9]+(?:_[a-z0-9]+)+\b"  # dpals_literal, entry_change
    r"|\b(?:eps|dpals|dpfw|als|irls|huber|gaussian|laplace|synthetic)\b"
    rf"|\b(?:{'|'.join(name for name in DATASETS if '-' in name)})\b"
)


@cache
def reasons():
    """Return the reasons on made-up results of every study, by study and claim."""
    judged = (
        ("dpals", OF_DPALS, dpals_evidence(dpals.tables())),
        ("equal_privacy", OF_EQUAL_PRIVACY, EqualPrivacyEvidence(
            *map(equal_privacy.tables().get, ("calibrated", "frontier")))),
        ("which_model", OF_WHICH_MODEL, WhichModelEvidence(
            **{each: which_model.tables()[each] for each in NAMES})),
        ("onebit", OF_ONEBIT, onebit_evidence(onebit.tables())),
    )  # fmt: skip
    found = {
        (study, claim): judge(evidence).reason
        for study, predicates, evidence in judged
        for claim, judge in predicates.items()
    }
    trials = huber.fake_trials()
    ours, reported = LogRmse.of_trials(trials), LogRmse.of_published(load())
    evidence = HuberEvidence(ours, reported, {}, None, None, {"trials": trials})
    some = ("H1", "H4", "H6", "H11", "H16", "R3", "R4")
    return found | {("huber", claim): OF_HUBER[claim](evidence).reason for claim in some}


@pytest.mark.parametrize("study", ["dpals", "equal_privacy", "huber", "onebit", "which_model"])
def test_reasons_have_no_names_of_the_code(study):
    here = {claim: text for (name, claim), text in reasons().items() if name == study}
    assert here
    assert {claim: CODE.findall(text) for claim, text in here.items() if CODE.search(text)} == {}


def test_a_label_in_a_list_has_no_comma():
    assert in_list("DPALS, H-free, rows clipped") == "DPALS (H-free, rows clipped)"
    assert in_list("Synthetic, 5,000 users") == "Synthetic (5,000 users)"
    assert in_list("DP-AltMin") == "DP-AltMin"
