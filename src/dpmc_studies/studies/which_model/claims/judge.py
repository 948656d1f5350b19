"""Judging every claim of ``claims.yaml``."""

from pathlib import Path

import pandas as pd

from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.studies.which_model.cells import COORDINATES
from dpmc_studies.studies.which_model.claims import (  # noqa: F401  (these register predicates)
    comparison,
    opponents,
)
from dpmc_studies.studies.which_model.claims.evidence import PREDICATES, Evidence
from dpmc_studies.studies.which_model.frames import NAMES, NEW_DATA

CELLS = {
    "trials": (*COORDINATES, "trial"),
    "new": (*COORDINATES, "trial"),
    "popularity": (*COORDINATES, "fifth", "trial"),
    "ranking": ("dataset", "method", "epsilon", "trial"),
}


def run(folder: Path, settings: object) -> dict[str, pd.DataFrame]:
    """Judge the claims on the tables of a run, which lie in ``folder``; no setting is used."""
    return {"claims": judge(read_results(folder, NAMES))}


def judge(tables: dict[str, pd.DataFrame | None]) -> pd.DataFrame:
    """Judge all claims, columns :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS`."""
    there = {name: table for name, table in tables.items() if table is not None}
    if "trials" in there:
        is_new = there["trials"]["dataset"].isin(NEW_DATA)
        there |= {"trials": there["trials"][~is_new], "new": there["trials"][is_new]}
    cells = {name: CELLS[name] for name in there}
    readings = {name: Evidence(**changed) for name, changed in on_trials(there, cells)}
    return judge_all(__file__, PREDICATES, Evidence(**there), readings)
