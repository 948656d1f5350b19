"""Tables of DPALS: rates and bounds of theorem 2 and remark 6 beside what was measured."""

import pandas as pd

from dpmc_studies.frame.showing.frames import trials_text
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.dpals.frames import method_label
from dpmc_studies.studies.dpals.tables_parts import OURS, error_cell
from dpmc_studies.studies.dpals.theory import IN_NOISE, RATE_IN_ITEMS, bounds, slopes

NEEDED = 1e5  # numbers from here on get an exponent


def theory_tables(trials: pd.DataFrame | None) -> list[Table]:
    """Return the tables of bounds and of rates; none without drawn matrices of several sizes."""
    fits, cells = slopes(trials), bounds(trials)
    return [
        *([bounds_table(cells)] if len(cells) else []),
        *([rates_table(fits)] if len(fits) else []),
    ]


def rates_table(fits: pd.DataFrame) -> Table:
    """Return slopes of log RMSE beside those of the bounds.

    ``fits`` is as :func:`dpmc_studies.studies.dpals.theory.slopes` returns it.
    """
    columns = (
        Column("slope", "slope"),
        Column("low", "low", "95 % interval"),
        Column("high", "high", "95 % interval"),
        Column("stated", "of the bound"),
    )
    rows = []
    for row in fits.to_dict("records"):
        of_budgets = row["along"] == IN_NOISE
        at = f"{row['at']:,.0f} users" if of_budgets else f"ε = {row['at']:g}"
        keys = (row["method"], row["along"], row["at"])
        labels = (method_label(row["method"]), "1/σ" if of_budgets else row["along"], at)
        cells = tuple(Cell(float(row[column.key]), digits=2) for column in columns)
        rows.append(Row(keys, labels, OURS, cells))
    notes = (
        "Slopes of log RMSE on drawn matrices of rank 5 against the logarithm of users, of 1/σ or "
        "of items, fitted by trial; σ is theorem 1’s at each ε; 95 % t intervals. Of the bound: of "
        "theorem 2 and, for Frank-Wolfe, of remark 6. A slope above it is an error that falls more "
        "slowly, or with items grows faster, than the bound; in items remark 6 and table 1 have "
        f"{RATE_IN_ITEMS:g} for DPALS. The premises of theorem 2 hold nowhere here. "
        f"{trials_text(fits['trials']).capitalize()}.",
    )
    headings = (("method", "Method"), ("along", "In"), ("at", "At"))
    title = "How fast errors fall, and the bounds of theorem 2 and remark 6"
    return Table("table_dpals_9_rates", title, headings, columns, tuple(rows), notes)


def bounds_table(cells: pd.DataFrame) -> Table:
    """Return measured relative errors beside the bounds with constants 1.

    ``cells`` is as :func:`dpmc_studies.studies.dpals.theory.bounds` returns it.
    """
    columns = (
        Column("dpals", "DPALS", "RSE"),
        Column("bound", "theorem 2", "RSE"),
        Column("dpfw", "DPFW", "RSE"),
        Column("frank_wolfe_bound", "remark 6", "RSE"),
        Column("ratings_per_user", "there are", "ratings a user"),
        Column("needed", "theorem 2", "ratings a user"),
    )
    rows = []
    for row in cells.to_dict("records"):
        keys = (int(row["users"]), row["epsilon"])
        labels = (f"{row['users']:,}", f"{row['epsilon']:g}")
        found = [
            Cell(row[column.key], digits=-1)
            if row[column.key] >= NEEDED
            else error_cell(float(row[column.key]))
            for column in columns
        ]
        rows.append(Row(keys, labels, OURS, tuple(found)))
    notes = (
        "Measured RSE, and bounds with their unnamed constants, the incoherence and the condition "
        "number set to 1. A bound above 1 says nothing, as a matrix of zeros has RSE 1. Theorem 2 "
        "needs r⁶ log³ n ratings a user; there are 1,000 items.",
    )
    headings = (("users", "Users"), ("epsilon", "ε"))
    title = "Where the bounds of theorem 2 and remark 6 say something"
    return Table("table_dpals_9_bounds", title, headings, columns, tuple(rows), notes)
