"""Forest plot: the printed advantage of Huber noise beside that of noise drawn in other ways."""

from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.frame.judging.effects import signed
from dpmc.frame.showing.forest import Forest, Points, draw_forest
from dpmc.frame.showing.panels import Axis
from dpmc.frame.showing.results import Results
from dpmc.frame.showing.style import (
    BLACK,
    BLUE,
    GREY,
    ORANGE,
    VERMILLION,
    Drawing,
    Look,
    draw_all,
    read_figures,
)
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


def huber_columns(inputs: Results) -> Drawing:
    """Draw differences to Gaussian noise in per cent with their errors, and the reported ones."""
    columns = inputs["huber_columns"]
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
        linear=LINEAR,
        ticks={tick: f"{tick:+g}".replace("-", "−") if tick else "0" for tick in TICKS},
    )
    return draw_forest(panels, shown, axis, row=0.33, head=1.2, legend={"ncols": 3})


def _ours(part: pd.DataFrame) -> list[Points]:
    found = []
    for number, (key, (label, look)) in enumerate(DRAWN.items()):
        here = part[(part["noise"] == key[0]) & (part["variance"] == key[1])]
        half = 2 * here["standard_error"]
        limits = {"x": here["difference"], "low": here["difference"] - half}
        limits |= {"high": here["difference"] + half}
        percent = {name: 100 * np.expm1(values) for name, values in limits.items()}
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


def describe(data: pd.DataFrame) -> str:
    """Give the mean difference of each noise beside the reported one."""
    parts = [
        f"{label}, start {STARTS[start]}: {signed(part['difference'].mean())}"
        for start, here in data.groupby("start", sort=True)
        for (noise, variance), (label, _) in DRAWN.items()
        for part in (here[(here["noise"] == noise) & (here["variance"] == variance)],)
    ]
    one = data.drop_duplicates(PLACE)
    reported = one[["reported_als", "reported_irls"]].to_numpy().mean()
    return f"Mean over all places: reported {signed(reported)}; {'; '.join(parts)}."


HUBER_COLUMNS = read_figures(
    Path(__file__).parents[1] / "figures.yaml", {"huber_columns": (huber_columns, describe)}
)


def write_figure(columns: pd.DataFrame, folder: Path) -> None:
    """Draw the figure into ``folder``."""
    draw_all(HUBER_COLUMNS, {"huber_columns": columns}, folder)
