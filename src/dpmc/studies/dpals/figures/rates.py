"""How fast errors change with users, epsilon and items, beside the bounds' rates."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D

from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import method_label
from dpmc.studies.dpals.theory import IN_EPSILON, IN_ITEMS, IN_USERS, slopes
from dpmc.study.frames import present, trials_text
from dpmc.study.style import PAGE, Drawing, NothingToDraw

SHOWN = ("dpals", "dpals_literal", "dpfw")
BOUNDS = {"dpals": "bound of theorem 2", "dpfw": "bound of remark 6"}
PANELS = {
    IN_USERS: ("In users", "ε of one user, all ratings"),
    IN_EPSILON: ("In ε", "Users (thousands)"),
    IN_ITEMS: ("In items", "ε of one user, all ratings"),
}
NAMES = {IN_USERS: "users", IN_EPSILON: "ε", IN_ITEMS: "items"}


def rates(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw slopes of log RMSE, a panel each for those in users, in epsilon and in items."""
    table = slopes(inputs.get("trials"))
    table = table[table["method"].isin(SHOWN)]
    if table.empty:
        raise NothingToDraw("The drawn matrices have not been run at three sizes or budgets")
    along = present(table["along"], PANELS)
    figure, panels = lines.grid(PAGE, along, len(PANELS), 2.6, sharey=True)
    for axes, name in zip(panels, along, strict=True):
        _panel(axes, table[table["along"] == name], name)
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel("Slope of log RMSE")
    found = lines.handles(table["method"])
    found += [
        Line2D([], [], label=label, **_bound(name))
        for name, label in BOUNDS.items()
        if name in set(table["method"])
    ]
    figure.legend(handles=found, loc="outside upper center", ncols=len(SHOWN))
    return Drawing(figure, table)


def _bound(name: str) -> dict[str, object]:
    """Return how the slope of a method's bound is drawn."""
    return {"color": lines.look_of(name).color, "ls": ":", "lw": 1.4, "zorder": 2}


def _panel(axes, here: pd.DataFrame, along: str) -> None:
    """Draw points with intervals, set side by side, and the slopes of the bounds."""
    unit = 1000 if along == IN_EPSILON else 1
    methods = present(here["method"], SHOWN)
    for name, shift in zip(methods, lines.side_by_side(len(methods)), strict=True):
        one = here[here["method"] == name].sort_values("at").rename(columns={"slope": "mean"})
        lines.curve(axes, one["at"] / unit * shift, one, lines.look_of(name))
        if name in BOUNDS:
            axes.axhline(one["stated"].iloc[0], **_bound(name))
    axes.axhline(0, color="black", lw=0.6)
    lines.epsilon_axis(axes, np.unique(here["at"] / unit))
    title, label = PANELS[along]
    axes.set_title(title, loc="left")
    axes.set_xlabel(label)


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
