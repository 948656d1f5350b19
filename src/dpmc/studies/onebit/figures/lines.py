"""How the one-bit figures draw: curves over epsilon or share, lines of baselines, axes."""

from collections.abc import Iterable

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.frames import FREE, LOOKS
from dpmc.study.frames import number, present
from dpmc.study.style import BLACK, Look, value_axis

STAGES = {"truncated": "truncated to rank r", "raw": "raw"}
DODGE = 0.08  # of epsilon, between two curves
MARGIN = 0.45  # of epsilon, beside the curves
ROOM = 0.06  # of the height of a panel, above and below the curves
LINE = 0.09  # of the same, for a line of text


def curve(axes, x, part: pd.DataFrame, look: Look, *, stage: str) -> None:
    """Draw means with 95 % intervals: solid and filled if truncated, dashed and hollow if raw.

    Parameters
    ----------
    axes : matplotlib axes
    x : array, shape (n,)
    part : DataFrame
        n rows of :func:`~dpmc.studies.onebit.frames.summary`, in the order of ``x``.
    look : Look
    stage : str
        Key of :data:`STAGES`.
    """
    raw = stage == "raw"
    error = np.vstack([part["mean"] - part["low"], part["high"] - part["mean"]])
    axes.errorbar(
        x,
        part["mean"],
        np.nan_to_num(error),
        color=look.color,
        linestyle="--" if raw else "-",
        linewidth=0.9,
        marker=look.marker,
        markersize=4,
        markerfacecolor="white" if raw else look.color,
        markeredgewidth=0.8,
        elinewidth=0.9,
        zorder=4,
    )


def free_lines(axes, part: pd.DataFrame, linestyle: str | None = None) -> None:
    """Draw what has no noise as horizontal lines, with its 95 % interval as a band."""
    for row in part[part["mechanism"].isin(FREE)].itertuples():
        look = LOOKS[row.mechanism]
        axes.axhline(
            row.mean, color=look.color, linestyle=linestyle or look.line, linewidth=1.1, zorder=2
        )
        if np.isfinite(row.low):
            axes.axhspan(row.low, row.high, color=look.color, alpha=0.12, linewidth=0, zorder=1)


def epsilon_axis(axes, values: Iterable[float]) -> None:
    """Make the axis of epsilon, with room for curves that are set side by side."""
    values = sorted(values)
    axes.set_xlim(values[0] - MARGIN, values[-1] + MARGIN)
    axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True))


def side_by_side(count: int) -> np.ndarray:
    """Return shifts of so many curves along the axis of epsilon."""
    return DODGE * (np.arange(count) - (count - 1) / 2)


def error_axis(axes, low: float, high: float, notes: int = 0) -> None:
    """Make the logarithmic axis of ARE between two means, with room for lines of text above."""
    span = max(high / low, 1.05)
    axes.set_yscale("log")
    axes.set_ylim(low / span**ROOM, high * span ** (ROOM + LINE * notes))
    value_axis(axes.yaxis, np.log10(span))


def far_above(part: pd.DataFrame, ceiling: float) -> list[str]:
    """Return the mechanisms that have a mean above the ceiling."""
    return present(part.loc[part["mean"] > ceiling, "mechanism"], LOOKS)


def named_above(axes, part: pd.DataFrame) -> None:
    """Write at the top of a panel the mechanisms that lie above it, with their means."""
    found = []
    for name in present(part["mechanism"], LOOKS):
        means = part.loc[part["mechanism"] == name, "mean"]
        ends = dict.fromkeys((number(means.max(), 2), number(means.min(), 2)))
        found.append(f"{mechanism_label(name)}: {' to '.join(ends)} (above)")
    axes.annotate("\n".join(found), (0.99, 0.99), xycoords="axes fraction", ha="right", va="top")


def handles(mechanisms: Iterable[str], link: str | None = None) -> list:
    """Return the legend of mechanisms (a marker) and of those without noise (a line)."""
    found = []
    for name in present(mechanisms, LOOKS):
        look = LOOKS[name]
        label = mechanism_label(name, link)
        if name in FREE:
            label += "" if name == "zero" else ", no noise"
            found.append(Line2D([], [], color=look.color, ls=look.line, lw=1.1, label=label))
        else:
            found.append(Line2D([], [], color=look.color, marker=look.marker, lw=0.9, label=label))
    return found


def stage_handles() -> list:
    """Return the legend of raw and truncated curves."""
    return [
        Line2D([], [], color=BLACK, marker="o", lw=0.9, label=STAGES["truncated"]),
        Line2D(
            [],
            [],
            color=BLACK,
            marker="o",
            markerfacecolor="white",
            ls="--",
            lw=0.9,
            label=STAGES["raw"],
        ),
    ]
