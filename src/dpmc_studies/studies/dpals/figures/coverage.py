"""Figure 2 of the paper: how unevenly items are rated, and what sampling does to that."""

import pandas as pd

from dpmc_studies.frame.showing.frames import split
from dpmc_studies.frame.showing.panels import Axis, Panel, curves, draw_panels
from dpmc_studies.frame.showing.style import BLACK, BLUE, GREY, SKY, VERMILLION, Drawing, Look
from dpmc_studies.studies.dpals.frames import DATASETS, dataset_label

LOOKS = {
    "uniform": Look(VERMILLION, "", "--"),
    "full": Look(BLACK, ""),
    "adaptive": Look(BLUE, "", "-."),
    "shuffled": Look(SKY, "", (0, (1, 1.2))),
}
LABELS = {
    "uniform": "k uniform ratings a user",
    "full": "all ratings",
    "adaptive": "k ratings of rare items",
    "shuffled": "uniform, items shuffled",
}
TOP = 0.2  # the share of items that the paper names


def coverage(coverage: pd.DataFrame) -> Drawing:
    """Draw the share of the ratings against the share of items that holds them."""
    percent = coverage.assign(x=100 * coverage["item_share"], mean=100 * coverage["rating_share"])
    panels = [_panel(name, here) for name, here in split(percent, dataset=DATASETS)]
    return draw_panels(panels, coverage, height=2.6, sharey=True)


def _panel(name: str, here: pd.DataFrame) -> Panel:
    gini = here.groupby("sampling")["gini"].first()

    def alike(axes) -> None:
        axes.plot([0, 100], [0, 100], color=GREY, lw=0.7, ls=":")

    return Panel(
        dataset_label(name),
        x=Axis("Most rated items (%)", limits=(0, 100)),
        y=Axis("Share of the ratings (%)", limits=(0, 101)),
        curves=curves(
            here, "sampling", "x", LOOKS, lambda each: f"{LABELS[each]} (Gini {gini[each]:.2f})"
        ),
        legend="lower right",
        more=alike,
    )
