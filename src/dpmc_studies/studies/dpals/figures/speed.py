"""Figures of the error by iteration and of CPU time by matrix size."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.frames import split
from dpmc_studies.frame.showing.panels import Axis, Panel, curves, draw_panels
from dpmc_studies.frame.showing.style import Drawing
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES
from dpmc_studies.studies.dpals.figures.budgets import ORDER, label
from dpmc_studies.studies.dpals.frames import (
    DATASETS,
    LOOKS,
    METRICS,
    dataset_label,
    method_label,
    summary,
)
from dpmc_studies.studies.dpals.theory import growth

FREE = 0.0  # stands for no epsilon


def by_iteration(iterations: pd.DataFrame) -> Drawing:
    """Draw RSE after every iteration, a panel each epsilon."""
    steps = summary(iterations, "rse", (*DPALS_COORDINATES, "iteration"))
    panels = [
        Panel(
            f"{dataset_label(name)}, {'no noise' if epsilon == FREE else f'ε = {epsilon:g}'}",
            x=Axis("Iteration", whole=True),
            y=Axis(METRICS["rse"], log=True),
            curves=[
                curve
                for _, one in part.groupby(["method", "variant"], sort=False)
                for curve in curves(one, "method", "iteration", LOOKS, label)
            ],
        )
        for name, epsilon, part in split(
            steps.fillna({"epsilon": FREE}), dataset=DATASETS, epsilon=()
        )
        if len(part)
    ]
    return draw_panels(panels, steps, columns=2, order=ORDER)


def timing(timing: pd.DataFrame) -> Drawing:
    """Draw CPU seconds of an iteration against the number of ratings, by method."""
    keys = ["method", "users", "items", "ratings", "rank"]
    table = timing.groupby(keys)["seconds"].agg(["min", "median", "max", "count"]).reset_index()
    rows = table.rename(columns={"median": "mean", "min": "low", "max": "high"})
    slope = growth(timing)

    def with_slope(name: str) -> str:
        told = f", slope {slope[name]:.2f}" if np.isfinite(slope[name]) else ""
        return f"{method_label(name)}{told}"

    looks = {name: replace(look, marker=look.marker or ".") for name, look in LOOKS.items()}
    panel = Panel(
        "",
        x=Axis("Ratings (millions)", log=True),
        y=Axis("CPU seconds an iteration", log=True),
        curves=curves(rows.assign(x=rows["ratings"] / 1e6), "method", "x", looks, with_slope),
    )
    legend = {"loc": "outside right center", "ncols": 1}
    return draw_panels([panel], table, height=2.5, legend=legend)
