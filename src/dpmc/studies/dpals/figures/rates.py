"""How fast errors change with users, epsilon and items, beside the bounds' rates."""

from dataclasses import replace

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import Axis, Level, Panel, curves, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import BLACK, Drawing, Look, NothingToDraw
from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import LOOKS, method_label
from dpmc.studies.dpals.theory import IN_ITEMS, IN_NOISE, IN_USERS, slopes

SHOWN = ("dpals", "dpals_literal", "dpfw")
BOUNDS = {"dpals": "bound of theorem 2", "dpfw": "bound of remark 6"}
PANELS = {
    IN_USERS: ("In users", "ε of one user, all ratings"),
    IN_NOISE: ("In 1/σ", "Users (thousands)"),
    IN_ITEMS: ("In items", "ε of one user, all ratings"),
}
NAMES = {IN_USERS: "users", IN_NOISE: "1/σ", IN_ITEMS: "items"}


def rates(inputs: Results) -> Drawing:
    """Draw slopes of log RMSE, a panel each for those in users, in epsilon and in items."""
    table = slopes(inputs.get("trials"))
    table = table[table["method"].isin(SHOWN)]
    if table.empty:
        raise NothingToDraw("The drawn matrices have not been run at three sizes or budgets")
    panels = [
        _panel(table[table["along"] == name], name) for name in present(table["along"], PANELS)
    ]
    legend = {"ncols": len(SHOWN)}
    return draw_panels(panels, table, height=2.6, sharey=True, legend=legend, order=lines.ORDER)


def _panel(here: pd.DataFrame, along: str) -> Panel:
    """Return points with intervals, set side by side, and the slopes of the bounds."""
    at = here["at"] / (1000 if along == IN_NOISE else 1)
    rows = here.assign(at=at).rename(columns={"slope": "mean"})
    title, label = PANELS[along]
    bounds = [
        Level(part["stated"].iloc[0], replace(LOOKS[name], marker="", line=":"), BOUNDS[name])
        for name, part in here.groupby("method")
        if name in BOUNDS
    ]
    return Panel(
        title,
        x=Axis(label, log=True, ticks=at.unique(), margin=lines.MARGIN),
        y=Axis("Slope of log RMSE"),
        curves=curves(rows, "method", "at", LOOKS, lines.label),
        levels=[Level(0.0, Look(BLACK, "")), *bounds],
        dodge=lines.DODGE,
    )


def describe_rates(data: pd.DataFrame) -> str:
    """Say which slopes were found, by method."""
    parts = []
    for name in present(data["method"], SHOWN):
        here = data[data["method"] == name]
        texts = [
            f"{part['slope'].min():.2f} to {part['slope'].max():.2f} in {NAMES[along]}".replace(
                "-", "−"
            )
            for along, part in here.groupby("along", sort=False)
        ]
        parts.append(f"{method_label(name)} {', '.join(texts)}")
    return f"Slopes: {'; '.join(parts)}. {trials_text(data['trials']).capitalize()}."
