"""Figures of error against epsilon by data set (figure 3 of the paper) and side by side."""

from collections.abc import Mapping, Sequence

import pandas as pd

from dpmc.frame.showing.frames import present, trials_text
from dpmc.frame.showing.panels import draw_panels
from dpmc.frame.showing.style import Drawing, NothingToDraw
from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import (
    BY_ITEMS,
    DPALS,
    DPALS_PART,
    FREE,
    PART,
    RANK_ONE,
    STANDARD,
    SURROGATE,
    SYNTHETIC,
    dataset_label,
    datasets_of,
    method_label,
    metric_of,
    number,
    standard,
    summary,
    tuned,
)

LARGE = ("ml-10m", "ml-20m", SURROGATE)  # how the names of the paper's data sets begin
SIDE_BY_SIDE = (RANK_ONE, "jester-5k")
COLUMNS = 3


def large_data(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw the trade-off on MovieLens 10M and 20M and on what is generated in their place."""
    trials = parts_as_methods(standard(inputs.get("trials")))
    names = [name for name in datasets_of(trials) if name.startswith(LARGE)]
    if not names:
        raise NothingToDraw("Neither MovieLens 10M or 20M nor data like them have been run")
    return tradeoff(trials, names, inputs.get("published"))


def parts_as_methods(trials: pd.DataFrame) -> pd.DataFrame:
    """Return DPALS on a part of the users as a method of its own on the whole data set."""
    if trials.empty:
        return trials
    part = trials["dataset"].str.endswith(PART)
    return trials.assign(
        dataset=trials["dataset"].str.removesuffix(PART),
        method=trials["method"].where(~part | (trials["method"] != DPALS), DPALS_PART),
    )


def small_data(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw the trade-off on the real data that have fewer users."""
    trials = standard(inputs.get("trials"))
    others = (*LARGE, SYNTHETIC, BY_ITEMS, *SIDE_BY_SIDE)
    names = [name for name in datasets_of(trials) if not name.startswith(others)]
    if not names:
        raise NothingToDraw("No real data have been run")
    return tradeoff(trials, names, inputs.get("published"))


def extensions(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw the trade-off of every method on the synthetic data."""
    trials = standard(inputs.get("trials"))
    names = [name for name in datasets_of(trials) if name.startswith(SYNTHETIC)]
    if not names:
        raise NothingToDraw("No synthetic data have been run")
    return tradeoff(trials, names, inputs.get("published"), columns=2)


def tradeoff(
    trials: pd.DataFrame,
    names: Sequence[str],
    published: pd.DataFrame | None,
    *,
    columns: int = COLUMNS,
) -> Drawing:
    """Draw the metric of every data set against epsilon, a panel for each, from one variant."""
    tables, panels = [], []
    for name in names:
        here = trials[trials["dataset"] == name]
        metric = metric_of(here)
        table = summary(here, metric)
        reported = _of(published, name, metric, table)
        panels.append(lines.budgets(dataset_label(name), table, metric, reported))
        tables.append(table.assign(metric=metric))
    data = pd.concat(tables, ignore_index=True)
    hollow = any(not curve.joined for panel in panels for curve in panel.curves)
    handles = [lines.ELSEWHERE] if hollow else []
    style = {"columns": columns, "height": 2.6, "order": lines.ORDER}
    return draw_panels(panels, data, handles=handles, **style)


def _of(
    published: pd.DataFrame | None, dataset: str, metric: str, table: pd.DataFrame
) -> pd.DataFrame | None:
    """Return the numbers from elsewhere that stand beside private cells of a table, if any."""
    if published is None:
        return None
    private = table[table["epsilon"].notna()]
    here = published[(published["dataset"] == dataset) & (published["metric"] == metric)]
    here = here[here["method"].isin(private["method"]) & here["epsilon"].notna()]
    here = here[here["variant"] == STANDARD]
    return here if len(here) else None


def default_method(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw Local Bayes beside the others at their own best settings."""
    trials = tuned(inputs.get("trials"))
    if trials.empty:
        raise NothingToDraw("The default method has not been run beside the others")
    return tradeoff(trials, datasets_of(trials), None)


def side_by_side(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw RSE and RMSE of DP-AltMin and DP-SAltLS beside the others, a column a data set."""
    trials = standard(inputs.get("trials"))
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
