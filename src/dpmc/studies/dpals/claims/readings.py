"""Other readings of the same evidence: what a verdict of the DPALS study might depend on.

The predicates stay as they are, with margins and levels; only the tables that they read change.
Predictions are clipped to the public range everywhere, so there is no reading of raw ones.
"""

from collections.abc import Callable, Mapping

import numpy as np
import pandas as pd

from dpmc.statistics.tests import log_positive
from dpmc.studies.dpals.cells import DPALS_COORDINATES
from dpmc.studies.dpals.claims.evidence import (
    AS_PUBLISHED,
    EXACT,
    DpalsEvidence,
    evidence_from,
)

ERRORS = ("rmse", "rse", "recall")
PUBLISHED = {AS_PUBLISHED.dpals: EXACT.dpals, AS_PUBLISHED.dpfw: EXACT.dpfw}
Change = Callable[[pd.DataFrame], pd.DataFrame]


def readings(evidence: DpalsEvidence) -> dict[str, DpalsEvidence]:
    """Return the evidence under each reading, by its name.

    Parameters
    ----------
    evidence : DpalsEvidence

    Returns
    -------
    dict
        "median over trials": errors of each cell (and iteration) are multiplied by a number such
        that the mean of their logarithms is the median of these; spreads stay. "even trials", "odd
        trials": of trials, iterations and repeats of the timing. "as published": DPALS and DPFW are
        the methods with the published noise; where these were not run, data are missing.
    """
    return {name: _changed(evidence, change) for name, change in CHANGES.items()}


def at_the_median(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table whose errors have the median as mean, in logarithms, cell by cell."""
    keys = [name for name in (*DPALS_COORDINATES, "iteration") if name in table]
    shifted = {}
    for name in ERRORS:
        if name in table:
            logs = pd.Series(log_positive(table[name].to_numpy(float)), index=table.index)
            by_cell = logs.groupby([table[key] for key in keys], dropna=False)
            shift = by_cell.transform("median") - by_cell.transform("mean")
            shifted[name] = table[name] * np.exp(shift)
    return table.assign(**shifted)


def of_parity(table: pd.DataFrame, odd: bool) -> pd.DataFrame:
    """Return the rows of even or of odd trials, or repeats."""
    number = "trial" if "trial" in table else "repeat"
    return table[table[number] % 2 == int(odd)] if number in table else table


def as_published(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table with the methods as published under the names of those that are judged."""
    if "method" not in table:
        return table
    kept = table[~table["method"].isin(PUBLISHED.values())]
    return kept.assign(method=kept["method"].replace(PUBLISHED))


CHANGES: Mapping[str, Change] = {
    "median over trials": at_the_median,
    "even trials": lambda table: of_parity(table, odd=False),
    "odd trials": lambda table: of_parity(table, odd=True),
    "as published": as_published,
}


def _changed(evidence: DpalsEvidence, change: Change) -> DpalsEvidence:
    tables = {name: change(table) for name, table in evidence.tables.items()}
    return evidence_from(tables, evidence.surrogate)
