"""Figures of the main result: RMSE by observed fraction, and published against reproduced."""

from dataclasses import replace
from itertools import product

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from dpmc_studies.frame.showing import style
from dpmc_studies.frame.showing.frames import (
    BASELINE_LABELS,
    DATASET_LABELS,
    MECHANISM_LABELS,
    METHOD_LABELS,
    SYNTHETIC,
    Labels,
    half_width,
    present,
)
from dpmc_studies.frame.showing.panels import Axis, Curve, Level, Panel, curves, draw_panels, handle
from dpmc_studies.frame.showing.style import (
    BASELINES,
    GREY,
    MECHANISMS,
    Drawing,
    Look,
    NothingToDraw,
)
from dpmc_studies.studies.huber.reported.compare import CLOSE
from dpmc_studies.studies.huber.statistics import cell_summary

LABELS = Labels(MECHANISM_LABELS | BASELINE_LABELS)
RATIOS = (0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1, 1.05, 1.1, 1.15, 1.2, 1.3, 1.5, 2)


def rmse_by_fraction(trials: pd.DataFrame) -> Drawing:
    """Draw mean RMSE on all entries against the observed fraction, with 95 % t intervals.

    Ranks are rows of panels; variances and methods are columns. Baselines are shown too.
    """
    summary = cell_summary(trials[trials["dataset"] == SYNTHETIC])
    noise = summary["variance"]
    noised = {*METHOD_LABELS, *summary["method"][noise.notna()]}
    baseline = ~summary["method"].isin(noised)
    named = summary["method"].where(baseline, summary["mechanism"])
    names = present(named, [*BASELINES, *MECHANISMS])  # those of plug-ins last
    summary["name"] = pd.Categorical(named, names)
    methods = present(summary["method"][~baseline], METHOD_LABELS)
    columns = list(product(sorted(noise.dropna().unique()), methods))
    parts, panels = [], []
    for rank, (variance, method) in product(sorted(summary["rank"].unique()), columns):
        shown = (summary["method"] == method) & (noise.isna() | (noise == variance)) | baseline
        part = summary[shown & (summary["rank"] == rank)].sort_values(["name", "observed_fraction"])
        parts.append(part.assign(panel_variance=variance, panel_method=method))
        title = f"{METHOD_LABELS[method]}, variance {variance:g}"
        panels.append(_fraction_panel(title, f"Rank {rank:g}", part))
    look = {"columns": len(columns), "height": 1.75, "head": 0.9, "legend": {"ncols": 4}}
    look["order"] = [LABELS[name] for name in [*LABELS, *names]]
    data = pd.concat(parts).drop(columns="name")
    return draw_panels(panels, data, sharex=True, sharey="row", **look)


def _fraction_panel(title: str, rank: str, part: pd.DataFrame) -> Panel:
    fractions = sorted(part["observed_fraction"].unique())
    ticks = {place: f"{100 * share:g}" for place, share in enumerate(fractions)}
    part = part.assign(x=part["observed_fraction"].map(fractions.index))
    looks = style.looks_of(part["name"].cat.categories)
    lines = curves(part, "name", "x", looks, LABELS.__getitem__)
    return Panel(
        title,
        x=Axis("Observed entries (%)", ticks=ticks, margin=0.45),
        y=Axis(f"{rank}\nRMSE (rating units)", log=True),
        curves=[replace(line, size=3.2, width=0.5 if line.look.marker else 1) for line in lines],
        dodge=0.12,
    )


def published_reproduced(comparison: pd.DataFrame) -> Drawing:
    """Draw our mean against the reported RMSE for every published number, and their ratio."""
    points = comparison[(comparison["metric"] != "epsilon") & comparison["mean"].notna()].copy()
    if points.empty:
        raise NothingToDraw
    half = half_width(points["standard_error"], points["trials"])
    points["low"], points["high"] = points["mean"] - half, points["mean"] + half
    ends = points[["mean", "low", "high"]]
    ratios = points.assign(**ends.div(points["published"], axis=0))
    line = np.geomspace(0.85 * points["published"].min(), 1.15 * points["published"].max(), 50)
    equal = {"x": line, "mean": line, "low": (1 - CLOSE) * line, "high": (1 + CLOSE) * line}
    at_one = Level(1.0, Look(GREY, ""), low=1 - CLOSE, high=1 + CLOSE)
    label, unit = "Published RMSE (rating units)", "(rating units)"
    panels = [
        Panel(
            "",
            x=Axis(label, log=True),
            y=Axis(f"Reproduced RMSE {unit}", log=True),
            curves=[Curve(pd.DataFrame(equal), Look(GREY, "")), *_scatter(points)],
        ),
        Panel(
            "",
            x=Axis(label, log=True),
            y=Axis("Reproduced / published", log=True, ticks=RATIOS, reach=1.0),
            curves=_scatter(ratios),
            levels=[at_one],
        ),
    ]
    look = {"columns": 2, "height": 2.9, "head": 1.0, "legend": {"ncols": 4}}
    data = points.reset_index(drop=True)
    return draw_panels(panels, data, handles=_point_handles(points), **look)


DATASET_MARKERS = {"synthetic": "o", "ml-100k": "^", "sweetrs": "s"}


def _scatter(points: pd.DataFrame) -> list[Curve]:
    """Return points: colours are mechanisms, shapes data sets, filled is ALS."""
    found = []
    for (dataset, method, mechanism), part in points.groupby(["dataset", "method", "mechanism"]):
        face = None if method == "als" else "white"
        marker = DATASET_MARKERS.get(dataset, "v")
        look = Look(MECHANISMS[mechanism].color, marker, "none", face)
        found.append(Curve(part.assign(x=part["published"]), look, size=3.6))
    return found


def _point_handles(points: pd.DataFrame) -> list[Line2D]:
    dots = {MECHANISM_LABELS[name]: Look(look.color, "o") for name, look in MECHANISMS.items()}
    dots |= {"ALS (filled)": Look(GREY, "o"), "IRLS (open)": Look(GREY, "o", face="white")}
    for name, marker in DATASET_MARKERS.items():
        if name != SYNTHETIC and (points["dataset"] == name).any():
            dots[DATASET_LABELS[name]] = Look(GREY, marker)
    return [handle(label, look, linestyle="none") for label, look in dots.items()]
