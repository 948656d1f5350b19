"""Figure of the paper's error bounds against measured errors: their shape, not their size."""

from collections.abc import Mapping

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from scipy.stats import spearmanr

from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures.budgets import ARE
from dpmc.studies.onebit.frames import (
    BENCHMARK,
    LINK_LOOKS,
    LINKS,
    link_label,
    main_constraint,
    summary,
)
from dpmc.study.frames import present
from dpmc.study.style import GREY, PAGE, Drawing, NothingToDraw, new_figure, value_axis

KEYS = ["mechanism", "link", "observed_fraction", "epsilon"]
LONG_PANEL = 1.5  # decades below a third of the page


def bounds_and_errors(inputs: Mapping[str, pd.DataFrame | None]) -> Drawing:
    """Draw the measured raw ARE against the bound, a panel for each theorem."""
    trials, bounds = inputs.get("trials"), inputs.get("bounds")
    if trials is None or bounds is None:
        raise NothingToDraw("The error bounds have not been computed")
    data = with_errors(trials, bounds)
    if data.empty:
        raise NothingToDraw("No mechanism with an error bound has been run")
    theorems = sorted(data["theorem"].unique())
    figure = new_figure(PAGE, 3.3)
    panels = figure.subplots(1, len(theorems), squeeze=False)[0]
    for axes, theorem in zip(panels, theorems, strict=True):
        _panel(axes, data[data["theorem"] == theorem])
    panels[0].set_ylabel(ARE)
    figure.supxlabel("Bound, all constants 1 (only its shape means anything)", fontsize=8)
    figure.legend(handles=_handles(data), loc="outside upper center", ncols=4)
    return Drawing(figure, data)


def with_errors(trials: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Return the finite bounds, each with the measured raw ARE of its cell, where it was run."""
    here = trials[trials["dataset"] == BENCHMARK]
    if here.empty:
        return bounds.head(0)
    table = summary(here[here["constraint"] == main_constraint(trials, BENCHMARK)], "are_raw")
    table = table.drop(columns=["dataset", "constraint"])
    finite = bounds[np.isfinite(bounds["bound"].astype(float))]
    return finite.merge(table, on=KEYS, how="inner")


def _panel(axes, part: pd.DataFrame) -> None:
    for link in present(part["link"], LINKS):
        look, one = LINK_LOOKS[link], part[part["link"] == link]
        fractions = one["observed_fraction"]
        size = 10 + 26 * (fractions - fractions.min()) / max(np.ptp(fractions), 1e-9)
        axes.scatter(
            one["bound"],
            one["mean"],
            s=size,
            marker=look.marker,
            facecolors="none",
            edgecolors=look.color,
            linewidths=0.8,
            zorder=3,
        )
    bound = np.array([part["bound"].min(), part["bound"].max()])
    # the line of proportional growth through the geometric means
    level = np.exp(np.mean(np.log(part["mean"])) - np.mean(np.log(part["bound"])))
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.margins(0.08)
    limits = axes.get_ylim()
    axes.plot(bound, level * bound, color=GREY, lw=0.9, ls="--", zorder=2)
    axes.set_ylim(limits)
    value_axis(axes.xaxis, np.log10(bound[1] / bound[0]), long=LONG_PANEL)
    value_axis(axes.yaxis, np.log10(limits[1] / limits[0]))
    first = part.iloc[0]
    name = mechanism_label(first["mechanism"]).partition(",")[0]
    axes.set_title(f"Theorem {first['theorem']}, {name}", loc="left")


def _handles(data: pd.DataFrame) -> list[Line2D]:
    found = []
    for link in present(data["link"], LINKS):
        look = LINK_LOOKS[link]
        style = {"color": look.color, "marker": look.marker, "markerfacecolor": "none"}
        found.append(Line2D([], [], ls="none", label=f"{link.capitalize()} link", **style))
    blank = {"color": GREY, "marker": "o", "markerfacecolor": "none", "ls": "none"}
    return [
        *found,
        Line2D([], [], markersize=6, label="larger: more observed", **blank),
        Line2D([], [], color=GREY, ls="--", lw=0.9, label="error in proportion to the bound"),
    ]


def describe_bounds(data: pd.DataFrame) -> str:
    """Say how well the order of the bounds is that of the errors."""
    parts = []
    for theorem, part in data.groupby("theorem"):
        for link in present(part["link"], LINKS):
            one = part[part["link"] == link]
            if len(one) > 2:
                rank = spearmanr(one["bound"], one["mean"]).statistic
                parts.append(f"theorem {theorem}, {link_label(link)} {rank:.2f} ({len(one)} cells)")
    text = f"Rank correlation of bound and error: {'; '.join(parts)}." if parts else ""
    return text.replace("-", "−") or "Too few cells for a rank correlation."
