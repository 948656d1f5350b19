"""Claims of the read-me of DP_Matrix_Completion_Alt_Min: A1 to A6."""

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import INCONCLUSIVE, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    formatted_means,
    named,
    not_available,
    percent,
)
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.dpals.claims.evidence import (
    CURVE,
    DpalsEvidence,
    at,
    claim,
    dataset_named,
    method_named,
    place_named,
)
from dpmc_studies.studies.dpals.claims.movielens import TOP
from dpmc_studies.studies.dpals.claims.synthetic import SIZES

PRIVATE, PUBLISHED, FRANK_WOLFE = "dp_altmin", "altmin_published", "dpfw"
SMOOTHED = "saltls_published"
# kinds of data that the read-me lists; "jester" has the same people as "jester-5k"
LISTED = ("rank-one-20k", "jester-5k")
EPSILONS = (1.0, 5.0, 20.0)
LARGEST = EPSILONS[-1]
BY_ITERATION = "change of the RSE from one iteration to the next"
UNDEFINED = (
    "cannot be run as printed, as MedianLS and SmoothQR of one column are not defined (erratum "
    "E51); with ours in their place"
)


@claim("A1")
def altmin_beats_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """ALL: RMSE of DP-AltMin below that of DPFW, rank one and Jester 5k."""
    return _against_frank_wolfe(evidence, LISTED)


@claim("A2")
def altmin_beats_frank_wolfe_on_top_movies(evidence: DpalsEvidence) -> Finding:
    """ALL: RMSE of DP-AltMin below that of DPFW, top 400 movies of MovieLens 10M."""
    return _against_frank_wolfe(evidence, (TOP,))


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


@claim("A4")
def altmin_improves_with_users(evidence: DpalsEvidence) -> Finding:
    """ALL: RMSE of DP-AltMin at each number of users below that at the one before."""
    errors = evidence.results
    return always_below(
        {
            place_named(more, epsilon): errors.log_rmse(more, PRIVATE, epsilon)
            - errors.log_rmse(fewer, PRIVATE, epsilon)
            for epsilon, (fewer, more) in product(EPSILONS, pairwise(SIZES))
        }
    )


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


def _against_frank_wolfe(evidence: DpalsEvidence, datasets: tuple[str, ...]) -> Finding:
    """Judge DP-AltMin, and name what AltMin as published gives without noise."""
    errors = evidence.results
    apart = {
        (dataset, epsilon): errors.log_rmse(dataset, PRIVATE, epsilon)
        - errors.log_rmse(dataset, FRANK_WOLFE, epsilon)
        for dataset, epsilon in product(datasets, EPSILONS)
    }
    found = always_below({place_named(*place): row for place, row in apart.items()})
    by_data = {
        dataset_named(dataset): np.mean([apart[dataset, epsilon] for epsilon in EPSILONS], axis=0)
        for dataset in datasets
    }
    published = {
        dataset_named(dataset): errors.log_rmse(dataset, PUBLISHED)
        - errors.log_rmse(dataset, FRANK_WOLFE, LARGEST)
        for dataset in datasets
    }
    return replace(
        found,
        reason=f"our private form against {method_named(FRANK_WOLFE)}: {found.reason}. By data: "
        f"{formatted_means(by_data, percent)}. As published, but without noise, against DPFW at "
        f"{at(LARGEST)}: {formatted_means(published, percent)}",
    )
