"""Figures of the error at an equal total budget, a panel for each data set."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc_studies.frame.showing import style
from dpmc_studies.frame.showing.frames import (
    FACTOR_MODELS,
    MECHANISM_LABELS,
    PRIVATE,
    PRIVATE_BASELINES,
    present,
    split,
)
from dpmc_studies.frame.showing.panels import Axis, Curve, Level, Panel, curves, draw_panels
from dpmc_studies.frame.showing.style import Drawing, Look
from dpmc_studies.studies.equal_privacy.frames import (
    DATASETS,
    REFERENCE_LABELS,
    RELATION_TITLES,
    TRIVIAL,
    UNTUNED,
    dataset_label,
    one_mechanism_per_baseline,
    summary,
)

ANY = "any"  # mechanism of a method that is drawn with its best one
LOOKS = {  # from left to right
    **{
        (method, ANY): style.BASELINES[method.removeprefix("private_")]
        for method in PRIVATE_BASELINES
    },
    **{("private_als", mechanism): style.MECHANISMS[mechanism] for mechanism in PRIVATE},
    **{(method, ANY): style.LOCAL_BAYES for method in UNTUNED},
    **{("private_irls", name): replace(style.MECHANISMS[name], face="white") for name in PRIVATE},
}
KINDS = {  # of models: names, and looks where only the best of a kind is drawn
    "factors": ("ALS or A-IRLS", Look(style.BLUE, "s")),
    "averages": ("noised averages", Look(style.PURPLE, "d", "--")),
    "untuned": (" or ".join(UNTUNED.values()), style.LOCAL_BAYES),
}
KIND_OF = {
    **dict.fromkeys(FACTOR_MODELS, "factors"),
    **dict.fromkeys(PRIVATE_BASELINES, "averages"),
    **dict.fromkeys(UNTUNED, "untuned"),
}
DODGE = 0.028  # of the logarithm to base 10, between two models
WORST = 2.0  # times the error of a constant: what is worse is not shown
FAR = 3.0  # a reference lower by this factor is named, not drawn


def by_budget(calibrated: pd.DataFrame, relations: Sequence[str]) -> Drawing:
    """Draw the error against the total epsilon of some relations of neighbours."""
    keep = calibrated["relation"].isin(relations) | calibrated["relation"].isna()
    table = summary(one_mechanism_per_baseline(calibrated[keep]))
    drawn, panels = [], []
    for relation, dataset, here in split(table, relation=relations, dataset=DATASETS):
        if len(here):
            free = table[table["relation"].isna() & (table["dataset"] == dataset)]
            title = dataset_label(dataset)
            if len(relations) > 1:
                title = RELATION_TITLES[relation].replace(": ", ":\n")
            panels.append(_panel(title, here, _models(here), free))
            drawn += [here, free.assign(relation=relation)]
    factors = sorted((model for model in LOOKS if model[1] != ANY), key=lambda model: model[0])
    order = [_label(*model) for model in (*factors, *((name, ANY) for name in UNTUNED))]
    return draw_panels(panels, drawn, height=2.15, order=order, inside=True)


def _label(method: str, mechanism: str) -> str:
    if method in FACTOR_MODELS:
        return f"{FACTOR_MODELS[method]} + {MECHANISM_LABELS[mechanism]}"
    if method in UNTUNED:
        return f"{UNTUNED[method]}, no settings"
    return f"{PRIVATE_BASELINES[method]}, private"


def _models(here: pd.DataFrame) -> list[Curve]:
    """Return a curve for each model; six lie close, so their lines and markers are small."""
    found = []
    for (method, mechanism), look in LOOKS.items():
        part = here[here["method"] == method]
        if mechanism != ANY:
            part = part[part["mechanism"] == mechanism]
        if len(part):
            rows = part.sort_values("epsilon").rename(columns={"epsilon": "x"})
            size, width = (3, 0.6) if mechanism != ANY else (5, 1.1)
            found.append(Curve(rows, look, _label(method, mechanism), size=size, width=width))
    return found


def _panel(title: str, here: pd.DataFrame, drawn: Sequence[Curve], free: pd.DataFrame) -> Panel:
    """Return a panel with the lowest model without noise, labelled below its line.

    If it is so far below the private models that they would be pressed together, its number is
    written at the bottom instead.
    """
    levels, notes = [], []
    if len(free):
        row = free.loc[free["mean"].idxmin()]
        if row["mean"] <= here["mean"].min() / FAR:
            notes = [f"No noise: {row['mean']:.2g} (below)"]
        else:
            name = f"{REFERENCE_LABELS[row['method']]}, no noise"
            levels = [Level(row["mean"], Look(style.BLACK, ""), "", row["low"], row["high"], name)]
    worst = WORST * here.loc[here["method"] == TRIVIAL, "mean"].max()
    return Panel(
        title,
        x=Axis(
            "Total ε of a training",
            log=True,
            ticks={value: f"{value:g}" for value in here["epsilon"].unique()},
            margin=1.3,
        ),
        y=Axis("RMSE (rating units)", log=True, most=np.inf if np.isnan(worst) else worst),
        curves=drawn,
        levels=levels,
        dodge=DODGE,
        notes=notes,
    )


def describe_equal(data: pd.DataFrame) -> dict[str, object]:
    """Say at how many budgets which kind of model is lowest."""
    private = data[data["epsilon"].notna()].assign(kind=data["method"].map(KIND_OF))
    cells = private.groupby(["relation", "dataset", "epsilon"])
    lowest = private.loc[cells["mean"].idxmin(), "kind"].value_counts()
    kinds = present(private["kind"], KINDS)
    counts = [f"{KINDS[kind][0]} at {lowest.get(kind, 0)}" for kind in kinds]
    return {"counts": ", ".join(counts), "budgets": lowest.sum()}


def cost(calibrated: pd.DataFrame) -> Drawing:
    """Draw the best model of each kind where users are protected, and the best without noise."""
    table = summary(one_mechanism_per_baseline(calibrated))
    free = table[table["relation"].isna()]
    table = table[table["relation"] == USER_ADD_REMOVE].assign(kind=table["method"].map(KIND_OF))
    best = table.sort_values("mean").drop_duplicates(["dataset", "epsilon", "kind"])
    labels, looks = ({name: each[n] for name, each in KINDS.items()} for n in (0, 1))
    panels = []
    for name, here in split(best, dataset=DATASETS):
        drawn = curves(here, "kind", "epsilon", looks, labels.get)
        panel = _panel(dataset_label(name), here, drawn, free[free["dataset"] == name])
        levels = [replace(level, note="no noise") for level in panel.levels]
        x, y = replace(panel.x, label="Total ε"), Axis("RMSE", log=True)
        panels.append(replace(panel, x=x, y=y, levels=levels))
    data = [best.sort_values(["dataset", "kind", "epsilon"]), free]
    layout = {"columns": 2, "height": 1.5, "head": 0.2, "inside": True}
    return draw_panels(panels, data, **layout)


FIGURES = style.read_figures(__name__)
run = style.drawing_step(FIGURES)
