"""Claims about iterations and about time: D5 and D21."""

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import OURS, Finding
from dpmc_studies.frame.judging.rules import Rows, always_below, explained, not_available
from dpmc_studies.frame.judging.verdicts import verdict_of
from dpmc_studies.studies.dpals.claims.evidence import (
    AS_PUBLISHED,
    CURVE,
    DpalsEvidence,
    Form,
    claim,
    compared,
    method_named,
    place_named,
)

AS_GOOD = 1.05
FAR_FEWER = np.log(1 / 3)
LINEAR = 1.1  # the largest slope that counts as linear
AS_ALS = 0.1  # by how much more a slope may be than that of ALS


@claim("D5")
def far_fewer_iterations(evidence: DpalsEvidence) -> Finding:
    """ALL: DPALS is as good as DPFW ever is in less than a third of its iterations; so is ALS."""
    table = evidence.tables.get("iterations")
    if table is None:
        return not_available("iterations")

    def judge(form: Form) -> Finding:
        private = iterations_saved(table, form.dpals, form.dpfw)
        public = iterations_saved(table, "als", "frank_wolfe")
        if not private or not public:
            return not_available("iterations with and without privacy")
        pairs = (form.dpals, form.dpfw), (AS_PUBLISHED.dpals, form.dpfw), ("als", "frank_wolfe")
        medians = "; ".join(_medians(table, *pair) for pair in pairs)
        return explained(always_below(private | public, FAR_FEWER), f"Median iterations: {medians}")

    return compared(judge)


def _medians(table: pd.DataFrame, alternating: str, frank_wolfe: str) -> str:
    counts = iterations_needed(table, alternating, frank_wolfe).items()
    parts = [f"{np.median(a):g} and {np.median(b):g} ({place})" for place, (a, b) in counts]
    names = f"{method_named(alternating)} and {method_named(frank_wolfe)}"
    return f"{names} {', '.join(parts) or 'not run'}"


def iterations_saved(table: pd.DataFrame, alternating: str, frank_wolfe: str) -> Rows:
    """Return log ratios of :func:`iterations_needed`."""
    counts = iterations_needed(table, alternating, frank_wolfe)
    return {place: np.subtract(*map(np.log, both)) for place, both in counts.items()}


def iterations_needed(
    table: pd.DataFrame, alternating: str, frank_wolfe: str
) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the iterations of one method and of Frank-Wolfe to be as good as the latter ever is.

    As good: within 5 % of the least RMSE of Frank-Wolfe in the same trial. Where alternating
    minimisation never is, one iteration more than it ran counts.

    The table has the columns :data:`dpmc_studies.studies.dpals.cells.ITERATION_COLUMNS`; the result
    maps data set, variant and epsilon that both methods have to two arrays of shape (trials,).
    """
    curves = {alternating: {}, frank_wolfe: {}}
    chosen = table[table["method"].isin(list(curves))]
    for (method, dataset, variant, epsilon), rows in chosen.groupby(
        ["method", *CURVE], dropna=False
    ):
        place = place_named(dataset, epsilon, variant)
        curve = rows.pivot(index="iteration", columns="trial", values="rmse")
        curves[method][place] = curve.sort_index()
    needed = {}
    for place, theirs in curves[frank_wolfe].items():
        ours = curves[alternating].get(place)
        if ours is None:
            continue
        trials = theirs.columns.intersection(ours.columns)
        enough = AS_GOOD * theirs[trials].min()
        needed[place] = tuple(_first_below(curve[trials], enough) for curve in (ours, theirs))
    return needed


def _first_below(curve: pd.DataFrame, enough: pd.Series) -> np.ndarray:
    """Return by trial the first iteration, at least 1, whose RMSE is small enough."""
    reached = curve.le(enough)
    first = reached.idxmax().where(reached.any(), curve.index.max() + 1)
    return np.maximum(first.to_numpy(dtype=float), 1.0)


@claim("D21")
def cost_per_step_as_als(evidence: DpalsEvidence) -> Finding:
    """CPU time of DPALS grows at most as ratings^1.1, and by at most .1 more than that of ALS."""
    table = evidence.tables.get("timing")
    if table is None:
        return not_available("timing")
    medians = table.groupby(["users", "method"])[["ratings", "seconds"]].median().unstack()
    if not {"dpals", "als"} <= set(medians["seconds"]):
        return not_available("timing of DPALS and ALS")
    medians = medians.loc[medians["seconds"][["dpals", "als"]].notna().all(axis=1)]
    if len(medians) < 2:
        return not_available("timing at two sizes")
    slope, slope_als = (
        float(np.polyfit(*(np.log(medians[side, name]) for side in ("ratings", "seconds")), 1)[0])
        for name in ("dpals", "als")
    )
    ratios = (medians["seconds", "dpals"] / medians["seconds", "als"]).to_numpy()
    return Finding(
        verdict_of(slope <= LINEAR and slope - slope_als <= AS_ALS),
        effect=slope,
        n=int(table.groupby(["users", "method"]).size().min()),
        reason=f"time grows as the ratings to the power {slope:.3f} (ALS {slope_als:.3f}); DPALS "
        f"takes {ratios.min():.2f} to {ratios.max():.2f} times as long as ALS, {ratios[-1]:.2f} "
        f"times at the largest size",
        margin=LINEAR,
        margin_of=OURS,
    )
