"""Figures of how the methods behave: weights of A-IRLS, held-out error by iteration."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.showing.frames import (
    MECHANISM_LABELS,
    METHOD_LABELS,
    half_width,
    present,
    select,
    trials_text,
)
from dpmc.frame.showing.panels import Axis, Curve, Panel, draw_panels
from dpmc.frame.showing.results import read_results
from dpmc.frame.showing.style import (
    MECHANISMS,
    PAGE,
    SERIES,
    Drawing,
    NothingToDraw,
    draw_all,
    new_figure,
    read_figures,
    value_axis,
)
from dpmc.studies.huber.experiments import TABLES
from dpmc.studies.huber.tables_methods import THESIS_LABELS, below_one

LINEAR = {"share": 0.01, "change": 0.1}  # %: below it the axes are linear, so that 0 has a place
TICKS = {"share": [0, 0.01, 0.1, 1, 10], "change": [-10, -1, -0.1, 0, 0.1, 1, 10]}
HIGHEST = 1.45  # of the errors that are shown by seconds
LINES = {1.0: "-", 2.0: "--"}
HELD = "rmse_heldout"
MEASURES = {HELD: "Held-out ratings", "rmse_training": "Training ratings"}
MODELS = {("als", "none"): "none", ("als", "gaussian"): "gaussian", ("irls", "huber"): "huber"}


def weights_below_one(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the share of weights below 1 by fraction, and what they change of the RMSE.

    A column per mechanism, a colour per rank, a line style per variance; a dot for each trial.
    """
    weights = inputs.get("weights")
    if weights is None or not (weights["dataset"] == SYNTHETIC).any():
        raise NothingToDraw("The weights of A-IRLS have not been counted")
    data = weights[weights["dataset"] == SYNTHETIC].assign(
        share=below_one(weights, "later"),
        change=100 * (weights["rmse_irls"] / weights["rmse_als"] - 1),
    )
    names = present(data["mechanism"], MECHANISM_LABELS)
    figure = new_figure(PAGE, 4.4)
    panels = figure.subplots(2, len(names), sharex=True, sharey="row", squeeze=False)
    fractions = sorted(data["observed_fraction"].unique())
    ranks = sorted(data["rank"].unique())
    for column, name in enumerate(names):
        for row, measure in enumerate(LINEAR):
            _weights_panel(panels[row, column], select(data, mechanism=name), measure, ranks)
        panels[0, column].set_title(MECHANISM_LABELS[name])
        panels[1, column].axhline(0, color="black", linewidth=0.6, zorder=1)
        panels[1, column].set_xticks(range(len(fractions)), [f"{100 * f:g}" for f in fractions])
    for row, (measure, label) in enumerate(
        (("share", "Weights below 1 (%)"), ("change", "RMSE against ALS with\nthe same noise (%)"))
    ):
        panels[row, 0].set_yscale("symlog", linthresh=LINEAR[measure], linscale=0.5)
        panels[row, 0].set_yticks(TICKS[measure], [f"{tick:g}" for tick in TICKS[measure]])
        panels[row, 0].minorticks_off()
        panels[row, 0].set_ylim(bottom=-0.0015 if measure == "share" else None)
        panels[row, 0].set_ylabel(label)
    figure.supxlabel("Observed entries (%)", fontsize=8)
    handles = [
        Line2D([], [], color=look.color, marker=look.marker, ls="", label=f"rank {rank:g}")
        for rank, look in zip(ranks, SERIES, strict=False)
    ] + [
        Line2D([], [], color="black", ls=LINES.get(variance, ":"), label=f"variance {variance:g}")
        for variance in sorted(data["variance"].dropna().unique())
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=len(handles))
    keep = ["rank", "variance", "observed_fraction", "mechanism", "trial", *LINEAR]
    return Drawing(figure, data[keep].reset_index(drop=True))


def _weights_panel(axes, data: pd.DataFrame, measure: str, ranks: list) -> None:
    places = {f: index for index, f in enumerate(sorted(data["observed_fraction"].unique()))}
    for shift, rank, look in zip((-0.15, 0, 0.15), ranks, SERIES, strict=False):
        for variance, line in data[data["rank"] == rank].groupby("variance", dropna=False):
            where = line["observed_fraction"].map(places) + shift
            axes.plot(
                where, line[measure], look.marker, color=look.color, markersize=2.2, alpha=0.6
            )
            means = line.groupby("observed_fraction")[measure].mean()
            axes.plot(
                [places[fraction] + shift for fraction in means.index],
                means,
                color=look.color,
                linestyle=LINES.get(variance, "-" if pd.isna(variance) else ":"),
                linewidth=1,
            )


def describe_weights(data: pd.DataFrame) -> str:
    """Give the shares with Huber noise by variance, and the largest difference they make."""
    huber = data[data["mechanism"] == "huber"]
    if huber.empty:
        return ""
    cells = huber.groupby(["rank", "variance", "observed_fraction"])
    shares, change = cells["share"].mean(), cells["change"].mean()
    counts = cells["trial"].count()
    none = int((shares < LINEAR["share"]).sum())
    return (
        f"With Huber noise the share is below {LINEAR['share']:g} % in {none} of {len(shares)} "
        f"cells and at most {shares.max():.1f} %; the median difference of RMSE is "
        f"{change.abs().median():.2f} % ({trials_text(counts)} a cell).".replace("-", "−")
    )


def heldout_by_iteration(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw mean RMSE on held-out and on training ratings by iteration, with 95 % t intervals."""
    heldout = inputs.get("heldout")
    if heldout is None:
        raise NothingToDraw("Held-out errors by iteration have not been run")
    keys = ["method", "mechanism", "iteration"]
    parts, panels = [], []
    for measure, title in MEASURES.items():
        grouped = heldout.groupby(keys, sort=False)[measure]
        data = grouped.agg(mean="mean", standard_error="sem", trials="count").reset_index()
        half = half_width(data["standard_error"], data["trials"])
        data = data.assign(measure=measure, low=data["mean"] - half, high=data["mean"] + half)
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
    for model, line in held.groupby(["method", "mechanism"], sort=False):
        best, last = line.loc[line["mean"].idxmin()], line.loc[line["iteration"].idxmax()]
        parts.append(
            f"{_model(*model)} {best['mean']:.3f} after {best['iteration']:.0f}, "
            f"{last['mean']:.3f} after {last['iteration']:.0f}"
        )
    return f"Held-out error is least at: {'; '.join(parts)} ({trials_text(held['trials'])})."


def error_by_seconds(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw held-out RMSE against the seconds of a fit, a line for each method and trial."""
    runs = inputs.get("thesis_methods")
    if runs is None:
        raise NothingToDraw("The methods of the thesis's chapter 3 have not been run")
    figure = new_figure(PAGE, 3.1)
    axes = figure.subplots()
    names = present(runs["name"], THESIS_LABELS)
    for name, look in zip(names, SERIES, strict=False):
        for trial, line in runs[runs["name"] == name].groupby("trial"):
            axes.plot(
                line["seconds"], line["rmse_heldout"], color=look.color, ls=look.line, lw=0.8,
                marker=look.marker, markersize=3, markevery=6,
                label=THESIS_LABELS[name] if trial == 0 else None,
            )  # fmt: skip
    axes.set(xscale="log", xlabel="Seconds of the fit", ylabel="Held-out RMSE (rating units)")
    axes.set_ylim(0.98 * runs["rmse_heldout"].min(), HIGHEST)
    low, high = axes.get_xlim()
    value_axis(axes.xaxis, float(np.log10(high / low)))
    figure.legend(loc="outside upper center", ncols=3)
    return Drawing(figure, runs)


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
