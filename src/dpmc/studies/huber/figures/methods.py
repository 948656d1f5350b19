"""Figures of how the methods behave: weights of A-IRLS, held-out error by iteration."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.showing.frames import (
    MECHANISM_LABELS,
    METHOD_LABELS,
    cell_means,
    present,
    select,
    trials_text,
)
from dpmc.frame.showing.panels import Axis, Curve, Level, Panel, draw_panels, handle
from dpmc.frame.showing.results import Results, read_results
from dpmc.frame.showing.style import (
    BLACK,
    MECHANISMS,
    SERIES,
    Drawing,
    Look,
    NothingToDraw,
    draw_all,
    needed,
    read_figures,
)
from dpmc.studies.huber.experiments import TABLES
from dpmc.studies.huber.tables_methods import THESIS_LABELS, below_one

NOT_COUNTED = "The weights of A-IRLS have not been counted"
NONE = 0.01  # %: a share below it counts as none; the axis is linear there, so that 0 has a place
SCALES = {
    "share": Axis("Weights below 1 (%)", linear=NONE, ticks=(0, NONE, 0.1, 1, 10)),
    "change": Axis(
        "RMSE against ALS with\nthe same noise (%)",
        linear=0.1,
        ticks=(-10, -1, -0.1, 0, 0.1, 1, 10),
    ),
}
HIGHEST = 1.45  # of the errors that are shown by seconds
LINES = {1.0: "-", 2.0: "--"}
HELD = "rmse_heldout"
MEASURES = {HELD: "Held-out ratings", "rmse_training": "Training ratings"}
MODELS = {("als", "none"): "none", ("als", "gaussian"): "gaussian", ("irls", "huber"): "huber"}


def weights_below_one(inputs: Results) -> Drawing:
    """Draw the share of weights below 1 by fraction, and what they change of the RMSE.

    A column per mechanism, a colour per rank, a line style per variance; a dot for each trial.
    """
    weights = needed(inputs, "weights", NOT_COUNTED)
    weights = weights[weights["dataset"] == SYNTHETIC]
    if weights.empty:
        raise NothingToDraw(NOT_COUNTED)
    data = weights.assign(
        share=below_one(weights, "later"),
        change=100 * (weights["rmse_irls"] / weights["rmse_als"] - 1),
    )
    names = present(data["mechanism"], MECHANISM_LABELS)
    ranks = dict(zip(sorted(data["rank"].unique()), SERIES, strict=False))
    ends = {
        name: (2 * min(data[name].min(), -0.001), 2 * max(data[name].max(), 0.001))
        for name in SCALES
    }
    panels = [
        _weights_panel(select(data, mechanism=name), measure, ranks, ends[measure])
        for measure in SCALES
        for name in names
    ]
    handles = [handle(f"rank {rank:g}", replace(look, line="none")) for rank, look in ranks.items()]
    for variance in sorted(data["variance"].dropna().unique()):
        handles.append(handle(f"variance {variance:g}", Look(BLACK, "", LINES.get(variance, ":"))))
    data = data[["rank", "variance", "observed_fraction", "mechanism", "trial", *SCALES]]
    style = {"columns": len(names), "height": 1.95, "head": 0.5, "sharex": True, "sharey": "row"}
    legend = {"ncols": len(handles)}
    return draw_panels(panels, data.reset_index(drop=True), legend=legend, handles=handles, **style)


def _weights_panel(
    data: pd.DataFrame, measure: str, ranks: Mapping[float, Look], ends: tuple[float, float]
) -> Panel:
    fractions = sorted(data["observed_fraction"].unique())
    drawn = []
    for shift, (rank, look) in zip((-0.15, 0, 0.15), ranks.items(), strict=False):
        here = data[data["rank"] == rank]
        here = here.assign(x=here["observed_fraction"].map(fractions.index) + shift)
        here = here.assign(mean=here[measure])
        dots = Look(f"{look.color}99", look.marker)
        drawn.append(Curve(here, dots, joined=False, size=2.2))
        for variance, part in here.groupby("variance", dropna=False):
            line = LINES.get(variance, "-" if pd.isna(variance) else ":")
            means = part.groupby("x", as_index=False)["mean"].mean()
            drawn.append(Curve(means, Look(look.color, "", line), width=1))
    return Panel(
        MECHANISM_LABELS[data["mechanism"].iloc[0]] if measure == "share" else "",
        x=Axis("Observed entries (%)", ticks={n: f"{100 * f:g}" for n, f in enumerate(fractions)}),
        y=replace(SCALES[measure], limits=ends),
        curves=drawn,
        levels=[Level(0, Look(BLACK, ""))] if measure == "change" else [],
    )


def describe_weights(data: pd.DataFrame) -> str:
    """Give the shares with Huber noise by variance, and the largest difference they make."""
    huber = data[data["mechanism"] == "huber"]
    if huber.empty:
        return ""
    cells = huber.groupby(["rank", "variance", "observed_fraction"])
    shares, change = cells["share"].mean(), cells["change"].mean()
    counts = cells["trial"].count()
    none = int((shares < NONE).sum())
    return (
        f"With Huber noise the share is below {NONE:g} % in {none} of {len(shares)} "
        f"cells and at most {shares.max():.1f} %; the median difference of RMSE is "
        f"{change.abs().median():.2f} % ({trials_text(counts)} a cell).".replace("-", "−")
    )


def heldout_by_iteration(inputs: Results) -> Drawing:
    """Draw mean RMSE on held-out and on training ratings by iteration, with 95 % t intervals."""
    heldout = needed(inputs, "heldout", "Held-out errors by iteration have not been run")
    keys = ["method", "mechanism", "iteration"]
    parts, panels = [], []
    for measure, title in MEASURES.items():
        data = cell_means(heldout, measure, keys).assign(measure=measure)
        parts.append(data)
        panels.append(_heldout_panel(title, data, measure))
    data = pd.concat(parts, ignore_index=True)
    return draw_panels(panels, data, columns=2, height=2.3, head=0.6, sharex=True)


def _heldout_panel(title: str, data: pd.DataFrame, measure: str) -> Panel:
    drawn = []
    for offset, (model, name) in enumerate(MODELS.items()):
        line = data[(data["method"] == model[0]) & (data["mechanism"] == model[1])]
        rows = line.assign(x=line["iteration"])
        drawn.append(Curve(rows, MECHANISMS[name], _model(*model), every=(2 * offset, 7)))
    later = data.loc[data["iteration"] > 1, "mean"].max()  # the first iteration is far off
    return Panel(
        title,
        x=Axis("Outer iteration"),
        y=Axis("RMSE (rating units)", log=True, most=later if measure == HELD else np.inf),
        curves=drawn,
        more=lambda axes: axes.axvline(20, color="grey", linewidth=0.8, linestyle=":"),
    )


def _model(method: str, mechanism: str) -> str:
    noise = "no noise" if mechanism == "none" else f"{MECHANISM_LABELS[mechanism]} noise"
    return f"{METHOD_LABELS[method]}, {noise}"


def describe_heldout(data: pd.DataFrame) -> str:
    """Say after which iteration each held-out error is least, and where it ends."""
    held = data[data["measure"] == "rmse_heldout"]
    parts = []
    models = held.groupby(["method", "mechanism"])
    for model in (model for model in MODELS if model in models.groups):
        line = models.get_group(model)
        best, last = line.loc[line["mean"].idxmin()], line.loc[line["iteration"].idxmax()]
        parts.append(
            f"{_model(*model)} {best['mean']:.3f} after {best['iteration']:.0f}, "
            f"{last['mean']:.3f} after {last['iteration']:.0f}"
        )
    return f"Held-out error is least at: {'; '.join(parts)} ({trials_text(held['trials'])})."


def error_by_seconds(inputs: Results) -> Drawing:
    """Draw held-out RMSE against the seconds of a fit, a line for each method and trial."""
    absent = "The methods of the thesis's chapter 3 have not been run"
    runs = needed(inputs, "thesis_methods", absent)
    drawn = [
        Curve(line, look, THESIS_LABELS[name], every=(0, 6), size=3, width=0.8)
        for name, look in zip(present(runs["name"], THESIS_LABELS), SERIES, strict=False)
        for _, line in runs[runs["name"] == name]
        .assign(x=runs["seconds"], mean=runs["rmse_heldout"])
        .groupby("trial")
    ]
    lowest = 0.98 * runs["rmse_heldout"].min()
    panel = Panel(
        "",
        x=Axis("Seconds of the fit", log=True),
        y=Axis("Held-out RMSE (rating units)", limits=(lowest, HIGHEST)),
        curves=drawn,
    )
    return draw_panels([panel], runs, height=2.5, head=0.6)


METHOD_FIGURES = read_figures(
    Path(__file__).parents[1] / "figures.yaml",
    {
        "weights_below_one": (weights_below_one, describe_weights),
        "heldout_by_iteration": (heldout_by_iteration, describe_heldout),
        "error_by_seconds": (error_by_seconds, None),
    },
    highest=HIGHEST,
)


def write_method_figures(results_folder: str | Path, folder: str | Path) -> None:
    """Draw :data:`METHOD_FIGURES` into ``folder`` from the tables of ``results_folder``.

    A figure whose table is missing becomes a box that says so.
    """
    draw_all(METHOD_FIGURES, read_results(results_folder, TABLES), folder)
