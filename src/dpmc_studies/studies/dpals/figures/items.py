"""Figure 5 of the paper: what sampling and fewer items do."""

from collections.abc import Iterator
from itertools import product

import pandas as pd

from dpmc_studies.frame.showing.frames import present, split
from dpmc_studies.frame.showing.panels import Axis, Curve, Panel, draw_panels, hollow
from dpmc_studies.frame.showing.style import BLACK, Drawing, Look, shaded
from dpmc_studies.studies.dpals.figures.budgets import ROOM
from dpmc_studies.studies.dpals.frames import (
    DATASETS,
    METRICS,
    dataset_label,
    item_rows,
    method_label,
    summary,
)

ITEM_KEYS = ("dataset", "method", "epsilon", "sampling", "item_share")
BESIDE = 0.02  # of log10, between two curves
SAMPLINGS = ("uniform", "adaptive")
ALL_RATINGS = "als"  # sees all ratings, however the others sample
WITHOUT = {ALL_RATINGS: Look(BLACK, "o"), "als_sampled": Look(BLACK, "v")}


def items(trials: pd.DataFrame) -> Drawing:
    """Draw RMSE against the share of items with factors, by sampling and epsilon."""
    table = summary(item_rows(trials), "rmse", ITEM_KEYS)
    panels = [
        Panel(
            dataset_label(name),
            x=Axis(
                "Items with factors, most rated first (%)",
                log=True,
                ticks=100 * part["item_share"].unique(),
            ),
            y=Axis(METRICS["rmse"], log=True, reach=ROOM),
            curves=[
                Curve(one.assign(x=100 * one["item_share"]), look, label)
                for label, look, one in _curves(part, table)
            ],
            dodge=BESIDE,
        )
        for name, part in split(table, dataset=DATASETS)
    ]
    return draw_panels(panels, table, columns=2, height=3.0, legend={"ncols": 2})


def _curves(part: pd.DataFrame, table: pd.DataFrame) -> Iterator[tuple[str, Look, pd.DataFrame]]:
    """Yield label, look and rows of every curve of a panel."""
    budgets = shaded(sorted(table["epsilon"].dropna().unique()))
    for method, epsilon in product(present(part["method"], WITHOUT), [None, *budgets]):
        same = part["epsilon"].isna() if epsilon is None else part["epsilon"] == epsilon
        rows = part[(part["method"] == method) & same]
        label, look = method_label(method), WITHOUT.get(method, Look(BLACK, "."))
        if epsilon is not None:
            label, look = f"{label}, ε = {epsilon:g}", budgets[epsilon]
        found = present(rows["sampling"], SAMPLINGS)
        for sampling in found[-1:] if method == ALL_RATINGS else found:
            one = rows[rows["sampling"] == sampling].sort_values("item_share")
            named = label if method == ALL_RATINGS else f"{label}, {sampling}"
            yield named, hollow(look) if sampling == "uniform" else look, one
