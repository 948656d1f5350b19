"""What we claim ourselves of methods that protect users: F1 to F6 and F8.

Rows are places (data set, epsilon), each a difference of log RMSE, paired by trial; a method
without epsilon stands at all of them. Generated data do not count, nor do the same ratings twice.
"""

from collections.abc import Callable, Collection, Mapping

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import AGREES, DEVIATES, NOT_COMPARED, Finding
from dpmc_studies.frame.judging.rules import (
    Rows,
    always_below,
    explained,
    fact,
    inside,
    not_available,
)
from dpmc_studies.frame.showing.chapter import PUBLISHED_COLUMNS
from dpmc_studies.frame.showing.frames import keeps_claim, present, private_rows
from dpmc_studies.statistics.paired import Pair, compare, less, more, pairs
from dpmc_studies.studies.dpals.claims.evidence import (
    DpalsEvidence,
    claim,
    dataset_named,
    method_named,
    place_named,
)
from dpmc_studies.studies.dpals.claims.movielens import SMALL_LOSS
from dpmc_studies.studies.dpals.comparisons import PLACE
from dpmc_studies.studies.dpals.frames import (
    BIAS,
    DPALS,
    OWN_MEAN,
    PRIVATE,
    RANK_ONE,
    SYNTHETIC,
    format_range,
    standard,
    summary,
    synthetic_sizes,
)

ALTERNATING = ("dp_altmin", "dp_saltls")
LARGE_BUDGET = 10.0  # from that epsilon on the loss against ALS is judged
FROM_NOISE = ("dpals", "dpals_literal", "dpals_h_free", "dpals_h_free_clipped")
FROM_DATA = ("dpals_analyze_gauss",)
FAR = 1.5  # times the median of its cell: a fit that is far off
FEWEST = 3  # trials of a cell that has a median
CLOSE, SHARE = 0.15, 0.85  # a number from elsewhere is met; so many have to be
PROTOTYPE = "prototype"  # a source that is not published


def against(
    evidence: DpalsEvidence,
    first: Collection[str],
    second: Collection[str],
    where: Callable[[str], bool] = lambda dataset: True,
) -> dict[tuple, Pair]:
    """Set the best of some methods against the best of others, standard variant."""
    found = pairs(evidence.places, first, second)
    return {place: pair for place, pair in found.items() if where(place[0])}


def is_real(dataset: str) -> bool:
    """Say whether ratings of a data set are real ones."""
    return not dataset.startswith((SYNTHETIC, RANK_ONE))


def rows_of(found: Mapping[tuple, Pair], before: str = "") -> Rows:
    """Return the differences by the name of their place."""
    return {
        f"{before}{place_named(dataset, epsilon)}": pair.differences
        for (dataset, epsilon), pair in found.items()
    }


def ratios(found: Mapping[tuple, Pair]) -> str:
    """Format the smallest and the largest ratio of errors by data set."""
    table = compare(found, PLACE)
    parts = [
        f"{dataset_named(name)} {format_range(np.exp(part['difference']))}"
        for name, part in table.groupby("dataset", sort=False)
    ]
    return "; ".join(parts)


@claim("F1")
def dpals_is_the_best_private_method(evidence: DpalsEvidence) -> Finding:
    """ALL places: DPALS against the best of the other private methods."""
    found = against(evidence, [DPALS], [name for name in PRIVATE if name != DPALS])
    if not found:
        return not_available("DPALS and another private method")
    table = compare(found, PLACE)
    best = table["second"].where(table["difference"] > 0, DPALS)
    parts = []
    for dataset, names in best.groupby(table["dataset"], sort=False):
        counts = names.value_counts()
        texts = [f"{method_named(name)} at {count}" for name, count in counts.items()]
        parts.append(f"{dataset_named(dataset)}: {', '.join(texts)} of {len(names)} ε")
    text = f"Least error, on {'; '.join(parts)}.{_gain(evidence, table)}"
    return explained(always_below(rows_of(found)), text)


def _gain(evidence: DpalsEvidence, table: pd.DataFrame) -> str:
    """Say how far the best method is below DPALS with most synthetic users."""
    sizes = synthetic_sizes(evidence.tables.get("trials"))
    here = table[table["dataset"] == next(reversed(sizes), "")].sort_values("epsilon")
    if here.empty:
        return ""
    shown = [
        f"{np.exp(row['difference']):.3g} times at ε = {row['epsilon']:g}"
        for _, row in here.iloc[[0, -1]].iterrows()
    ]
    name = dataset_named(here["dataset"].iloc[0])
    return f" {name}, DPALS over the best other: {', '.join(dict.fromkeys(shown))}."


@claim("F2")
def methods_keep_their_claim(evidence: DpalsEvidence) -> Finding:
    """FACT: what is proven of every private method is what its rows claim."""
    rows = private_rows(evidence.tables.get("trials"))
    if rows is None:
        return not_available("private methods")
    kept = keeps_claim(rows)
    broken = rows[~kept]
    excess = (broken["actual_epsilon"] / broken["claimed_epsilon"]).groupby(broken["method"])
    parts = [
        f"{method_named(name)} {format_range(excess.get_group(name), 4)} times"
        for name in present(broken["method"], PRIVATE)
    ]
    good = set(rows["method"]) - set(broken["method"])
    text = f"{len(good)} methods keep it, as all that looks at ratings is counted"
    text += f"; the real ε over the claimed one is: {'; '.join(parts)}." if parts else "."
    return fact(kept.all(), text)


@claim("F3")
def random_starts_lead_to_the_same_error(evidence: DpalsEvidence) -> Finding:
    """FACT: on synthetic data no fit from a random start is far above the median of its cell."""
    found = _over_median(evidence, FROM_NOISE)
    if found.empty:
        return not_available("three trials of a random start")
    far = int((found > FAR).sum())
    text = (
        f"{far} of {len(found)} fits from a random start have more than {FAR:g} times the median "
        f"error of their cell (at most {found.max():.3g} times)"
    )
    others = _over_median(evidence, FROM_DATA)
    if len(others):
        text += f"; from a private spectral start {(others > FAR).sum()} of {len(others)}"
    if far:
        text += (
            ". A start that is nearly orthogonal to one direction of the matrix loses it for an "
            "iteration or two, and there are no more than three: so means over trials have a long "
            "upper tail, and medians tell more"
        )
    return fact(far == 0, f"{text}.", effect=float(found.max()), margin=FAR)


def _over_median(evidence: DpalsEvidence, methods: Collection[str]) -> pd.Series:
    """Return the error of each fit on synthetic data over the median of its cell."""
    rows = standard(evidence.tables.get("trials"))
    if rows.empty:
        return pd.Series(dtype=float)
    rows = rows[rows["dataset"].str.startswith(SYNTHETIC) & rows["method"].isin(methods)]
    cells = rows.groupby(["dataset", "method", "epsilon"])["rmse"]
    return (rows["rmse"] / cells.transform("median"))[cells.transform("size") >= FEWEST]


@claim("F4")
def dpals_comes_near_als_on_real_ratings(evidence: DpalsEvidence) -> Finding:
    """WITHIN: its error is at most 10 % above that of ALS without privacy from epsilon 10 on."""
    found = against(evidence, [DPALS], ["als"], is_real)
    found = {place: pair for place, pair in found.items() if place[1] >= LARGE_BUDGET}
    if not found:
        return not_available("DPALS and ALS on real ratings")
    text = (
        f"Error over that of ALS without privacy: {ratios(found)}. (Synthetic matrices have no "
        "noise of their own, so ALS nearly recovers them.)"
    )
    return explained(inside(rows_of(found), high=SMALL_LOSS), text)


@claim("F5")
def dpals_beats_biases_on_real_ratings(evidence: DpalsEvidence) -> Finding:
    """ALL places of real ratings: DPALS against a private user and item bias."""
    found = against(evidence, [DPALS], [BIAS], is_real)
    if not found:
        return not_available("DPALS and private biases on real ratings")
    text = f"Error of DPALS over that of the private biases at the same ε: {ratios(found)}."
    own = against(evidence, [DPALS], [OWN_MEAN], is_real)
    if own:
        text += f" Over that of the user’s own mean, which is free: {ratios(own)}."
    return explained(always_below(rows_of(found)), text)


@claim("F6")
def alternating_methods_beat_dpals(evidence: DpalsEvidence) -> Finding:
    """ALL places: DP-AltMin and DP-SAltLS, each against DPALS."""
    found = {name: against(evidence, [name], [DPALS]) for name in ALTERNATING}
    rows: Rows = {}
    parts = []
    for name, here in found.items():
        if here:
            rows |= rows_of(here, f"{method_named(name)}, ")
            table = compare(here, PLACE)
            parts.append(
                f"{method_named(name)} {format_range(np.exp(table['difference']))}, less at "
                f"{less(table).sum()} and more at {more(table).sum()} of {len(table)}"
            )
    if not rows:
        return not_available("DP-AltMin or DP-SAltLS beside DPALS")
    text = (
        f"Error over that of DPALS, all data and ε: {'; '.join(parts)}. Both are done so that they "
        "are private, which the published code is not."
    )
    return explained(always_below(rows), text)


@claim("F8")
def numbers_from_elsewhere_are_met(evidence: DpalsEvidence) -> Finding:
    """FACT: at least 85 % of the published numbers; those of a prototype are none."""
    published = evidence.tables.get("published", pd.DataFrame(columns=["source", "metric"]))
    rows = beside_ours(evidence.tables.get("trials"), published)
    done = rows[rows["mean"].notna()]
    if done.empty:
        return not_available(f"none of {len(rows)} published numbers has been run")
    close = int((done["status"] == AGREES).sum())
    parts = [
        f"{metric.upper()} {format_range(here['mean'] / here['published'])}"
        for metric, here in done.groupby("metric", sort=False)
    ]
    text = (
        f"{close} of {len(done)} within {100 * CLOSE:g} %; ours over theirs: {'; '.join(parts)}. "
        f"{len(rows) - len(done)} of {len(rows)} have not been run."
    )
    return fact(close >= SHARE * len(done), text, effect=close / len(done), margin=SHARE)


def beside_ours(trials: pd.DataFrame | None, published: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers beside our means, see :class:`Chapter`."""
    keys = ["dataset", "method", "variant", "epsilon"]
    rows = published[published["source"] != PROTOTYPE]
    rows = rows.rename(columns={"value": "published", "note": "place"})
    if trials is not None:
        metrics = [name for name in rows["metric"].unique() if name in trials]
        ours = [summary(trials, name).assign(metric=name) for name in metrics]
        rows = rows.merge(pd.concat(ours), on=[*keys, "metric"], how="left") if ours else rows
    rows = rows.reindex(columns=list(dict.fromkeys([*keys, *PUBLISHED_COLUMNS])))
    away = (rows["mean"] / rows["published"] - 1).abs()
    judged = np.where(away <= CLOSE, AGREES, DEVIATES)
    return rows.assign(status=np.where(away.notna(), judged, NOT_COMPARED))
