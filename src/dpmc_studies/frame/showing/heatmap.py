"""Parts of a heat map of one number over two settings."""

from collections.abc import Sequence

import numpy as np


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
