"""Figures of what the published budgets mean: totals over a training, and measured losses."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.showing.forest import Forest, Notes, Points, draw_forest
from dpmc_studies.frame.showing.frames import (
    DATASET_LABELS,
    MECHANISM_LABELS,
    PRIVATE,
    percent,
    select,
    split,
)
from dpmc_studies.frame.showing.panels import Axis, Curve, Panel, draw_panels, handle
from dpmc_studies.frame.showing.style import BLACK, GREY, MECHANISMS, Drawing, Look, NothingToDraw
from dpmc_studies.studies.huber.privacy_meaning import PUBLISHED_RUNS, TIGHTEST
from dpmc_studies.studies.huber.tables_privacy import cells_of_run

RELEASES = {50: "ALS", 1000: "A-IRLS"}  # of the synthetic trainings
TICKS = {count: f"{count:,}" for count in (1, 10, 100, 1000)}
OF_RELEASES = Axis("Releases of an item vector", log=True, ticks=TICKS)
ACCOUNTANTS = {"basic": (0, (1, 1.2)), "rdp": "--"}
CLAIMS = {"nominal_epsilon": (2.0, "-"), "total_pld": (0.9, (0, (2, 1)))}  # width, line
TOTAL_HANDLES = [
    handle("one release, as published", Look(GREY, "x", "none")),
    handle("basic (right)", Look(GREY, "", ACCOUNTANTS["basic"])),
    handle("RDP (right)", Look(GREY, "", ACCOUNTANTS["rdp"])),
]
LOSS_HANDLES = [
    handle("median and quartiles", Look(GREY, "o"), markersize=2.5),
    handle("largest", Look(GREY, "|", "none")),
    handle("claimed ε of a release", Look(BLACK, ""), linewidth=2),
    handle("its total over the training", Look(BLACK, "", CLAIMS["total_pld"][1])),
]


def totals_by_releases(totals: pd.DataFrame) -> Drawing:
    """Draw the total epsilon of a training against its releases, from the reported one on."""
    label = f"Total ε at δ = {totals['delta'].max():g}".replace("e-0", "e-")
    reported = pd.DataFrame(table_one()).rename(columns={"epsilon_published_form": "epsilon"})
    reported = reported.assign(releases=1, accountant="as published")
    shown = ["mechanism", "variance", "releases", "accountant", "delta", "epsilon"]
    data = pd.concat([reported[shown], totals], ignore_index=True)
    panels = [_totals_panel(select(data, variance=variance), label) for variance in (1.0, 2.0)]
    panels.append(_excess_panel(select(data, variance=2.0)))
    style = {"height": 1.9, "head": 1.0, "legend": {"ncols": 4}, "handles": TOTAL_HANDLES}
    return draw_panels(panels, data, **style)


def tightest(part: pd.DataFrame) -> pd.DataFrame:
    """Return the reported epsilon of a mechanism and its tightest totals, by releases."""
    tight = part[part["accountant"].isin([*TIGHTEST, "as published"])]
    least = tight.groupby("releases", as_index=False)["epsilon"].min()
    return least.rename(columns={"releases": "x", "epsilon": "mean"})


def _totals_panel(part: pd.DataFrame, label: str) -> Panel:
    lines, crosses = [], []
    for mechanism, here in split(part, mechanism=PRIVATE):
        look, rows = MECHANISMS[mechanism], tightest(here)
        name = f"{MECHANISM_LABELS[mechanism]}, {'exact' if mechanism == 'gaussian' else 'PLD'}"
        lines.append(Curve(rows, look, name, every=(1, 1)))  # the first has a cross
        crosses.append(Curve(rows.head(1), Look(look.color, "x", "none"), size=5))

    def trainings(axes) -> None:
        for releases, method in RELEASES.items():
            axes.axvline(releases, color=GREY, linewidth=0.7, zorder=0)
            where = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points"}
            place = {"xytext": (-2, 0), "ha": "right", "color": GREY}
            axes.annotate(method, (releases, 0.03), **where, **place)

    return Panel(
        f"Variance {part['variance'].iloc[0]:g}",
        x=OF_RELEASES,
        y=Axis(label, log=True),
        curves=[*lines, *crosses],
        more=trainings,
    )


def _excess_panel(part: pd.DataFrame) -> Panel:
    drawn = []
    for mechanism, accountant, here in split(part, mechanism=PRIVATE, accountant=ACCOUNTANTS):
        if accountant in ACCOUNTANTS and len(here):
            least = tightest(part[part["mechanism"] == mechanism]).set_index("x")["mean"]
            excess = 100 * (here.set_index("releases")["epsilon"] / least - 1).dropna()
            rows = pd.DataFrame({"x": excess.index, "mean": excess.to_numpy()})
            drawn.append(Curve(rows, replace(MECHANISMS[mechanism], line=ACCOUNTANTS[accountant])))
    return Panel(
        f"Variance {part['variance'].iloc[0]:g}, looser accounts",
        x=OF_RELEASES,
        y=Axis("Above the tightest total ε (%)", log=True),
        curves=drawn,
    )


def losses_by_cell(transcript_loss: pd.DataFrame) -> Drawing:
    """Draw the measured losses of every published training beside what was claimed."""
    lines = _loss_lines(transcript_loss)
    if not lines:
        raise NothingToDraw
    axis = _loss_axis(transcript_loss)
    return draw_forest([_loss_panel(lines)], transcript_loss, axis, row=0.27, handles=LOSS_HANDLES)


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


def _loss_panel(lines: Mapping[str, pd.DataFrame]) -> Forest:
    """Return the panel: each cell (rank, fraction) on its own height."""
    found = []
    for row, part in enumerate(lines.values()):
        part = part.sort_values(["rank", "observed_fraction"]).assign(row=row, x=part["median"])
        part["below"] = np.linspace(-0.28, 0.28, len(part)) * (len(part) > 1)
        quartiles = part.rename(columns={"lower_quartile": "low", "upper_quartile": "high"})
        color = MECHANISMS[part["mechanism"].iloc[0]].color
        found.append(Points(quartiles, Look(color, "o"), size=1.8, width=0.7))
        found.append(Points(part.assign(x=part["largest"]), Look(color, "|"), size=2.5))
        for name, (width, line) in CLAIMS.items():
            claim = part.head(1).assign(x=part[name].iloc[0], below=0)
            found.append(Points(claim, Look(BLACK, "", line), width=width, across=True))
    above = [percent(part["share_above_nominal"].mean()) for part in lines.values()]
    return Forest(
        "One rating changed",
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
