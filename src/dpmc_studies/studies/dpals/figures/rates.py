"""How fast errors change with users, epsilon and items, beside the bounds' rates."""

from dataclasses import replace

import pandas as pd

from dpmc_studies.frame.showing.frames import listed, span, split
from dpmc_studies.frame.showing.panels import Axis, Level, Panel, curves
from dpmc_studies.frame.showing.style import BLACK, Drawing, Look
from dpmc_studies.studies.dpals.figures import lines
from dpmc_studies.studies.dpals.frames import LOOKS, method_label
from dpmc_studies.studies.dpals.theory import IN_ITEMS, IN_NOISE, IN_USERS, slopes

SHOWN = ("dpals", "dpals_literal", "dpfw")
BOUNDS = {"dpals": "bound of theorem 2", "dpfw": "bound of remark 6"}
NAMES = {IN_USERS: "users", IN_NOISE: "1/σ", IN_ITEMS: "items"}


def rates(trials: pd.DataFrame) -> Drawing:
    """Draw slopes of log RMSE, a panel each for those in users, in epsilon and in items."""
    table = slopes(trials)
    table = table[table["method"].isin(SHOWN)]
    panels = [_panel(along, here) for along, here in split(table, along=NAMES)]
    return lines.draw(panels, table, height=2.6, sharey=True, legend={"ncols": len(SHOWN)})


def _panel(along: str, here: pd.DataFrame) -> Panel:
    """Return points with intervals, set side by side, and the slopes of the bounds."""
    at = here["at"] / (1000 if along == IN_NOISE else 1)
    rows = here.assign(at=at).rename(columns={"slope": "mean"})
    label = "Users (thousands)" if along == IN_NOISE else lines.EPSILON
    bounds = [
        Level(part["stated"].iloc[0], replace(LOOKS[name], marker="", line=":"), BOUNDS[name])
        for name, part in split(here[here["method"].isin(BOUNDS)], method=BOUNDS)
    ]
    return Panel(
        f"In {NAMES[along]}",
        x=Axis(label, log=True, ticks=at.unique(), margin=lines.MARGIN),
        y=Axis("Slope of log RMSE"),
        curves=curves(rows, "method", "at", LOOKS, lines.label),
        levels=[Level(0.0, Look(BLACK, "")), *bounds],
        dodge=lines.dodge(here["method"]),
    )


def describe_rates(data: pd.DataFrame) -> dict[str, str]:
    """Say which slopes were found, by method."""
    found = [
        (
            method_label(name),
            [
                f"{span(part['slope'])} in {NAMES[along]}".replace("-", "−")
                for along, part in here.groupby("along", sort=False)
            ],
        )
        for name, here in split(data, method=SHOWN)
    ]
    return {"slopes": listed(found)}
