"""Figure: RMSE after each outer iteration, by mechanism, method and place of the noise."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from dpmc.study.frames import (
    MECHANISM_LABELS,
    METHOD_LABELS,
    half_width,
    select,
    trials_text,
)
from dpmc.study.style import MECHANISMS, PAGE, Drawing, NothingToDraw, new_figure

TARGET_LABELS = {
    "right_hand_side": "noise on the right-hand side",
    "iterate": "noise on the iterates",
}
KEYS = ["dataset", "rank", "variance", "observed_fraction", "method", "mechanism", "noise_target"]
SETTING = ["rank", "variance", "observed_fraction"]


def convergence_by_iteration(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the mean RMSE on all entries by iteration with its 95 % t interval.

    A row of panels per setting, a column per method and place of the noise; the run without
    noise is repeated in every panel of its method.
    """
    frame = inputs.get("convergence")
    if frame is None or frame.empty:
        raise NothingToDraw("The convergence experiment has not been run")
    grouped = frame.groupby([*KEYS, "iteration"], dropna=False, sort=True)["rmse_all"]
    data = grouped.agg(mean="mean", standard_error="sem", trials="count").reset_index()
    half = half_width(data["standard_error"], data["trials"])
    data = data.assign(low=data["mean"] - half, high=data["mean"] + half)
    noisy = data[data["mechanism"] != "none"]
    settings = list(noisy[SETTING].drop_duplicates().itertuples(index=False))
    present = set(zip(noisy["noise_target"], noisy["method"], strict=True))
    columns = [(t, s) for t in TARGET_LABELS for s in METHOD_LABELS if (t, s) in present]
    figure = new_figure(PAGE, 0.7 + 2.3 * len(settings))
    panels = figure.subplots(len(settings), len(columns), sharex=True, sharey=True, squeeze=False)
    for row, setting in enumerate(settings):
        for column, (target, method) in enumerate(columns):
            axes = panels[row, column]
            _panel(axes, data, setting, method, target)
            if row == 0:
                axes.set_title(f"{METHOD_LABELS[method]}\n{TARGET_LABELS[target]}")
        panels[row, 0].set_ylabel(_setting(setting))
    _axes(panels)
    figure.supxlabel("Outer iteration", fontsize=8)
    handles = [
        Line2D([], [], color=look.color, ls=look.line, marker=look.marker, label=label)
        for label, look in zip(MECHANISM_LABELS.values(), MECHANISMS.values(), strict=True)
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return Drawing(figure, data)


def _setting(setting) -> str:
    return (
        f"Rank {setting.rank:g}, variance {setting.variance:g}, "
        f"{100 * setting.observed_fraction:g} %\nRMSE (rating units)"
    )


def _panel(axes, data, setting, method, target) -> None:
    place = {"rank": setting.rank, "observed_fraction": setting.observed_fraction}
    part = select(data, **place, method=method)
    for offset, (name, look) in enumerate(MECHANISMS.items()):
        if name == "none":
            line = part[part["mechanism"] == "none"].drop_duplicates("iteration")
        else:
            variance = float(setting.variance)
            line = select(part, mechanism=name, variance=variance, noise_target=target)
        line = line.sort_values("iteration")
        every = max(1, len(line) // 6)
        axes.fill_between(
            line["iteration"], line["low"], line["high"], color=look.color, alpha=0.2, linewidth=0
        )
        axes.plot(
            line["iteration"],
            line["mean"],
            color=look.color,
            linestyle=look.line,
            marker=look.marker,
            markevery=(offset * every // 4, every),
            linewidth=1,
        )


def _axes(panels: np.ndarray) -> None:
    panels[0, 0].set_yscale("log")
    axis = panels[0, 0].yaxis
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def describe_convergence(data: pd.DataFrame) -> str:
    """Give the RMSE after the last iteration, noise on the iterates against the published place."""
    last = data[(data["iteration"] == data["iteration"].max()) & (data["mechanism"] != "none")]
    means = last.groupby("noise_target")["mean"].mean()
    parts = [
        f"{TARGET_LABELS[target]} {value:.3f}"
        for target, value in means.sort_index(ascending=False).items()
    ]
    return (
        f"Means over {trials_text(data['trials'])} with 95 % t intervals; after iteration "
        f"{int(data['iteration'].max())} the private models have on average RMSE: "
        + ", ".join(parts)
        + "."
    )
