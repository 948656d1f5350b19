"""Figures of error against epsilon (figure 3 of the paper) and the number of users (figure 4)."""

from collections.abc import Sequence

import pandas as pd

from dpmc_studies.frame.showing.frames import present, split
from dpmc_studies.frame.showing.panels import Axis, Panel, curves, draw_panels, levels
from dpmc_studies.frame.showing.style import Drawing
from dpmc_studies.studies.dpals.frames import (
    DATASETS,
    FREE,
    LOOKS,
    METRICS,
    PAPER,
    PRIVATE,
    dataset_label,
    datasets_of,
    method_label,
    metric_of,
    number,
    standard,
    summary,
    synthetic_sizes,
)

OF_USERS = (*PAPER, "trivial", "als")  # what is drawn against the number of users
EPSILON = "ε of one user, all ratings"
SPREAD, MOST = 0.15, 0.025  # of log10: of all curves at one place, between two of them at most
MARGIN = 1.25  # factor of epsilon beside the curves
ROOM = 0.6  # for intervals: of few trials they are wide
FAR = 4.0  # a line without noise that many times below or above all curves is named instead


def label(name: str) -> str:
    """Return the name of a method in a legend."""
    return method_label(name) + (", no noise" if name in FREE else "")


ORDER = [label(name) for name in (*PRIVATE, *FREE)]


def by_budget(
    trials: pd.DataFrame, *, of: Sequence[str] = ("",), but: Sequence[str] = (), columns: int = 3
) -> Drawing:
    """Draw each data set's metric against epsilon, if its name begins so, and not so."""
    trials = standard(trials)
    names = [name for name in datasets_of(trials) if name.startswith(tuple(of))]
    names = [name for name in names if not name.startswith(tuple(but))]
    tables, panels = [], []
    for name, here in split(trials[trials["dataset"].isin(names)], dataset=DATASETS):
        metric = metric_of(here)
        tables.append(summary(here, metric).assign(metric=metric))
        panels.append(_of_budgets(dataset_label(name), tables[-1], metric))
    return draw_panels(panels, tables, order=ORDER, columns=columns, height=2.6)


def _of_budgets(title: str, table: pd.DataFrame, metric: str) -> Panel:
    """Return the panel of all methods of one data set against epsilon."""
    private, near, notes = told_apart(table)
    limits = (0, None) if metric == "recall" else None
    return Panel(
        title,
        x=Axis(EPSILON, log=True, ticks=private["epsilon"].unique(), margin=MARGIN),
        y=Axis(METRICS[metric], log=limits is None, limits=limits, reach=ROOM),
        curves=curves(private, "method", "epsilon", LOOKS, label),
        levels=levels(near, "method", LOOKS, label),
        dodge=dodge(private["method"]),
        notes=notes,
    )


def users(trials: pd.DataFrame) -> Drawing:
    """Draw RMSE against the number of users, a panel for each epsilon."""
    here = standard(trials)
    here = here[here["dataset"].isin(synthetic_sizes(here)) & here["method"].isin(OF_USERS)]
    table = summary(here, "rmse", ("users", "method", "epsilon"))
    table = table[table.groupby("method")["users"].transform("nunique") > 1]
    private, near, notes = told_apart(table.assign(thousands=table["users"] / 1000))
    panels = [
        Panel(
            f"ε = {epsilon:g}",
            x=Axis("Users (thousands)", log=True, ticks=private["thousands"].unique()),
            y=Axis(METRICS["rmse"], log=True, reach=ROOM),
            curves=curves(pd.concat([part, near]), "method", "thousands", LOOKS, label),
            dodge=dodge(private["method"]),
            notes=notes,
        )
        for epsilon, part in private.groupby("epsilon")
    ]
    return draw_panels(panels, table, order=ORDER, height=2.2, sharey=True)


def told_apart(table: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame, list[str]]:
    """Return private rows, those without noise that are near them, and notes on the others."""
    private, free = table[table["epsilon"].notna()], table[table["epsilon"].isna()]
    if private.empty:
        return private, free, []
    low, high = private["mean"].min() / FAR, private["mean"].max() * FAR
    far = free[~free["mean"].between(low, high)]
    notes = [
        f"{method_label(name)}: {number(far[far['method'] == name]['mean'].iloc[0], 2)} (off the "
        "scale)"
        for name in present(far["method"], LOOKS)
    ]
    return private, free[~free["method"].isin(far["method"])], notes


def dodge(names: pd.Series) -> float:
    """Return how far from each other the curves of so many methods stand."""
    return min(MOST, SPREAD / max(names.nunique(), 1))
