"""Figures of the error by iteration, with its fitted slope, and of CPU time by matrix size."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import (
    LOOKS,
    METRICS,
    dataset_label,
    datasets_of,
    ends,
    method_label,
    number,
)
from dpmc.studies.dpals.speed import by_step, growth, slopes
from dpmc.study.frames import present, trials_text
from dpmc.study.style import BLACK, PAGE, Drawing, NothingToDraw, new_figure, value_axis

FITTED = "fitted line"
LONG_PANEL = 2.5  # decades


def by_iteration(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw RSE after every iteration with its fitted line, a panel each epsilon."""
    iterations = inputs.get("iterations")
    if iterations is None:
        raise NothingToDraw("Errors by iteration have not been recorded")
    steps, fits = by_step(iterations), slopes(iterations)
    if steps.empty:
        raise NothingToDraw("Errors by iteration have no RSE")
    places = [
        (name, epsilon)
        for name in datasets_of(steps)
        for epsilon in _budgets(steps[steps["dataset"] == name])
    ]
    figure, panels = lines.grid(PAGE, places, 2, 2.4)
    for axes, (name, epsilon) in zip(panels, places, strict=True):
        part, fit = (_at(table, name, epsilon) for table in (steps, fits))
        for row in fit.itertuples():
            one = part[(part["method"] == row.method) & (part["variant"] == row.variant)]
            look = lines.look_of(row.method)
            lines.curve(axes, one["iteration"], one, look)
            if np.isfinite(row.factor):
                where = np.array([one["iteration"].min(), row.best])
                axes.plot(
                    where,
                    np.exp(row.intercept) * row.factor**where,
                    color=look.color,
                    lw=2.6,
                    alpha=0.35,
                    zorder=2,
                )
        lines.error_axis(axes, part["mean"])
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True))
        budget = "no noise" if epsilon is None else f"ε = {epsilon:g}"
        axes.set_title(f"{dataset_label(name)}, {budget}", loc="left")
        axes.set_xlabel("Iteration")
        axes.set_ylabel(METRICS["rse"])
    handles = [*lines.handles(steps["method"])]
    handles.append(Line2D([], [], color=BLACK, lw=2.6, alpha=0.35, label=FITTED))
    figure.legend(handles=handles, loc="outside upper center", ncols=3)
    names = ["factor", "low", "high", "best", "lowest"]
    keys = ["dataset", "method", "variant", "epsilon"]
    told = fits[[*keys, *names]].rename(columns={name: f"fit_{name}" for name in names})
    return Drawing(figure, steps.merge(told, on=keys, how="left"))


def _budgets(part: pd.DataFrame) -> list[float | None]:
    free = [None] if part["epsilon"].isna().any() else []
    return [*free, *sorted(part["epsilon"].dropna().unique())]


def _at(table: pd.DataFrame, dataset: str, epsilon: float | None) -> pd.DataFrame:
    budget = table["epsilon"].isna() if epsilon is None else table["epsilon"] == epsilon
    return table[(table["dataset"] == dataset) & budget]


def describe_iterations(data: pd.DataFrame) -> str:
    """Say by what factor an iteration changes the error, and when each method has arrived."""
    fits = data.drop_duplicates(["dataset", "method", "variant", "epsilon"])
    parts = []
    for name in present(fits["method"], LOOKS):
        here = fits[fits["method"] == name]
        factors = here["fit_factor"].dropna()
        texts = []
        if len(factors):
            texts.append(f"factor {ends(factors, 2)}")
        texts.append(f"within 5 % of its best after {ends(here['fit_best'], 1)}")
        parts.append(f"{method_label(name)} {', '.join(texts)}")
    return (
        f"{trials_text(data['trials']).capitalize()} a point. Change of RSE by iteration, by a "
        f"line fitted until it has arrived, and when that is: {'; '.join(parts)}."
    )


def timing(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw CPU seconds of an iteration against the number of ratings, by method."""
    data = inputs.get("timing")
    if data is None:
        raise NothingToDraw("CPU time has not been measured")
    keys = ["method", "users", "items", "ratings", "rank"]
    table = data.groupby(keys)["seconds"].agg(["min", "median", "max", "count"]).reset_index()
    table = table.merge(growth(data), on="method")
    figure = new_figure(PAGE, 3.6)
    axes = figure.subplots()
    names = present(table["method"], LOOKS)
    handles = []
    for name, shift in zip(names, lines.side_by_side(len(names)), strict=True):
        one = table[table["method"] == name].sort_values("ratings")
        look, where = lines.look_of(name), one["ratings"] / 1e6 * shift
        style = {"color": look.color, "marker": look.marker or ".", "ls": look.line, "lw": 1.0}
        axes.plot(where, one["median"], markersize=4, **style)
        axes.vlines(where, one["min"], one["max"], color=look.color, lw=0.9)
        slope = one["slope"].iloc[0]
        label = method_label(name) + (f", slope {slope:.2f}" if np.isfinite(slope) else "")
        handles.append(Line2D([], [], markersize=4, label=label, **style))
    axes.set_xscale("log")
    axes.set_yscale("log")
    millions = table["ratings"] / 1e6
    value_axis(axes.xaxis, np.log10(max(millions.max() / millions.min(), 1.5)), long=LONG_PANEL)
    value_axis(axes.yaxis, np.log10(max(table["max"].max() / table["min"].min(), 1.5)))
    axes.set_xlabel("Ratings (millions)")
    axes.set_ylabel("CPU seconds an iteration")
    figure.legend(handles=handles, loc="outside right center")
    return Drawing(figure, table)


def describe_timing(data: pd.DataFrame) -> str:
    """Say the slopes and what the largest matrix takes."""
    largest = data[data["ratings"] == data["ratings"].max()].set_index("method")
    parts = []
    for name in present(data["method"], LOOKS):
        slope = data.loc[data["method"] == name, "slope"].iloc[0]
        seconds = largest["median"].get(name, np.nan)
        texts = [f"slope {slope:.2f}"] if np.isfinite(slope) else []
        texts += [f"{number(seconds, 2)} s"] if np.isfinite(seconds) else []
        parts.append(f"{method_label(name)} {', '.join(texts)}")
    top = data.loc[data["ratings"].idxmax()]
    return (
        f"Medians of {data['count'].min()} or more repeats. Slope of log seconds against log "
        f"ratings, and seconds at {top['users']:,} users × {top['items']:,} items: "
        f"{'; '.join(parts)}."
    )
