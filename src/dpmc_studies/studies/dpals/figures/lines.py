"""What the curves of DPALS share: panels over epsilon, and lines of what has no noise."""

from collections.abc import Sequence
from dataclasses import replace

import pandas as pd

from dpmc_studies.frame.showing.frames import select
from dpmc_studies.frame.showing.panels import (
    Axis,
    Curve,
    Panel,
    curves,
    draw_panels,
    handle,
    levels,
)
from dpmc_studies.frame.showing.style import GREY, Drawing, Look
from dpmc_studies.studies.dpals.cells import STANDARD
from dpmc_studies.studies.dpals.frames import FREE, LOOKS, METRICS, PRIVATE, method_label, number

EPSILON = "ε of one user, all ratings"
SPREAD, MOST = 0.15, 0.025  # of log10: of all curves at one place, between two of them at most
MARGIN = 1.25  # factor of epsilon beside the curves
ROOM = 0.6  # for intervals: of few trials they are wide
FAR = 4.0  # a line without noise that many times below or above all curves is named instead
ELSEWHERE = handle("hollow: from elsewhere", Look(GREY, "o", "none", "none"), markersize=8.5)


def label(name: str) -> str:
    """Return the name of a method in a legend."""
    return method_label(name) + (", no noise" if name in FREE else "")


ORDER = [label(name) for name in (*PRIVATE, *FREE)]


def dodge(names: pd.Series) -> float:
    """Return how far from each other the curves of so many methods stand."""
    return min(MOST, SPREAD / max(names.nunique(), 1))


def draw(panels: Sequence[Panel], data: Sequence[pd.DataFrame], **style: object) -> Drawing:
    """Draw panels; their legend has the methods in order, and what hollow means if it is there."""
    hollow = any(curve.look.face == "none" for panel in panels for curve in panel.curves)
    return draw_panels(panels, data, handles=[ELSEWHERE] * hollow, order=ORDER, **style)


def budgets(
    title: str, table: pd.DataFrame, metric: str, published: pd.DataFrame | None = None
) -> Panel:
    """Return the panel of all methods of one data set against epsilon.

    ``table`` has rows of :func:`~dpmc_studies.studies.dpals.frames.summary`.
    """
    private, free = table[table["epsilon"].notna()], table[table["epsilon"].isna()]
    lines, others, notes = levels(free, "method", LOOKS, label), private["mean"], []
    for line in lines:
        if len(others) and far_off(line.mean, others):
            name = line.label.removesuffix(", no noise")
            notes.append(f"{name}: {number(line.mean, 2)} (off the scale)")
    limits, dataset = (0, None) if metric == "recall" else None, table["dataset"].iloc[0]
    return Panel(
        title,
        x=Axis(EPSILON, log=True, ticks=private["epsilon"].unique(), margin=MARGIN),
        y=Axis(METRICS[metric], log=limits is None, limits=limits, reach=ROOM),
        curves=[
            *curves(private, "method", "epsilon", LOOKS, label),
            *elsewhere(published, private, "epsilon", dataset=dataset, metric=metric),
        ],
        levels=[line for line in lines if others.empty or not far_off(line.mean, others)],
        dodge=dodge(private["method"]),
        notes=notes,
    )


def elsewhere(
    published: pd.DataFrame | None, private: pd.DataFrame, x: str, **place: object
) -> list[Curve]:
    """Return numbers from elsewhere as large hollow markers, beside those of the same methods."""
    if published is None:
        return []
    here = select(published, variant=STANDARD, **place)
    here = here[here["method"].isin(private["method"]) & here["epsilon"].notna()]
    return [
        Curve(
            part.rename(columns={x: "x", "value": "mean"}),
            replace(LOOKS.get(name, Look(GREY, ".")), line="none", face="none"),
            place=label(name),
            size=8.5,
        )
        for name, part in here.groupby("method", sort=False)
    ]


def far_off(value: float, others: pd.Series) -> bool:
    """Say whether a value is :data:`FAR` times below or above all others."""
    return not others.min() / FAR <= value <= others.max() * FAR
