"""Figures 3 and 4 of the paper: ARE against the observed fraction, a column for each mechanism."""

from collections.abc import Mapping

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import trials_text
from dpmc.frame.showing.panels import Axis, Panel, curves, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import Drawing, Look, NothingToDraw, needed, shaded
from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures import lines
from dpmc.studies.onebit.figures.budgets import ARE
from dpmc.studies.onebit.frames import (
    BENCHMARK,
    LOOKS,
    PUBLISHED,
    link_label,
    main_constraint,
)

SHOWN = 6  # budgets at most
WITHOUT = ("clear", "zero")  # that are drawn without noise


def by_fraction(inputs: Results, link: str) -> Drawing:
    """Draw ARE against the observed fraction with a link."""
    trials = needed(inputs, "trials", lines.NO_TRIALS)
    here = trials[(trials["dataset"] == BENCHMARK) & (trials["link"] == link)]
    if here["observed_fraction"].nunique() < 2:
        raise NothingToDraw(
            f"The observed fraction has not been varied with the {link_label(link)}"
        )
    here = here[here["constraint"] == main_constraint(trials, BENCHMARK)]
    names = [name for name in PUBLISHED if (here["mechanism"] == name).any()]
    budgets = shaded(shown_budgets(here["epsilon"].dropna().unique()))
    data = lines.by_stage(here[here["mechanism"].isin([*names, *WITHOUT])], "are")
    panels = [
        _panel(name, stage, data[data["stage"] == stage], budgets)
        for stage in lines.STAGES
        for name in names
    ]
    style = {"columns": len(names), "height": 1.9, "sharex": True, "sharey": "row"}
    return draw_panels(panels, data, legend={"ncols": 6}, handles=lines.STAGE_HANDLES, **style)


def _panel(name: str, stage: str, table: pd.DataFrame, budgets: Mapping[float, Look]) -> Panel:
    table = table.assign(percent=100 * table["observed_fraction"])
    shades = {budget: lines.staged(look, stage) for budget, look in budgets.items()}
    of_budgets = table[(table["mechanism"] == name) & table["epsilon"].isin(list(budgets))]
    free = table[table["mechanism"].isin(WITHOUT)]
    return Panel(
        f"{mechanism_label(name).partition(',')[0]}, {stage}",
        x=Axis("Observed fraction of the entries (%)"),
        y=Axis(ARE, log=True),
        curves=[
            *curves(of_budgets, "epsilon", "percent", shades, lambda epsilon: f"ε = {epsilon:g}"),
            *curves(free, "mechanism", "percent", LOOKS, lines.label),
        ],
    )


def shown_budgets(values) -> list[float]:
    """Choose at most :data:`SHOWN` budgets, evenly on the logarithmic scale, with both ends."""
    values = np.sort(np.asarray(values, dtype=float))
    if values.size <= SHOWN:
        return values.tolist()
    wanted = np.linspace(np.log(values[0]), np.log(values[-1]), SHOWN)
    nearest = np.abs(np.log(values)[:, None] - wanted).argmin(axis=0)
    return values[np.unique(nearest)].tolist()


def describe_fractions(data: pd.DataFrame) -> str:
    """Say by how much the error changes from the smallest to the largest share."""
    low, high = data["observed_fraction"].min(), data["observed_fraction"].max()
    parts = []
    for name in ("clear", *PUBLISHED):
        part = data[(data["mechanism"] == name) & (data["stage"] == "truncated")]
        ends = [part[part["observed_fraction"] == end].set_index("epsilon") for end in (low, high)]
        ratio = (ends[1]["mean"] / ends[0]["mean"]).dropna()
        if len(ratio):
            values = dict.fromkeys(f"{value:.2f}" for value in (ratio.min(), ratio.max()))
            parts.append(f"{mechanism_label(name).partition(',')[0]} {' to '.join(values)}")
    return (
        f"{trials_text(data['trials']).capitalize()} a point. ARE at {100 * high:g} % over that at "
        f"{100 * low:g} %, truncated, for the ε run at both: {'; '.join(parts)}."
    )
