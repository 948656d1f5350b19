"""Tables of DPALS beside those of errors: accounting, error by iteration, CPU time."""

from itertools import product

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import present, trials_text
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.dpals.frames import DATASETS, METHODS, dataset_label, method_label
from dpmc_studies.studies.dpals.speed import growth, slopes

DECLARED = DeclaredTables(__file__)
OURS = "ours"
SMALL, LARGE = 5e-4, 1e3  # below the first an exponent, from the second on no decimals


def accounting_table(accounting: pd.DataFrame) -> Table:
    """Return the noise that theorem 1 prints beside that which its budget needs."""
    columns = DECLARED.columns("table_dpals_6_accounting")
    rows = []
    for row in accounting.to_dict("records"):
        keys = (row["epsilon"], int(row["ratings_per_user"]), int(row["iterations"]))
        cells = [error_cell(float(row[column.key])) for column in columns]
        labels = tuple(f"{key:g}" for key in keys)
        rows.append(Row(keys, labels, f"δ = {row['delta']:g}".replace("e-0", "e-"), tuple(cells)))
    return DECLARED("table_dpals_6_accounting", rows)


def iterations_table(iterations: pd.DataFrame) -> Table:
    """Return the change of RSE by iteration and when a method has arrived."""
    columns = DECLARED.columns("table_dpals_7_iterations")
    fits = slopes(iterations)
    rows = []
    for name, method in product(
        present(fits["dataset"], DATASETS), present(fits["method"], METHODS)
    ):
        here = fits[(fits["dataset"] == name) & (fits["method"] == method)]
        for row in here.to_dict("records"):
            none = pd.isna(row["epsilon"])
            cells = [error_cell(row[column.key]) for column in columns]
            cells[3] = Cell(float(row["best"]), digits=0)
            keys = (name, method, np.nan if none else row["epsilon"])
            labels = (dataset_label(name), method_label(method), "–" if none else f"{keys[2]:g}")
            rows.append(Row(keys, labels, OURS, tuple(cells)))
    table = DECLARED(
        "table_dpals_7_iterations", rows, trials=trials_text(fits["trials"]).capitalize()
    )
    return table.without_constants("method")


def timing_table(timing: pd.DataFrame) -> Table:
    """Return CPU seconds of an iteration by size, and their slope."""
    sizes = timing.drop_duplicates("ratings").sort_values("ratings")
    columns = (
        *(
            Column(f"ratings_{row.ratings}", f"{row.users:,}", "CPU seconds, by users")
            for row in sizes.itertuples()
        ),
        Column("slope", "slope"),
        Column("low", "low", "95 % interval"),
        Column("high", "high", "95 % interval"),
    )
    medians = timing.pivot_table(
        index="method", columns="ratings", values="seconds", aggfunc="median"
    )
    fits = growth(timing).set_index("method")
    rows = []
    for method in present(medians.index, METHODS):
        seconds = [
            float(medians.loc[method].get(row.ratings, np.nan)) for row in sizes.itertuples()
        ]
        numbers = [*seconds, *(float(fits.loc[method, key]) for key in ("slope", "low", "high"))]
        cells = tuple(error_cell(value) for value in numbers)
        rows.append(Row((method,), (method_label(method),), OURS, cells))
    top = sizes.iloc[-1]
    return DECLARED(
        "table_dpals_8_timing",
        rows,
        columns,
        items=top["items"],
        rank=top["rank"],
        fewest=sizes["ratings"].min(),
        ratings=top["ratings"],
    )


def error_cell(value: float, error: float = np.nan, trials: int = 0) -> Cell:
    """Return a cell with four significant digits at most, tiny numbers with an exponent."""
    if not np.isfinite(value):
        return Cell(absent="∞" if np.isinf(value) else "–")
    size = abs(value)
    digits = -1 if 0 < size < SMALL else 4 if size < 0.1 else 0 if size >= LARGE else 3
    return Cell(value, error, trials, digits)
