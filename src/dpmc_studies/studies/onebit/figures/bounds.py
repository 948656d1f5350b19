"""Figure of the paper's error bounds, as printed and as corrected, beside measured errors."""

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from dpmc_studies.frame.showing.frames import split
from dpmc_studies.frame.showing.panels import Axis, Curve, Panel, draw_panels
from dpmc_studies.frame.showing.style import BLACK, BLUE, LIGHT, VERMILLION, Drawing, Look
from dpmc_studies.methods.onebit.labels import mechanism_label
from dpmc_studies.studies.onebit.figures.synthetic import ARE
from dpmc_studies.studies.onebit.frames import (
    BENCHMARK,
    LINKS,
    link_label,
    main_constraint,
    summary,
)

KEYS = ["mechanism", "link", "observed_fraction", "epsilon"]
FORMS = {"published": ("as printed", VERMILLION), "corrected": ("as corrected", BLUE)}
LINES, FACES = ("-", "--"), (None, "white")  # of the least and the largest observed fraction
NOTHING = Patch(color=LIGHT, label="says nothing: no error is larger")


def bounds_and_errors(trials: pd.DataFrame, bounds: pd.DataFrame) -> Drawing:
    """Draw bounds and raw ARE against epsilon, a row for each link, a column for each theorem."""
    data = with_errors(trials, bounds)
    ends = data["observed_fraction"].agg(["min", "max"]).unique()
    panels = [_panel(part, ends) for _, _, part in split(data, link=LINKS, theorem=())]
    style = {"columns": data["theorem"].nunique(), "height": 2.1, "head": 1.2}
    return draw_panels(panels, data, handles=[NOTHING], sharex=True, sharey=True, **style)


def with_errors(trials: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Return the finite bounds, each with the measured raw ARE of its cell, where it was run."""
    here = trials[trials["dataset"] == BENCHMARK]
    if here.empty:
        return bounds.head(0)
    table = summary(here[here["constraint"] == main_constraint(trials, BENCHMARK)], "are_raw")
    table = table.drop(columns=["dataset", "constraint"])
    finite = bounds[np.isfinite(bounds[list(FORMS)].astype(float)).all(axis=1)]
    return finite.merge(table, on=KEYS, how="inner")


def _panel(part: pd.DataFrame, fractions: np.ndarray) -> Panel:
    drawn = []
    for fraction, line, face in zip(fractions, LINES, FACES, strict=False):
        rows = part[part["observed_fraction"] == fraction].sort_values("epsilon")
        rows = rows.assign(x=rows["epsilon"])
        for form, (name, color) in FORMS.items():
            bound = rows[["x"]].assign(mean=rows[form])
            drawn.append(Curve(bound, Look(color, "", line), f"bound {name}, constants 1"))
        look = Look(BLACK, "o", line, face)
        drawn.append(Curve(rows, look, f"measured, {100 * fraction:g} % observed", size=3))
    # errors are relative to the mean square of the matrices, which hardly differs
    least = part.groupby("epsilon")["trivial"].min()

    def nothing(axes) -> None:
        axes.fill_between(least.index, least, 1e9, color=LIGHT, alpha=0.6, linewidth=0, zorder=0)

    theorem, mechanism, link = part[["theorem", "mechanism", "link"]].iloc[0]
    name = mechanism_label(mechanism).partition(",")[0]
    return Panel(
        f"Theorem {theorem} ({name}), {link_label(link)}",
        x=Axis("Claimed ε (of the value of one sign)", log=True),
        y=Axis(ARE, log=True),
        curves=drawn,
        more=nothing,
    )
