"""Figures 3 and 4 of the paper: ARE against the observed fraction, a column for each mechanism."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib import colormaps
from matplotlib.lines import Line2D

from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures import lines
from dpmc.studies.onebit.figures.budgets import ARE
from dpmc.studies.onebit.frames import (
    BENCHMARK,
    LOOKS,
    PUBLISHED,
    link_label,
    main_constraint,
    summary,
    trials_text,
)
from dpmc.study.style import PAGE, Drawing, Look, NothingToDraw, new_figure

SHOWN = 6  # budgets at most
MARKERS = "ovs^DP"
DARKEST, LIGHTEST = 0.0, 0.82  # of the colour map: yellow on white cannot be read


def fractions_gaussian(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw ARE against the observed fraction with the Gaussian link."""
    return _fractions(inputs, "gaussian")


def fractions_logistic(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw ARE against the observed fraction with the logistic link."""
    return _fractions(inputs, "logistic")


def _fractions(inputs: Mapping[str, pd.DataFrame | None], link: str) -> Drawing:
    trials = inputs.get("trials")
    if trials is None:
        raise NothingToDraw("No draw has been run")
    here = trials[(trials["dataset"] == BENCHMARK) & (trials["link"] == link)]
    if here["observed_fraction"].nunique() < 2:
        raise NothingToDraw(
            f"The observed fraction has not been varied with the {link_label(link)}"
        )
    here = here[here["constraint"] == main_constraint(trials, BENCHMARK)]
    names = [name for name in PUBLISHED if (here["mechanism"] == name).any()]
    budgets = shown_budgets(here["epsilon"].dropna().unique())
    figure = new_figure(PAGE, 4.9)
    grid = figure.subplots(len(lines.STAGES), len(names), squeeze=False, sharex=True, sharey="row")
    drawn = []
    for row, stage in zip(grid, lines.STAGES, strict=True):
        table = summary(here, f"are_{stage}")
        table = table[table["mechanism"].isin([*names, "clear", "zero"])]
        drawn.append(table.assign(stage=stage))
        for axes, name in zip(row, names, strict=True):
            _panel(axes, table, name, budgets, stage)
            axes.set_title(f"{mechanism_label(name).partition(',')[0]}, {stage}", loc="left")
        shown = table[table["epsilon"].isin(budgets) | table["epsilon"].isna()]["mean"]
        lines.error_axis(row[0], shown.min(), shown.max())
        row[0].set_ylabel(ARE)
    figure.supxlabel("Observed fraction of the entries (%)", fontsize=8)
    figure.legend(handles=_handles(budgets), loc="outside upper center", ncols=6)
    return Drawing(figure, pd.concat(drawn, ignore_index=True))


def shown_budgets(values) -> list[float]:
    """Choose at most :data:`SHOWN` budgets, evenly on the logarithmic scale, with both ends."""
    values = np.sort(np.asarray(values, dtype=float))
    if values.size <= SHOWN:
        return values.tolist()
    wanted = np.linspace(np.log(values[0]), np.log(values[-1]), SHOWN)
    nearest = np.abs(np.log(values)[:, None] - wanted).argmin(axis=0)
    return values[np.unique(nearest)].tolist()


def _look(place: int, count: int) -> Look:
    shade = DARKEST + (LIGHTEST - DARKEST) * place / max(count - 1, 1)
    return Look(colormaps["viridis"](shade), MARKERS[place % len(MARKERS)])


def _panel(axes, table: pd.DataFrame, name: str, budgets: list[float], stage: str) -> None:
    for place, epsilon in enumerate(budgets):
        one = table[(table["mechanism"] == name) & (table["epsilon"] == epsilon)]
        one = one.sort_values("observed_fraction")
        look = _look(place, len(budgets))
        lines.curve(axes, 100 * one["observed_fraction"], one, look, stage=stage)
    for free in ("clear", "zero"):
        one = table[table["mechanism"] == free].sort_values("observed_fraction")
        look, where = LOOKS[free], 100 * one["observed_fraction"]
        axes.plot(where, one["mean"], color=look.color, ls=look.line, lw=1.1, zorder=3)
        axes.fill_between(where, one["low"], one["high"], color=look.color, alpha=0.15, lw=0)


def _handles(budgets: list[float]) -> list[Line2D]:
    found = []
    for place, epsilon in enumerate(budgets):
        look = _look(place, len(budgets))
        label = f"ε = {epsilon:g}"
        found.append(Line2D([], [], color=look.color, marker=look.marker, lw=0.9, label=label))
    return [*found, *lines.handles(["clear", "zero"]), *lines.stage_handles()]


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
