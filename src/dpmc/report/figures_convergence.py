"""Figure: RMSE after each outer iteration, by mechanism, solver and place of the noise."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

from dpmc.report.frames import (
    MECHANISM_LABELS,
    SOLVER_LABELS,
    half_width,
    select,
    trials_text,
)
from dpmc.report.style import MECHANISMS, PAGE, Drawing, NothingToDraw, new_figure

TARGET_LABELS = {
    "right_hand_side": "noise on the right-hand side",
    "iterate": "noise on the iterates",
}
KEYS = ["dataset", "rank", "variance", "observed_fraction", "solver", "mechanism", "noise_target"]
SETTING = ["rank", "variance", "observed_fraction"]


def convergence_by_iteration(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the mean RMSE on all entries by iteration with its 95 % t interval.

    A row of panels per place of the noise, a column per setting and solver; a run without noise
    has neither and is repeated in every panel of its rank, fraction and solver.
    """
    frame = inputs.get("convergence")
    if frame is None or frame.empty:
        raise NothingToDraw("The convergence experiment has not been run")
    grouped = frame.groupby([*KEYS, "iteration"], dropna=False, sort=True)["rmse_all"]
    data = grouped.agg(mean="mean", standard_error="sem", trials="count").reset_index()
    half = half_width(data["standard_error"], data["trials"])
    data = data.assign(low=data["mean"] - half, high=data["mean"] + half)
    noisy = data[data["mechanism"] != "none"]
    settings = noisy[SETTING].drop_duplicates().itertuples(index=False)
    solvers = [name for name in SOLVER_LABELS if (noisy["solver"] == name).any()]
    columns = [(setting, solver) for setting in settings for solver in solvers]
    targets = [name for name in TARGET_LABELS if (noisy["noise_target"] == name).any()]
    figure = new_figure(PAGE, 0.8 + 2.1 * len(targets))
    panels = figure.subplots(len(targets), len(columns), sharex=True, sharey=True, squeeze=False)
    for row, target in enumerate(targets):
        for column, (setting, solver) in enumerate(columns):
            axes = panels[row, column]
            _panel(axes, data, setting, solver, target)
            if row == 0:
                axes.set_title(_title(setting, solver, len(columns)))
        label = TARGET_LABELS[target].capitalize()
        panels[row, 0].set_ylabel(f"{label}\nRMSE (rating units)")
    _axes(panels)
    figure.supxlabel("Outer iteration", fontsize=8)
    handles = [
        Line2D([], [], color=look.color, ls=look.line, marker=look.marker, label=label)
        for label, look in zip(MECHANISM_LABELS.values(), MECHANISMS.values(), strict=True)
    ]
    figure.legend(handles=handles, loc="outside upper center", ncols=4)
    return Drawing(figure, data)


def _title(setting, solver: str, columns: int) -> str:
    separator = "\n" if columns > 2 else ", "
    return (
        f"{SOLVER_LABELS[solver]}, rank {setting.rank:g},{separator.lstrip(',')}"
        f"variance {setting.variance:g}, {100 * setting.observed_fraction:g} % observed"
    )


def _panel(axes, data, setting, solver, target) -> None:
    place = {"rank": setting.rank, "observed_fraction": setting.observed_fraction}
    part = select(data, **place, solver=solver)
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
