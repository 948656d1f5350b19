"""Judging every claim of ``claims.yaml``."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.judging.choices import Choices
from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.studies.equal_privacy.claims import (  # noqa: F401  (importing them registers predicates)
    huber_noise,
    own,
)
from dpmc_studies.studies.equal_privacy.claims.evidence import PREDICATES, Evidence
from dpmc_studies.studies.equal_privacy.frames import CELL, MODEL, NAMES

CHOICES = {"margins times two": Choices(widening=2.0)}


def run(folder: Path, settings: object) -> dict[str, pd.DataFrame]:
    """Judge the claims on the tables of a run, which lie in ``folder``; no setting is used.

    The table ``comparisons`` has what they are judged on, by claim and place.
    """
    evidence = Evidence(**read_results(folder, NAMES))
    return {"claims": judge(evidence), "comparisons": own.comparisons(evidence)}


def judge(evidence: Evidence) -> pd.DataFrame:
    """Judge all claims, columns :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS`."""
    readings = {}
    if evidence.calibrated is not None:
        cells = {"calibrated": (*CELL, *MODEL, "trial")}
        changed = on_trials({"calibrated": evidence.calibrated}, cells)
        readings = {name: replace(evidence, **tables) for name, tables in changed}
    readings |= {name: replace(evidence, choices=other) for name, other in CHOICES.items()}
    return judge_all(__file__, PREDICATES, evidence, readings)
