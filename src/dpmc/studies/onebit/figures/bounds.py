"""Figure of the paper's error bounds, as printed and as corrected, beside measured errors."""

import numpy as np
import pandas as pd
from matplotlib.patches import Patch

from dpmc.frame.showing.frames import number, present
from dpmc.frame.showing.panels import Axis, Curve, Panel, draw_panels
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import (
    BLACK,
    BLUE,
    LIGHT,
    VERMILLION,
    Drawing,
    Look,
    NothingToDraw,
    needed,
)
from dpmc.methods.onebit.labels import mechanism_label
from dpmc.studies.onebit.figures.synthetic import ARE
from dpmc.studies.onebit.frames import BENCHMARK, LINKS, link_label, main_constraint, summary

KEYS = ["mechanism", "link", "observed_fraction", "epsilon"]
FORMS = {"published": ("as printed", VERMILLION), "corrected": ("as corrected", BLUE)}
LINES, FACES = ("-", "--"), (None, "white")  # of the least and the largest observed fraction


def bounds_and_errors(inputs: Results) -> Drawing:
    """Draw bounds and raw ARE against epsilon, a row for each link, a column for each theorem."""
    absent = "The error bounds have not been computed"
    trials, bounds = (needed(inputs, name, absent) for name in ("trials", "bounds"))
    data = with_errors(trials, bounds)
    if data.empty:
        raise NothingToDraw("No mechanism with an error bound has been run")
    theorems, links = sorted(data["theorem"].unique()), present(data["link"], LINKS)
    fractions = sorted({data["observed_fraction"].min(), data["observed_fraction"].max()})
    panels = [
        _panel(data[(data["link"] == link) & (data["theorem"] == theorem)], fractions)
        for link in links
        for theorem in theorems
    ]
    empty = Patch(color=LIGHT, label="says nothing: no error is larger")
    style = {"columns": len(theorems), "height": 2.1, "head": 1.2, "sharex": True, "sharey": True}
    return draw_panels(panels, data, handles=[empty], **style)


def with_errors(trials: pd.DataFrame, bounds: pd.DataFrame) -> pd.DataFrame:
    """Return the finite bounds, each with the measured raw ARE of its cell, where it was run."""
    here = trials[trials["dataset"] == BENCHMARK]
    if here.empty:
        return bounds.head(0)
    table = summary(here[here["constraint"] == main_constraint(trials, BENCHMARK)], "are_raw")
    table = table.drop(columns=["dataset", "constraint"])
    finite = bounds[np.isfinite(bounds[list(FORMS)].astype(float)).all(axis=1)]
    return finite.merge(table, on=KEYS, how="inner")


def _panel(part: pd.DataFrame, fractions: list[float]) -> Panel:
    drawn = []
    for fraction, style, face in zip(fractions, LINES, FACES, strict=False):
        rows = part[part["observed_fraction"] == fraction].sort_values("epsilon")
        rows = rows.assign(x=rows["epsilon"])
        for form, (name, color) in FORMS.items():
            bound = pd.DataFrame({"x": rows["x"], "mean": rows[form]})
            drawn.append(Curve(bound, Look(color, "", style), f"bound {name}, constants 1"))
        look = Look(BLACK, "o", style, face)
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


def describe_bounds(data: pd.DataFrame) -> str:
    """Say how many bounds say nothing, and how far above the errors they lie."""
    parts = []
    for theorem, part in data.groupby("theorem"):
        texts = []
        for form, (name, _) in FORMS.items():
            empty = int((part[form] >= part["trivial"]).sum())
            ratio = part[form] / part["mean"]
            texts.append(
                f"{name} at {empty} of {len(part)} ({number(ratio.min(), 2)} to "
                f"{number(ratio.max(), 2)} times the error)"
            )
        parts.append(f"theorem {theorem} {', '.join(texts)}")
    text = f"With constants 1 the bound says nothing, over all cells: {'; '.join(parts)}."
    return f"{text}{_grows(data)}"


def _grows(data: pd.DataFrame) -> str:
    """Say where a bound is larger at the largest epsilon than at 1."""
    found = {}
    for (theorem, link), part in data.groupby(["theorem", "link"]):
        for form, (name, _) in FORMS.items():
            table = part.pivot_table(index="observed_fraction", columns="epsilon", values=form)
            if 1.0 in table and (table[table.columns.max()] > table[1.0]).all():
                found.setdefault(f"theorem {theorem} {name}", []).append(link_label(link))
    if not found:
        return ""
    places = "; ".join(f"{name} ({' and '.join(links)})" for name, links in found.items())
    return (
        f" It is larger at ε = {data['epsilon'].max():g} than at ε = 1, as if less privacy made "
        f"errors larger: {places}."
    )
