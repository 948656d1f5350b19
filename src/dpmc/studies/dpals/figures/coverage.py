"""Figure 2 of the paper: how unevenly items are rated, and what sampling does to that."""

import pandas as pd

from dpmc.frame.showing.frames import present
from dpmc.frame.showing.panels import Axis, Curve, Panel, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import (
    BLACK,
    BLUE,
    GREY,
    SKY,
    VERMILLION,
    Drawing,
    Look,
    needed,
)
from dpmc.studies.dpals.frames import dataset_label, datasets_of

SAMPLINGS = {
    "uniform": ("k uniform ratings a user", Look(VERMILLION, "", "--")),
    "full": ("all ratings", Look(BLACK, "", "-")),
    "adaptive": ("k ratings of rare items", Look(BLUE, "", "-.")),
    "shuffled": ("uniform, items shuffled", Look(SKY, "", (0, (1, 1.2)))),
}
TOP = 0.2  # the share of items that the paper names


def coverage(inputs: Results) -> Drawing:
    """Draw the share of the ratings against the share of items that holds them."""
    data = needed(inputs, "coverage", "The popularity of items has not been measured")
    panels = [_panel(name, data[data["dataset"] == name]) for name in datasets_of(data)]
    return draw_panels(panels, data, height=2.6, sharey=True)


def _panel(name: str, here: pd.DataFrame) -> Panel:
    drawn = []
    for sampling in present(here["sampling"], SAMPLINGS):
        label, look = SAMPLINGS[sampling]
        one = here[here["sampling"] == sampling].sort_values("item_share")
        rows = pd.DataFrame({"x": 100 * one["item_share"], "mean": 100 * one["rating_share"]})
        drawn.append(Curve(rows, look, f"{label} (Gini {one['gini'].iloc[0]:.2f})"))

    def alike(axes) -> None:
        axes.plot([0, 100], [0, 100], color=GREY, lw=0.7, ls=":")
        axes.set(xlim=(0, 100), ylim=(0, 101))

    return Panel(
        dataset_label(name),
        x=Axis("Most rated items (%)"),
        y=Axis("Share of the ratings (%)"),
        curves=drawn,
        legend="lower right",
        more=alike,
    )


def share_of_top(here: pd.DataFrame, top: float = TOP) -> float:
    """Return the share of the ratings of the most rated items, by the nearest measured share."""
    return float(here.loc[(here["item_share"] - top).abs().idxmin(), "rating_share"])


def describe_coverage(data: pd.DataFrame) -> str:
    """Say what the top items hold, by data set, and k."""
    parts = []
    for name in datasets_of(data):
        here = data[(data["dataset"] == name) & (data["sampling"] == "full")]
        if len(here):
            parts.append(f"{100 * share_of_top(here):.0f} % of {dataset_label(name)}")
    count = int(data["ratings_per_user"].max())
    held = (
        f" The most rated {100 * TOP:.0f} % of the items hold {', '.join(parts)}." if parts else ""
    )
    return f"k = {count} ratings a user.{held}"
