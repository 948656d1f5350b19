"""Tables of errors at an equal total budget: one for each neighbouring relation."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import (
    FACTOR_MODELS,
    MECHANISM_LABELS,
    PRIVATE,
    PRIVATE_BASELINES,
    present,
    trials_text,
)
from dpmc_studies.frame.showing.results import read_results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.statistics.paired import Leader, leader
from dpmc_studies.studies.equal_privacy.frames import (
    DATASETS,
    NAMES,
    REFERENCE_LABELS,
    RELATION_TITLES,
    UNTUNED,
    dataset_label,
    one_mechanism_per_baseline,
    places,
    summary,
)

NO_NOISE = "Without noise (no guarantee)"
DECLARED = DeclaredTables(__file__)
TUNED = (
    "Hyper-parameters were chosen for each data set, relation, ε and model on other random seeds "
    "(synthetic: other data; real: the same ratings, split otherwise), and that choice has no "
    "noise. Whoever tunes on the data to be protected has to pay for it from the budget."
)
"""A note, and the caveat of the chapter."""


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Write the tables as .csv, .md, .tex and .html; without rows of ``calibrated.csv`` none."""
    calibrated = read_results(results_folder, NAMES)["calibrated"]
    write_tables([] if calibrated is None else equal_tables(calibrated), folder)


def equal_tables(calibrated: pd.DataFrame) -> list[Table]:
    """Return a table of mean RMSE with standard error for every relation that was run."""
    calibrated = one_mechanism_per_baseline(calibrated)
    table = summary(calibrated)
    leaders = {place: leader(errors) for place, errors in places(calibrated).items()}
    relations = present(table["relation"].dropna(), RELATION_TITLES)
    return [
        _relation_table(number, relation, table, leaders, calibrated)
        for number, relation in enumerate(relations, start=1)
    ]


def _relation_table(number, relation, table, leaders, calibrated) -> Table:
    here = table[table["relation"] == relation]
    plain = calibrated[calibrated["relation"].isna()]
    selectors, columns = _columns(here, plain)
    rows = []
    for dataset in present(here["dataset"], DATASETS):
        part = here[here["dataset"] == dataset]
        free = table[(table["dataset"] == dataset) & table["relation"].isna()].to_dict("records")
        for epsilon in sorted(part["epsilon"].unique()):
            line = part[part["epsilon"] == epsilon].to_dict("records")
            ahead = leaders[dataset, relation, epsilon]
            cells = tuple(_cell(selector, line, free, ahead) for selector in selectors)
            rows.append(Row((dataset,), (dataset_label(dataset),), f"ε = {epsilon:g}", cells))
    deltas = f"{calibrated['delta'].max():g}".replace("e-0", "e-")
    counts = [cell.trials for row in rows for cell in row.cells]
    table = DECLARED(
        "table_privacy_3",
        rows,
        columns,
        relation=RELATION_TITLES.get(relation, relation),
        trials=trials_text(counts),
        deltas=deltas,
        tuned=TUNED,
    )
    return replace(table, id=f"{table.id}_{number}_{relation}")


def _columns(here: pd.DataFrame, plain: pd.DataFrame) -> tuple[list[dict], list[Column]]:
    """The models that were run, each with what selects its cell."""
    selectors, columns = [], []
    for method, label in FACTOR_MODELS.items():
        found = here[here["method"] == method]
        for mechanism in present(found["mechanism"], PRIVATE):
            selectors.append({"method": method, "mechanism": mechanism})
            name = MECHANISM_LABELS[mechanism]
            columns.append(Column(f"{method}_{mechanism}", name, label))
    for heading, labels in (("No settings", UNTUNED), ("Private baselines", PRIVATE_BASELINES)):
        for method in labels:
            if method in set(here["method"]):
                selectors.append({"method": method})
                columns.append(Column(method, labels[method], heading))
    for method in present(plain["method"], REFERENCE_LABELS):
        selectors.append({"method": method, "free": True})
        columns.append(Column(method, REFERENCE_LABELS[method], NO_NOISE))
    return selectors, columns


def _cell(selector: dict, line: list[dict], free: list[dict], ahead: Leader) -> Cell:
    source = free if selector.get("free") else line
    names = selector.keys() - {"free"}
    found = (row for row in source if all(row[name] == selector[name] for name in names))
    row = next(found, None)
    if row is None or not np.isfinite(row["mean"]):
        return Cell()
    leads = not selector.get("free") and (row["method"], row["mechanism"]) in ahead.leaders
    return Cell(
        float(row["mean"]),
        float(row["standard_error"]),
        int(row["trials"]),
        lowest=leads and not ahead.tied,
        tied=leads and bool(ahead.tied),
    )
