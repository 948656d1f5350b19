"""Judging every claim of ``claims.yaml``."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from dpmc.studies.equal_privacy.claims import (  # noqa: F401  (importing them registers predicates)
    huber_noise,
    own,
)
from dpmc.studies.equal_privacy.claims.evidence import PREDICATES, Evidence
from dpmc.studies.equal_privacy.frames import CELL, MODEL, NAMES
from dpmc.study.claims import load_claims, table_of_verdicts
from dpmc.study.readings import on_trials
from dpmc.study.results import read_results

CLAIMS = Path(__file__).parents[1] / "claims.yaml"


def run(folder: Path, settings: object) -> dict[str, pd.DataFrame]:
    """Judge the claims on the tables of a run, which lie in ``folder``; no setting is used."""
    return {"claims": judge(Evidence(**read_results(folder, NAMES)))}


def judge(evidence: Evidence) -> pd.DataFrame:
    """Judge all claims, columns :data:`dpmc.study.claims.CLAIM_COLUMNS`."""
    readings = {}
    if evidence.calibrated is not None:
        cells = {"calibrated": (*CELL, *MODEL, "trial")}
        changed = on_trials({"calibrated": evidence.calibrated}, cells)
        readings = {name: replace(evidence, **tables) for name, tables in changed}
    return table_of_verdicts(load_claims(CLAIMS, PREDICATES), PREDICATES, evidence, readings)
