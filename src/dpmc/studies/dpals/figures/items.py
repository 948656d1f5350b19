"""Figure 5 of the paper and the projection: what sampling, fewer items and lambda do."""

from collections.abc import Iterator

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import Axis, Curve, Panel, curves, draw_panels, hollow
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import BLACK, BLUE, VERMILLION, Drawing, Look, NothingToDraw, shaded
from dpmc.studies.dpals.frames import (
    METRICS,
    dataset_label,
    datasets_of,
    format_range,
    item_rows,
    method_label,
    number,
    summary,
    with_variants,
)

ITEM_KEYS = ("dataset", "method", "epsilon", "sampling", "item_share")
LAMBDA_KEYS = ("dataset", "method", "epsilon", "regularization", "projection")
SAMPLINGS = ("uniform", "adaptive")
ALL_RATINGS = "als"  # sees all ratings, however the others sample
WITHOUT = {ALL_RATINGS: Look(BLACK, "o"), "als_sampled": Look(BLACK, "v")}
PROJECTION = {True: Look(BLUE, "s"), False: Look(VERMILLION, "^", "--")}
PROJECTED = {True: "projected, λ added after", False: "not projected"}
LAMBDA = "λ of the items, in standard deviations of the noise on H"


def items(inputs: Results) -> Drawing:
    """Draw RMSE against the share of items with factors, by sampling and epsilon."""
    here = item_rows(inputs.get("trials"))
    if here.empty:
        raise NothingToDraw("The share of items has not been varied")
    table = summary(here, "rmse", ITEM_KEYS)
    panels = [
        Panel(
            dataset_label(name),
            x=Axis("Items with factors, most rated first (%)", log=True, ticks=shares),
            y=Axis(METRICS["rmse"], log=True),
            curves=[
                Curve(one.assign(x=100 * one["item_share"]), look, label, place="together")
                for label, look, one in _curves(part, table)
            ],
        )
        for name in datasets_of(table)
        for part in [table[table["dataset"] == name]]
        for shares in [100 * part["item_share"].unique()]
    ]
    return draw_panels(panels, table, columns=2, height=3.0, legend={"ncols": 2})


def _curves(part: pd.DataFrame, table: pd.DataFrame) -> Iterator[tuple[str, Look, pd.DataFrame]]:
    """Yield label, look and rows of every curve of a panel."""
    budgets = shaded(sorted(table["epsilon"].dropna().unique()))
    for method in present(part["method"], WITHOUT):
        mine = part[part["method"] == method]
        for epsilon in [None, *budgets]:
            if epsilon is None:
                rows, label = mine[mine["epsilon"].isna()], method_label(method)
                look = WITHOUT.get(method, Look(BLACK, "."))
            else:
                rows = mine[mine["epsilon"] == epsilon]
                label = f"{method_label(method)}, ε = {epsilon:g}"
                look = budgets[epsilon]
            found = present(rows["sampling"], SAMPLINGS)
            for sampling in found[-1:] if method == ALL_RATINGS else found:
                one = rows[rows["sampling"] == sampling].sort_values("item_share")
                named = label if method == ALL_RATINGS else f"{label}, {sampling}"
                yield named, hollow(look) if sampling == "uniform" else look, one


def projection(inputs: Results) -> Drawing:
    """Draw RMSE against lambda with and without the projection, a panel a data set and epsilon."""
    here = with_variants(inputs.get("trials"))
    here = here[here["regularization"].notna()]
    if here.empty:
        raise NothingToDraw("The regularization has not been varied with and without projection")
    table = summary(here, "rmse", LAMBDA_KEYS)
    panels = [
        Panel(
            f"{dataset_label(name)}, ε = {epsilon:g}",
            x=Axis(LAMBDA, log=True, ticks=part["regularization"].unique()),
            y=Axis(METRICS["rmse"], log=True),
            curves=curves(part, "projection", "regularization", PROJECTION, PROJECTED.get),
        )
        for name in datasets_of(table)
        for epsilon, part in table[table["dataset"] == name].groupby("epsilon")
    ]
    return draw_panels(panels, table, columns=2, height=2.6, legend={"ncols": 2})


def describe_items(data: pd.DataFrame) -> str:
    """Say where each curve is lowest."""
    parts = []
    for name in datasets_of(data):
        here = data[data["dataset"] == name]
        texts = []
        for label, _, one in _curves(here, data):
            best = one.loc[one["mean"].idxmin()]
            share = f"{100 * best['item_share']:g} %"
            texts.append(f"{label}: {number(best['mean'])} at {share}")
        parts.append(f"{dataset_label(name)}: {'; '.join(texts)}")
    return f"{trials_text(data['trials']).capitalize()} a point. Lowest RMSE on {'. '.join(parts)}."


def describe_projection(data: pd.DataFrame) -> str:
    """Say what leaving the projection out costs at the smallest and the largest lambda."""
    parts = []
    for (name, epsilon), here in data.groupby(["dataset", "epsilon"]):
        wide = here.pivot(index="regularization", columns="projection", values="mean").dropna()
        if wide.shape[1] < 2 or wide.empty:
            continue
        ratio = wide[False] / wide[True]
        parts.append(
            f"{dataset_label(name)}, ε = {epsilon:g}: {number(ratio.iloc[0])} at "
            f"λ = {wide.index[0]:g} and {number(ratio.iloc[-1])} at {wide.index[-1]:g}"
        )
    told = f" RMSE without over RMSE with the projection, {'; '.join(parts)}." if parts else ""
    best = format_range([data["mean"].min()])
    return f"{trials_text(data['trials']).capitalize()} a point; lowest RMSE {best}.{told}"
