"""A heat map of one number over two settings, for any table."""

import textwrap
from collections.abc import Sequence

import numpy as np
import pandas as pd

from dpmc.frame.showing.style import COLUMN, PAGE, VERMILLION, Drawing, NothingToDraw, new_figure


def heatmap(
    frame: pd.DataFrame,
    row: str,
    column: str,
    value: str,
    *,
    label: str | None = None,
    best: str = "min",
    digits: int = 3,
) -> Drawing:
    """Draw ``value`` as a colour and a number for every pair of ``row`` and ``column``.

    Parameters
    ----------
    frame : DataFrame
        Several rows of one pair count as one: the best of them is shown.
    row, column, value : str
        Column names of ``frame``; the order of the rows and columns is that of appearance.
    label : str, optional
        Text beside the colour bar, with the unit; ``value`` if not given.
    best : {"min", "max"}
        Which end is good: that cell is framed.
    digits : int
        Digits after the point in the cells.

    Returns
    -------
    Drawing
        The data are ``row``, ``column``, ``value`` with one row per cell drawn.
    """
    if frame is None or frame.empty:
        raise NothingToDraw("The sweep has not been run")
    drawn = frame.groupby([row, column], sort=False, as_index=False)[value].agg(best)
    rows, columns = list(dict.fromkeys(frame[row])), list(dict.fromkeys(frame[column]))
    table = drawn.pivot(index=row, columns=column, values=value).reindex(
        index=rows, columns=columns
    )
    width = COLUMN if len(columns) <= 3 else PAGE
    lines = max(str(name).count("\n") for name in rows) + 1
    figure = new_figure(width, 1.2 + (0.12 + 0.14 * lines) * len(rows))
    axes = figure.add_subplot()
    numbers = table.to_numpy(dtype=float)
    wrapped = [_wrapped(name, len(columns)) for name in columns]
    cells = draw_cells(axes, numbers, rows=rows, columns=wrapped, cmap="cividis")
    axes.invert_yaxis()
    axes.set(xlabel=_words(column).capitalize(), ylabel=_words(row).capitalize())
    for (i, j), number in np.ndenumerate(numbers):
        text = f"{number:.{digits}f}" if np.isfinite(number) else "not run"
        write_in_cell(axes, cells, i, j, text, number)
    found = np.nanmin(numbers) if best == "min" else np.nanmax(numbers)
    outline(axes, numbers == found, VERMILLION)
    color_bar(cells, label or _words(value))
    return Drawing(figure, drawn)


def draw_cells(axes, numbers: np.ndarray, *, rows: Sequence, columns: Sequence, **look):
    """Draw a rectangle a number, without the bitmap that ``imshow`` would put into the SVG."""
    x, y = (np.arange(size + 1) - 0.5 for size in numbers.shape[::-1])
    seamless = {"edgecolors": "face", "linewidth": 0.4}
    axes.set_xticks(range(len(columns)), columns)
    axes.set_yticks(range(len(rows)), rows)
    axes.tick_params(length=0)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    return axes.pcolormesh(x, y, np.ma.masked_invalid(numbers), **seamless, **look)


def write_in_cell(axes, cells, row: int, column: int, text: str, number: float) -> None:
    """Write a text into a cell, white if the colour of its number is dark."""
    red, green, blue, _ = cells.cmap(cells.norm(number))
    dark = np.isfinite(number) and 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
    look = {"color": "white" if dark else "black", "fontsize": 8}
    axes.text(column, row, text, ha="center", va="center", **look)


def color_bar(cells, label: str) -> None:
    """Draw the scale of the colours of cells beside them."""
    bar = cells.axes.figure.colorbar(cells, ax=cells.axes, fraction=0.05, pad=0.02)
    bar.set_label(label)
    bar.outline.set_visible(False)
    bar.solids.set(rasterized=False, edgecolor="face")  # as the cells: no bitmap, no seams


def outline(axes, chosen: np.ndarray, color: str) -> None:
    """Draw the border of those cells that are chosen, around neighbours once."""
    padded = np.pad(chosen, 1)
    borders = [
        ([j - 0.5, j + 0.5], [i - 0.5, i - 0.5])
        for i, j in np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1])
    ]
    borders += [
        ([j - 0.5, j - 0.5], [i - 0.5, i + 0.5])
        for i, j in np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1])
    ]
    style = {"solid_capstyle": "projecting", "clip_on": False}
    for x, y in borders:
        axes.plot(x, y, color="white", linewidth=3, **style)
        axes.plot(x, y, color=color, linewidth=1.5, zorder=3, **style)


def _wrapped(name: object, count: int) -> str:
    """Break a column's name so that ``count`` names fit side by side."""
    width = max(6, 72 // count)
    return "\n".join(textwrap.fill(line, width) for line in str(name).split("\n"))


def _words(name: str) -> str:
    return name.replace("_", " ")
