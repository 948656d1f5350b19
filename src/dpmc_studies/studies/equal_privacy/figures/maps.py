"""The map of the noise itself: which mechanism needs least of it."""

import numpy as np
import pandas as pd
from matplotlib.colors import ListedColormap, to_rgb
from matplotlib.patches import Patch

from dpmc.privacy.calibration import WORTHWHILE
from dpmc_studies.frame.showing.frames import MECHANISM_LABELS, PRIVATE
from dpmc_studies.frame.showing.heatmap import color_bar, draw_cells, outline, write_in_cell
from dpmc_studies.frame.showing.panels import handle
from dpmc_studies.frame.showing.style import BLACK, MECHANISMS, PAGE, Drawing, Look, new_figure
from dpmc_studies.studies.equal_privacy.frames import HUBER


def frontier_map(frontier: pd.DataFrame) -> Drawing:
    """Draw the least variance of Huber noise over that of the best other, and who is best."""
    leaders = frontier.assign(leader=frontier["best"].map(PRIVATE.index))
    ratio, leader = (
        leaders.pivot(index="releases", columns="epsilon", values=name).astype(float)
        for name in ("ratio", "leader")
    )
    wins = (leader == PRIVATE.index(HUBER)).to_numpy()
    names = {
        "rows": [f"{value:,g}" for value in ratio.index],
        "columns": [f"{value:g}" for value in ratio.columns],
    }
    figure = new_figure(PAGE, 1.3 + 0.21 * len(ratio))
    left, right = figure.subplots(1, 2, sharey=True)
    cells = draw_cells(left, ratio.to_numpy(), cmap="cividis", vmax=1.0, **names)
    color_bar(cells, "Variance of Huber / best other")
    for row, column in np.argwhere(wins):
        value = ratio.iat[row, column]
        saved = 100 * (1 - value)
        text = f"{saved:.{1 if saved < 9.95 else 0}f}"
        write_in_cell(left, cells, row, column, text, value)
    colors = ListedColormap([_light(name) for name in PRIVATE])
    draw_cells(right, leader.to_numpy(), cmap=colors, vmin=-0.5, vmax=2.5, **names)
    for (row, column), value in np.ndenumerate(leader):
        if np.isfinite(value):
            letter = PRIVATE[int(value)][0].upper()
            right.text(column, row, letter, ha="center", va="center", size=8)
    for axes in (left, right):
        outline(axes, wins, BLACK)
    left.set_title("Variance that Huber saves (%)")
    right.set_title("Least noise: G, L or H")
    left.set_ylabel("Releases")
    figure.supxlabel(f"Total ε at δ = {frontier['delta'].max():g}".replace("e-0", "e-"), fontsize=8)
    saves = handle(f"Huber saves over {100 * WORTHWHILE:g} %", Look(BLACK, ""), linewidth=1.5)
    patches = [Patch(color=_light(name), label=MECHANISM_LABELS[name]) for name in PRIVATE]
    figure.legend(handles=[*patches, saves], loc="outside upper center", ncols=4)
    return Drawing(figure, frontier)


def _light(mechanism: str) -> np.ndarray:
    """Return the colour of a mechanism, light enough for black letters."""
    return 0.8 * np.array(to_rgb(MECHANISMS[mechanism].color)) + 0.2
