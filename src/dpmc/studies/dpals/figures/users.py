"""Figure 4 of the paper: RMSE on synthetic data against the number of users, by epsilon."""

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import Axis, Curve, Panel, curves, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import Drawing, NothingToDraw
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
LINES = ("trivial", "als")


def users(inputs: Results) -> Drawing:
    """Draw RMSE against the number of users, a panel for each epsilon."""
    trials = with_default(inputs.get("trials"))
    sizes = synthetic_sizes(trials) if len(trials) else {}
    if not sizes:
        raise NothingToDraw("No synthetic data have been run")
    here = trials[
        trials["dataset"].isin(sizes) & trials["method"].isin([*PAPER, LOCAL_BAYES, *LINES])
    ]
    table = summary(here, "rmse", KEYS)
    table = table[table.groupby("method")["users"].transform("nunique") > 1]
    if table["epsilon"].isna().all():
        raise NothingToDraw("The number of users has not been varied")
    table = table.assign(thousands=table["users"] / 1000)
    theirs = lines.reported_beside(inputs.get("published"), table, sizes, "rmse")
    if theirs is not None:
        theirs = theirs.assign(thousands=theirs["dataset"].map(sizes) / 1000)
    panels = [
        _panel(epsilon, table, theirs) for epsilon in sorted(table["epsilon"].dropna().unique())
    ]
    style = {"height": 2.2, "sharey": True, "order": lines.ORDER}
    table = table.drop(columns="thousands")
    return draw_panels(panels, table, handles=lines.handles(panels), **style)


def _panel(epsilon: float, table: pd.DataFrame, theirs: pd.DataFrame | None) -> Panel:
    """Return the panel of one epsilon; what has no noise is a line, or named if far off."""
    private = table[table["epsilon"].notna()]
    here, free = private[private["epsilon"] == epsilon], table[table["epsilon"].isna()]
    drawn, notes = curves(here, "method", "thousands", LOOKS, lines.label), []
    for name, line in zip(present(free["method"], LOOKS), _free(free), strict=True):
        if line.rows["mean"].map(lambda value: lines.far_off(value, private["mean"])).any():
            notes.append(f"{method_label(name)}: {format_range(line.rows['mean'], 2)}")
        else:
            drawn.append(line)
    if theirs is not None:
        drawn += lines.from_elsewhere(theirs[theirs["epsilon"] == epsilon], "thousands")
    return Panel(
        f"ε = {epsilon:g}",
        x=Axis("Users (thousands)", log=True, ticks=table["thousands"].unique()),
        y=Axis(METRICS["rmse"], log=True, reach=lines.ROOM),
        curves=drawn,
        dodge=lines.DODGE,
        notes=notes,
    )


def _free(free: pd.DataFrame) -> list[Curve]:
    return curves(free, "method", "thousands", LOOKS, lines.label)


def describe_users(data: pd.DataFrame) -> str:
    """Say what each method gains from the fewest to the most users."""
    few, many = data["users"].min(), data["users"].max()
    parts = []
    for name in present(data["method"], PAPER):
        if name not in PAPER:
            continue
        here = data[data["method"] == name].set_index("epsilon")
        ends = [here[here["users"] == count]["mean"] for count in (few, many)]
        ratio = (ends[1] / ends[0]).dropna()
        if few < many and len(ratio):
            values = dict.fromkeys(f"{value:.2f}" for value in (ratio.min(), ratio.max()))
            parts.append(f"{method_label(name)} {' to '.join(values)}")
    text = f"{trials_text(data['trials']).capitalize()} a point."
    if parts:
        text += f" RMSE at {many:,} users over that at {few:,}: {'; '.join(parts)}."
    return text
