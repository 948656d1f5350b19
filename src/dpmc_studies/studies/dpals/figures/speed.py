"""Figures of the error by iteration, with its fitted slope, and of CPU time by matrix size."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import listed, select, split
from dpmc_studies.frame.showing.panels import Axis, Panel, curves, draw_panels, handle
from dpmc_studies.frame.showing.style import BLACK, Drawing, Look
from dpmc_studies.studies.dpals.figures import lines
from dpmc_studies.studies.dpals.frames import (
    DATASETS,
    LOOKS,
    METRICS,
    dataset_label,
    format_range,
    method_label,
    number,
)
from dpmc_studies.studies.dpals.speed import by_step, growth, slopes

CELL = ["dataset", "method", "variant", "epsilon"]
FITTED = handle("fitted line", Look(BLACK, ""), linewidth=2.6, alpha=0.35)
FREE = 0.0  # stands for no epsilon


def by_iteration(iterations: pd.DataFrame) -> Drawing:
    """Draw RSE after every iteration with its fitted line, a panel each epsilon."""
    steps, fits = by_step(iterations), slopes(iterations)
    told = fits[[*CELL, "factor", "low", "high", "best", "lowest"]]
    told = told.rename(columns=lambda name: name if name in CELL else f"fit_{name}")
    budgets = steps.fillna({"epsilon": FREE})
    panels = [
        _panel(name, epsilon, part, select(fits, dataset=name, epsilon=epsilon or None))
        for name, epsilon, part in split(budgets, dataset=DATASETS, epsilon=())
        if len(part)
    ]
    data = steps.merge(told, on=CELL, how="left")
    return draw_panels(panels, data, columns=2, handles=[FITTED], order=lines.ORDER)


def _panel(name: str, epsilon: float, part: pd.DataFrame, fits: pd.DataFrame) -> Panel:
    def fitted(axes) -> None:
        for row in fits[np.isfinite(fits["factor"])].itertuples():
            where = np.array([part["iteration"].min(), row.best])
            line = np.exp(row.intercept) * row.factor**where
            axes.plot(where, line, color=LOOKS[row.method].color, lw=2.6, alpha=0.35, zorder=2)

    return Panel(
        f"{dataset_label(name)}, {'no noise' if epsilon == FREE else f'ε = {epsilon:g}'}",
        x=Axis("Iteration", whole=True),
        y=Axis(METRICS["rse"], log=True),
        curves=[
            curve
            for _, one in part.groupby(["method", "variant"], sort=False)
            for curve in curves(one, "method", "iteration", LOOKS, lines.label)
        ],
        more=fitted,
    )


def describe_iterations(data: pd.DataFrame) -> dict[str, str]:
    """Say by what factor an iteration changes the error, and when each method has arrived."""
    found = []
    for name, here in split(data.drop_duplicates(CELL), method=LOOKS):
        factors = here["fit_factor"].dropna()
        factor = f"factor {format_range(factors, 2)}" if len(factors) else ""
        best = f"within 5 % of its best after {format_range(here['fit_best'], 1)}"
        found.append((method_label(name), [factor, best]))
    return {"methods": listed(found)}


def timing(timing: pd.DataFrame) -> Drawing:
    """Draw CPU seconds of an iteration against the number of ratings, by method."""
    keys = ["method", "users", "items", "ratings", "rank"]
    table = timing.groupby(keys)["seconds"].agg(["min", "median", "max", "count"]).reset_index()
    rows = table.rename(columns={"median": "mean", "min": "low", "max": "high"})
    table = table.merge(growth(timing), on="method")
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
    )
    legend = {"loc": "outside right center", "ncols": 1}
    return draw_panels([panel], table, height=2.5, legend=legend)


def describe_timing(data: pd.DataFrame) -> dict[str, object]:
    """Say the slopes and what the largest matrix takes."""
    top = data.loc[data["ratings"].idxmax()]
    largest = data[data["ratings"] == top["ratings"]].set_index("method")["median"]
    found = []
    for name, here in split(data, method=LOOKS):
        slope, seconds = here["slope"].iloc[0], largest.get(name)
        told = f"slope {slope:.2f}" if np.isfinite(slope) else ""
        found.append((method_label(name), [told, seconds and f"{number(seconds, 2)} s"]))
    repeats, users, items = data["count"].min(), top["users"], top["items"]
    return {"repeats": repeats, "users": users, "items": items, "methods": listed(found)}
