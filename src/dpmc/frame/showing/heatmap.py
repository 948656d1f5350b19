"""A heat map of one number over two settings, for any table."""

import textwrap

import numpy as np
import pandas as pd
from matplotlib.patches import Rectangle

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
    image = axes.imshow(np.ma.masked_invalid(numbers), cmap="cividis", aspect="auto")
    axes.set_xticks(range(len(columns)), [_wrapped(name, len(columns)) for name in columns])
    axes.set_yticks(range(len(rows)), [str(name) for name in rows])
    axes.set(xlabel=_words(column).capitalize(), ylabel=_words(row).capitalize())
    axes.grid(visible=False)
    axes.tick_params(length=0)
    axes.spines[:].set_visible(False)
    _write_numbers(axes, image, numbers, digits)
    _frame_best(axes, numbers, best)
    colorbar = figure.colorbar(image, ax=axes, fraction=0.05, pad=0.02)
    colorbar.set_label(label or _words(value))
    colorbar.outline.set_visible(False)
    return Drawing(figure, drawn)


def _write_numbers(axes, image, numbers: np.ndarray, digits: int) -> None:
    for (i, j), number in np.ndenumerate(numbers):
        if not np.isfinite(number):
            axes.text(j, i, "not run", ha="center", va="center", fontsize=8)
            continue
        red, green, blue, _ = image.cmap(image.norm(number))
        dark = 0.299 * red + 0.587 * green + 0.114 * blue < 0.5
        color = "white" if dark else "black"
        axes.text(j, i, f"{number:.{digits}f}", ha="center", va="center", color=color, fontsize=8)


def _frame_best(axes, numbers: np.ndarray, best: str) -> None:
    flat = np.nanargmin(numbers) if best == "min" else np.nanargmax(numbers)
    i, j = np.unravel_index(flat, numbers.shape)
    for width, color in ((3.0, "white"), (1.4, VERMILLION)):
        box = Rectangle((j - 0.48, i - 0.46), 0.96, 0.92, fill=False, lw=width, ec=color)
        axes.add_patch(box)


def _wrapped(name: object, count: int) -> str:
    """Break a column's name so that ``count`` names fit side by side."""
    width = max(6, 72 // count)
    return "\n".join(textwrap.fill(line, width) for line in str(name).split("\n"))


def _words(name: str) -> str:
    return name.replace("_", " ")
