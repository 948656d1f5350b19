"""Tables of the one-bit study: errors, accuracies and guarantees by mechanism and epsilon."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.showing.claims_table import claims_table, number_cell
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import present, trials_text
from dpmc_studies.frame.showing.results import Results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.onebit.frames import (
    BENCHMARK,
    CONSTRAINTS,
    DATASETS,
    FREE,
    LARGE,
    LINKS,
    OTHERS,
    PUBLISHED,
    at_smallest_share,
    dataset_label,
    is_real,
    link_label,
    main_rows,
    mechanism_label,
    metric_of,
    read_onebit,
    summary,
)

DECLARED = DeclaredTables(__file__)
ORDER = (*FREE, *PUBLISHED, *OTHERS)
STAGES = ("truncated", "raw")
EFFECTS = (
    "Effects are natural logarithms of ratios of ARE, or differences of accuracy, unless the "
    "predicate says otherwise; predicates and reasons stand in claims.csv."
)
SHOWN = (1.0, 4.0, 10.0)  # claimed budgets in the table of guarantees
HEADINGS = (
    ("dataset", "Data"),
    ("constraint", "Constraint"),
    ("link", "Link"),
    ("mechanism", "Mechanism"),
)


def run(results_folder: Path, settings: Mapping[str, object], folder: Path) -> None:
    """Run the step: the tables as .csv, .md, .tex and .html; one without its rows is left out."""
    write_tables(build_onebit_tables(read_onebit(results_folder)), folder)


def build_onebit_tables(results: Results) -> list[Table]:
    """Return the tables in the order of the page."""
    trials, claims, steps = (results[name] for name in ("trials", "claims", "gradient_steps"))
    tables = []
    if trials is not None:
        for dataset, name in ((BENCHMARK, "1_are"), (LARGE, "2_are_large")):
            here = main_rows(trials, dataset)
            if len(here):
                tables.append(error_table(here, f"table_onebit_{name}"))
        real = trials[[is_real(name) for name in trials["dataset"]]]
        if len(real):
            tables.append(accuracy_table(real))
        if trials["epsilon"].notna().any():
            private = trials[trials["epsilon"].notna()]
            tables.append(guarantee_table(at_smallest_share(private)))
    if steps is not None:
        tables.append(steps_table(steps))
    if claims is not None:
        tables.append(replace(claims_table(claims), id="onebit_claims", notes=(EFFECTS,)))
    return tables


def error_table(trials: pd.DataFrame, name: str) -> Table:
    """Return ARE by mechanism and epsilon, for the rows of one data set and fraction."""
    fraction = 100 * trials["observed_fraction"].iloc[0]
    title = f"ARE on {dataset_label(trials['dataset'].iloc[0])}, {fraction:g} % observed"
    note = (
        "ARE = ‖X − M‖² / ‖M‖², 1 for predicting zero; truncated: best approximation of rank r "
        "after the noise."
    )
    return _by_epsilon(trials, name, title, note)


def accuracy_table(trials: pd.DataFrame) -> Table:
    """Return the share of right test signs by mechanism and epsilon on all real data."""
    note = (
        "A prediction of exactly 0 counts one half. MovieLens 100K: one fixed split, so standard "
        "errors leave out its variance; restaurant data: a new split each repetition."
    )
    return _by_epsilon(trials, "table_onebit_3_accuracy", "Test signs that are right (%)", note)


def steps_table(steps: pd.DataFrame) -> Table:
    """Return the error of gradient perturbation by K, truncated to the data set's own rank."""
    least = steps[steps["rank"] == steps.groupby("dataset")["rank"].transform("min")]
    rows = least.assign(mechanism="GraP, K = " + least["steps"].astype(str))
    title = "Gradient perturbation (GraP) by its number of steps K"
    note = (
        "ARE of synthetic data, right test signs (%) of real data. Each of K gradients has noise "
        "of K times the scale, drawn from the same stream for every K."
    )
    return _by_epsilon(rows, "table_onebit_7_steps", title, note)


def _by_epsilon(trials, name: str, title: str, note: str) -> Table:
    budgets = sorted(trials["epsilon"].dropna().unique())
    columns = (
        Column("no_epsilon", "no noise"),
        *(Column(f"epsilon_{value:g}", f"{value:g}", "Claimed ε") for value in budgets),
    )
    rows, counts = [], []
    for dataset in present(trials["dataset"], DATASETS):
        here = trials[trials["dataset"] == dataset]
        tables = [summary(here, metric_of(dataset, stage)).assign(stage=stage) for stage in STAGES]
        table = pd.concat(tables)
        counts += table["trials"].tolist()
        for keys, part in _in_order(table):
            means = {
                (row.stage, None if pd.isna(row.epsilon) else row.epsilon): row
                for row in part.itertuples()
            }
            for stage in STAGES:
                found = [means.get((stage, epsilon)) for epsilon in (None, *budgets)]
                rows.append(_row(keys, stage, [_cell(each, is_real(dataset)) for each in found]))
    about = (
        f"Mean and standard error over {trials_text(counts)}. Claimed ε: that for the value of one "
        "sign; what is proven of each mechanism stands in the table of guarantees."
    )
    table = Table(name, title, HEADINGS, columns, tuple(rows), (note, about))
    return table.without_constants("mechanism")


def _in_order(table: pd.DataFrame) -> Iterator[tuple[tuple[str, ...], pd.DataFrame]]:
    """Yield the keys of a row and its part of the table, in the order shown."""
    names = [name for name, _ in HEADINGS]
    parts = dict(list(table.groupby(names)))
    orders = zip(names, (DATASETS, CONSTRAINTS, LINKS, ORDER), strict=True)
    for keys in product(*(present(table[name], known) for name, known in orders)):
        if keys in parts:
            yield keys, parts[keys]


def _row(keys: tuple[str, ...], line: str, cells: list[Cell]) -> Row:
    dataset, constraint, link, mechanism = keys
    labels = (
        dataset_label(dataset),
        CONSTRAINTS[constraint],
        link_label(link).removesuffix(" link"),
        mechanism_label(mechanism, link),
    )
    return Row(keys, labels, line, tuple(cells))


def _cell(found, in_percent: bool) -> Cell:
    """Return the cell of a row of a summary, or of None."""
    if found is None:
        return Cell()
    scale, digits = (100, 1) if in_percent else (1, 3)
    return number_cell(scale * found.mean, scale * found.standard_error, int(found.trials), digits)


def guarantee_table(trials: pd.DataFrame) -> Table:
    """Return what is claimed and what is proven, for one sign and for all signs of a user."""
    budgets = [value for value in SHOWN if value in trials["claimed_epsilon"].to_numpy()]
    budgets = budgets or sorted(trials["claimed_epsilon"].unique())[:3]
    kinds = {"actual": "one sign", "user": "one user"}
    columns = tuple(
        Column(f"{kind}_{value:g}", label, f"Proven ε at claimed ε = {value:g}")
        for value in budgets
        for kind, label in kinds.items()
    )
    rows = []
    for keys, part in _in_order(trials):
        largest = part.groupby("claimed_epsilon")[[f"{kind}_epsilon" for kind in kinds]].max()
        proven = largest.reindex(budgets).to_numpy().ravel()
        delta = f"δ = {part['actual_delta'].max():g}".replace("e-0", "e-")
        rows.append(_row(keys, delta, [number_cell(value, digits=2) for value in proven]))
    return DECLARED("table_onebit_4_guarantees", rows, columns)
