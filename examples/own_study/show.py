"""What is made of the trials: verdicts, a table, a figure, and the chapter of the report."""

import numpy as np

from dpmc.frame.checking.runs import read_frame
from dpmc.frame.judging.claims import load_claims, table_of_verdicts
from dpmc.frame.judging.effects import lines_of
from dpmc.frame.judging.rules import always_below
from dpmc.frame.showing import style
from dpmc.frame.showing.chapter import Chapter, Gallery, Judged
from dpmc.frame.showing.frames import cell_means
from dpmc.frame.showing.panels import Axis, Panel, curves, draw_panels
from dpmc.frame.showing.results import write_tables
from dpmc.frame.showing.table_model import Cell, Column, Row, Table
from own_study import CELL, HERE, METHODS

LOOKS = dict(zip(METHODS, style.SERIES, strict=False))
PREDICATES = {
    "S1": lambda ratios: always_below({f: row for f, row in ratios.items() if f >= 0.1}),
    "S2": lambda ratios: always_below({f: -row for f, row in ratios.items() if f < 0.1}),
}


def claims(folder, settings):
    """Judge the log ratios of the errors of ALS with noise and of the item bias."""
    trials = read_frame(folder / "trials.csv").set_index([*CELL, "trial"])["rmse"]
    ratios = np.log(trials["noisy_als"] / trials["item_bias"]).unstack()
    rows = {fraction: row.to_numpy() for fraction, row in ratios.iterrows()}
    entries = load_claims(HERE / "claims.yaml", PREDICATES)
    return {"claims": table_of_verdicts(entries, PREDICATES, rows)}


def errors(folder):
    """Return the mean RMSE of every cell with its standard error and 95 % interval."""
    return cell_means(read_frame(folder / "trials.csv"), "rmse", CELL)


def tables(folder, settings, out):
    """Write the table of errors."""
    columns = tuple(Column(method, label) for method, label in METHODS.items())
    rows = []
    for fraction, row in errors(folder).set_index("method").groupby("observed_fraction"):
        row = row.loc[list(METHODS)]
        cells = map(Cell, row["mean"], row["standard_error"], row["trials"])
        rows.append(Row((fraction,), (f"{fraction:g}",), "mean", tuple(cells)))
    headings, title = ((CELL[1], "Observed fraction"),), "RMSE on unobserved entries"
    write_tables([Table("table_own_study", title, headings, columns, tuple(rows))], out)


def draw(errors):
    """Draw the errors, a line for each method."""
    lines = curves(errors, "method", "observed_fraction", LOOKS, METHODS.get)
    axes = Axis("Observed fraction", log=True), Axis("RMSE", log=True)
    return draw_panels([Panel("", *axes, lines)], errors, columns=1)


FIGURES = style.read_figures(HERE / "figures.yaml", {"own_study": (draw, None)})


def figures(folder, settings, out):
    """Draw the figure."""
    style.draw_all(FIGURES, {"errors": errors(folder)}, out)


def chapter(folder, settings):
    """Return the chapter."""
    verdicts = read_frame(folder / "claims.csv")
    return Chapter(
        heading="How many ratings do noisy factors need?",
        lead="from which observed fraction on ALS with noise beats the item bias",
        introduction="Generated data; sizes and variance of the noise as in the configuration.",
        answers=lines_of(verdicts, ["S1"]),
        key_figure="own_study",
        tables=[folder / "tables"],
        galleries=[Gallery(FIGURES, folder / "figures")],
        judged=[Judged("What noise costs", verdicts)],
        downloads=[("own_study.csv", folder / "trials.csv")],
        metrics={"rmse": "RMSE on unobserved entries"},
    )
