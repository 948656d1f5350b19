"""Figures of what the published budgets mean: totals over a training, and measured losses."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.lines import Line2D
from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

from dpmc.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS, PRIVATE, percent, select
from dpmc.frame.showing.panels import Axis, Curve, Panel, draw_panels, handle
from dpmc.frame.showing.results import read_results
from dpmc.frame.showing.style import (
    BLACK,
    GREY,
    MECHANISMS,
    PAGE,
    Drawing,
    Look,
    NothingToDraw,
    draw_all,
    new_figure,
    read_figures,
)
from dpmc.studies.huber.experiments import PRIVACY_TABLES
from dpmc.studies.huber.nominal import table_one
from dpmc.studies.huber.privacy_meaning import PUBLISHED_RUNS, TIGHTEST
from dpmc.studies.huber.tables_privacy import NEIGHBOURS, cells_of_run

RELEASES = {50: "ALS", 1000: "A-IRLS"}  # of the synthetic trainings
TICKS = {count: f"{count:,}" for count in (1, 10, 100, 1000)}
OF_RELEASES = Axis("Releases of an item vector", log=True, ticks=TICKS)
ACCOUNTANTS = {"basic": (0, (1, 1.2)), "rdp": "--"}


def totals_by_releases(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the total epsilon of a training against its releases, from the reported one on."""
    totals = inputs.get("totals")
    if totals is None:
        raise NothingToDraw("The totals have not been computed")
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
    reported = [
        {
            "mechanism": row["mechanism"],
            "variance": row["variance"],
            "releases": 1,
            "accountant": "as published",
            "delta": row["delta"],
            "epsilon": row["epsilon_published_form"],
        }
        for row in table_one()
    ]
    return pd.concat([pd.DataFrame(reported), totals], ignore_index=True)


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


def losses_by_cell(inputs: Mapping[str, pd.DataFrame]) -> Drawing:
    """Draw the measured losses of every published training beside what was claimed."""
    losses = inputs.get("transcript_loss")
    if losses is None:
        raise NothingToDraw("The losses of the published algorithms have not been measured")
    lines = _loss_lines(losses)
    if not lines:
        raise NothingToDraw("No published training has been measured")
    heights = _line_heights(lines)
    figure = new_figure(PAGE, 1.1 + 0.27 * -heights[-1])
    panels = figure.subplots(1, 2, sharey=True, sharex=True)
    for axes, (neighbour, title) in zip(panels, NEIGHBOURS.items(), strict=True):
        for (_, part), height in zip(lines, heights, strict=True):
            here = part[part["neighbour"] == neighbour]
            if len(here):
                here = here.sort_values(["rank", "observed_fraction"])
                _loss_line(axes, here, height)
        axes.set_title(title.capitalize(), loc="left")
        axes.set_title("above claim", loc="right", fontweight="normal")
        axes.grid(axis="y", visible=False)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
    panels[0].set_yticks(heights, [label for label, _ in lines])
    panels[0].set_ylim(heights[-1] - 0.7, 0.7)
    _loss_axis(panels[0], losses)
    figure.supxlabel("Privacy loss: log-likelihood ratio of all that a training releases", size=8)
    figure.legend(handles=_loss_handles(), loc="outside upper center", ncols=4)
    return Drawing(figure, losses.reset_index(drop=True))


def _loss_lines(losses: pd.DataFrame) -> list[tuple[str, pd.DataFrame]]:
    """The published trainings that were measured, each with its label."""
    lines = []
    for run in PUBLISHED_RUNS:
        here = cells_of_run(losses, run)
        for variance in run.variances:
            for mechanism in run.mechanisms:
                part = select(here, variance=variance, mechanism=mechanism)
                if part.empty:
                    continue
                short = "" if run.irls_iterations in (None, 20) else f"-{run.irls_iterations}"
                method = "ALS" if run.method == "als" else f"A-IRLS{short}"
                data = DATASET_LABELS[run.dataset].removesuffix(" 100K")
                name = MECHANISM_LABELS[mechanism]
                lines.append((f"{data}, {method}, {name}, {variance:g}", part))
    return lines


def _line_heights(lines) -> list[float]:
    """Vertical places, with a gap where data set, method or variance change."""
    heights, level, previous = [], 0.0, None
    for label, part in lines:
        group = (label.rpartition(", ")[0].rpartition(", ")[0], part["variance"].iloc[0])
        if previous is not None:
            level -= 1.0 if group == previous else 1.4
        heights.append(level)
        previous = group
    return heights


def _loss_line(axes, part: pd.DataFrame, height: float) -> None:
    """One line: every cell (rank, observed fraction) on a height of its own, and the claims."""
    color = MECHANISMS[part["mechanism"].iloc[0]].color
    places = height + np.linspace(0.28, -0.28, len(part)) * (len(part) > 1)
    axes.hlines(places, part["lower_quartile"], part["upper_quartile"], color=color, lw=0.7)
    axes.plot(part["median"], places, "o", color=color, markersize=1.8)
    axes.plot(part["largest"], places, "|", color=color, markersize=2.5, markeredgewidth=0.7)
    ends = [height - 0.42, height + 0.42]
    axes.plot([part["nominal_epsilon"].iloc[0]] * 2, ends, color=BLACK, lw=2, zorder=4)
    axes.plot([part["total_pld"].iloc[0]] * 2, ends, color=BLACK, lw=0.9, ls=(0, (2, 1)), zorder=4)
    axes.text(
        1.0,
        height,
        percent(part["share_above_nominal"].mean()),
        transform=axes.get_yaxis_transform(),
        ha="right",
        va="center",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5, "alpha": 0.8},
    )


def _loss_axis(axes, losses: pd.DataFrame) -> None:
    """Losses go over many decades and, for some neighbours, below 0."""
    reach = np.nanmax(losses[["largest", "total_pld"]].to_numpy(dtype=float))
    low = float(losses["lower_quartile"].min())
    axes.set_xscale("symlog", linthresh=1, linscale=0.4)
    # room on the right for the shares
    axes.set_xlim(min(low * 1.3, -0.2), reach**1.28)
    decades = [10.0**power for power in range(int(np.log10(reach)) + 1)]
    below = [-tick for tick in decades if tick < -low]
    ticks = [*below[::-1], 0.0, *decades]
    axes.xaxis.set_major_locator(FixedLocator(ticks))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: _power(value)))
    axes.xaxis.set_minor_locator(NullLocator())


def _power(value: float) -> str:
    if abs(value) < 1000:
        return f"{value:g}".replace("-", "−")
    sign = "−" if value < 0 else ""
    return f"{sign}$10^{{{np.log10(abs(value)):.0f}}}$"


def _loss_handles() -> list[Line2D]:
    return [
        Line2D([], [], color=GREY, marker="o", ms=2.5, lw=1, label="median and quartiles"),
        Line2D([], [], color=GREY, marker="|", ls="none", label="largest"),
        Line2D([], [], color=BLACK, lw=2, label="claimed ε of a release"),
        Line2D([], [], color=BLACK, lw=0.9, ls=(0, (2, 1)), label="its total over the training"),
    ]  # fmt: skip


def describe_losses(data: pd.DataFrame) -> str:
    """Say how far the measured losses are above the claims."""
    parts = []
    for neighbour, name in NEIGHBOURS.items():
        part = data[data["neighbour"] == neighbour]
        if len(part):
            factor = (part["median"] / part["nominal_epsilon"]).median()
            share = percent(part["share_above_nominal"].mean())
            above = percent(part["share_above_total"].mean())
            parts.append(
                f"{name}: the median loss is {factor:.1f} times the claimed ε in the median cell, "
                f"{share} of the losses exceed the claim and {above} even its total "
                "over the training"
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
