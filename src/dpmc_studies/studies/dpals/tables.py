"""Tables of DPALS: errors by method and epsilon, accounting, speed, verdicts."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.claims_table import claims_table
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import present, trials_text
from dpmc_studies.frame.showing.results import write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.dpals.frames import (
    BY_ITEMS,
    DATASETS,
    METHODS,
    RANK_ONE,
    STANDARD,
    SYNTHETIC,
    Results,
    dataset_label,
    method_label,
    read_dpals,
    standard,
    summary,
)
from dpmc_studies.studies.dpals.tables_parts import (
    OURS,
    accounting_table,
    error_cell,
    iterations_table,
    timing_table,
)
from dpmc_studies.studies.dpals.tables_theory import theory_tables
from dpmc_studies.studies.dpals.variant_names import in_variant_order, variant_label

KEYS = ("dataset", "method", "variant")
DECLARED = DeclaredTables(__file__)
PREDICATES = "Effects are as each predicate says; predicates and reasons stand in claims.csv."


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Write the tables of the study as .csv, .md, .tex and .html into ``folder``.

    They are made of the tables that :func:`~dpmc_studies.studies.dpals.frames.read_dpals` reads;
    what is missing is left out.
    """
    write_tables(build_dpals_tables(read_dpals(results_folder)), folder)


def build_dpals_tables(results: Results) -> list[Table]:
    """Return the tables that :func:`run` writes, in the order of the page."""
    return [
        *_error_tables(results["trials"], results.get("published")),
        *_other(results, "accounting", accounting_table),
        *_other(results, "iterations", iterations_table),
        *_other(results, "timing", timing_table),
        *theory_tables(results["trials"]),
        *_other(results, "claims", judged_table),
    ]


def _other(results: Results, name: str, build) -> list[Table]:
    frame = results.get(name)
    return [] if frame is None else [build(frame)]


def _error_tables(trials: pd.DataFrame | None, published: pd.DataFrame | None) -> list[Table]:
    plain = standard(trials)
    tables = []
    if len(plain):
        drawn = plain["dataset"].str.startswith((SYNTHETIC, BY_ITEMS, RANK_ONE))
        beside = plain["dataset"].str.startswith((RANK_ONE, "jester-5k"))
        parts = (
            ("table_dpals_1_synthetic", plain[drawn], "rmse"),
            ("table_dpals_2_ratings", plain[~drawn], "rmse"),
            ("table_dpals_3_recall", plain[~drawn], "recall"),
            ("table_dpals_4_side_by_side", plain[beside], "rse"),
        )
        for name, here, metric in parts:
            if here[metric].notna().any():
                tables.append(error_table(here, published, name, metric))
    others = pd.DataFrame() if trials is None else trials[trials["variant"] != STANDARD]
    if len(others) and others["rmse"].notna().any():
        tables.append(error_table(others, published, "table_dpals_5_variants", "rmse"))
    return tables


def error_table(
    trials: pd.DataFrame, published: pd.DataFrame | None, name: str, metric: str
) -> Table:
    """Return a metric by method and epsilon with numbers from elsewhere below ours.

    At least one row of ``trials`` has the metric; ``published`` are described in
    :func:`~dpmc_studies.studies.dpals.frames.read_dpals`.
    """
    table = summary(trials, metric)
    budgets = sorted(table["epsilon"].dropna().unique())
    columns = (
        Column("no_epsilon", "no noise"),
        *(Column(f"epsilon_{value:g}", f"{value:g}", "ε of one user") for value in budgets),
    )
    rows = []
    for keys, part in _in_order(table):
        found = _by_budget(part)
        cells = [_mean_cell(found.get(epsilon)) for epsilon in (np.inf, *budgets)]
        rows.append(Row(keys, _labels(keys), OURS, tuple(cells)))
        for source, theirs in _elsewhere(published, keys, metric):
            numbers = _by_budget(theirs)
            cells = [
                error_cell(numbers[epsilon].value) if epsilon in numbers else Cell()
                for epsilon in (np.inf, *budgets)
            ]
            rows.append(Row(keys, _labels(keys), source, tuple(cells)))
    shown = DECLARED(name, rows, columns, trials=trials_text(table["trials"]))
    return shown.without_constants("method")


def _labels(keys: tuple[str, ...]) -> tuple[str, ...]:
    dataset, method, variant = keys
    return dataset_label(dataset), method_label(method), variant_label(variant)


def _in_order(table: pd.DataFrame) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Yield the keys of a row and its part of the table, in the order shown."""
    parts = dict(list(table.groupby(list(KEYS))))
    datasets, methods = (
        present(table[name], known) for name, known in (("dataset", DATASETS), ("method", METHODS))
    )
    for keys in product(datasets, methods, in_variant_order(table["variant"])):
        if keys in parts:
            yield keys, parts[keys]


def _by_budget(part: pd.DataFrame) -> dict:
    """Return the rows by epsilon, infinite for none."""
    return {np.inf if pd.isna(row.epsilon) else row.epsilon: row for row in part.itertuples()}


def _elsewhere(
    published: pd.DataFrame | None, keys: tuple[str, ...], metric: str
) -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the sources that have numbers for a row, with these numbers."""
    if published is None:
        return
    here = published[published["metric"] == metric]
    for name, key in zip(KEYS, keys, strict=True):
        here = here[here[name] == key]
    for source in dict.fromkeys(here["source"]):
        yield source, here[here["source"] == source]


def _mean_cell(found) -> Cell:
    """Return the cell of a row of :func:`~dpmc_studies.studies.dpals.frames.summary`, or of
    None.
    """
    if found is None:
        return Cell()
    return error_cell(found.mean, found.standard_error, int(found.trials))


def judged_table(claims: pd.DataFrame) -> Table:
    """Return the verdicts on the paper's claims; the page shows them with their reasons."""
    return replace(claims_table(claims), id="dpals_claims", notes=(PREDICATES,))
