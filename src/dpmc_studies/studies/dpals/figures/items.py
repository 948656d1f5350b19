"""Figures 2 and 5 of the paper: how unevenly items are rated, what sampling and fewer items do."""

from collections.abc import Iterator
from itertools import product

import pandas as pd

from dpmc_studies.frame.showing.frames import present, split
from dpmc_studies.frame.showing.panels import Axis, Curve, Panel, curves, draw_panels, hollow
from dpmc_studies.frame.showing.style import (
    BLACK,
    BLUE,
    GREY,
    SKY,
    VERMILLION,
    Drawing,
    Look,
    shaded,
)
from dpmc_studies.studies.dpals.figures.budgets import ROOM
from dpmc_studies.studies.dpals.frames import (
    DATASETS,
    METRICS,
    dataset_label,
    item_rows,
    method_label,
    summary,
)

LOOKS = {
    "uniform": Look(VERMILLION, "", "--"),
    "full": Look(BLACK, ""),
    "adaptive": Look(BLUE, "", "-."),
    "shuffled": Look(SKY, "", (0, (1, 1.2))),
}
LABELS = {
    "uniform": "k uniform ratings a user",
    "full": "all ratings",
    "adaptive": "k ratings of rare items",
    "shuffled": "uniform, items shuffled",
}
ITEM_KEYS = ("dataset", "method", "epsilon", "sampling", "item_share")
BESIDE = 0.02  # of log10, between two curves
ALL_RATINGS = "als"  # sees all ratings, however the others sample
WITHOUT = {ALL_RATINGS: Look(BLACK, "o"), "als_sampled": Look(BLACK, "v")}


def coverage(coverage: pd.DataFrame) -> Drawing:
    """Draw the share of the ratings against the share of items that holds them."""
    percent = coverage.assign(x=100 * coverage["item_share"], mean=100 * coverage["rating_share"])
    panels = []
    for name, here in split(percent, dataset=DATASETS):
        gini = here.groupby("sampling")["gini"].first()
        labels = {each: f"{LABELS[each]} (Gini {gini[each]:.2f})" for each in gini.index}
        panels.append(
            Panel(
                dataset_label(name),
                x=Axis("Most rated items (%)", limits=(0, 100)),
                y=Axis("Share of the ratings (%)", limits=(0, 101)),
                curves=curves(here, "sampling", "x", LOOKS, labels.get),
                legend="lower right",
                more=lambda axes: axes.plot([0, 100], [0, 100], color=GREY, lw=0.7, ls=":"),
            )
        )
    return draw_panels(panels, coverage, height=2.6, sharey=True)


def items(trials: pd.DataFrame) -> Drawing:
    """Draw RMSE against the share of items with factors, by sampling and epsilon."""
    table = summary(item_rows(trials), "rmse", ITEM_KEYS)
    shown = table.assign(x=100 * table["item_share"])
    panels = [
        Panel(
            dataset_label(name),
            x=Axis("Items with factors, most rated first (%)", log=True, ticks=part["x"].unique()),
            y=Axis(METRICS["rmse"], log=True, reach=ROOM),
            curves=list(_curves(part, table)),
            dodge=BESIDE,
        )
        for name, part in split(shown, dataset=DATASETS)
    ]
    return draw_panels(panels, table, columns=2, height=3.0, legend={"ncols": 2})


def _curves(part: pd.DataFrame, table: pd.DataFrame) -> Iterator[Curve]:
    """Yield every curve of a panel: of each sampling, but of ALS with all ratings one."""
    budgets = shaded(sorted(table["epsilon"].dropna().unique()))
    for method, epsilon in product(present(part["method"], WITHOUT), [None, *budgets]):
        same = part["epsilon"].isna() if epsilon is None else part["epsilon"] == epsilon
        rows = part[(part["method"] == method) & same].sort_values("item_share")
        label, look = method_label(method), WITHOUT.get(method, Look(BLACK, "."))
        if epsilon is not None:
            label, look = f"{label}, ε = {epsilon:g}", budgets[epsilon]
        found = present(rows["sampling"], ("uniform", "adaptive"))
        for sampling in found[-1:] if method == ALL_RATINGS else found:
            one = rows[rows["sampling"] == sampling]
            named = label if method == ALL_RATINGS else f"{label}, {sampling}"
            yield Curve(one, hollow(look) if sampling == "uniform" else look, named)
