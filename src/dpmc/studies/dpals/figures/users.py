"""Figure 4 of the paper: RMSE on synthetic data against the number of users, by epsilon."""

from collections.abc import Mapping

import pandas as pd

from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import (
    LOOKS,
    METRICS,
    PAPER,
    STANDARD,
    ends,
    method_label,
    standard,
    summary,
    synthetic_sizes,
)
from dpmc.study.frames import present, trials_text
from dpmc.study.style import PAGE, Drawing, NothingToDraw

KEYS = ("users", "method", "epsilon")
LINES = ("trivial", "als")


def users(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw RMSE against the number of users, a panel for each epsilon."""
    trials, published = standard(inputs.get("trials")), inputs.get("published")
    sizes = synthetic_sizes(trials) if len(trials) else {}
    if not sizes:
        raise NothingToDraw("No synthetic data have been run")
    here = trials[trials["dataset"].isin(sizes) & trials["method"].isin([*PAPER, *LINES])]
    table = summary(here, "rmse", KEYS)
    table = table[table.groupby("method")["users"].transform("nunique") > 1]
    if table["epsilon"].isna().all():
        raise NothingToDraw("The number of users has not been varied")
    budgets = sorted(table["epsilon"].dropna().unique())
    theirs = _published(published, sizes, table)
    figure, panels = lines.grid(PAGE, budgets, 3, 2.2, sharey=True)
    values, notes = lines.shown_values(table)
    if theirs is not None:
        values = pd.concat([values, theirs["value"]])
    shown = []
    for axes, epsilon in zip(panels, budgets, strict=True):
        part = table[(table["epsilon"] == epsilon) | table["epsilon"].isna()]
        mine = None if theirs is None else theirs[theirs["epsilon"] == epsilon]
        shown += _panel(axes, part, table, mine)
        axes.set_title(f"ε = {epsilon:g}", loc="left")
        axes.set_xlabel("Users (thousands)")
        if axes.get_subplotspec().is_first_col():
            axes.set_ylabel(METRICS["rmse"])
    lines.error_axis(panels[0], values, notes)
    found = lines.handles(shown, reported=theirs is not None)
    figure.legend(handles=found, loc="outside upper center", ncols=3)
    return Drawing(figure, table)


def _panel(axes, part: pd.DataFrame, table: pd.DataFrame, theirs: pd.DataFrame | None) -> list[str]:
    """Draw a panel and return the methods that are drawn, and not only named."""
    private = table.loc[table["epsilon"].notna(), "mean"]
    names = [name for name in present(part["method"], LOOKS) if name not in LINES]
    for name, shift in zip(names, lines.side_by_side(len(names)), strict=True):
        one = part[part["method"] == name].sort_values("users")
        lines.curve(axes, one["users"] / 1000 * shift, one, lines.look_of(name))
        if theirs is not None:
            mine = theirs[theirs["method"] == name]
            lines.reported_points(
                axes, mine["users"] / 1000 * shift, mine["value"], lines.look_of(name)
            )
    far, drawn = [], list(names)
    for name in present(part["method"], LINES):
        one = part[part["method"] == name].sort_values("users")
        if one.empty or name not in LINES:
            continue
        if one["mean"].map(lambda value: lines.far_off(value, private)).any():
            far.append(f"{method_label(name)}: {ends(one['mean'], 2)}")
            continue
        drawn.append(name)
        look = lines.look_of(name)
        axes.plot(one["users"] / 1000, one["mean"], color=look.color, ls=look.line, lw=1.1)
    if far:
        axes.annotate("\n".join(far), (0.02, 0.02), xycoords="axes fraction", va="bottom")
    axes.set_xscale("log")
    lines.ticks(axes.xaxis, part["users"].unique() / 1000)
    return drawn


def _published(
    published: pd.DataFrame | None, sizes: Mapping[str, int], table: pd.DataFrame
) -> pd.DataFrame | None:
    if published is None:
        return None
    here = published[published["dataset"].isin(sizes) & (published["metric"] == "rmse")]
    here = here[here["method"].isin(table["method"]) & here["epsilon"].isin(table["epsilon"])]
    here = here[here["epsilon"].notna() & (here["variant"] == STANDARD)]
    return here.assign(users=here["dataset"].map(sizes)) if len(here) else None


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
