"""Figure 4 of the paper: RMSE on synthetic data against the number of users, by epsilon."""

import pandas as pd

from dpmc.frame.showing.frames import listed, present, span
from dpmc.frame.showing.panels import Axis, Panel, curves
from dpmc.frame.showing.style import Drawing
from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import (
    LOCAL_BAYES,
    LOOKS,
    METRICS,
    PAPER,
    format_range,
    method_label,
    summary,
    synthetic_sizes,
    with_default,
)

KEYS = ("users", "method", "epsilon")
SHOWN = (*PAPER, LOCAL_BAYES, "trivial", "als")


def users(trials: pd.DataFrame, published: pd.DataFrame | None = None) -> Drawing:
    """Draw RMSE against the number of users, a panel for each epsilon."""
    here = with_default(trials)
    sizes = synthetic_sizes(here)
    here = here[here["dataset"].isin(sizes) & here["method"].isin(SHOWN)]
    table = summary(here, "rmse", KEYS)
    table = table[table.groupby("method")["users"].transform("nunique") > 1]
    scaled = table.assign(thousands=table["users"] / 1000)
    theirs = lines.reported_beside(published, table, sizes, "rmse")
    if theirs is not None:
        theirs = theirs.assign(thousands=theirs["dataset"].map(sizes) / 1000)
    panels = [
        _panel(epsilon, scaled, theirs) for epsilon in sorted(table["epsilon"].dropna().unique())
    ]
    return lines.draw(panels, table, height=2.2, sharey=True)


def _panel(epsilon: float, table: pd.DataFrame, theirs: pd.DataFrame | None) -> Panel:
    """Return the panel of one epsilon; what has no noise is a line, or named if far off."""
    private, free = table[table["epsilon"].notna()], table[table["epsilon"].isna()]
    far = [
        name
        for name, part in free.groupby("method")
        if any(lines.far_off(value, private["mean"]) for value in part["mean"])
    ]
    near = pd.concat([private[private["epsilon"] == epsilon], free[~free["method"].isin(far)]])
    drawn = curves(near, "method", "thousands", LOOKS, lines.label)
    if theirs is not None:
        drawn += lines.from_elsewhere(theirs[theirs["epsilon"] == epsilon], "thousands")
    return Panel(
        f"ε = {epsilon:g}",
        x=Axis("Users (thousands)", log=True, ticks=table["thousands"].unique()),
        y=Axis(METRICS["rmse"], log=True, reach=lines.ROOM),
        curves=drawn,
        dodge=lines.dodge(private["method"]),
        notes=[
            f"{method_label(name)}: {format_range(free.loc[free['method'] == name, 'mean'], 2)}"
            for name in present(far, LOOKS)
        ],
    )


def describe_users(data: pd.DataFrame) -> dict[str, object]:
    """Say what each method of the paper gains from the fewest to the most users."""
    few, many = data["users"].min(), data["users"].max()
    wide = data.pivot(index=["method", "epsilon"], columns="users", values="mean")
    ratio = (wide[many] / wide[few]).dropna()
    methods = present(ratio.index.get_level_values("method"), PAPER) if few < many else ()
    found = [(method_label(name), [span(ratio[name])]) for name in methods if name in PAPER]
    return {"few": few, "many": many, "ratios": listed(found)}
