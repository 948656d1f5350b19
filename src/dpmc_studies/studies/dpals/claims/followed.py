"""Claims about errors after each iteration, and about time: D5, D21, D37, D40, A3, A5 and A6."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import INCONCLUSIVE, OURS, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    all_of,
    always_below,
    explained,
    fact,
    named,
    not_available,
    times,
)
from dpmc_studies.frame.showing.frames import select
from dpmc_studies.statistics.tests import log_positive
from dpmc_studies.studies.dpals.claims.evidence import (
    SIZES,
    DpalsEvidence,
    claim,
    method_named,
    place_named,
)
from dpmc_studies.studies.dpals.theory import growth, slope_of

PUBLISHED, SMOOTHED = "altmin_published", "saltls_published"
AS_GOOD = 1.05
FAR_FEWER = np.log(1 / 3)
LINEAR = 1.1  # the largest slope that counts as linear
AS_ALS = 0.1  # by how much more a slope may be than that of ALS
COMPARABLE = np.log(10)  # log ratio of seconds
LONG = "long"  # the variant that is followed by iteration
QUARTER, FLOOR = np.log(1 / 4), 10.0  # what lemma 4 leaves of an error; times the least one
BY_ITERATION = "change of the RSE from one iteration to the next"
UNDEFINED = (
    "cannot be run as printed, as MedianLS and SmoothQR of one column are not defined (erratum "
    "E51); with ours in their place"
)
Curves = dict[str, pd.DataFrame]  # place -> errors, a row an iteration, a column a trial


def curves_of(evidence: DpalsEvidence, method: str, metric: str = "rse", **where: object) -> Curves:
    """Return the errors of a method by place, of trials that have them after each iteration."""
    table = evidence.tables.get("iterations")
    if table is None:
        return {}
    table, found = select(table, method=method, **where), {}
    place = ["dataset", "epsilon", "variant"]
    for key, rows in table.groupby(place, dropna=False):
        wide = rows.pivot(index="iteration", columns="trial", values=metric).sort_index()
        if len(wide) > 1:
            found[place_named(*key)] = wide.dropna(axis="columns")
    return found


@claim("D5")
def far_fewer_iterations(evidence: DpalsEvidence) -> Finding:
    """ALL: DPALS is as good as DPFW ever is in less than a third of its iterations; so is ALS."""
    rows, medians = {}, []
    for ours, theirs in (("dpals", "dpfw"), ("als", "frank_wolfe")):
        counts = iterations_needed(evidence, ours, theirs)
        if not counts:
            return not_available("iterations with and without privacy")
        rows |= {place: np.subtract(*np.log(each)) for place, each in counts.items()}
        parts = [f"{np.median(a):g} and {np.median(b):g} ({at})" for at, (a, b) in counts.items()]
        medians.append(f"{method_named(ours)} and {method_named(theirs)} {', '.join(parts)}")
    return explained(always_below(rows, FAR_FEWER), f"Median iterations: {'; '.join(medians)}")


def iterations_needed(
    evidence: DpalsEvidence, alternating: str, frank_wolfe: str
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return by place and trial the iterations that both need to match Frank-Wolfe's best.

    A method matches it when its RMSE is within 5 % of the lowest RMSE of Frank-Wolfe in the same
    trial. If alternating minimisation never does, it counts as one iteration more than it ran.
    """
    ours, theirs = (curves_of(evidence, name, "rmse") for name in (alternating, frank_wolfe))
    needed = {}
    for place in (place for place in theirs if place in ours):
        trials = theirs[place].columns.intersection(ours[place].columns)
        enough = AS_GOOD * theirs[place][trials].min()
        curves = (ours[place][trials], theirs[place][trials])
        needed[place] = tuple(_first_below(curve, enough) for curve in curves)
    return needed


def _first_below(curve: pd.DataFrame, enough: pd.Series) -> np.ndarray:
    """Return by trial the first iteration, at least 1, whose RMSE is small enough."""
    reached = curve.le(enough)
    first = reached.idxmax().where(reached.any(), curve.index.max() + 1)
    return np.maximum(first.to_numpy(dtype=float), 1.0)


@claim("D21")
def cost_per_step_as_als(evidence: DpalsEvidence) -> Finding:
    """CPU time of DPALS grows at most as ratings^1.1, and by at most .1 more than that of ALS."""
    ratios, repeats = _seconds_over(evidence, "dpals", "als")
    if len(ratios) < 2:
        return not_available("timing of DPALS and ALS at two sizes")
    slope, slope_als = growth(evidence.tables["timing"]).loc[["dpals", "als"]]
    text = (
        f"time grows as the ratings to the power {slope:.3f} (ALS {slope_als:.3f}); DPALS takes "
        f"{ratios.min():.2f} to {ratios.max():.2f} times as long as ALS, {ratios[-1]:.2f} times at "
        "the largest size"
    )
    holds = slope <= LINEAR and slope - slope_als <= AS_ALS
    return fact(holds, text, effect=slope, n=repeats, margin=LINEAR, margin_of=OURS)


@claim("D40")
def cost_per_step_as_frank_wolfe(evidence: DpalsEvidence) -> Finding:
    """CPU seconds of a step of DPFW are within a factor of ten of those of DPALS at every size."""
    ratios, repeats = _seconds_over(evidence, "dpfw", "dpals")
    if not len(ratios):
        return not_available("timing of DPALS and DPFW")
    logs = np.log(ratios)
    farthest = float(logs[np.abs(logs).argmax()])
    text = (
        f"a step of DPFW takes {ratios.min():.2f} to {ratios.max():.2f} times as long as one of "
        "DPALS"
    )
    holds = abs(farthest) <= COMPARABLE
    return fact(holds, text, effect=farthest, n=repeats, margin=COMPARABLE, margin_of=OURS)


def _seconds_over(evidence: DpalsEvidence, one: str, other: str) -> tuple[np.ndarray, int]:
    """Return the ratio of median seconds at each size that both have, and the fewest repeats."""
    table = evidence.tables.get("timing")
    if table is None:
        return np.empty(0), 0
    sizes = {"index": "users", "columns": "method", "values": "seconds"}
    medians = table.pivot_table(**sizes, aggfunc="median").reindex(columns=[one, other]).dropna()
    repeats = int(table.groupby(["users", "method"]).size().min())
    return (medians[one] / medians[other]).to_numpy(), repeats


@claim("D37")
def errors_contract(evidence: DpalsEvidence) -> Finding:
    """ALL: once the error is small, a step of ALS leaves less than a quarter of it."""
    public, private = (_slowest_steps(evidence, method) for method in ("als", "dpals"))
    if not public:
        return not_available("iterations of ALS")
    if not np.isfinite(np.concatenate(list(public.values()))).any():
        return Finding(INCONCLUSIVE, reason="no step of ALS began at an error that small")
    runs = np.concatenate([*private.values(), np.empty(0)])
    text = (
        f"With noise {np.isfinite(runs).sum()} of {runs.size} runs came to an error that small "
        "before they came to their floor"
    )
    return explained(always_below(public, QUARTER, formatter=times), text)


def _slowest_steps(evidence: DpalsEvidence, method: str) -> Rows:
    """Return :func:`slowest_step` of a method on drawn matrices, by data set and epsilon."""
    return {
        place: slowest_step(curve.to_numpy(), 1 / np.log(users) ** 2)
        for dataset, users in SIZES.items()
        for place, curve in curves_of(evidence, method, dataset=dataset, variant=LONG).items()
    }


def slowest_step(curve: np.ndarray, small: float) -> np.ndarray:
    """Return by trial the largest log ratio of errors of successive steps, NaN if none counts.

    A step counts if the error before it is at most ``small`` and at least ten times the lowest
    error of the trial; below that, penalty and rounding dominate. ``curve`` has shape (steps,
    trials).
    """
    before, after = log_positive(curve[:-1]), log_positive(curve[1:])
    floor = log_positive(curve.min(axis=0)) + np.log(FLOOR)
    counts = (before <= np.log(small)) & (before >= floor)
    largest = np.where(counts, after - before, -np.inf).max(axis=0, initial=-np.inf)
    return np.where(counts.any(axis=0), largest, np.nan)


@claim("A3")
def altmin_falls_faster(evidence: DpalsEvidence) -> Finding:
    """ALL: log RSE by iteration falls more steeply than that of Frank-Wolfe, private and not."""
    parts = []
    for name, pair in (
        ("with privacy", ("dp_altmin", "dpfw")),
        ("without", (PUBLISHED, "frank_wolfe")),
    ):
        ours, theirs = (slopes_by_iteration(evidence, method) for method in pair)
        both = [place for place in ours if place in theirs]
        if not both:
            return not_available("iterations of AltMin and Frank-Wolfe with and without privacy")
        rows = {place: (ours[place] - theirs[place]).dropna().to_numpy() for place in both}
        parts.append(named(name, always_below(rows)))
    # the effect is that of the first: the one with the smaller lead
    return named(BY_ITERATION, all_of(sorted(parts, key=lambda part: -part.effect)))


@claim("A5")
def published_rounds_reduce_the_error(evidence: DpalsEvidence) -> Finding:
    """ALL: the RSE of AltMin as published falls over its rounds."""
    return _falls(evidence, PUBLISHED)


@claim("A6")
def published_smoothed_rounds_reduce_the_error(evidence: DpalsEvidence) -> Finding:
    """Open: two procedures of the read-me are not there; what ours in their place give."""
    found = _falls(evidence, SMOOTHED)
    return Finding(INCONCLUSIVE, n=found.n, reason=f"{UNDEFINED}: {found.reason}")


def slopes_by_iteration(evidence: DpalsEvidence, method: str) -> dict[str, pd.Series]:
    """Return the slopes of lines fitted to log RSE by iteration, by place and trial."""
    return {
        place: pd.Series(
            slope_of(log_positive(curve.to_numpy()), curve.index.to_numpy(float)), curve.columns
        )
        for place, curve in curves_of(evidence, method).items()
    }


def _falls(evidence: DpalsEvidence, method: str) -> Finding:
    """Judge that log RSE by iteration falls, on every data set on which it was followed."""
    slopes = slopes_by_iteration(evidence, method)
    if not slopes:
        return not_available(f"iterations of {method_named(method)}")
    rows = {place: each.to_numpy() for place, each in slopes.items()}
    return named(BY_ITERATION, always_below(rows))
