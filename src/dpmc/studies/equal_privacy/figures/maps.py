"""The map of the noise itself: which mechanism needs least of it."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from dpmc.frame.showing.frames import MECHANISM_LABELS, PRIVATE
from dpmc.frame.showing.style import (
    BLACK,
    MECHANISMS,
    PAGE,
    Drawing,
    NothingToDraw,
    new_figure,
)
from dpmc.privacy.calibration import WORTHWHILE
from dpmc.studies.equal_privacy.frames import HUBER


def frontier_map(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the least variance of Huber noise over that of the best other, and who is best."""
    frame = inputs.get("frontier")
    if frame is None:
        raise NothingToDraw("The map of the smallest variances has not been computed")
    table = frame.pivot(index="releases", columns="epsilon", values="ratio").sort_index()
    ratio = table.to_numpy(dtype=float)
    leader = _leaders(frame).reindex(index=table.index, columns=table.columns).to_numpy(float)
    wins = leader == PRIVATE.index(HUBER)
    figure = new_figure(PAGE, 1.3 + 0.21 * len(table))
    left, right = figure.subplots(1, 2, sharey=True)
    image = _cells(left, ratio, cmap="cividis", vmax=1.0)
    bar = figure.colorbar(image, ax=left, fraction=0.06, pad=0.02)
    bar.set_label("Variance of Huber / best other")
    bar.outline.set_visible(False)
    bar.solids.set(rasterized=False, edgecolor="face")  # as the cells: no bitmap, no seams
    colors = ListedColormap([_light(name) for name in PRIVATE])
    _cells(right, leader, cmap=colors, vmin=-0.5, vmax=2.5)
    for (row, column), number in np.ndenumerate(leader):
        if np.isfinite(number):
            letter = PRIVATE[int(number)][0].upper()
            right.text(column, row, letter, ha="center", va="center", size=8)
    _write_savings(left, image, ratio, wins)
    left.set_title("Variance that Huber saves (%)")
    right.set_title("Least noise: G, L or H")
    for axes in (left, right):
        _outline(axes, wins)
        axes.set_xticks(range(table.shape[1]), [f"{value:g}" for value in table.columns])
        axes.set_yticks(range(table.shape[0]), [f"{value:,g}" for value in table.index])
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.spines[:].set_visible(False)
    left.set_ylabel("Releases")
    figure.supxlabel(f"Total ε at δ = {frame['delta'].max():g}".replace("e-0", "e-"), fontsize=8)
    figure.legend(handles=_map_handles(), loc="outside upper center", ncols=4)
    return Drawing(figure, frame.reset_index(drop=True))


def _cells(axes, numbers: np.ndarray, **look):
    """Draw a rectangle a number, without the bitmap that ``imshow`` would put into the SVG."""
    x, y = (np.arange(size + 1) - 0.5 for size in numbers.shape[::-1])
    seamless = {"edgecolors": "face", "linewidth": 0.4}
    return axes.pcolormesh(x, y, np.ma.masked_invalid(numbers), **seamless, **look)


def _light(mechanism: str) -> np.ndarray:
    """Return the colour of a mechanism, light enough for black letters."""
    return 0.8 * np.array(to_rgb(MECHANISMS[mechanism].color)) + 0.2


def _leaders(frame: pd.DataFrame) -> pd.DataFrame:
    """Number of the best mechanism in :data:`PRIVATE`."""
    numbers = frame.assign(leader=[PRIVATE.index(name) for name in frame["best"]])
    return numbers.pivot(index="releases", columns="epsilon", values="leader")


def _write_savings(axes, image, ratio: np.ndarray, wins: np.ndarray) -> None:
    for row, column in np.argwhere(wins):
        saved = 100 * (1 - ratio[row, column])
        dark = np.dot(image.cmap(image.norm(ratio[row, column]))[:3], (0.299, 0.587, 0.114)) < 0.5
        text = f"{saved:.1f}" if saved < 9.95 else f"{saved:.0f}"
        color = "white" if dark else BLACK
        axes.text(column, row, text, ha="center", va="center", color=color, fontsize=8)


def _outline(axes, wins: np.ndarray) -> None:
    """Draw the border of a region of cells."""
    padded = np.pad(wins, 1)
    for row, column in np.argwhere(padded[1:, 1:-1] != padded[:-1, 1:-1]):
        _edge(axes, [column - 0.5, column + 0.5], [row - 0.5, row - 0.5])
    for row, column in np.argwhere(padded[1:-1, 1:] != padded[1:-1, :-1]):
        _edge(axes, [column - 0.5, column - 0.5], [row - 0.5, row + 0.5])


def _edge(axes, x, y) -> None:
    axes.plot(x, y, color="white", linewidth=3, solid_capstyle="projecting", clip_on=False)
    axes.plot(
        x, y, color=BLACK, linewidth=1.5, solid_capstyle="projecting", clip_on=False, zorder=3
    )


def _map_handles() -> list:
    handles: list = [Patch(color=_light(name), label=MECHANISM_LABELS[name]) for name in PRIVATE]
    return [
        *handles,
        Line2D([], [], color=BLACK, lw=1.5, label=f"Huber saves over {100 * WORTHWHILE:g} %"),
    ]
