"""Other readings of the same evidence: what a verdict of the DPALS study might depend on.

The predicates stay as they are, with margins and levels; only the tables that they read change.
Predictions are clipped to the public range everywhere, so there is no reading of raw ones.
"""

import pandas as pd

from dpmc.frame.judging.readings import on_trials
from dpmc.studies.dpals.cells import DPALS_COORDINATES
from dpmc.studies.dpals.claims.evidence import (
    AS_PUBLISHED,
    EXACT,
    DpalsEvidence,
    evidence_from,
)

PUBLISHED = {AS_PUBLISHED.dpals: EXACT.dpals, AS_PUBLISHED.dpfw: EXACT.dpfw}
CELLS = {
    "trials": (*DPALS_COORDINATES, "trial"),
    "iterations": (*DPALS_COORDINATES, "iteration", "trial"),
    "timing": ("method", "users", "items", "rank", "repeat"),
}
"""Columns that name a cell, then the one that numbers its trials."""


def readings(evidence: DpalsEvidence) -> dict[str, DpalsEvidence]:
    """Return the evidence under each reading, by its name.

    Those of :func:`dpmc.frame.judging.readings.on_trials`, and "as published": DPALS and DPFW are
    the methods with the published noise; where these were not run, data are missing.
    """
    tables = evidence.tables
    cells = {name: CELLS[name] for name in CELLS if name in tables}
    changed = dict(on_trials(tables, cells))
    changed["as published"] = {name: as_published(table) for name, table in tables.items()}
    return {name: evidence_from(each, evidence.surrogate) for name, each in changed.items()}


def as_published(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the methods as published under the names of those that are judged."""
    if "method" not in table:
        return table
    kept = table[~table["method"].isin(PUBLISHED.values())]
    return kept.assign(method=kept["method"].replace(PUBLISHED))
