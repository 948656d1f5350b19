"""What is made of the trials: verdicts, a table, a figure, and the chapter of the report."""

import numpy as np

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.judging.claims import judge_all
from dpmc_studies.frame.judging.rules import always_below
from dpmc_studies.frame.showing.chapter import telling
from dpmc_studies.frame.showing.frames import cell_means
from dpmc_studies.frame.showing.panels import Axis, Panel, curves, draw_panels
from dpmc_studies.frame.showing.results import mean_row, write_tables
from dpmc_studies.frame.showing.style import SERIES, drawing_step, read_figures
from dpmc_studies.frame.showing.table_model import Column, Table
from own_study import METHODS, Fit

CELL = Fit.names()
LOOKS = dict(zip(METHODS, SERIES, strict=False))
PREDICATES = {
    "S1": lambda ratios: always_below({f: row for f, row in ratios.items() if f >= 0.1}),
    "S2": lambda ratios: always_below({f: -row for f, row in ratios.items() if f < 0.1}),
}


def claims(folder, settings):
    """Judge the log ratios of the errors of ALS with noise and of the item bias."""
    trials = read_frame(folder / "trials.csv").set_index([*CELL, "trial"])["rmse"]
    ratios = np.log(trials["noisy_als"] / trials["item_bias"]).unstack()
    rows = {fraction: row.to_numpy() for fraction, row in ratios.iterrows()}
    return {"claims": judge_all(__file__, PREDICATES, rows)}


def tables(folder, settings, out):
    """Write the table of errors."""
    means = cell_means(read_frame(folder / "trials.csv"), "rmse", CELL)
    parts = means.groupby("observed_fraction")
    rows = [mean_row(part, "method", METHODS, (at,), (f"{at:g}",)) for at, part in parts]
    columns = tuple(Column(name, label) for name, label in METHODS.items())
    headings = (("observed_fraction", "Observed fraction"),)
    title = "RMSE on unobserved entries"
    write_tables([Table("table_own_study", title, headings, columns, tuple(rows))], out)


def draw(trials):
    """Draw the errors, a line for each method."""
    means = cell_means(trials, "rmse", CELL)
    lines = curves(means, "method", "observed_fraction", LOOKS, METHODS.get)
    axes = Axis("Observed fraction", log=True), Axis("RMSE", log=True)
    return draw_panels([Panel("", *axes, lines)], means, columns=1)


FIGURES = read_figures(__name__)
figures = drawing_step(FIGURES)
chapter = telling(__file__, FIGURES)
