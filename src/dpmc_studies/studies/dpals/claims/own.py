"""What we claim ourselves of methods that protect users, but for comparisons: F2, F3 and F8."""

from collections.abc import Collection
from functools import partial

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.finding import AGREES, DEVIATES, NOT_COMPARED, Finding
from dpmc_studies.frame.judging.rules import fact, not_available
from dpmc_studies.frame.showing.chapter import PUBLISHED_COLUMNS
from dpmc_studies.frame.showing.frames import keeps_claim, present, private_rows, span
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES
from dpmc_studies.studies.dpals.claims.evidence import DpalsEvidence, claim, method_named
from dpmc_studies.studies.dpals.frames import PRIVATE, SYNTHETIC, number, summary

FROM_NOISE = ("dpals", "dpals_literal", "dpals_h_free", "dpals_h_free_clipped")
FROM_DATA = ("dpals_analyze_gauss",)
FAR = 1.5  # times the median of its cell: a fit that is far off
FEWEST = 3  # trials of a cell that has a median
CLOSE, SHARE = 0.15, 0.85  # a number from elsewhere is met; so many have to be


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
        f"{method_named(name)} {span(excess.get_group(name), partial(number, digits=4))} times"
        for name in present(broken["method"], PRIVATE)
    ]
    good = set(rows["method"]) - set(broken["method"])
    text = f"{len(good)} methods keep it, as all that looks at ratings is counted"
    text += f"; the real ε over the claimed one is: {'; '.join(parts)}." if parts else "."
    return fact(kept.all(), text)


@claim("F3")
@claim("D39")
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
    rows = evidence.trials
    if rows.empty:
        return pd.Series(dtype=float)
    rows = rows[rows["dataset"].str.startswith(SYNTHETIC) & rows["method"].isin(methods)]
    cells = rows.groupby(["dataset", "method", "epsilon"])["rmse"]
    return (rows["rmse"] / cells.transform("median"))[cells.transform("size") >= FEWEST]


@claim("F8")
def numbers_from_elsewhere_are_met(evidence: DpalsEvidence) -> Finding:
    """FACT: at least 85 % of the published numbers."""
    published = evidence.tables.get("published", pd.DataFrame(columns=["source", "metric"]))
    rows = beside_ours(evidence.tables.get("trials"), published)
    done = rows[rows["mean"].notna()]
    if done.empty:
        return not_available(f"none of {len(rows)} published numbers has been run")
    close = int((done["status"] == AGREES).sum())
    parts = [
        f"{metric.upper()} {span(here['mean'] / here['published'], number)}"
        for metric, here in done.groupby("metric", sort=False)
    ]
    text = (
        f"{close} of {len(done)} within {100 * CLOSE:g} %; ours over theirs: {'; '.join(parts)}. "
        f"{len(rows) - len(done)} of {len(rows)} have not been run."
    )
    return fact(close >= SHARE * len(done), text, effect=close / len(done), margin=SHARE)


def beside_ours(trials: pd.DataFrame | None, published: pd.DataFrame) -> pd.DataFrame:
    """Return the published numbers beside our means, see :class:`Chapter`."""
    keys = [*DPALS_COORDINATES]
    rows = published.rename(columns={"value": "published", "note": "place"})
    if trials is not None:
        metrics = [name for name in rows["metric"].unique() if name in trials]
        ours = [summary(trials, name).assign(metric=name) for name in metrics]
        rows = rows.merge(pd.concat(ours), on=[*keys, "metric"], how="left") if ours else rows
    rows = rows.reindex(columns=list(dict.fromkeys([*keys, *PUBLISHED_COLUMNS])))
    away = (rows["mean"] / rows["published"] - 1).abs()
    judged = np.where(away <= CLOSE, AGREES, DEVIATES)
    return rows.assign(status=np.where(away.notna(), judged, NOT_COMPARED))
