"""Figures of the error at an equal total budget, a panel for each data set."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.frame.showing.frames import (
    FACTOR_MODELS,
    MECHANISM_LABELS,
    PRIVATE,
    PRIVATE_BASELINES,
    present,
    trials_text,
)
from dpmc.frame.showing.panels import Axis, Curve, Level, Panel, curves, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import (
    BASELINES,
    BLACK,
    BLUE,
    COLUMN,
    LOCAL_BAYES,
    MECHANISMS,
    PURPLE,
    Drawing,
    Look,
    NothingToDraw,
    needed,
)
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.studies.equal_privacy.comparisons import one_mechanism_per_baseline, summary
from dpmc.studies.equal_privacy.frames import (
    DATASETS,
    REFERENCE_LABELS,
    RELATION_TITLES,
    TRIVIAL,
    UNTUNED,
    dataset_label,
)

ABSENT = "No model has been trained at this kind of budget"
ANY = "any"  # mechanism of a method that is drawn with its best one
LOOKS = {  # from left to right
    **{(method, ANY): BASELINES[method.removeprefix("private_")] for method in PRIVATE_BASELINES},
    **{("private_als", mechanism): MECHANISMS[mechanism] for mechanism in PRIVATE},
    **{(method, ANY): LOCAL_BAYES for method in UNTUNED},
    **{("private_irls", name): replace(MECHANISMS[name], face="white") for name in PRIVATE},
}
KINDS = {  # of models: names, and looks where only the best of a kind is drawn
    "factors": ("ALS or A-IRLS", Look(BLUE, "s")),
    "averages": ("noised averages", Look(PURPLE, "d", "--")),
    "untuned": (" or ".join(UNTUNED.values()), LOCAL_BAYES),
}
KIND_OF = {
    **dict.fromkeys(FACTOR_MODELS, "factors"),
    **dict.fromkeys(PRIVATE_BASELINES, "averages"),
    **dict.fromkeys(UNTUNED, "untuned"),
}
DODGE = 0.028  # of the logarithm to base 10, between two models
WORST = 2.0  # times the error of a constant: what is worse is not shown
FAR = 3.0  # a reference lower by this factor is named, not drawn


def by_budget(inputs: Results, relations: Sequence[str]) -> Drawing:
    """Draw the error against the total epsilon of some relations of neighbours."""
    calibrated = needed(inputs, "calibrated", ABSENT)
    if not calibrated["relation"].isin(relations).any():
        raise NothingToDraw(ABSENT)
    keep = calibrated["relation"].isin(relations) | calibrated["relation"].isna()
    table = summary(one_mechanism_per_baseline(calibrated[keep]))
    panels = [
        (relation, dataset)
        for relation in relations
        for dataset in present(table.loc[table["relation"] == relation, "dataset"], DATASETS)
    ]
    drawn, shown = [], []
    for relation, dataset in panels:
        here = table[(table["relation"] == relation) & (table["dataset"] == dataset)]
        free = table[table["relation"].isna() & (table["dataset"] == dataset)]
        title = dataset_label(dataset)
        if len(relations) > 1:
            title = RELATION_TITLES[relation].replace(": ", ":\n")
        shown.append(_panel(title, here, free))
        drawn += [here, free.assign(relation=relation)]
    data = pd.concat(drawn, ignore_index=True)
    factors = sorted((model for model in LOOKS if model[1] != ANY), key=lambda model: model[0])
    order = [_label(*model) for model in (*factors, *((name, ANY) for name in UNTUNED))]
    return draw_panels(shown, data, height=2.15, order=order, inside=True)


def _label(method: str, mechanism: str) -> str:
    if method in FACTOR_MODELS:
        return f"{FACTOR_MODELS[method]} + {MECHANISM_LABELS[mechanism]}"
    if method in UNTUNED:
        return f"{UNTUNED[method]}, no settings"
    return f"{PRIVATE_BASELINES[method]}, private"


def _panel(title: str, here: pd.DataFrame, free: pd.DataFrame) -> Panel:
    drawn = []
    for (method, mechanism), look in LOOKS.items():
        part = here[here["method"] == method]
        if mechanism != ANY:
            part = part[part["mechanism"] == mechanism]
        if len(part):
            rows = part.sort_values("epsilon").rename(columns={"epsilon": "x"})
            # six models lie close: their lines are thin and their markers small
            size, width = (3, 0.6) if mechanism != ANY else (5, 1.1)
            label = _label(method, mechanism)
            drawn.append(Curve(rows, look, label, size=size, width=width))
    levels, notes = _reference(here, free)
    ticks = {value: f"{value:g}".lstrip("0") for value in here["epsilon"].unique()}
    worst = WORST * here.loc[here["method"] == TRIVIAL, "mean"].max()
    return Panel(
        title,
        x=Axis("Total ε of a training", log=True, ticks=ticks, margin=1.3),
        y=Axis("RMSE (rating units)", log=True, most=np.inf if np.isnan(worst) else worst),
        curves=drawn,
        levels=levels,
        dodge=DODGE,
        notes=notes,
    )


def _reference(here: pd.DataFrame, free: pd.DataFrame) -> tuple[list[Level], list[str]]:
    """Return the lowest model without noise, labelled below its line.

    Where it lies so far below the private ones that these would be pressed together, its number
    stands at the bottom instead.
    """
    if free.empty:
        return [], []
    row = free.loc[free["mean"].idxmin()]
    if row["mean"] <= here["mean"].min() / FAR:
        return [], [f"No noise: {row['mean']:.2g} (below)"]
    note = f"{REFERENCE_LABELS.get(row['method'], row['method'])}, no noise"
    return [Level(row["mean"], Look(BLACK, ""), low=row["low"], high=row["high"], note=note)], []


def describe_equal(data: pd.DataFrame) -> str:
    """Say how many trials there are and at how many budgets which kind of model is lowest."""
    private = data[data["epsilon"].notna()]
    cells = private.groupby(["relation", "dataset", "epsilon"])
    lowest = private.loc[cells["mean"].idxmin(), "method"].map(KIND_OF).value_counts()
    counts = [
        f"{label} at {lowest.get(name, 0)}"
        for name, (label, _) in KINDS.items()
        if (private["method"].map(KIND_OF) == name).any()
    ]
    return (
        f"Means over {trials_text(data['trials'])} with 95 % t intervals. The lowest mean, by "
        f"budget: {', '.join(counts)} of {lowest.sum()}."
    )


def cost(inputs: Results) -> Drawing:
    """Draw the best model of each kind where users are protected, and the best without noise."""
    calibrated = needed(inputs, "calibrated", ABSENT)
    if not (calibrated["relation"] == USER_ADD_REMOVE).any():
        raise NothingToDraw(ABSENT)
    table = summary(one_mechanism_per_baseline(calibrated))
    free = table[table["relation"].isna()]
    table = table[table["relation"] == USER_ADD_REMOVE].assign(kind=table["method"].map(KIND_OF))
    best = table.sort_values("mean").drop_duplicates(["dataset", "epsilon", "kind"])
    looks, labels = ({name: each[n] for name, each in KINDS.items()} for n in (1, 0))
    panels = []
    for name in present(best["dataset"], DATASETS):
        here = best[best["dataset"] == name]
        lines, notes = _reference(here, free[free["dataset"] == name])
        ticks = {value: f"{value:g}".lstrip("0") for value in here["epsilon"].unique()}
        panels.append(
            Panel(
                dataset_label(name),
                x=Axis("Total ε", log=True, ticks=ticks, margin=1.3),
                y=Axis("RMSE", log=True),
                curves=curves(here, "kind", "epsilon", looks, labels.get),
                levels=[replace(line, note="no noise") for line in lines],
                dodge=DODGE,
                notes=notes,
            )
        )
    data = pd.concat([best.sort_values(["dataset", "kind", "epsilon"]), free], ignore_index=True)
    style = {"columns": 2, "height": 1.3, "head": 0.2, "inside": True, "width": 1.3 * COLUMN}
    return draw_panels(panels, data, **style)
