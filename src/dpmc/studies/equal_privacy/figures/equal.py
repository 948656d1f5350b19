"""Figures of the error at an equal total budget, a panel for each data set."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import (
    FixedLocator,
    FuncFormatter,
    NullLocator,
)

from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
)
from dpmc.studies.equal_privacy.comparisons import one_mechanism_per_baseline, summary
from dpmc.studies.equal_privacy.frames import (
    DATASETS,
    REFERENCE_LABELS,
    RELATION_TITLES,
    TRIVIAL,
    UNTUNED,
    dataset_label,
)
from dpmc.study.frames import (
    EVERY,
    FACTOR_MODELS,
    MECHANISM_LABELS,
    PRIVATE_BASELINES,
    in_order,
    trials_text,
)
from dpmc.study.style import (
    BASELINES,
    BLACK,
    MECHANISMS,
    PAGE,
    Drawing,
    NothingToDraw,
    new_figure,
    value_axis,
)

COLUMNS = 3  # panels side by side
FACES = {"private_als": None, "private_irls": "white"}
DODGE = 0.028  # of the logarithm to base 10, between two models
NOTHING_CHOSEN = {"color": BLACK, "linewidth": 1.2, "marker": "*", "markersize": 5}
WORST = 2.0  # times the error of a constant: what is worse is not shown
FAR = 3.0  # a reference lower by this factor is named, not drawn


def equal_entry_change(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the error against the total epsilon where the value of one rating changes."""
    return _equal(inputs, [ENTRY_CHANGE])


def equal_user_add_remove(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the error against the total epsilon where a user joins or leaves."""
    return _equal(inputs, [USER_ADD_REMOVE])


def equal_other_relations(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the error against the total epsilon for the other two relations."""
    return _equal(inputs, [ENTRY_ADD_REMOVE, USER_REPLACE])


def _equal(inputs: Mapping[str, pd.DataFrame], relations: list[str]) -> Drawing:
    calibrated = inputs.get("calibrated")
    if calibrated is None or not calibrated["relation"].isin(relations).any():
        raise NothingToDraw("No model has been trained at this kind of budget")
    keep = calibrated["relation"].isin(relations) | calibrated["relation"].isna()
    table = summary(one_mechanism_per_baseline(calibrated[keep]))
    panels = [
        (relation, dataset)
        for relation in relations
        for dataset in in_order(table.loc[table["relation"] == relation, "dataset"], DATASETS)
    ]
    columns = min(COLUMNS, len(panels))
    rows = -(-len(panels) // columns)
    figure = new_figure(PAGE, 0.85 + 2.15 * rows)
    grid = figure.subplots(rows, columns, squeeze=False)
    drawn = []
    for axes, (relation, dataset) in zip(grid.flat, panels, strict=False):
        here = table[(table["relation"] == relation) & (table["dataset"] == dataset)]
        free = table[table["relation"].isna() & (table["dataset"] == dataset)]
        _panel(axes, here, free)
        title = dataset_label(dataset)
        if len(relations) > 1:
            title = RELATION_TITLES[relation].replace(": ", ":\n")
        axes.set_title(title)
        drawn += [here, free.assign(relation=relation)]
    for row in grid:
        row[0].set_ylabel("RMSE (rating units)")
    handles = _handles(table)
    spare = list(grid.flat)[len(panels) :]
    for axes in spare:
        axes.set_axis_off()
    if spare:
        spare[-1].legend(handles=handles, loc="center", labelspacing=0.35, borderaxespad=0)
    else:
        figure.legend(handles=handles, loc="outside upper center", ncols=3)
    figure.supxlabel("Total ε of a training", fontsize=8)
    return Drawing(figure, pd.concat(drawn, ignore_index=True))


def _panel(axes, here: pd.DataFrame, free: pd.DataFrame) -> None:
    for method in PRIVATE_BASELINES:
        part = here[here["method"] == method].sort_values("epsilon")
        look = BASELINES[method.removeprefix("private_")]
        axes.plot(part["epsilon"], part["mean"], color=look.color, linestyle=look.line, zorder=2)
        axes.fill_between(
            part["epsilon"], part["low"], part["high"], color=look.color, alpha=0.25, linewidth=0
        )
    for method in UNTUNED:
        part = here[here["method"] == method].sort_values("epsilon")
        axes.plot(part["epsilon"], part["mean"], **NOTHING_CHOSEN, zorder=5)
        axes.fill_between(
            part["epsilon"], part["low"], part["high"], color=BLACK, alpha=0.2, linewidth=0
        )
    shifts = iter(DODGE * np.linspace(-2.5, 2.5, 6))
    for method in FACTOR_MODELS:
        for mechanism in EVERY:
            where = (here["method"] == method) & (here["mechanism"] == mechanism)
            _model(axes, here[where].sort_values("epsilon"), 10 ** next(shifts))
    _axes(axes, here)
    _reference(axes, here, free)


def _model(axes, part: pd.DataFrame, shift: float) -> None:
    if part.empty:
        return
    look, face = MECHANISMS[part["mechanism"].iloc[0]], FACES[part["method"].iloc[0]]
    where = part["epsilon"] * shift
    error = np.vstack([part["mean"] - part["low"], part["high"] - part["mean"]])
    axes.plot(where, part["mean"], color=look.color, ls=look.line, lw=0.7, alpha=0.6, zorder=3)
    axes.errorbar(
        where,
        part["mean"],
        np.nan_to_num(error),
        color=look.color,
        marker=look.marker,
        markerfacecolor=face or look.color,
        markersize=3,
        markeredgewidth=0.8,
        linestyle="none",
        elinewidth=0.9,
        zorder=4,
    )


def _axes(axes, here: pd.DataFrame) -> None:
    values = sorted(here["epsilon"].unique())
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_xlim(values[0] / 1.3, values[-1] * 1.3)
    axes.xaxis.set_major_locator(FixedLocator(values))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}".lstrip("0")))
    axes.xaxis.set_minor_locator(NullLocator())


def _reference(axes, here: pd.DataFrame, free: pd.DataFrame) -> None:
    """Draw the lowest model without noise, labelled below its line, and set the limits.

    Where it lies so far below the private ones that these would be pressed together, its number
    stands at the bottom instead.
    """
    low = here["mean"].min()
    ceiling = WORST * here.loc[here["method"] == TRIVIAL, "mean"].max()
    high = np.nanmin([here["mean"].max(), ceiling])  # worse than that is off the panel
    text, place = "", None
    if len(free):
        row = free.loc[free["mean"].idxmin()]
        text = f"{REFERENCE_LABELS.get(row['method'], row['method'])}, no noise"
        if row["mean"] > low / FAR:
            axes.axhline(row["mean"], color=BLACK, linewidth=0.9, zorder=1)
            low, place = min(low, row["mean"]), row["mean"]
        else:
            text = f"No noise: {row['mean']:.2g} (below)"
    span = max(high / low, 1.01)
    axes.set_ylim(low / span**0.13, high * span**0.06)
    if place is None:
        axes.annotate(text, (0.02, 0.015), xycoords="axes fraction")
    else:
        where = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points"}
        axes.annotate(text, (0.02, place), xytext=(0, -2), va="top", **where)
    value_axis(axes.yaxis, np.log10(span))


def _handles(table: pd.DataFrame) -> list[Line2D]:
    handles = []
    for method, label in FACTOR_MODELS.items():
        for mechanism in EVERY:
            where = (table["method"] == method) & (table["mechanism"] == mechanism)
            if not where.any():
                continue
            look = MECHANISMS[mechanism]
            handles.append(
                Line2D(
                    [],
                    [],
                    color=look.color,
                    marker=look.marker,
                    markerfacecolor=FACES[method] or look.color,
                    ls=look.line,
                    lw=0.8,
                    label=f"{label} + {MECHANISM_LABELS[mechanism]}",
                )
            )
    for method, label in UNTUNED.items():
        if (table["method"] == method).any():
            handles.append(Line2D([], [], **NOTHING_CHOSEN, label=f"{label}, no settings"))
    for method, label in PRIVATE_BASELINES.items():
        if (table["method"] == method).any():
            look = BASELINES[method.removeprefix("private_")]
            text = f"{label}, private"
            handles.append(Line2D([], [], color=look.color, ls=look.line, label=text))
    return handles


def describe_equal(data: pd.DataFrame) -> str:
    """Say how many trials there are and at how many budgets factors are below every baseline."""
    private = data[data["epsilon"].notna()]
    cells = private.groupby(["relation", "dataset", "epsilon"])
    lowest = private.loc[cells["mean"].idxmin()]
    models = FACTOR_MODELS | UNTUNED
    factors = int(lowest["method"].isin(models).sum())
    names = [label for method, label in models.items() if (private["method"] == method).any()]
    return (
        f"Means over {trials_text(data['trials'])} with 95 % t intervals; at {factors} of "
        f"{len(lowest)} budgets a matrix factorisation ({', '.join(names)}) has the lowest mean."
    )
