"""Forest plot: is the error with Huber noise lower, cell by cell, on the same data and start?"""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import NullLocator

from dpmc.frame.judging.effects import signed
from dpmc.frame.showing.frames import (
    DATASET_LABELS,
    MECHANISM_LABELS,
    METHOD_LABELS,
    SYNTHETIC,
    select,
    trials_text,
)
from dpmc.frame.showing.style import (
    BLACK,
    GREY,
    MECHANISMS,
    PAGE,
    Drawing,
    NothingToDraw,
    new_figure,
)
from dpmc.statistics.tests import holm, row_tests
from dpmc.studies.huber.statistics import paired_difference

OTHERS = ("gaussian", "laplace")
LINEAR = 2.0  # per cent; the axis is logarithmic beyond
TICKS = (1, 2, 5, 20, 100)
SETTING = ["dataset", "rank", "variance", "observed_fraction"]


def differences(trials: pd.DataFrame, comparison: pd.DataFrame | None = None) -> pd.DataFrame:
    """Return the paired differences of log RMSE, Huber minus each other mechanism.

    ``comparison`` gives the difference between the reported numbers. The result has one row per
    cell with Huber noise and other mechanism: the setting, ``method`` of the Huber cell, ``other``
    and ``other_method`` (the papers ran Gaussian noise with ALS only on real data), ``difference``,
    ``low``, ``high`` (95 % t interval), ``trials``, ``p_adjusted`` (Holm over all rows of the
    table) and ``reported``. All are differences of logarithms.
    """
    huber = trials[(trials["mechanism"] == "huber") & _not_irls_two(trials)]
    rows = []
    keys = [*SETTING, "method"]
    for values, cell in huber.groupby(keys, sort=True):
        setting = dict(zip(keys, values, strict=True))
        for other in OTHERS:
            row = _difference(trials, cell, setting, other)
            if row:
                rows.append({**setting, "other": other, **row, "reported": np.nan})
    frame = pd.DataFrame(rows)
    if frame.empty:
        return frame
    frame["p_adjusted"] = holm(frame.pop("p_value"))
    if comparison is not None:
        frame["reported"] = [_reported(comparison, row) for row in frame.itertuples()]
    return frame


def _difference(trials, cell, setting, other) -> dict | None:
    place = {name: setting[name] for name in SETTING}
    peers = select(trials, **place, mechanism=other)
    methods = [setting["method"], *METHOD_LABELS]
    method = next((name for name in methods if (peers["method"] == name).any()), None)
    if method is None:
        return None
    values = paired_difference(cell, peers[peers["method"] == method])
    tests = row_tests(values[None, :])
    return {
        "other_method": method,
        "difference": tests.mean[0],
        "low": tests.low[0],
        "high": tests.high[0],
        "trials": len(values),
        "p_value": tests.p_value[0],
    }


def _reported(comparison: pd.DataFrame, row) -> float:
    """Difference of the reported numbers; the real tables are keyed without a variance."""
    place = {"dataset": row.dataset, "observed_fraction": row.observed_fraction}
    if row.dataset == SYNTHETIC:
        place |= {"rank": row.rank, "variance": row.variance}
    found = select(comparison[_not_irls_two(comparison)], **place)
    ours = select(found, method=row.method, mechanism="huber")["published"]
    theirs = select(found, method=row.other_method, mechanism=row.other)["published"]
    if ours.empty or theirs.empty:
        return np.nan
    return float(np.log(ours.iloc[0] / theirs.iloc[0]))


def _not_irls_two(frame: pd.DataFrame) -> np.ndarray:
    """IRLS-2 of the real tables is a variant of its own, not the Huber model compared here."""
    return frame["irls_iterations"].to_numpy(dtype=float, na_value=np.nan) != 2


def paired_differences(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the differences of :func:`differences` in per cent with their 95 % intervals."""
    frame = differences(inputs["trials"], inputs.get("comparison"))
    if frame.empty:
        raise NothingToDraw("No cell with Huber noise and another mechanism has been run")
    synthetic_last = frame["dataset"] != SYNTHETIC
    frame = frame.assign(_real=synthetic_last).sort_values(["_real", *SETTING, "method"])
    frame = frame.drop(columns="_real").reset_index(drop=True)
    settings = frame[SETTING].drop_duplicates().reset_index(drop=True)
    heights = _heights(settings)
    figure = new_figure(PAGE, 1.1 + 0.235 * -heights[-1])
    panels = figure.subplots(1, 2, sharey=True, sharex=True)
    for axes, other in zip(panels, OTHERS, strict=True):
        _forest(axes, frame[frame["other"] == other], settings, heights)
        axes.set_title(f"Huber minus {MECHANISM_LABELS[other]}", color=MECHANISMS[other].color)
    labels = [_label(row) for row in settings.itertuples()]
    panels[0].set_yticks(heights, labels)
    panels[0].set_ylim(heights[-1] - 0.7, 0.7)
    _percent_axis(panels[0], frame)
    figure.supxlabel(
        "Difference of RMSE, paired by trial (%); below 0: Huber is better", fontsize=8
    )
    figure.legend(handles=_handles(), loc="outside upper center", ncols=4, columnspacing=1.2)
    return Drawing(figure, frame)


def _percent_axis(axes, frame: pd.DataFrame) -> None:
    """Most differences are below 2 %, some intervals are ten times as wide: both must be seen."""
    reach = 1.15 * np.nanmax(np.abs(_percent(frame[["low", "high", "reported", "difference"]])))
    axes.set_xscale("symlog", linthresh=LINEAR, linscale=0.8)
    axes.set_xlim(-reach, reach)
    ticks = [tick for tick in TICKS if tick <= reach]
    ticks = [-tick for tick in reversed(ticks)] + [0, *ticks]
    axes.set_xticks(ticks, [f"{tick:+g}".replace("-", "−") if tick else "0" for tick in ticks])
    axes.xaxis.set_minor_locator(NullLocator())


def _heights(settings: pd.DataFrame) -> list[float]:
    """Vertical place of each setting, with a gap between ranks, variances and data sets."""
    heights, level, previous = [], 0.0, None
    for row in settings.itertuples():
        group = (row.dataset, row.rank, row.variance)
        if previous is not None:
            level -= 1.0 if group == previous else 1.45
        heights.append(level)
        previous = group
    return heights


def _label(row) -> str:
    share = f"{100 * row.observed_fraction:g} %"
    if row.dataset != SYNTHETIC:
        return f"{DATASET_LABELS.get(row.dataset, row.dataset)}, {share}"
    return f"rank {row.rank:g}, variance {row.variance:g}, {share}"


METHOD_STYLE = {"als": (0.17, "o"), "irls": (-0.17, "s")}


def _forest(axes, frame, settings, heights) -> None:
    place = {tuple(row): height for row, height in zip(settings.to_numpy(), heights, strict=True)}
    axes.axvline(0, color=BLACK, linewidth=0.7, zorder=1)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    for row in frame.itertuples():
        color = MECHANISMS[row.other].color
        shift, marker = METHOD_STYLE.get(row.method, (0.0, "v"))
        height = place[row.dataset, row.rank, row.variance, row.observed_fraction] + shift
        face = color if row.p_adjusted < 0.05 else "white"
        axes.plot(_percent([row.low, row.high]), [height] * 2, color=color, lw=1.1, zorder=2)
        axes.plot(_percent(row.difference), height, marker, color=color, mfc=face, ms=3.6, zorder=3)
        axes.plot(_percent(row.reported), height, "x", color=BLACK, ms=3.2, mew=0.8, zorder=4)


def _percent(log_ratios) -> np.ndarray:
    return 100 * np.expm1(np.asarray(log_ratios, dtype=float))


def _handles() -> list[Line2D]:
    def handle(label, marker, face="white", color=GREY, line="-"):
        return Line2D([], [], color=color, marker=marker, mfc=face, ls=line, label=label)

    return [
        handle("ALS, 95 % interval", "o"),
        handle("IRLS, 95 % interval", "s"),
        handle("significant (Holm)", "o", face=GREY, line="none"),
        handle("reported", "x", color=BLACK, line="none"),
    ]


def describe_differences(data: pd.DataFrame) -> str:
    """Count the significant differences and give the reported ones beside them."""
    parts = []
    for other, part in data.groupby("other", sort=True):
        sure = part[part["p_adjusted"] < 0.05]
        reported = part["reported"].dropna()
        parts.append(
            f"against {MECHANISM_LABELS[other]} noise Huber noise is significantly better in "
            f"{int((sure['difference'] < 0).sum())} and worse in "
            f"{int((sure['difference'] > 0).sum())} of {len(part)} cells (median difference "
            f"{signed(part['difference'].median())}, reported {signed(reported.median())})"
        )
    return f"Over {trials_text(data['trials'])} a cell: " + "; ".join(parts) + "."
