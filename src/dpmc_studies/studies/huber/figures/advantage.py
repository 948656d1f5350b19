"""Forest plots of the advantage of Huber noise: cell by cell, and in the printed columns."""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.showing.forest import Forest, Points, draw_forest
from dpmc_studies.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS, SYNTHETIC
from dpmc_studies.frame.showing.panels import handle
from dpmc_studies.frame.showing.scales import Axis, signed_ticks
from dpmc_studies.frame.showing.style import (
    BLACK,
    GREEN,
    GREY,
    MECHANISMS,
    Drawing,
    Look,
    NothingToDraw,
)
from dpmc_studies.statistics.paired import less, more
from dpmc_studies.studies.huber import KEPT
from dpmc_studies.studies.huber.cells import AS_PRINTED, RIGHT
from dpmc_studies.studies.huber.differences import OTHERS, SETTING, differences

CELL_TICKS = (-100, -20, -5, -2, -1, 0, 1, 2, 5, 20, 100)
DIFFERENCE = "Difference of RMSE, paired by trial (%); below 0: Huber is better"
METHODS = {"als": (-0.17, "o"), "irls": (0.17, "s")}  # below the middle of the row, marker
HANDLES = [
    handle("ALS, 95 % interval", Look(GREY, "o", face="white")),
    handle("IRLS, 95 % interval", Look(GREY, "s", face="white")),
    handle("significant (Holm)", Look(GREY, "o", "none")),
    handle("reported", Look(BLACK, "x", "none")),
]
STARTS = {"normal": "N(0,1)", "uniform": "U(0,1)"}
REPORTED = 2.0  # variance; at 1 all of them coincide
DRAWN = {
    (RIGHT, 2.0): ("right, variance 2", MECHANISMS["huber"]),
    (RIGHT, 1.2): ("right, variance 1.2", Look(GREEN, "o", face="white")),
    (AS_PRINTED, 2.0): ("inverse CDF as printed", Look(GREEN, "v")),
}
PLACE = ["rank", "observed_fraction"]
COLUMN_TICKS = (-40, -20, -10, -5, 0, 5, 10, 20, 40)


def paired_differences(trials: pd.DataFrame, comparison: pd.DataFrame | None = None) -> Drawing:
    """Draw the differences of RMSE in per cent, paired by trial, with 95 % t intervals."""
    frame = differences(trials, comparison)
    if frame.empty:
        raise NothingToDraw
    real = frame["dataset"] != SYNTHETIC  # last
    frame = frame.assign(real=real).sort_values(["real", *SETTING, "method"]).drop(columns="real")
    percent = frame.assign(row=frame.groupby(SETTING, sort=False).ngroup())
    drawn = ["difference", "low", "high", "reported"]
    percent[drawn] = 100 * np.expm1(percent[drawn])
    settings = frame[SETTING].drop_duplicates()
    panels = [
        Forest(
            f"Huber minus {MECHANISM_LABELS[other]}",
            [_label(row) for row in settings.itertuples()],
            _points(percent[percent["other"] == other], MECHANISMS[other].color),
            groups=[(row.dataset, row.rank, row.variance) for row in settings.itertuples()],
            reference=0,
        )
        for other in OTHERS
    ]
    reach = 1.15 * np.nanmax(np.abs(percent[drawn]))
    ticks = signed_ticks(tick for tick in CELL_TICKS if abs(tick) <= reach)
    axis = Axis(DIFFERENCE, linear=2.0, ticks=ticks, limits=(-reach, reach))
    return draw_forest(panels, frame.reset_index(drop=True), axis, row=0.235, handles=HANDLES)


def _points(part: pd.DataFrame, color: str) -> list[Points]:
    """Return the differences, filled where they are significant, and the reported ones."""
    found = []
    for method, here in part.groupby("method"):
        below, marker = METHODS.get(method, (0.0, "v"))
        here = here.assign(x=here["difference"], below=below)
        sure, look = less(here) | more(here), Look(color, marker)
        reported = here.assign(x=here["reported"]).drop(columns=["low", "high"])
        found += [Points(here[sure], look), Points(here[~sure], replace(look, face="white"))]
        found.append(Points(reported, Look(BLACK, "x"), size=3.2))
    return found


def _label(row) -> str:
    share = f"{100 * row.observed_fraction:g} %"
    if row.dataset != SYNTHETIC:
        return f"{DATASET_LABELS[row.dataset]}, {share}"
    return f"rank {row.rank:g}, variance {row.variance:g}, {share}"


def huber_columns() -> Drawing:
    """Draw differences to Gaussian noise in per cent with their errors, and the reported ones.

    They are those of ``benchmarks/forensics.py``, which the reference keeps.
    """
    columns = read_frame(KEPT)
    shown = columns[columns["reported_variance"] == REPORTED].sort_values(PLACE)
    places = shown[PLACE].drop_duplicates().reset_index(drop=True)
    shown = shown.merge(places.reset_index(names="row"), on=PLACE)
    panels = [
        Forest(
            f"Start {STARTS[start]}",
            [f"rank {row.rank:g}, {row.observed_fraction:.0%}" for row in places.itertuples()],
            [*_ours(part), *_reported(part)],
            groups=list(places["rank"]),
            reference=0,
        )
        for start, part in shown.groupby("start", sort=True)
    ]
    axis = Axis(
        "RMSE with Huber noise against Gaussian noise of variance 2 (%)",
        linear=10.0,
        ticks=signed_ticks(COLUMN_TICKS),
    )
    return draw_forest(panels, shown, axis, row=0.33, head=1.2, legend={"ncols": 3})


def _of(part: pd.DataFrame, noise: tuple[str, float]) -> pd.DataFrame:
    return part[(part["noise"] == noise[0]) & (part["variance"] == noise[1])]


def _ours(part: pd.DataFrame) -> list[Points]:
    found = []
    for number, (noise, (label, look)) in enumerate(DRAWN.items()):
        here = _of(part, noise)
        middle, half = here["difference"], 2 * here["standard_error"]
        ends = {"x": middle, "low": middle - half, "high": middle + half}
        percent = {name: 100 * np.expm1(values) for name, values in ends.items()}
        found.append(Points(here.assign(**percent, below=0.18 * number - 0.27), look, label))
    return found


def _reported(part: pd.DataFrame) -> list[Points]:
    here = part.drop_duplicates(PLACE)
    looks = {"als": Look(BLACK, "x", "none"), "irls": Look(GREY, "+", "none")}
    return [
        Points(
            here[["row"]].assign(below=0.27, x=100 * np.expm1(here[f"reported_{method}"])),
            look,
            f"reported, {method.upper()}",
            size=5,
        )
        for method, look in looks.items()
    ]
