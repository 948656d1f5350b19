"""How the DPALS figures draw: curves over epsilon, lines of what has no noise, axes, legends."""

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from dpmc.studies.dpals.frames import FREE, LOOKS, PRIVATE, method_label, number
from dpmc.study.frames import present
from dpmc.study.style import GREY, Look, new_figure, value_axis

DODGE = 1.025  # factor of epsilon between two curves
MARGIN = 1.25  # factor of epsilon beside the curves
ROOM = 0.06  # of the height of a panel, above and below what is drawn
LINE = 0.085  # of the same, for a line of text
FAR = 4.0  # a line without noise that many times below or above all curves is named instead
PUBLISHED = "hollow: from elsewhere"


def grid(width: float, names: Sequence, columns: int, height: float, **options):
    """Return a figure and its panels, ``columns`` in a row, for so many names.

    Panels beyond the names are removed. ``height`` is that of a row in inches.
    """
    columns = min(columns, len(names))
    rows = -(-len(names) // columns)
    figure = new_figure(width, 1.1 + height * rows)
    axes = figure.subplots(rows, columns, squeeze=False, **options)
    for spare in axes.flat[len(names) :]:
        spare.remove()
    return figure, list(axes.flat[: len(names)])


def curve(axes, x, part: pd.DataFrame, look: Look) -> None:
    """Draw means with 95 % intervals.

    Parameters
    ----------
    axes : matplotlib axes
    x : array, shape (n,)
    part : DataFrame
        n rows of :func:`~dpmc.studies.dpals.frames.summary`, in the order of ``x``.
    look : Look
    """
    error = np.vstack([part["mean"] - part["low"], part["high"] - part["mean"]])
    axes.errorbar(
        x,
        part["mean"],
        np.nan_to_num(error),
        color=look.color,
        linestyle=look.line,
        linewidth=1.0,
        marker=look.marker,
        markersize=4,
        elinewidth=0.9,
        zorder=4,
    )


def budgets(axes, table: pd.DataFrame, published: pd.DataFrame | None = None) -> list[str]:
    """Draw all methods of one data set against epsilon, set side by side.

    Parameters
    ----------
    axes : matplotlib axes
    table : DataFrame
        Rows of :func:`~dpmc.studies.dpals.frames.summary`.
    published : DataFrame, optional
        Numbers from elsewhere for the same data set and metric, columns ``method``, ``epsilon``
        and ``value``; drawn for methods that are in ``table``.

    Returns
    -------
    list of str
        The methods that are drawn, and not only named.
    """
    private = table[table["epsilon"].notna()]
    names = present(private["method"], LOOKS)
    drawn = free_lines(axes, table[table["epsilon"].isna()], private)
    for name, shift in zip(names, side_by_side(len(names)), strict=True):
        one = private[private["method"] == name].sort_values("epsilon")
        curve(axes, one["epsilon"] * shift, one, look_of(name))
        if published is not None:
            theirs = published[(published["method"] == name) & published["epsilon"].notna()]
            reported_points(axes, theirs["epsilon"] * shift, theirs["value"], look_of(name))
    if len(private):
        epsilon_axis(axes, private["epsilon"].unique())
    return [*names, *drawn]


def reported_points(axes, x, y, look: Look) -> None:
    """Draw numbers from elsewhere: large hollow markers without a line."""
    axes.plot(
        x,
        y,
        linestyle="none",
        marker=look.marker or "o",
        markersize=8.5,
        markerfacecolor="none",
        markeredgecolor=look.color,
        markeredgewidth=0.7,
        zorder=3,
    )


def free_lines(axes, free: pd.DataFrame, curves: pd.DataFrame) -> list[str]:
    """Draw what has no noise as horizontal lines with 95 % bands; name those far off the curves.

    Returns the methods that are drawn.

    Parameters
    ----------
    axes : matplotlib axes
    free, curves : DataFrame
        Rows of :func:`~dpmc.studies.dpals.frames.summary`.
    """
    far, drawn = [], []
    for name in present(free["method"], LOOKS):
        row = free[free["method"] == name].iloc[0]
        if len(curves) and far_off(row["mean"], curves["mean"]):
            far.append(f"{method_label(name)}: {number(row['mean'], 2)}")
            continue
        drawn.append(name)
        look = look_of(name)
        axes.axhline(row["mean"], color=look.color, linestyle=look.line, linewidth=1.1, zorder=2)
        if np.isfinite(row["low"]):
            axes.axhspan(
                row["low"], row["high"], color=look.color, alpha=0.12, linewidth=0, zorder=1
            )
    if far:
        text = "\n".join(f"{name} (off the scale)" for name in far)
        axes.annotate(text, (0.02, 0.02), xycoords="axes fraction", ha="left", va="bottom")
    return drawn


def far_off(value: float, others: pd.Series) -> bool:
    """Say whether a value is :data:`FAR` times below or above all others."""
    return not others.min() / FAR <= value <= others.max() * FAR


def shown_values(table: pd.DataFrame) -> tuple[pd.Series, int]:
    """Return the means that a panel of :func:`budgets` draws, and how many it names instead."""
    private = table.loc[table["epsilon"].notna(), "mean"]
    free = table.loc[table["epsilon"].isna(), "mean"]
    if private.empty:
        return free, 0
    far = free.map(lambda value: far_off(value, private)).astype(bool)
    return pd.concat([private, free[~far]]), int(far.sum())


def error_axis(axes, values: Iterable[float], notes: int = 0) -> None:
    """Make the logarithmic axis of an error with room for lines of text below the curves."""
    values = np.asarray(list(values), dtype=float)
    values = values[np.isfinite(values) & (values > 0)]
    low, high = values.min(), values.max()
    span = max(high / low, 1.05)
    axes.set_yscale("log")
    axes.set_ylim(low / span ** (ROOM + LINE * notes), high * span**ROOM)
    value_axis(axes.yaxis, np.log10(span) * (1 + 2 * ROOM + LINE * notes))


def epsilon_axis(axes, values: Iterable[float]) -> None:
    """Make the logarithmic axis of epsilon, labelled where something was run."""
    values = sorted(values)
    axes.set_xscale("log")
    axes.set_xlim(values[0] / MARGIN, values[-1] * MARGIN)
    ticks(axes.xaxis, values)


def ticks(axis, values: Iterable[float]) -> None:
    """Label an axis at these values alone."""
    axis.set_major_locator(FixedLocator(sorted(values)))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_locator(NullLocator())


def side_by_side(count: int) -> np.ndarray:
    """Return factors of so many curves along a logarithmic axis."""
    return DODGE ** (np.arange(count) - (count - 1) / 2)


def look_of(name: str) -> Look:
    """Return the look of a method; one that is not known is grey."""
    return LOOKS.get(name, Look(GREY, "."))


def handles(methods: Iterable[str], *, reported: bool = False) -> list[Line2D]:
    """Return the legend of methods, those without noise last.

    With ``reported`` numbers from elsewhere are explained too.
    """
    found = []
    for name in present(methods, [*PRIVATE, *FREE]):
        look = look_of(name)
        label = method_label(name) + (", no noise" if name in FREE else "")
        style = {"color": look.color, "marker": look.marker, "ls": look.line, "lw": 1.0}
        found.append(Line2D([], [], label=label, **style))
    if reported:
        style = {"marker": "o", "markersize": 8.5, "markerfacecolor": "none", "ls": "none"}
        found.append(Line2D([], [], color=GREY, label=PUBLISHED, **style))
    return found
