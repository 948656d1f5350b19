"""Other readings of the same evidence: what a verdict of the DPALS study might depend on.

The predicates stay as they are, with margins and levels; only the tables that they read change.
Predictions are clipped to the public range everywhere, so there is no reading of raw ones.
"""

from collections.abc import Mapping

import pandas as pd

from dpmc_studies.frame.judging.readings import on_trials
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES
from dpmc_studies.studies.dpals.claims.evidence import (
    AS_PUBLISHED,
    COMPARED,
    EXACT,
    PRIVATE_START,
    DpalsEvidence,
    evidence_of,
)

# name of a reading -> what is read in the place of what
METHODS = {
    "as published": {AS_PUBLISHED.dpals: COMPARED.dpals},
    "exact noise": {EXACT.dpfw: COMPARED.dpfw},
    "start of remark 2": {PRIVATE_START: COMPARED.dpals},
}
CELLS = {
    "trials": (*DPALS_COORDINATES, "trial"),
    "iterations": (*DPALS_COORDINATES, "iteration", "trial"),
    "timing": ("method", "users", "items", "rank", "repeat"),
}
"""Columns that name a cell, then the one that numbers its trials."""


def readings(evidence: DpalsEvidence) -> dict[str, DpalsEvidence]:
    """Return the evidence under each reading, by its name.

    Those of :func:`dpmc_studies.frame.judging.readings.on_trials`; "as published": DPALS is that
    with the printed lines and noise; "exact noise": DPFW is that whose noise is accounted for
    exactly; and "start of remark 2": DPALS is one step from a private spectral start. Where these
    were not run, data are missing.
    """
    tables = evidence.tables
    cells = {name: CELLS[name] for name in CELLS if name in tables}
    changed = dict(on_trials(tables, cells))
    for name, methods in METHODS.items():
        changed[name] = {each: _in_place(table, methods) for each, table in tables.items()}
    return {name: evidence_of(each) for name, each in changed.items()}


def _in_place(table: pd.DataFrame, methods: Mapping[str, str]) -> pd.DataFrame:
    """Return the table with methods under the names of others, whose rows go."""
    if "method" not in table:
        return table
    kept = table[~table["method"].isin(methods.values())]
    return kept.assign(method=kept["method"].replace(dict(methods)))
