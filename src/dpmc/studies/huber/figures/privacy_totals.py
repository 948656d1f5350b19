"""Figures of what the published budgets mean: totals over a training, and measured losses."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.frame.showing.forest import Forest, Notes, Points, draw_forest
from dpmc.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS, PRIVATE, percent, select
from dpmc.frame.showing.panels import Axis, Curve, Panel, draw_panels, handle
from dpmc.frame.showing.results import Results, read_results
from dpmc.frame.showing.style import (
    BLACK,
    GREY,
    MECHANISMS,
    Drawing,
    Look,
    NothingToDraw,
    draw_all,
    needed,
    read_figures,
)
from dpmc.studies.huber.experiments import PRIVACY_TABLES
from dpmc.studies.huber.nominal import table_one
from dpmc.studies.huber.privacy_meaning import PUBLISHED_RUNS, TIGHTEST, share_above
from dpmc.studies.huber.tables_privacy import NEIGHBOURS, cells_of_run

RELEASES = {50: "ALS", 1000: "A-IRLS"}  # of the synthetic trainings
TICKS = {count: f"{count:,}" for count in (1, 10, 100, 1000)}
OF_RELEASES = Axis("Releases of an item vector", log=True, ticks=TICKS)
ACCOUNTANTS = {"basic": (0, (1, 1.2)), "rdp": "--"}
CLAIMS = {"nominal_epsilon": (2.0, "-"), "total_pld": (0.9, (0, (2, 1)))}  # width, line
LOSS_HANDLES = [
    handle("median and quartiles", Look(GREY, "o"), markersize=2.5),
    handle("largest", Look(GREY, "|", "none")),
    handle("claimed ε of a release", Look(BLACK, ""), linewidth=2),
    handle("its total over the training", Look(BLACK, "", CLAIMS["total_pld"][1])),
]


def totals_by_releases(inputs: Results) -> Drawing:
    """Draw the total epsilon of a training against its releases, from the reported one on."""
    totals = needed(inputs, "totals", "The totals have not been computed")
    totals = totals.assign(tightest=totals["accountant"].isin(TIGHTEST))
    label = f"Total ε at δ = {totals['delta'].max():g}".replace("e-0", "e-")
    panels = [_totals_panel(totals, variance, label) for variance in (1.0, 2.0)]
    data = _with_nominal(totals.drop(columns="tightest"))
    handles = [
        handle("one release, as published", Look(GREY, "x"), linestyle="none"),
        handle("basic (right)", Look(GREY, "", ACCOUNTANTS["basic"])),
        handle("RDP (right)", Look(GREY, "", ACCOUNTANTS["rdp"])),
    ]
    style = {"height": 1.9, "head": 1.0, "legend": {"ncols": 4}, "handles": handles}
    return draw_panels([*panels, _excess_panel(totals, 2.0)], data, **style)


def _totals_panel(totals: pd.DataFrame, variance: float, label: str) -> Panel:
    nominal = {row["mechanism"]: row["epsilon_published_form"] for row in table_one([variance])}
    lines, crosses = [], []
    for mechanism in PRIVATE:
        look = MECHANISMS[mechanism]
        part = select(totals, mechanism=mechanism, variance=variance)
        tight = part[part["tightest"]].groupby("releases")["epsilon"].min()
        first = pd.DataFrame({"x": [1], "mean": [nominal[mechanism]]})
        rows = pd.concat([first, pd.DataFrame({"x": tight.index, "mean": tight.to_numpy()})])
        name = f"{MECHANISM_LABELS[mechanism]}, {'exact' if mechanism == 'gaussian' else 'PLD'}"
        lines.append(Curve(rows, look, name, every=(1, 1)))  # the first has a cross
        crosses.append(Curve(first, Look(look.color, "x"), joined=False, size=5))

    def trainings(axes) -> None:
        for releases, method in RELEASES.items():
            axes.axvline(releases, color=GREY, linewidth=0.7, zorder=0)
            where = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            place = {"xytext": (-2, 0), "ha": "right", "color": GREY}
            axes.annotate(method, (releases, 0.03), **where, **place)

    return Panel(
        f"Variance {variance:g}",
        x=OF_RELEASES,
        y=Axis(label, log=True),
        curves=[*lines, *crosses],
        more=trainings,
    )


def _excess_panel(totals: pd.DataFrame, variance: float) -> Panel:
    here, drawn = select(totals, variance=variance), []
    for mechanism in PRIVATE:
        part = here[here["mechanism"] == mechanism]
        tightest = part[part["tightest"]].groupby("releases")["epsilon"].min()
        for accountant, line in ACCOUNTANTS.items():
            total = part[part["accountant"] == accountant].set_index("releases")["epsilon"]
            excess = 100 * (total / tightest - 1).dropna()
            rows = pd.DataFrame({"x": excess.index, "mean": excess.to_numpy()})
            drawn.append(Curve(rows, replace(MECHANISMS[mechanism], line=line)))
    return Panel(
        f"Variance {variance:g}, looser accounts",
        x=OF_RELEASES,
        y=Axis("Above the tightest total ε (%)", log=True),
        curves=[curve for curve in drawn if len(curve.rows)],
    )


def _with_nominal(totals: pd.DataFrame) -> pd.DataFrame:
    """Add the reported budgets of one release, which the lines start from."""
    reported = pd.DataFrame(table_one()).rename(columns={"epsilon_published_form": "epsilon"})
    reported = reported.assign(releases=1, accountant="as published")
    shown = ["mechanism", "variance", "releases", "accountant", "delta", "epsilon"]
    return pd.concat([reported[shown], totals], ignore_index=True)


def describe_totals(data: pd.DataFrame) -> str:
    """Say what the reported budgets become over the synthetic trainings, at variance 2."""
    parts = []
    tight = data[data["accountant"].isin(TIGHTEST)]
    for mechanism in PRIVATE:
        part = select(tight, mechanism=mechanism, variance=2.0)
        found = part.groupby("releases")["epsilon"].min().reindex(list(RELEASES)).dropna()
        reported = select(data, accountant="as published", mechanism=mechanism, variance=2.0)
        if len(found):
            totals = " and ".join(f"{value:,.0f}" for value in found)
            first = reported["epsilon"].iloc[0]
            parts.append(f"{MECHANISM_LABELS[mechanism]} {first:.2f} becomes {totals}")
    where = " and ".join(f"{count:,} ({name})" for count, name in RELEASES.items())
    return f"At variance 2, over {where} releases: {'; '.join(parts)}."


def losses_by_cell(inputs: Results) -> Drawing:
    """Draw the measured losses of every published training beside what was claimed."""
    absent = "The losses of the published algorithms have not been measured"
    losses = needed(inputs, "transcript_loss", absent)
    lines = _loss_lines(losses)
    if not lines:
        raise NothingToDraw("No published training has been measured")
    panels = [
        _loss_panel(lines, neighbour, title.capitalize()) for neighbour, title in NEIGHBOURS.items()
    ]
    data = losses.reset_index(drop=True)
    return draw_forest(panels, data, _loss_axis(losses), row=0.27, handles=LOSS_HANDLES)


def _loss_lines(losses: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return the published trainings that were measured, by name."""
    lines = {}
    for run in PUBLISHED_RUNS:
        here = cells_of_run(losses, run)
        for variance in run.variances:
            for mechanism in run.mechanisms:
                part = select(here, variance=variance, mechanism=mechanism)
                short = "" if run.irls_iterations in (None, 20) else f"-{run.irls_iterations}"
                method = "ALS" if run.method == "als" else f"A-IRLS{short}"
                data = DATASET_LABELS[run.dataset].removesuffix(" 100K")
                lines[f"{data}, {method}, {MECHANISM_LABELS[mechanism]}, {variance:g}"] = part
    return {label: part for label, part in lines.items() if len(part)}


def _loss_panel(lines: Mapping[str, pd.DataFrame], neighbour: str, title: str) -> Forest:
    """Return the panel of a kind of neighbours: each cell (rank, fraction) on its own height."""
    parts = [part[part["neighbour"] == neighbour] for part in lines.values()]
    found = []
    for row, part in enumerate(parts):
        if part.empty:
            continue
        part = part.sort_values(["rank", "observed_fraction"]).assign(row=row, x=part["median"])
        part["below"] = np.linspace(-0.28, 0.28, len(part)) * (len(part) > 1)
        quartiles = part.rename(columns={"lower_quartile": "low", "upper_quartile": "high"})
        color = MECHANISMS[part["mechanism"].iloc[0]].color
        found.append(Points(quartiles, Look(color, "o"), size=1.8, width=0.7))
        found.append(Points(part.assign(x=part["largest"]), Look(color, "|"), size=2.5))
        for name, (width, line) in CLAIMS.items():
            claim = part.head(1).assign(x=part[name].iloc[0], below=0)
            found.append(Points(claim, Look(BLACK, "", line), width=width, across=True))
    above = [percent(part["share_above_nominal"].mean()) if len(part) else "" for part in parts]
    return Forest(
        title,
        list(lines),
        found,
        # data set, method and variance
        groups=[(label.split(", ")[:2], label.split(", ")[3]) for label in lines],
        notes=[Notes(above, head="above claim")],
    )


def _loss_axis(losses: pd.DataFrame) -> Axis:
    """Return the axis of losses, which go over many decades and, for some neighbours, below 0."""
    reach = np.nanmax(losses[["largest", "total_pld"]].to_numpy(dtype=float))
    low = float(losses["lower_quartile"].min())
    decades = [10.0**power for power in range(int(np.log10(reach)) + 1)]
    ticks = {value: _power(value) for value in [0.0, *decades]}
    ticks |= {-value: f"−{_power(value)}" for value in decades if value < -low}
    # room on the right for the shares
    limits = (min(low * 1.3, -0.2), reach**1.28)
    label = "Privacy loss: log-likelihood ratio of all that a training releases"
    return Axis(label, linear=1, ticks=ticks, limits=limits)


def _power(value: float) -> str:
    return f"{value:g}" if value < 1000 else f"$10^{{{np.log10(value):.0f}}}$"


def describe_losses(data: pd.DataFrame) -> str:
    """Say how far the measured losses are above the claims."""
    parts = []
    for neighbour, name in NEIGHBOURS.items():
        part = data[data["neighbour"] == neighbour]
        if len(part):
            factor = (part["median"] / part["nominal_epsilon"]).median()
            share = percent(share_above(part, "share_above_nominal"))
            above = percent(share_above(part, "share_above_total"))
            parts.append(
                f"{name}: the median loss is {factor:.1f} times the claimed ε in the median cell, "
                f"{share} of the neighbours exceed the claim and {above} even its "
                "total over the training"
            )
    cells = len(data) // max(data["neighbour"].nunique(), 1)
    return f"{cells} cells. {'; '.join(parts).capitalize()}."


PRIVACY_FIGURES = read_figures(
    Path(__file__).parents[1] / "figures.yaml",
    {
        "privacy_totals": (totals_by_releases, describe_totals),
        "privacy_losses": (losses_by_cell, describe_losses),
    },
)


def write_privacy_figures(results_folder: str | Path, folder: str | Path) -> None:
    """Draw :data:`PRIVACY_FIGURES` into ``folder`` from the tables of ``results_folder``.

    A figure whose table is missing becomes a box that says so.
    """
    draw_all(PRIVACY_FIGURES, read_results(results_folder, PRIVACY_TABLES), folder)
