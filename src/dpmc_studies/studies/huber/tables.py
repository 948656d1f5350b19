"""All tables for readers; here table 1, the nominal budgets, and the methods of the thesis.

Source: [Gowtham 2022], table 1, and chapter 3 of the thesis.
"""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import MECHANISM_LABELS, select, trials_text
from dpmc_studies.frame.showing.results import read_results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.huber.reported.compare import DEVIATES
from dpmc_studies.studies.huber.statistics import THESIS_LABELS, seconds_and_errors
from dpmc_studies.studies.huber.tables_parameters import parameters_table
from dpmc_studies.studies.huber.tables_privacy import loss_table, totals_table
from dpmc_studies.studies.huber.tables_rmse import (
    NOT_RUN,
    distinct,
    mean_cell,
    rmse_table,
    titled,
)

DECLARED = DeclaredTables(__file__)
PURE_LINES = {"ours": "epsilon_corrected"}
GAUSSIAN_LINES = {
    "paper's formula": "epsilon_published_form",
    "corrected": "epsilon_corrected",
    "exact": "epsilon_exact",
}


def run(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write the papers' tables with our numbers, of as many trials as the papers have.

    A table of an experiment without rows is left out.
    """
    comparison, trials = (read_frame(folder / f"{name}.csv") for name in ("comparison", "trials"))
    results = read_results(folder, ("totals", "transcript_loss", "thesis_methods"))
    trials = trials[trials["trial"] < settings["reported_trials"]]
    tables = build_tables(trials, comparison)
    tables.append(parameters_table(settings["parameters"]))
    if results["totals"] is not None:
        tables.append(totals_table(results["totals"], comparison))
    makers = {"transcript_loss": loss_table, "thesis_methods": methods_table}
    tables += [make(results[name]) for name, make in makers.items() if results[name] is not None]
    write_tables(tables, out)


def build_tables(trials: pd.DataFrame, comparison: pd.DataFrame) -> list[Table]:
    """Return tables 1 and 3 to 7, in the order of the paper.

    ``comparison`` is as :func:`dpmc_studies.studies.huber.reported.compare.compare` returns it.
    """
    names = comparison.loc[comparison["metric"] != "epsilon", "table"].unique()
    others = [rmse_table(name, trials, comparison) for name in sorted(names)]
    return [budget_table(comparison), *others]


def budget_table(comparison: pd.DataFrame) -> Table:
    """Return table 1: the epsilon of one release, as published and by three formulas."""
    reported = comparison[comparison["metric"] == "epsilon"]
    budgets = pd.DataFrame(table_one())
    variances = [value for (value,) in distinct(reported, ["variance"])]
    rows = []
    for (mechanism,) in distinct(reported, ["mechanism"]):
        rows += _budget_rows(select(reported, mechanism=mechanism), budgets, variances)
    columns = tuple(Column(f"variance_{v:g}", f"{v:g}", "Variance of the noise") for v in variances)
    return DECLARED(
        "table1", rows, columns, titled=titled("table1", "privacy budgets ε at equal variance")
    )


def _budget_rows(reported, budgets, variances) -> list[Row]:
    """Lines of one mechanism. Where one formula serves for all, as it does for the pure budgets,
    one line says it."""
    mechanism = reported["mechanism"].iloc[0]
    ours = select(budgets, mechanism=mechanism)
    pure = bool((ours["delta"] == 0).all())
    delta = "" if pure else f" (δ = {ours['delta'].iloc[0]:g})".replace("e-0", "e-")
    keys, labels = (mechanism,), (MECHANISM_LABELS[mechanism] + delta,)
    theirs = [select(reported, variance=variance) for variance in variances]
    cells = tuple(Cell(found["published"].iloc[0], digits=3) for found in theirs)
    rows = [Row(keys, labels, "published", cells)]
    for line, column in (PURE_LINES if pure else GAUSSIAN_LINES).items():
        cells = []
        for variance, found in zip(variances, theirs, strict=True):
            values = select(ours, variance=variance)[column]
            value = float(values.iloc[0]) if len(values) else np.nan
            judged = column == "epsilon_corrected" and found["status"].iloc[0] == DEVIATES
            cells.append(Cell(value, deviates=judged, absent=NOT_RUN))
        rows.append(Row(keys, labels, line, tuple(cells)))
    return rows


def methods_table(runs: pd.DataFrame) -> Table:
    """Return RMSE and seconds of the methods of the thesis's chapter 3."""
    measured = seconds_and_errors(runs)
    digits = {"seconds": 3, "total": 3}
    keys = [column.key for column in DECLARED.columns("table_thesis_methods")]
    rows = [
        Row((name,), (THESIS_LABELS[name],), "ours",
            tuple(mean_cell(measured[key][name], digits=digits.get(key, 4)) for key in keys))
        for name in measured["rmse"]
    ]  # fmt: skip
    return DECLARED("table_thesis_methods", rows, trials=trials_text([len(measured["rmse"])]))
