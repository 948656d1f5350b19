"""Figure of the paper's error bounds, as printed and as corrected, beside measured errors."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures.budgets import ARE
from dpmc.studies.onebit.frames import BENCHMARK, LINKS, link_label, main_constraint, summary
from dpmc.study.frames import number, present
from dpmc.study.style import (
    BLACK,
    BLUE,
    LIGHT,
    PAGE,
    VERMILLION,
    Drawing,
    NothingToDraw,
    new_figure,
    value_axis,
)

KEYS = ["mechanism", "link", "observed_fraction", "epsilon"]
FORMS = {"published": ("as printed", VERMILLION), "corrected": ("as corrected", BLUE)}
LINES = ("-", "--")  # of the least and the largest observed fraction


def bounds_and_errors(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw bounds and raw ARE against epsilon, a row for each link, a column for each theorem."""
    trials, bounds = inputs.get("trials"), inputs.get("bounds")
    if trials is None or bounds is None:
        raise NothingToDraw("The error bounds have not been computed")
    data = with_errors(trials, bounds)
    if data.empty:
        raise NothingToDraw("No mechanism with an error bound has been run")
    theorems, links = sorted(data["theorem"].unique()), present(data["link"], LINKS)
    fractions = sorted({data["observed_fraction"].min(), data["observed_fraction"].max()})
    figure = new_figure(PAGE, 1.2 + 2.1 * len(links))
    grid = figure.subplots(len(links), len(theorems), squeeze=False, sharex=True, sharey=True)
    for row, link in zip(grid, links, strict=True):
        for axes, theorem in zip(row, theorems, strict=True):
            part = data[(data["link"] == link) & (data["theorem"] == theorem)]
            _panel(axes, part, fractions)
            name = mechanism_label(part["mechanism"].iloc[0]).partition(",")[0]
            axes.set_title(f"Theorem {theorem} ({name}), {link_label(link)}", loc="left")
        row[0].set_ylabel(ARE)
    _scales(grid, data)
    figure.supxlabel("Claimed ε (of the value of one sign)", fontsize=8)
    figure.legend(handles=_handles(fractions), loc="outside upper center", ncols=3)
    return Drawing(figure, data)


def with_errors(trials: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Return the finite bounds, each with the measured raw ARE of its cell, where it was run."""
    here = trials[trials["dataset"] == BENCHMARK]
    if here.empty:
        return bounds.head(0)
    table = summary(here[here["constraint"] == main_constraint(trials, BENCHMARK)], "are_raw")
    table = table.drop(columns=["dataset", "constraint"])
    finite = bounds[np.isfinite(bounds[list(FORMS)].astype(float)).all(axis=1)]
    return finite.merge(table, on=KEYS, how="inner")


def _panel(axes, part: pd.DataFrame, fractions: list[float]) -> None:
    for fraction, style in zip(fractions, LINES, strict=False):
        one = part[part["observed_fraction"] == fraction].sort_values("epsilon")
        for form, (_, color) in FORMS.items():
            axes.plot(one["epsilon"], one[form], color=color, linestyle=style, linewidth=1.1)
        error = np.nan_to_num([one["mean"] - one["low"], one["high"] - one["mean"]])
        axes.errorbar(
            one["epsilon"], one["mean"], error, color=BLACK, linestyle=style, linewidth=0.9,
            marker="o", markersize=3, markerfacecolor=BLACK if style == "-" else "white",
            markeredgewidth=0.8, zorder=4,
        )  # fmt: skip
    # errors are relative to the mean square of the matrices, which hardly differs
    least = part.groupby("epsilon")["trivial"].min()
    axes.fill_between(least.index, least, 1e9, color=LIGHT, alpha=0.6, linewidth=0, zorder=0)


def _scales(grid: np.ndarray, data: pd.DataFrame) -> None:
    """Make the logarithmic axes, which all panels share."""
    axes, columns = grid.flat[0], ["mean", *FORMS]
    low, high = data[columns].min().min() / 1.5, data[columns].max().max() * 1.5
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(low, high)
    for each in grid.flat:
        value_axis(each.xaxis, np.log10(data["epsilon"].max() / data["epsilon"].min()))
        value_axis(each.yaxis, np.log10(high / low))


def _handles(fractions: list[float]) -> list:
    bounds = [
        Line2D([], [], color=color, lw=1.1, label=f"bound {name}, constants 1")
        for name, color in FORMS.values()
    ]
    observed = [
        Line2D([], [], color=BLACK, ls=style, lw=0.9, marker="o", markersize=3,
               markerfacecolor=BLACK if style == "-" else "white",
               label=f"measured, {100 * fraction:g} % observed")
        for fraction, style in zip(fractions, LINES, strict=False)
    ]  # fmt: skip
    return [*bounds, Patch(color=LIGHT, label="says nothing: no error is larger"), *observed]


def describe_bounds(data: pd.DataFrame) -> str:
    """Say how many bounds say nothing, and how far above the errors they lie."""
    parts = []
    for theorem, part in data.groupby("theorem"):
        texts = []
        for form, (name, _) in FORMS.items():
            empty = int((part[form] >= part["trivial"]).sum())
            ratio = part[form] / part["mean"]
            texts.append(
                f"{name} at {empty} of {len(part)} ({number(ratio.min(), 2)} to "
                f"{number(ratio.max(), 2)} times the error)"
            )
        parts.append(f"theorem {theorem} {', '.join(texts)}")
    text = f"With constants 1 the bound says nothing, over all cells: {'; '.join(parts)}."
    return f"{text}{_grows(data)}"


def _grows(data: pd.DataFrame) -> str:
    """Say where a bound is larger at the largest epsilon than at 1."""
    found = {}
    for (theorem, link), part in data.groupby(["theorem", "link"]):
        for form, (name, _) in FORMS.items():
            table = part.pivot_table(index="observed_fraction", columns="epsilon", values=form)
            if 1.0 in table and (table[table.columns.max()] > table[1.0]).all():
                found.setdefault(f"theorem {theorem} {name}", []).append(link_label(link))
    if not found:
        return ""
    places = "; ".join(f"{name} ({' and '.join(links)})" for name, links in found.items())
    return (
        f" It is larger at ε = {data['epsilon'].max():g} than at ε = 1, as if less privacy made "
        f"errors larger: {places}."
    )
