"""Figures of the error by iteration, with its fitted slope, and of CPU time by matrix size."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import Axis, Panel, curves, draw_panels, handle
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import BLACK, Drawing, Look, NothingToDraw, needed
from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import (
    LOOKS,
    METRICS,
    dataset_label,
    datasets_of,
    format_range,
    method_label,
    number,
)
from dpmc.studies.dpals.speed import by_step, growth, slopes


def by_iteration(inputs: Results) -> Drawing:
    """Draw RSE after every iteration with its fitted line, a panel each epsilon."""
    iterations = needed(inputs, "iterations", "Errors by iteration have not been recorded")
    steps, fits = by_step(iterations), slopes(iterations)
    if steps.empty:
        raise NothingToDraw("Errors by iteration have no RSE")
    panels = [
        _panel(name, epsilon, *(_at(table, name, epsilon) for table in (steps, fits)))
        for name in datasets_of(steps)
        for epsilon in _budgets(steps[steps["dataset"] == name])
    ]
    names = ["factor", "low", "high", "best", "lowest"]
    keys = ["dataset", "method", "variant", "epsilon"]
    told = fits[[*keys, *names]].rename(columns={name: f"fit_{name}" for name in names})
    fitted = handle("fitted line", Look(BLACK, ""), linewidth=2.6, alpha=0.35)
    data = steps.merge(told, on=keys, how="left")
    return draw_panels(panels, data, columns=2, handles=[fitted], order=lines.ORDER)


def _panel(name: str, epsilon: float | None, part: pd.DataFrame, fits: pd.DataFrame) -> Panel:
    def fitted(axes) -> None:
        for row in fits[np.isfinite(fits["factor"])].itertuples():
            where = np.array([part["iteration"].min(), row.best])
            line = np.exp(row.intercept) * row.factor**where
            axes.plot(where, line, color=LOOKS[row.method].color, lw=2.6, alpha=0.35, zorder=2)

    budget = "no noise" if epsilon is None else f"ε = {epsilon:g}"
    one_each = part.groupby(["method", "variant"], sort=False)
    return Panel(
        f"{dataset_label(name)}, {budget}",
        x=Axis("Iteration", whole=True),
        y=Axis(METRICS["rse"], log=True),
        curves=[
            curve
            for _, one in one_each
            for curve in curves(one, "method", "iteration", LOOKS, lines.label)
        ],
        more=fitted,
    )


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
            texts.append(f"factor {format_range(factors, 2)}")
        texts.append(f"within 5 % of its best after {format_range(here['fit_best'], 1)}")
        parts.append(f"{method_label(name)} {', '.join(texts)}")
    return (
        f"{trials_text(data['trials']).capitalize()} a point. Change of RSE by iteration, by a "
        f"line fitted until it has arrived, and when that is: {'; '.join(parts)}."
    )


def timing(inputs: Results) -> Drawing:
    """Draw CPU seconds of an iteration against the number of ratings, by method."""
    data = needed(inputs, "timing", "CPU time has not been measured")
    keys = ["method", "users", "items", "ratings", "rank"]
    table = data.groupby(keys)["seconds"].agg(["min", "median", "max", "count"]).reset_index()
    table = table.merge(growth(data), on="method")
    rows = table.drop(columns=["low", "high"])  # of the slope
    rows = rows.rename(columns={"median": "mean", "min": "low", "max": "high"})
    slope = table.groupby("method")["slope"].first()

    def label(name: str) -> str:
        told = f", slope {slope[name]:.2f}" if np.isfinite(slope[name]) else ""
        return f"{method_label(name)}{told}"

    looks = {name: replace(look, marker=look.marker or ".") for name, look in LOOKS.items()}
    panel = Panel(
        "",
        x=Axis("Ratings (millions)", log=True),
        y=Axis("CPU seconds an iteration", log=True),
        curves=curves(rows.assign(x=rows["ratings"] / 1e6), "method", "x", looks, label),
        dodge=lines.DODGE,
    )
    legend = {"loc": "outside right center", "ncols": 1}
    return draw_panels([panel], table, height=2.5, legend=legend)


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
