"""Tables 1 and 3 to 7 of the paper in its own layout, ours beside theirs; verdicts by reading.

Source: [Gowtham 2022]. Tables 3, 6 and 7 hold the synthetic data at rank 5, 10 and 20, tables 4
and 5 MovieLens 100K and SweetRS, table 1 the nominal budgets.
"""

from collections.abc import Collection, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.showing.claims_table import readings_table
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import (
    BASELINE_LABELS,
    MECHANISM_LABELS,
    METHOD_LABELS,
    Labels,
    select,
    trials_text,
)
from dpmc_studies.frame.showing.results import write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.huber.reported.compare import DEVIATES
from dpmc_studies.studies.huber.reported.numbers import as_run, cells_of
from dpmc_studies.studies.huber.statistics import published_metric
from dpmc_studies.studies.huber.tables_parameters import parameters_table
from dpmc_studies.studies.huber.tables_rmse import (
    NOT_RUN,
    distinct,
    is_own,
    label_of,
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


READING_NOTES = (
    "Empty: as judged. Even and odd trials share none. Equal weights: what is pooled is a plain "
    "mean over cells. Margins times two: every margin that we chose.",
    "Not run: A-IRLS with Huber noise on SweetRS at variance .5, which Huber noise of scale 1 does "
    "not have. H22 is judged at .5, 1 and 2.",
)
HEADINGS = {"observed_fraction": "Observed", "irls_iterations": "IRLS iterations"}
LABELS = {
    "method": Labels(METHOD_LABELS | BASELINE_LABELS),
    "mechanism": MECHANISM_LABELS,
}


def run(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write the papers' tables with our numbers, of as many trials as the papers have."""
    comparison, trials, claims = (
        read_frame(folder / f"{name}.csv") for name in ("comparison", "trials", "claims")
    )
    trials = trials[trials["trial"] < settings["reported_trials"]]
    tables = build_tables(trials, comparison, pd.DataFrame(table_one()), settings["excluded"])
    readings = readings_table(claims, "table_readings", READING_NOTES)
    parameters = parameters_table(settings["parameters"])
    write_tables([*tables, parameters, readings], out)


def build_tables(
    trials: pd.DataFrame,
    comparison: pd.DataFrame,
    budgets: pd.DataFrame,
    excluded: Collection[str] = (),
) -> list[Table]:
    """Return tables 1 and 3 to 7, in the order of the paper.

    Cells of another data set, rank, variance, ... follow in ``table_other``, if there are any.
    ``comparison`` is as :func:`dpmc_studies.studies.huber.reported.compare.compare` returns it,
    ``budgets`` are rows of :func:`dpmc.privacy.nominal.table_one`; ``excluded`` are data sets that
    the configuration leaves out.
    """
    tables = [budget_table(comparison, budgets)]
    names = comparison.loc[comparison["metric"] != "epsilon", "table"].unique()
    tables += [rmse_table(name, trials, comparison, excluded) for name in sorted(names)]
    other = other_table(trials, comparison)
    return tables + ([other] if other else [])


def budget_table(comparison: pd.DataFrame, budgets: pd.DataFrame) -> Table:
    """Return table 1: the epsilon of one release, as published and by three formulas."""
    reported = comparison[comparison["metric"] == "epsilon"]
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


def other_table(trials: pd.DataFrame, comparison: pd.DataFrame) -> Table | None:
    """Return the cells for which the paper's tables have no place, one row each; None if there are
    none."""
    known = {as_run(cell) for cell in cells_of(comparison[comparison["metric"] != "epsilon"])}
    shown = {_place(cell, noise) for cell in known for noise in (cell.variance, None)}
    rows = []
    names = ["dataset", "rank", "observed_fraction", "variance", "method", "mechanism"]
    for _, part in trials.groupby([*names, "irls_iterations"], dropna=False, sort=True):
        cell = cells_of(part.head(1))[0]
        beside = cell.method in BASELINE_LABELS or is_own(cell.method, cell.mechanism)
        if cell in known or (beside and _place(cell, cell.variance) in shown):
            continue
        metrics = [published_metric(part), part["rmse_heldout"], part["rmse_clipped"]]
        cells = tuple(mean_cell(values, "–") for values in metrics)
        rows.append(Row(tuple(cell.coordinates().values()), _other_labels(cell), "ours", cells))
    if not rows:
        return None
    columns = (
        Column("rmse", "RMSE"),
        Column("rmse_heldout", "RMSE, unobserved or held out"),
        Column("rmse_clipped", "RMSE, clipped"),
    )
    headings = tuple((name, HEADINGS.get(name, name.capitalize())) for name in cell.coordinates())
    counts = [cell.trials for row in rows for cell in row.cells]
    notes = (f"Mean and standard error over {trials_text(counts)}.",)
    return Table("table_other", "Cells beyond the paper", headings, columns, tuple(rows), notes)


def _place(cell, variance: float | None) -> tuple:
    return cell.dataset, cell.rank, cell.observed_fraction, variance


def _other_labels(cell) -> tuple[str, ...]:
    return tuple(
        LABELS[name][value] if name in LABELS else "–" if value is None else label_of(name, value)
        for name, value in cell.coordinates().items()
    )
