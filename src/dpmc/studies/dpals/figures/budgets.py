"""Figures of error against epsilon by data set (figure 3 of the paper) and side by side."""

from collections.abc import Mapping, Sequence

import pandas as pd

from dpmc.studies.dpals.figures import lines
from dpmc.studies.dpals.frames import (
    BY_ITEMS,
    DPALS,
    DPALS_PART,
    FREE,
    METRICS,
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
from dpmc.study.frames import present, trials_text
from dpmc.study.style import PAGE, Drawing, NothingToDraw

LARGE = ("ml-10m", "ml-20m", SURROGATE)  # how the names of the paper's data sets begin
SIDE_BY_SIDE = (RANK_ONE, "jester-5k")
EPSILON = "ε of one user, all ratings"
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
    """Draw the metric of every data set against epsilon, a panel for each.

    Parameters
    ----------
    trials : DataFrame
        Rows of one variant.
    names : sequence of str
        Data sets, each with at least one row.
    published : DataFrame or None
        Numbers from elsewhere, see :func:`~dpmc.studies.dpals.frames.read_dpals`.
    columns : int
    """
    figure, panels = lines.grid(PAGE, names, columns, 2.6)
    drawn, shown, reported = [], [], False
    for axes, name in zip(panels, names, strict=True):
        here = trials[trials["dataset"] == name]
        metric = metric_of(here)
        table = summary(here, metric)
        theirs = _of(published, name, metric, table)
        shown += lines.budgets(axes, table, theirs)
        values, notes = lines.shown_values(table)
        if metric == "recall":
            axes.set_ylim(bottom=0)
        else:
            both = values if theirs is None else pd.concat([values, theirs["value"]])
            lines.error_axis(axes, both, notes)
        axes.set_title(dataset_label(name), loc="left")
        axes.set_ylabel(METRICS[metric])
        axes.set_xlabel(EPSILON)
        drawn.append(table.assign(metric=metric))
        reported = reported or theirs is not None
    table = pd.concat(drawn, ignore_index=True)
    found = lines.handles(shown, reported=reported)
    figure.legend(handles=found, loc="outside upper center", ncols=3)
    return Drawing(figure, table)


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
    here = trials[trials["dataset"].isin(names)]
    order = [(metric, name) for metric in ("rse", "rmse") for name in names]
    figure, panels = lines.grid(PAGE, order, len(names), 2.4, sharex="col")
    drawn, shown = [], []
    for axes, (metric, name) in zip(panels, order, strict=True):
        table = summary(here[here["dataset"] == name], metric)
        if len(table):
            shown += lines.budgets(axes, table)
            lines.error_axis(axes, *lines.shown_values(table))
        drawn.append(table.assign(metric=metric))
        axes.set_title(f"{dataset_label(name)}, {metric.upper()}", loc="left")
        if name == names[0]:
            axes.set_ylabel(METRICS[metric])
        if metric == "rmse":
            axes.set_xlabel(EPSILON)
    found = lines.handles(shown)
    figure.legend(handles=found, loc="outside upper center", ncols=3)
    return Drawing(figure, pd.concat(drawn, ignore_index=True))


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
