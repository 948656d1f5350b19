"""Forest plot: the printed advantage of Huber noise beside that of noise drawn in other ways."""

import numpy as np
import pandas as pd

from dpmc.frame.judging.effects import signed
from dpmc.frame.showing.forest import Forest, Points, draw_forest
from dpmc.frame.showing.panels import Axis, signed_ticks
from dpmc.frame.showing.style import BLACK, BLUE, GREY, ORANGE, VERMILLION, Drawing, Look
from dpmc.studies.huber.experiments.forensics_huber import AS_PRINTED, RIGHT

STARTS = {"normal": "N(0,1)", "uniform": "U(0,1)"}
REPORTED = 2.0  # variance; at 1 all of them coincide
DRAWN = {
    (RIGHT, 2.0): ("right, variance 2", Look(BLUE, "o")),
    (RIGHT, 1.2): ("right, variance 1.2", Look(ORANGE, "s")),
    (AS_PRINTED, 2.0): ("inverse CDF as printed", Look(VERMILLION, "^")),
}
PLACE = ["rank", "observed_fraction"]
LINEAR, TICKS = 10.0, (-40, -20, -10, -5, 0, 5, 10, 20, 40)


def huber_columns(huber_columns: pd.DataFrame) -> Drawing:
    """Draw differences to Gaussian noise in per cent with their errors, and the reported ones."""
    shown = huber_columns[huber_columns["reported_variance"] == REPORTED].sort_values(PLACE)
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
        linear=LINEAR,
        ticks=signed_ticks(TICKS),
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


def describe(data: pd.DataFrame) -> dict[str, str]:
    """Give the mean difference of each noise beside the reported one."""
    means = [
        f"{label}, start {STARTS[start]}: {signed(_of(here, noise)['difference'].mean())}"
        for start, here in data.groupby("start", sort=True)
        for noise, (label, _) in DRAWN.items()
    ]
    reported = data.drop_duplicates(PLACE)[["reported_als", "reported_irls"]].to_numpy().mean()
    return {"reported": signed(reported), "means": "; ".join(means)}
