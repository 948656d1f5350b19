"""Tables of DPALS: rates and bounds of theorem 2 and remark 6 beside what was measured."""

import pandas as pd

from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import trials_text
from dpmc_studies.frame.showing.table_model import Cell, Row, Table
from dpmc_studies.studies.dpals.frames import method_label
from dpmc_studies.studies.dpals.tables_parts import OURS, error_cell
from dpmc_studies.studies.dpals.theory import IN_NOISE, RATE_IN_ITEMS, bounds, slopes

DECLARED = DeclaredTables(__file__)
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
    columns = DECLARED.columns("table_dpals_9_rates")
    rows = []
    for row in fits.to_dict("records"):
        of_budgets = row["along"] == IN_NOISE
        at = f"{row['at']:,.0f} users" if of_budgets else f"ε = {row['at']:g}"
        keys = (row["method"], row["along"], row["at"])
        labels = (method_label(row["method"]), "1/σ" if of_budgets else row["along"], at)
        cells = tuple(Cell(float(row[column.key]), digits=2) for column in columns)
        rows.append(Row(keys, labels, OURS, cells))
    return DECLARED(
        "table_dpals_9_rates",
        rows,
        rate=RATE_IN_ITEMS,
        trials=trials_text(fits["trials"]).capitalize(),
    )


def bounds_table(cells: pd.DataFrame) -> Table:
    """Return measured relative errors beside the bounds with constants 1.

    ``cells`` is as :func:`dpmc_studies.studies.dpals.theory.bounds` returns it.
    """
    columns = DECLARED.columns("table_dpals_9_bounds")
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
    return DECLARED("table_dpals_9_bounds", rows)
