"""Figures of error against epsilon by data set (figure 3 of the paper) and side by side."""

from collections.abc import Sequence
from functools import partial

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import Drawing, NothingToDraw
from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import (
    BY_ITEMS,
    DPALS,
    DPALS_PART,
    FREE,
    PART,
    RANK_ONE,
    SURROGATE,
    SYNTHETIC,
    dataset_label,
    datasets_of,
    method_label,
    metric_of,
    number,
    summary,
    tuned,
    with_default,
)

LARGE = ("ml-10m", "ml-20m", SURROGATE)  # how the names of the paper's data sets begin
SIDE_BY_SIDE = (RANK_ONE, "jester-5k")
OTHERS = (*LARGE, SYNTHETIC, BY_ITEMS, *SIDE_BY_SIDE)  # than real data of fewer users


def by_budget(
    inputs: Results,
    *,
    of: tuple[str, ...] = ("",),
    but: tuple[str, ...] = (),
    absent: str,
    columns: int = 3,
) -> Drawing:
    """Draw the trade-off on data sets whose names begin so, and not so."""
    trials = parts_as_methods(with_default(inputs.get("trials")))
    names = [name for name in datasets_of(trials) if name.startswith(of)]
    names = [name for name in names if not name.startswith(but)]
    if not names:
        raise NothingToDraw(absent)
    return tradeoff(trials, names, inputs.get("published"), columns=columns)


large_data = partial(
    by_budget, of=LARGE, absent="Neither MovieLens 10M or 20M nor data like them have been run"
)
small_data = partial(by_budget, but=OTHERS, absent="No real data have been run")
synthetic = partial(by_budget, of=(SYNTHETIC,), absent="No synthetic data have been run", columns=2)


def parts_as_methods(trials: pd.DataFrame) -> pd.DataFrame:
    """Return DPALS on a part of the users as a method of its own on the whole data set."""
    if trials.empty:
        return trials
    part = trials["dataset"].str.endswith(PART)
    return trials.assign(
        dataset=trials["dataset"].str.removesuffix(PART),
        method=trials["method"].where(~part | (trials["method"] != DPALS), DPALS_PART),
    )


def tradeoff(
    trials: pd.DataFrame,
    names: Sequence[str],
    published: pd.DataFrame | None,
    *,
    columns: int = 3,
) -> Drawing:
    """Draw the metric of every data set against epsilon, a panel for each, from one variant."""
    tables, panels = [], []
    for name in names:
        here = trials[trials["dataset"] == name]
        metric = metric_of(here)
        table = summary(here, metric)
        reported = lines.reported_beside(published, table, [name], metric)
        panels.append(lines.budgets(dataset_label(name), table, metric, reported))
        tables.append(table.assign(metric=metric))
    data = pd.concat(tables, ignore_index=True)
    style = {"columns": columns, "height": 2.6, "order": lines.ORDER}
    return draw_panels(panels, data, handles=lines.handles(panels), **style)


def default_method(inputs: Results) -> Drawing:
    """Draw Local Bayes beside the others at their own best settings."""
    trials = tuned(inputs.get("trials"))
    if trials.empty:
        raise NothingToDraw("The default method has not been run beside the others")
    return tradeoff(trials, datasets_of(trials), None)


def side_by_side(inputs: Results) -> Drawing:
    """Draw RSE and RMSE of DP-AltMin and DP-SAltLS beside the others, a column a data set."""
    trials = with_default(inputs.get("trials"))
    if trials.empty:
        raise NothingToDraw("No method has been run")
    names = [name for name in datasets_of(trials) if name.startswith(SIDE_BY_SIDE)]
    if not names:
        raise NothingToDraw("The methods have not been run side by side")
    tables, panels = [], []
    for metric in ("rse", "rmse"):
        for name in names:
            table = summary(trials[trials["dataset"] == name], metric)
            title = f"{dataset_label(name)}, {metric.upper()}"
            panels.append(lines.budgets(title, table, metric))
            tables.append(table.assign(metric=metric))
    data = pd.concat(tables, ignore_index=True)
    return draw_panels(panels, data, columns=len(names), sharex="col", order=lines.ORDER)


def describe_budgets(data: pd.DataFrame) -> str:
    """Say how many trials there are, and which private method is best at the ends of epsilon."""
    parts = []
    for name in present(data["dataset"], datasets_of(data)):
        here = data[(data["dataset"] == name) & data["epsilon"].notna()]
        here = here[~here["method"].isin(FREE)]
        metric = "rmse" if (here["metric"] == "rmse").any() else "recall"
        here = here[here["metric"] == metric]
        if here.empty:
            continue
        texts: dict[str, list[str]] = {}
        for epsilon in dict.fromkeys((here["epsilon"].min(), here["epsilon"].max())):
            part = here[here["epsilon"] == epsilon]
            place = part["mean"].idxmax() if metric == "recall" else part["mean"].idxmin()
            method, mean = part.loc[place, ["method", "mean"]]
            texts.setdefault(method_label(method), []).append(f"{number(mean)} at ε = {epsilon:g}")
        best = " and ".join(f"{method}, {' and '.join(where)}" for method, where in texts.items())
        parts.append(f"{dataset_label(name)}: {best}")
    told = f" Best private method on {'; '.join(parts)}." if parts else ""
    return f"{trials_text(data['trials']).capitalize()} a point.{told}"
