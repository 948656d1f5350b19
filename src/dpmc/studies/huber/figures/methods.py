"""Figures of how the methods behave: weights of A-IRLS, error by seconds."""

from dataclasses import replace

import pandas as pd

from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.showing.frames import MECHANISM_LABELS, cell_means, present, split, trials_text
from dpmc.frame.showing.panels import Axis, Curve, Level, Panel, draw_panels, handle
from dpmc.frame.showing.style import BLACK, SERIES, Drawing, Look
from dpmc.studies.huber.tables_methods import THESIS_LABELS, below_one

CELL = ["mechanism", "rank", "variance", "observed_fraction"]
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
            title = MECHANISM_LABELS[name] if measure == "share" else ""
            panels.append(_weights_panel(title, part, scale, ranks))
    handles = [handle(f"rank {rank:g}", replace(look, line="none")) for rank, look in ranks.items()]
    for variance in present(data["variance"], FACES):
        dot = Look(BLACK, "o", "none", FACES.get(variance))
        handles.append(handle(f"variance {variance:g}", dot))
    style = {"columns": data["mechanism"].nunique(), "height": 1.95, "head": 0.5}
    style |= {"sharex": True, "sharey": "row", "legend": {"ncols": len(handles)}}
    return draw_panels(panels, data[[*CELL, "trial", *SCALES]], handles=handles, **style)


def _weights_panel(title: str, part: pd.DataFrame, scale: Axis, ranks: dict[float, Look]) -> Panel:
    fractions = sorted(part["observed_fraction"].unique())
    part = part.assign(x=part["observed_fraction"].map(fractions.index))
    drawn = []
    for (rank, variance), rows in part.groupby(["rank", "variance"], dropna=False):
        look = replace(ranks[rank], face=FACES.get(variance))
        drawn.append(Curve(rows, look, place=f"{rank}, {variance}", joined=False, size=3.2))
    return Panel(
        title,
        x=Axis(
            "Observed entries (%)",
            ticks={place: f"{100 * share:g}" for place, share in enumerate(fractions)},
            margin=0.5,
        ),
        y=scale,
        curves=drawn,
        levels=[] if title else [Level(0, Look(BLACK, ""))],
        dodge=BESIDE,
    )


def describe_weights(data: pd.DataFrame) -> dict[str, object]:
    """Give the shares with Huber noise by variance, and the largest difference they make."""
    cells = data[data["mechanism"] == "huber"].groupby(CELL)
    shares, change = cells["share"].mean(), cells["change"].mean()
    return {
        "none": NONE,
        "cells": f"{int((shares < NONE).sum())} of {len(shares)}" if len(shares) else "",
        "largest": shares.max(),
        "change": change.abs().median(),
        "counts": trials_text(cells["trial"].count()),
    }


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
