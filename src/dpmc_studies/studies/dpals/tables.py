"""Tables of DPALS: errors by method and epsilon, accounting, verdicts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.claims_table import claims_table
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import present, trials_text
from dpmc_studies.frame.showing.results import Results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.dpals.frames import (
    DATASETS,
    METHODS,
    STANDARD,
    dataset_label,
    is_real,
    method_label,
    read_dpals,
    standard,
    summary,
)
from dpmc_studies.studies.dpals.variant_names import in_variant_order, variant_label

LABELS = {"dataset": dataset_label, "method": method_label, "variant": variant_label}
KEYS = (*LABELS,)
DECLARED = DeclaredTables(__file__)
OURS = "ours"
PREDICATES = "Effects are as each predicate says; predicates and reasons stand in claims.csv."
# below the first an exponent, from the second on no decimals, from the third on an exponent again
SMALL, LARGE, HUGE = 5e-4, 1e3, 1e5


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Write the tables of the study as .csv, .md, .tex and .html into ``folder``.

    They are made of the tables that :func:`~dpmc_studies.studies.dpals.frames.read_dpals` reads;
    what is missing is left out.
    """
    write_tables(build_dpals_tables(read_dpals(results_folder)), folder)


def build_dpals_tables(results: Results) -> list[Table]:
    """Return the tables that :func:`run` writes, in the order of the page."""
    accounting, claims = results.get("accounting"), results.get("claims")
    return [
        *_error_tables(results["trials"]),
        *([] if accounting is None else [accounting_table(accounting)]),
        *([] if claims is None else [replace(claims_table(claims), id="dpals_claims",
                                             notes=(PREDICATES,))]),
    ]  # fmt: skip


def _error_tables(trials: pd.DataFrame | None) -> list[Table]:
    plain = standard(trials)
    if plain.empty:
        return []
    real = plain["dataset"].map(is_real)
    parts = (
        ("table_dpals_1_synthetic", plain[~real], "rmse"),
        ("table_dpals_2_ratings", plain[real], "rmse"),
        ("table_dpals_3_recall", plain[real], "recall"),
        ("table_dpals_4_variants", trials[trials["variant"] != STANDARD], "rmse"),
    )
    return [
        error_table(here, name, metric)
        for name, here, metric in parts
        if here[metric].notna().any()
    ]


def error_table(trials: pd.DataFrame, name: str, metric: str) -> Table:
    """Return a metric by method and epsilon; at least one row of ``trials`` has it."""
    table = summary(trials, metric).fillna({"epsilon": np.inf})
    budgets = [np.inf, *sorted(set(table["epsilon"]) - {np.inf})]
    columns = (
        Column("no_epsilon", "no noise"),
        *(Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets[1:]),
    )
    rows = []
    for keys, part in _in_order(table):
        labels = tuple(LABELS[name](key) for name, key in zip(KEYS, keys, strict=True))
        found = part.set_index("epsilon")[["mean", "standard_error", "trials"]]
        cells = [
            error_cell(*found.loc[epsilon]) if epsilon in found.index else Cell()
            for epsilon in budgets
        ]
        rows.append(Row(keys, labels, OURS, tuple(cells)))
    shown = DECLARED(name, rows, columns, trials=trials_text(table["trials"]))
    return shown.without_constants("method")


def _in_order(table: pd.DataFrame) -> Iterator[tuple[tuple, pd.DataFrame]]:
    """Yield the keys of rows and their part of a table, in the order shown."""
    known = {
        "dataset": present(table["dataset"], DATASETS),
        "method": present(table["method"], METHODS),
        "variant": in_variant_order(table["variant"]),
    }
    places = pd.DataFrame({name: table[name].map(known[name].index) for name in KEYS})
    for _, part in table.groupby([places[name] for name in KEYS]):
        yield tuple(part[[*KEYS]].iloc[0]), part


def accounting_table(accounting: pd.DataFrame) -> Table:
    """Return the noise that theorem 1 prints beside that which its budget needs."""
    line = f"δ = {accounting['delta'].iloc[0]:g}".replace("e-0", "e-")
    name, rows = "table_dpals_5_accounting", []
    for row in accounting.to_dict("records"):
        keys = tuple(row[key] for key in DECLARED.entries[name]["headings"])
        cells = tuple(error_cell(row[column.key]) for column in DECLARED.columns(name))
        rows.append(Row(keys, tuple(map("{:g}".format, keys)), line, cells))
    return DECLARED(name, rows)


def error_cell(value: float, error: float = np.nan, trials: float = 0) -> Cell:
    """Return a cell with four significant digits at most, tiny and huge numbers with an exponent;
    whole numbers have no decimals.
    """
    if not np.isfinite(value):
        return Cell(absent="∞" if np.isinf(value) else "–")
    size = abs(value)
    exponent = 0 < size < SMALL or size >= HUGE
    whole = isinstance(value, int) or size >= LARGE
    digits = -1 if exponent else 0 if whole else 4 if size < 0.1 else 3
    return Cell(value, error, int(trials), digits)
