"""Figures of error against epsilon (figure 3 of the paper) and the number of users (figure 4)."""

from collections.abc import Sequence

import pandas as pd

from dpmc_studies.frame.showing.frames import present, split
from dpmc_studies.frame.showing.panels import Axis, Panel, curves
from dpmc_studies.frame.showing.style import Drawing
from dpmc_studies.studies.dpals.figures import lines
from dpmc_studies.studies.dpals.frames import (
    DATASETS,
    DPALS,
    DPALS_PART,
    LOOKS,
    METRICS,
    PAPER,
    PART,
    dataset_label,
    datasets_of,
    format_range,
    method_label,
    metric_of,
    standard,
    summary,
    synthetic_sizes,
)

OF_USERS = (*PAPER, "trivial", "als")  # what is drawn against the number of users


def by_budget(
    trials: pd.DataFrame,
    published: pd.DataFrame | None = None,
    *,
    of: Sequence[str] = ("",),
    but: Sequence[str] = (),
    columns: int = 3,
) -> Drawing:
    """Draw each data set's metric against epsilon, if its name begins so, and not so."""
    trials = parts_as_methods(standard(trials))
    names = [name for name in datasets_of(trials) if name.startswith(tuple(of))]
    names = [name for name in names if not name.startswith(tuple(but))]
    tables, panels = [], []
    for name, here in split(trials[trials["dataset"].isin(names)], dataset=DATASETS):
        metric = metric_of(here)
        table = summary(here, metric).assign(metric=metric)
        panels.append(lines.budgets(dataset_label(name), table, metric, published))
        tables.append(table)
    return lines.draw(panels, tables, columns=columns, height=2.6)


def parts_as_methods(trials: pd.DataFrame) -> pd.DataFrame:
    """Return DPALS on a part of the users as a method of its own on the whole data set."""
    part = trials["dataset"].str.endswith(PART)
    return trials.assign(
        dataset=trials["dataset"].str.removesuffix(PART),
        method=trials["method"].where(~part | (trials["method"] != DPALS), DPALS_PART),
    )


def users(trials: pd.DataFrame, published: pd.DataFrame | None = None) -> Drawing:
    """Draw RMSE against the number of users, a panel for each epsilon."""
    here = standard(trials)
    sizes = synthetic_sizes(here)
    here = here[here["dataset"].isin(sizes) & here["method"].isin(OF_USERS)]
    table = summary(here, "rmse", ("users", "method", "epsilon"))
    table = table[table.groupby("method")["users"].transform("nunique") > 1]
    scaled = table.assign(thousands=table["users"] / 1000)
    if published is not None:
        published = published[published["dataset"].isin(sizes)]
        published = published.assign(thousands=published["dataset"].map(sizes).astype(float) / 1000)
    epsilons = sorted(table["epsilon"].dropna().unique())
    panels = [_of_users(epsilon, scaled, published) for epsilon in epsilons]
    return lines.draw(panels, table, height=2.2, sharey=True)


def _of_users(epsilon: float, table: pd.DataFrame, published: pd.DataFrame | None) -> Panel:
    """Return the panel of one epsilon; what has no noise is a line, or named if far off."""
    private, free = table[table["epsilon"].notna()], table[table["epsilon"].isna()]
    far = [
        name
        for name, part in free.groupby("method")
        if any(lines.far_off(value, private["mean"]) for value in part["mean"])
    ]
    near = pd.concat([private[private["epsilon"] == epsilon], free[~free["method"].isin(far)]])
    return Panel(
        f"ε = {epsilon:g}",
        x=Axis("Users (thousands)", log=True, ticks=table["thousands"].unique()),
        y=Axis(METRICS["rmse"], log=True, reach=lines.ROOM),
        curves=[
            *curves(near, "method", "thousands", LOOKS, lines.label),
            *lines.elsewhere(published, private, "thousands", epsilon=epsilon, metric="rmse"),
        ],
        dodge=lines.dodge(private["method"]),
        notes=[
            f"{method_label(name)}: {format_range(free.loc[free['method'] == name, 'mean'], 2)}"
            for name in present(far, LOOKS)
        ],
    )
