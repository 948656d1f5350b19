"""Claims of the read-me of DP_Matrix_Completion_Alt_Min: A3, A5 and A6."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import INCONCLUSIVE, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    named,
    not_available,
)
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.dpals.claims.evidence import (
    CURVE,
    DpalsEvidence,
    claim,
    method_named,
    place_named,
)

PRIVATE, PUBLISHED, FRANK_WOLFE = "dp_altmin", "altmin_published", "dpfw"
SMOOTHED = "saltls_published"
BY_ITERATION = "change of the RSE from one iteration to the next"
UNDEFINED = (
    "cannot be run as printed, as MedianLS and SmoothQR of one column are not defined (erratum "
    "E51); with ours in their place"
)


@claim("A3")
def altmin_falls_faster(evidence: DpalsEvidence) -> Finding:
    """ALL: log RSE by iteration falls more steeply than that of Frank-Wolfe, private and not."""
    table = evidence.tables.get("iterations")
    if table is None:
        return not_available("iterations")
    private = slopes_apart(table, PRIVATE, FRANK_WOLFE)
    public = slopes_apart(table, PUBLISHED, "frank_wolfe")
    if not private or not public:
        return not_available("iterations of AltMin and Frank-Wolfe with and without privacy")
    return named(BY_ITERATION, always_below(private | public))


@claim("A5")
def published_rounds_reduce_the_error(evidence: DpalsEvidence) -> Finding:
    """ALL: the RSE of AltMin as published falls over its rounds."""
    return _falls(evidence, PUBLISHED)


@claim("A6")
def published_smoothed_rounds_reduce_the_error(evidence: DpalsEvidence) -> Finding:
    """Open: two procedures of the read-me are not there; what ours in their place give."""
    found = _falls(evidence, SMOOTHED)
    return Finding(INCONCLUSIVE, n=found.n, reason=f"{UNDEFINED}: {found.reason}")


def slopes_apart(table: pd.DataFrame, first: str, second: str) -> Rows:
    """Return the slope of log RSE by iteration of one method less that of another.

    The table has the columns :data:`dpmc_studies.studies.dpals.cells.ITERATION_COLUMNS`; the result
    maps data set, variant and epsilon that both methods have to an array of shape (trials,).
    """
    ours, theirs = slopes_by_iteration(table, first), slopes_by_iteration(table, second)
    return {
        place: (ours[place] - theirs[place]).dropna().to_numpy()
        for place in ours
        if place in theirs
    }


def slopes_by_iteration(table: pd.DataFrame, method: str) -> dict[str, pd.Series]:
    """Return the slopes of lines fitted to log RSE by iteration, by curve and trial."""
    found = {}
    for (dataset, variant, epsilon), rows in table[table["method"] == method].groupby(
        CURVE, dropna=False
    ):
        curve = rows.pivot(index="iteration", columns="trial", values="rse").sort_index().dropna()
        if len(curve) > 1:
            fits = np.polyfit(curve.index.to_numpy(float), log_positive(curve.to_numpy()), 1)
            found[place_named(dataset, epsilon, variant)] = pd.Series(fits[0], index=curve.columns)
    return found


def _falls(evidence: DpalsEvidence, method: str) -> Finding:
    """Judge that log RSE by iteration falls, on every data set on which it was followed."""
    table = evidence.tables.get("iterations")
    curves = {} if table is None else slopes_by_iteration(table, method)
    if not curves:
        return not_available(f"iterations of {method_named(method)}")
    rows = {place: each.to_numpy() for place, each in curves.items()}
    return named(BY_ITERATION, always_below(rows))
