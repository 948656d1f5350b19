"""Figures of how the methods behave: errors by iteration and by seconds, weights of A-IRLS."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.frames import (
    MECHANISM_LABELS,
    METHOD_LABELS,
    cell_means,
    present,
    select,
    split,
)
from dpmc_studies.frame.showing.panels import Axis, Curve, Level, Panel, curves, draw_panels, handle
from dpmc_studies.frame.showing.style import BLACK, MECHANISMS, SERIES, Drawing, Look
from dpmc_studies.studies.huber.figures.results import at_fractions
from dpmc_studies.studies.huber.tables_methods import THESIS_LABELS, below_one

TARGETS = {
    "right_hand_side": "noise on the right-hand side",
    "iterate": "noise on the iterates",
}
SETTING = ["rank", "variance", "observed_fraction"]
KEYS = ["dataset", *SETTING, "method", "mechanism", "noise_target", "iteration"]
HELD = "rmse_heldout"
MEASURES = {HELD: "Held-out ratings", "rmse_training": "Training ratings"}
MODELS = {
    "none": "ALS, no noise",
    "gaussian": "ALS, Gaussian noise",
    "huber": "IRLS, Huber noise",
}
CELL = [*SETTING, "mechanism"]
NONE = 0.01  # %: a share below it counts as none; the axis is linear there, so that 0 has a place
SCALES = {
    "share": Axis("Weights below 1 (%)", linear=NONE, ticks=(0, NONE, 0.1, 1, 10)),
    "change": Axis(
        "RMSE against ALS with\nthe same noise (%)",
        linear=0.1,
        ticks=(-10, -1, -0.1, 0, 0.1, 1, 10),
    ),
}
FACES = {1.0: None, 2.0: "white"}  # by variance
BESIDE = 0.13  # of a step of the axis, between two cells
HIGHEST = 1.45  # of the errors that are shown by seconds


def convergence(convergence: pd.DataFrame) -> Drawing:
    """Draw the mean RMSE on all entries by iteration with its 95 % t interval.

    A row of panels per setting, a column per method and place of the noise; the run without
    noise is repeated in every panel of its method.
    """
    data = cell_means(convergence, "rmse_all", KEYS)
    noisy = data[data["mechanism"] != "none"]
    settings = list(noisy[SETTING].drop_duplicates().itertuples(index=False))
    columns = [
        (target, method)
        for target, method, part in split(noisy, noise_target=TARGETS, method=METHOD_LABELS)
        if len(part)
    ]
    panels = [_panel(data, setting, *column) for setting in settings for column in columns]
    style = {"columns": len(columns), "height": 2.3, "head": 0.7, "legend": {"ncols": 4}}
    order = list(MECHANISM_LABELS.values())
    return draw_panels(panels, data, order=order, sharex=True, sharey=True, **style)


def _panel(data: pd.DataFrame, setting, target: str, method: str) -> Panel:
    place = {"rank": setting.rank, "observed_fraction": setting.observed_fraction}
    part = select(data, **place, method=method)
    noisy = select(part, variance=setting.variance, noise_target=target)
    free = part[part["mechanism"] == "none"].drop_duplicates("iteration")
    lines = curves(
        pd.concat([free, noisy]), "mechanism", "iteration", MECHANISMS, MECHANISM_LABELS.get
    )
    every = max(1, part["iteration"].nunique() // 6)
    share = f"{100 * setting.observed_fraction:g} %"
    of = f"Rank {setting.rank:g}, variance {setting.variance:g}, {share}"
    return Panel(
        f"{METHOD_LABELS[method]}\n{TARGETS[target]}",
        x=Axis("Outer iteration"),
        y=Axis(f"{of}\nRMSE (rating units)", log=True),
        curves=[
            replace(line, every=(offset * every // 4, every)) for offset, line in enumerate(lines)
        ],
    )


def heldout(heldout: pd.DataFrame) -> Drawing:
    """Draw mean RMSE on held-out and on training ratings by iteration, with 95 % t intervals."""
    tables = {
        measure: cell_means(heldout, measure, ["method", "mechanism", "iteration"])
        for measure in MEASURES
    }
    panels = [_heldout_panel(data, measure) for measure, data in tables.items()]
    data = [data.assign(measure=measure) for measure, data in tables.items()]
    return draw_panels(panels, data, columns=2, height=2.3, head=0.6, sharex=True)


def _heldout_panel(data: pd.DataFrame, measure: str) -> Panel:
    lines = curves(data, "mechanism", "iteration", MECHANISMS, MODELS.get)
    later = data.loc[data["iteration"] > 1, "mean"].max()  # the first iteration is far off
    return Panel(
        MEASURES[measure],
        x=Axis("Outer iteration"),
        y=Axis("RMSE (rating units)", log=True, most=later if measure == HELD else np.inf),
        curves=[replace(line, every=(2 * offset, 7)) for offset, line in enumerate(lines)],
        more=lambda axes: axes.axvline(20, color="grey", linewidth=0.8, linestyle=":"),
    )


def weights_below_one(weights: pd.DataFrame) -> Drawing:
    """Draw the share of weights below 1 by fraction, and what they change of the RMSE.

    A column per mechanism, a colour per rank, filled or hollow by variance; means with 95 % t
    intervals where there is more than one trial.
    """
    weights = weights[weights["dataset"] == SYNTHETIC]
    change = 100 * (weights["rmse_irls"] / weights["rmse_als"] - 1)
    data = weights.assign(share=below_one(weights, "later"), change=change)
    ranks = dict(zip(sorted(data["rank"].unique()), SERIES, strict=False))
    panels = []
    for measure, axis in SCALES.items():
        table = cell_means(data, measure, CELL)
        if measure == "share":
            table["low"] = table["low"].clip(lower=0)
        least, most = table[["mean", "low"]].min(axis=None), table[["mean", "high"]].max(axis=None)
        scale = replace(axis, limits=(2 * min(least, -0.001), 2 * max(most, 0.001)))
        for name, part in split(table, mechanism=MECHANISM_LABELS):
            panels.append(_weights_panel(MECHANISM_LABELS[name], part, scale, ranks))
    handles = [handle(f"rank {rank:g}", replace(look, line="none")) for rank, look in ranks.items()]
    for variance in present(data["variance"], FACES):
        dot = Look(BLACK, "o", "none", FACES.get(variance))
        handles.append(handle(f"variance {variance:g}", dot))
    style = {"columns": data["mechanism"].nunique(), "height": 1.95, "head": 0.5}
    style |= {"sharex": True, "sharey": "row", "legend": {"ncols": len(handles)}}
    return draw_panels(panels, data[[*CELL, "trial", *SCALES]], handles=handles, **style)


def _weights_panel(title: str, part: pd.DataFrame, scale: Axis, ranks: dict[float, Look]) -> Panel:
    part, axis = at_fractions(part, 0.5)
    drawn = []
    for (rank, variance), rows in part.groupby(["rank", "variance"], dropna=False):
        look = replace(ranks[rank], line="none", face=FACES.get(variance))
        drawn.append(Curve(rows, look, place=f"{rank}, {variance}", size=3.2))
    return Panel(
        title,
        x=axis,
        y=scale,
        curves=drawn,
        levels=[Level(0, Look(BLACK, ""))],
        dodge=BESIDE,
    )


def error_by_seconds(thesis_methods: pd.DataFrame) -> Drawing:
    """Draw held-out RMSE against the seconds of a fit, a line for each method and trial."""
    runs = thesis_methods.assign(x=thesis_methods["seconds"], mean=thesis_methods["rmse_heldout"])
    looks = dict(zip(present(runs["name"], THESIS_LABELS), SERIES, strict=False))
    drawn = [
        Curve(line, looks[name], THESIS_LABELS[name], every=(0, 6), size=3, width=0.8)
        for name, _, line in split(runs, name=THESIS_LABELS, trial=())
        if len(line)
    ]
    panel = Panel(
        "",
        x=Axis("Seconds of the fit", log=True),
        y=Axis("Held-out RMSE (rating units)", limits=(0.98 * runs["mean"].min(), HIGHEST)),
        curves=drawn,
    )
    return draw_panels([panel], thesis_methods, height=2.5, head=0.6)
