"""Forest plot: is the error with Huber noise lower, cell by cell, on the same data and start?"""

from dataclasses import replace

import numpy as np
import pandas as pd

from dpmc.frame.judging.effects import signed
from dpmc.frame.showing.forest import Forest, Points, draw_forest
from dpmc.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS, SYNTHETIC
from dpmc.frame.showing.panels import Axis, handle, signed_ticks
from dpmc.frame.showing.style import BLACK, GREY, MECHANISMS, Drawing, Look, NothingToDraw
from dpmc.studies.huber.differences import OTHERS, SETTING, differences

LINEAR = 2.0  # per cent; the axis is logarithmic beyond
TICKS = (-100, -20, -5, -2, -1, 0, 1, 2, 5, 20, 100)
DIFFERENCE = "Difference of RMSE, paired by trial (%); below 0: Huber is better"
PLACES = {"als": (-0.17, "o"), "irls": (0.17, "s")}  # below the middle of the row, marker
HANDLES = [
    handle("ALS, 95 % interval", Look(GREY, "o", face="white")),
    handle("IRLS, 95 % interval", Look(GREY, "s", face="white")),
    handle("significant (Holm)", Look(GREY, "o", "none")),
    handle("reported", Look(BLACK, "x", "none")),
]


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
    ticks = signed_ticks(tick for tick in TICKS if abs(tick) <= reach)
    axis = Axis(DIFFERENCE, linear=LINEAR, ticks=ticks, limits=(-reach, reach))
    return draw_forest(panels, frame.reset_index(drop=True), axis, row=0.235, handles=HANDLES)


def _points(part: pd.DataFrame, color: str) -> list[Points]:
    """Return the differences, filled where they are significant, and the reported ones."""
    found = []
    for method, here in part.groupby("method"):
        below, marker = PLACES.get(method, (0.0, "v"))
        here = here.assign(x=here["difference"], below=below)
        sure, look = here["p_adjusted"] < 0.05, Look(color, marker)
        reported = here.assign(x=here["reported"]).drop(columns=["low", "high"])
        found.append(Points(here[sure], look))
        found.append(Points(here[~sure], replace(look, face="white")))
        found.append(Points(reported, Look(BLACK, "x"), size=3.2))
    return found


def _label(row) -> str:
    share = f"{100 * row.observed_fraction:g} %"
    if row.dataset != SYNTHETIC:
        return f"{DATASET_LABELS.get(row.dataset, row.dataset)}, {share}"
    return f"rank {row.rank:g}, variance {row.variance:g}, {share}"


def describe_differences(data: pd.DataFrame) -> dict[str, str]:
    """Count the significant differences and give the reported ones beside them."""
    found = []
    for other, part in data.groupby("other", sort=True):
        sure = part.loc[part["p_adjusted"] < 0.05, "difference"]
        found.append(
            f"against {MECHANISM_LABELS[other]} noise Huber noise is significantly better in "
            f"{(sure < 0).sum()} and worse in {(sure > 0).sum()} of {len(part)} cells (median "
            f"difference {signed(part['difference'].median())}, reported "
            f"{signed(part['reported'].median())})"
        )
    return {"found": "; ".join(found)}
