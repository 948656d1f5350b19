"""Forest plots: named rows of points with intervals, next to a reference line."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.panels import first_of_each, handle
from dpmc_studies.frame.showing.scales import Axis, set_scale
from dpmc_studies.frame.showing.style import BLACK, PAGE, Drawing, Look, new_figure

GAP = 0.4  # between groups of rows, in rows
EDGE = 0.65  # between the first and the last row and the edges of a panel, in rows
ACROSS = 0.42  # how far lines across a row go beyond its middle, in rows


@dataclass(frozen=True)
class Points:
    """Points of one kind, with intervals if they have some."""

    # columns `row` (number of the panel's row), `x` and, with intervals, `low` and `high`; `below`,
    # how far below the middle of its row a point lies, in rows
    rows: pd.DataFrame
    look: Look
    label: str = ""  # its name in the legend; "" for none
    # size, width: of the markers and of the intervals, in points
    size: float = 3.6
    width: float = 1.1
    across: bool = False  # whether each is a line across its row instead


@dataclass(frozen=True)
class Notes:
    """A text at the end of each row; ``at`` is where it ends, as a share of the panel's width."""

    texts: Sequence[str]
    head: str = ""
    color: str = BLACK
    at: float = 1.0


@dataclass(frozen=True)
class Forest:
    """The contents of one pair of axes."""

    title: str
    labels: Sequence[str]  # names of the rows, from top to bottom
    points: Sequence[Points]
    groups: Sequence[Hashable] = ()  # by row; there is a gap where it changes
    notes: Sequence[Notes] = ()
    reference: float | None = None  # the value that all are compared with


def draw_forest(
    panels: Sequence[Forest],
    data: pd.DataFrame,
    x: Axis,
    *,
    row: float,
    head: float = 1.0,
    legend: Mapping[str, object] | None = None,
    handles: Sequence = (),
) -> Drawing:
    """Draw panels side by side, with common rows and one legend.

    ``row`` and ``head`` are the heights, in inches, of a row and of the space above all rows. The
    other arguments are those of :func:`dpmc_studies.frame.showing.panels.draw_panels`.
    """
    heights = [_heights(panel) for panel in panels]
    figure = new_figure(PAGE, head + row * (max(heights[0], default=0) + 1))
    grid = figure.subplots(1, len(panels), sharex=True, sharey=True, squeeze=False)
    for axes, panel, places in zip(grid.flat, panels, heights, strict=True):
        _draw(axes, panel, np.array(places))
        axes.set_ylim(max(places, default=0) + EDGE, -EDGE)
        set_scale(axes, "x", x)
    if len(panels) > 1:
        figure.supxlabel(x.label, fontsize=8)
    else:
        grid[-1, 0].set_xlabel(x.label)
    kinds = [each for panel in panels for each in panel.points if each.label]
    entries = first_of_each([*map(_handle, kinds), *handles])
    figure.legend(handles=entries, **{"loc": "outside upper center", "ncols": 4, **(legend or {})})
    return Drawing(figure, data)


def _heights(panel: Forest) -> list[float]:
    """Return the vertical place of each row, downwards."""
    groups = panel.groups or [None] * len(panel.labels)
    gaps = np.cumsum([0, *(GAP * (one != other) for one, other in pairwise(groups))])
    return [row + gap for row, gap in enumerate(gaps[: len(groups)])]


def _draw(axes, panel: Forest, heights: np.ndarray) -> None:
    for each in panel.points:
        rows, look = each.rows, each.look
        y = heights[rows["row"].to_numpy(dtype=int)] + rows.get("below", 0.0)
        line = {"color": look.color, "linewidth": each.width}
        if each.across:
            axes.vlines(rows["x"], y - ACROSS, y + ACROSS, linestyle=look.line, zorder=4, **line)
            continue
        if "low" in rows:
            axes.hlines(y, rows["low"], rows["high"], zorder=2, **line)
        style = {"color": look.color, "mfc": look.face or look.color, "mew": 0.8, "ms": each.size}
        axes.plot(rows["x"], y, look.marker, zorder=3, **style)
    if panel.reference is not None:
        axes.axvline(panel.reference, color=BLACK, linewidth=0.9, zorder=1)
    for each in panel.notes:
        _write(axes, each, heights)
    axes.set_title(panel.title, loc="left")
    axes.set_yticks(heights, panel.labels)
    axes.grid(axis="y", visible=False)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)


def _write(axes, notes: Notes, heights: np.ndarray) -> None:
    behind = {"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8}
    place = {"transform": axes.get_yaxis_transform(), "ha": "right", "va": "center"}
    for height, text in zip(heights, notes.texts, strict=True):
        axes.text(notes.at, height, text, bbox=behind, zorder=5, color=notes.color, **place)
    if notes.head:
        above = {"xycoords": "axes fraction", "textcoords": "offset points", "xytext": (0, 4)}
        axes.annotate(notes.head, (notes.at, 1), ha="right", color=notes.color, **above)


def _handle(points: Points):
    line = points.look.line if points.across else "-" if "low" in points.rows else "none"
    marker = {"marker": ""} if points.across else {"markersize": max(points.size, 2.5)}
    return handle(points.label, points.look, linestyle=line, linewidth=points.width, **marker)
