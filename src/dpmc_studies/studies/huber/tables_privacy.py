"""Tables of the published budgets: what they add up to, and the loss that was measured."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import DATASET_LABELS, MECHANISM_LABELS, PRIVATE, select
from dpmc_studies.frame.showing.results import read_results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.huber.experiments import PRIVACY_TABLES
from dpmc_studies.studies.huber.privacy_meaning import PUBLISHED_RUNS, TIGHTEST, PublishedRun
from dpmc_studies.studies.huber.reported import load

DECLARED = DeclaredTables(__file__)
LINES = {
    "basic": ("basic",),
    "RDP": ("rdp",),
    "tightest": TIGHTEST,
}
DIGITS = 4  # significant
VARIANCES = (1.0, 2.0)  # with which trainings were published
COLUMNS = tuple(product(VARIANCES, PRIVATE))


def run(folder: Path, settings: Mapping[str, object], out: Path) -> None:
    """Write the tables; one whose results are missing, or have no rows, is left out."""
    published = load(real_variances=settings["real_variances"])
    write_tables(build_privacy_tables(read_results(folder, PRIVACY_TABLES), published), out)


def build_privacy_tables(
    results: Mapping[str, pd.DataFrame | None], published: pd.DataFrame
) -> list[Table]:
    """Return the tables of the results that there are.

    ``published`` is as :func:`dpmc_studies.studies.huber.reported.load` returns it.
    """
    totals, losses = results["totals"], results["transcript_loss"]
    tables = [] if totals is None else [totals_table(totals, published)]
    return tables + ([] if losses is None else [loss_table(losses)])


def totals_table(totals: pd.DataFrame, published: pd.DataFrame) -> Table:
    """Return the nominal budget of one release beside its total over every published training."""
    columns = tuple(
        Column(f"{mechanism}_{variance:g}", MECHANISM_LABELS[mechanism], f"Variance {variance:g}")
        for variance, mechanism in COLUMNS
    )
    rows = _nominal_rows(published)
    for run in PUBLISHED_RUNS:
        rows += _run_rows(run, totals)
    delta = f"{totals['delta'].max():g}".replace("e-0", "e-")
    return DECLARED("table_privacy_1_totals", rows, columns, delta=delta)


def _nominal_rows(published: pd.DataFrame) -> list[Row]:
    reported = published[published["metric"] == "epsilon"]
    ours = pd.DataFrame(table_one(VARIANCES))
    lines = {
        "reported": (reported, "published"),
        "corrected": (ours, "epsilon_corrected"),
        "exact": (ours, "epsilon_exact"),
    }
    rows = []
    for line, (frame, column) in lines.items():
        found = [select(frame, mechanism=noise, variance=v)[column] for v, noise in COLUMNS]
        cells = (Cell(float(each.iloc[0]) if len(each) else np.nan, digits=3) for each in found)
        rows.append(Row(("any", "one release", 1), ("Any", "one release", "1"), line, tuple(cells)))
    return rows


def _run_rows(run: PublishedRun, totals: pd.DataFrame) -> list[Row]:
    here = select(totals, releases=run.releases)
    keys = (run.dataset, run.label, run.releases)
    labels = (DATASET_LABELS[run.dataset], run.label, f"{run.releases:,}")
    return [
        Row(keys, labels, line, tuple(_total_cell(here, run, *column, used) for column in COLUMNS))
        for line, used in LINES.items()
    ]


def _total_cell(here, run: PublishedRun, variance: float, mechanism: str, accountants) -> Cell:
    if mechanism not in run.mechanisms or variance not in run.variances:
        return Cell()
    found = select(here, mechanism=mechanism, variance=variance)
    found = found[found["accountant"].isin(accountants)]["epsilon"]
    if found.empty:
        return Cell(absent="not run")
    value = float(found.min())  # of the exact total and the one rounded up, where both are there
    return Cell(value, digits=_digits(value))


def _digits(value: float) -> int:
    """Digits after the point that leave :data:`DIGITS` significant ones."""
    return int(np.clip(DIGITS - 1 - np.floor(np.log10(value)), 0, DIGITS)) if value > 0 else 1


def cells_of_run(losses: pd.DataFrame, run: PublishedRun) -> pd.DataFrame:
    """Return the cells of the table of measured losses that belong to one kind of training."""
    here = losses[(losses["dataset"] == run.dataset) & (losses["method"] == run.method)]
    if "irls_iterations" in here:
        here = select(here, irls_iterations=run.irls_iterations)
    return here


def loss_table(losses: pd.DataFrame) -> Table:
    """Return claimed budgets beside measured losses, a line for every published kind of training.

    ``transcript_loss.csv`` has one row a cell (rank, observed fraction, ...).
    """
    rows = []
    for run in PUBLISHED_RUNS:
        here = cells_of_run(losses, run)
        for variance in run.variances:
            for mechanism in run.mechanisms:
                part = select(here, variance=variance, mechanism=mechanism)
                keys = (run.dataset, run.label, variance, mechanism)
                labels = (DATASET_LABELS[run.dataset], run.label, f"{variance:g}",
                          MECHANISM_LABELS[mechanism])  # fmt: skip
                rows.append(Row(keys, labels, "", _measured(part)))
    counts = losses["neighbours"]
    return DECLARED("table_privacy_2_loss", rows, fewest=counts.min(), most=counts.max())


def _measured(part: pd.DataFrame) -> tuple[Cell, ...]:
    if part.empty:
        return (Cell(absent="not run"),) * len(DECLARED.columns("table_privacy_2_loss"))
    return (
        Cell(part["nominal_epsilon"].iloc[0], digits=2),
        Cell(part["total_pld"].iloc[0], digits=1),
        Cell(part["median"].min(), digits=1),
        Cell(part["median"].max(), digits=1),
        Cell(part["largest"].max(), digits=1),
        Cell(100 * part["share_above_nominal"].mean(), digits=1),
        Cell(100 * part["share_above_total"].mean(), digits=1),
    )
