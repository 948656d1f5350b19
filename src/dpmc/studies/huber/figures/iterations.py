"""Figures of the error after each outer iteration, on synthetic data and on MovieLens 100K."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import (
    MECHANISM_LABELS,
    METHOD_LABELS,
    cell_means,
    listed,
    select,
    split,
)
from dpmc.frame.showing.panels import Axis, Panel, curves, draw_panels
from dpmc.frame.showing.style import MECHANISMS, Drawing

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
    panels = [
        _panel(data, setting, method, target, first=setting == settings[0])
        for setting in settings
        for target, method in columns
    ]
    style = {"columns": len(columns), "height": 2.3, "head": 0.7, "legend": {"ncols": 4}}
    order = list(MECHANISM_LABELS.values())
    return draw_panels(panels, data, order=order, sharex=True, sharey=True, **style)


def _panel(data: pd.DataFrame, setting, method: str, target: str, *, first: bool) -> Panel:
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
        f"{METHOD_LABELS[method]}\n{TARGETS[target]}" if first else "",
        x=Axis("Outer iteration"),
        y=Axis(f"{of}\nRMSE (rating units)", log=True),
        curves=[
            replace(line, every=(offset * every // 4, every)) for offset, line in enumerate(lines)
        ],
    )


def describe_convergence(data: pd.DataFrame) -> dict[str, object]:
    """Give the RMSE after the last iteration, noise on the iterates against the published place."""
    last = data[(data["iteration"] == data["iteration"].max()) & (data["mechanism"] != "none")]
    means = last.groupby("noise_target")["mean"].mean().sort_index(ascending=False)
    found = [f"{TARGETS[target]} {value:.3f}" for target, value in means.items()]
    return {"iteration": int(data["iteration"].max()), "means": ", ".join(found)}


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


def describe_heldout(data: pd.DataFrame) -> dict[str, object]:
    """Say after which iteration each held-out error is least, and where it ends."""
    found = []
    for name, line in split(data[data["measure"] == HELD], mechanism=MODELS):
        ends = line.loc[[line["mean"].idxmin(), line["iteration"].idxmax()]]
        texts = [f"{row.mean:.3f} after {row.iteration:.0f}" for row in ends.itertuples()]
        found.append((MODELS[name], texts))
    return {"models": listed(found)}
