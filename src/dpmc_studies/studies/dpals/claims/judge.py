"""Judging every claim of ``claims.yaml``, also under other readings of the same evidence."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.claims import load_claims, table_of_verdicts
from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES
from dpmc_studies.studies.dpals.claims import (  # noqa: F401  (importing them registers predicates)
    compared,
    facts,
    followed,
    own,
    theory,
)
from dpmc_studies.studies.dpals.claims.evidence import (
    PREDICATES,
    PUBLISHED,
    TABLES,
    DpalsEvidence,
    evidence_of,
)

CLAIMS = Path(__file__).parents[1] / "claims.yaml"
NUMBERS = CLAIMS.with_name("published.csv")
# name of a reading -> what is read in the place of what: DPALS with the printed lines and noise,
# private Frank-Wolfe with noise for the epsilon that is claimed, one step from remark 2's start
METHODS = {
    "as published": ("dpals_literal", "dpals"),
    "exact noise": ("dpfw", "dpfw_jain"),
    "start of remark 2": ("dpals_analyze_gauss", "dpals"),
}
CELLS = {
    "trials": (*DPALS_COORDINATES, "trial"),
    "iterations": (*DPALS_COORDINATES, "iteration", "trial"),
    "timing": ("method", "users", "items", "rank", "repeat"),
}
"""Columns that name a cell, then the one that numbers its trials."""


def run(folder: Path, settings: Mapping[str, object]) -> dict[str, pd.DataFrame]:
    """Return the table of verdicts; no setting is used."""
    frames = {name: read_frame(folder / f"{name}.csv") for name in TABLES}
    frames[PUBLISHED] = pd.read_csv(NUMBERS)
    return {"claims": judge_dpals(frames, load_dpals_claims())}


def load_dpals_claims(path: str | Path = CLAIMS) -> list[dict[str, str]]:
    """Load the claims of the DPALS paper, as :func:`dpmc_studies.frame.judging.claims.load_claims`
    does.
    """
    return load_claims(path, PREDICATES)


def judge_dpals(
    frames: Mapping[str, pd.DataFrame | None],
    claims: list[dict[str, str]],
) -> pd.DataFrame:
    """Judge the claims of the DPALS paper and of the read-me, and our own.

    ``frames`` holds ``trials`` and ``iterations`` with the columns of
    :mod:`dpmc_studies.studies.dpals.cells`; ``timing``, ``coverage`` and ``accounting`` with the
    columns of :mod:`dpmc_studies.studies.dpals.experiments`; and ``published``, numbers from other
    sources. A table that was not made is absent, None or empty.

    The result has the columns :data:`dpmc_studies.frame.judging.claims.CLAIM_COLUMNS` and one row
    per claim, in the given order. Unless the predicate says otherwise, an effect is the natural
    logarithm of a ratio of RMSEs; it is NaN if there is none.
    """
    evidence = evidence_of(frames)
    return table_of_verdicts(claims, PREDICATES, evidence, readings(evidence))


def readings(evidence: DpalsEvidence) -> dict[str, DpalsEvidence]:
    """Return the evidence under each reading, by its name: halves of the trials, other methods.

    Data are missing where the other methods were not run. There is no reading with raw predictions,
    because all predictions are clipped to the public range.
    """
    tables = evidence.tables
    cells = {name: CELLS[name] for name in CELLS if name in tables}
    changed = dict(on_trials(tables, cells))
    for name, methods in METHODS.items():
        changed[name] = {each: _in_place(table, *methods) for each, table in tables.items()}
    return {name: evidence_of(each) for name, each in changed.items()}


def _in_place(table: pd.DataFrame, method: str, other: str) -> pd.DataFrame:
    """Return the table with a method under the name of another one, whose rows go."""
    if "method" not in table:
        return table
    kept = table[table["method"] != other]
    return kept.assign(method=kept["method"].replace(method, other))
