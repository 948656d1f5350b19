"""Tables of the privacy part: published budgets, errors at equal privacy, and an attack."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc.files import write_text
from dpmc.privacy.nominal import table_one
from dpmc.studies.audit.tables import attack_table, attacks
from dpmc.studies.equal_privacy.frames import read_results
from dpmc.studies.equal_privacy.tables_equal import equal_tables
from dpmc.studies.huber.privacy_meaning import PUBLISHED_RUNS, PublishedRun
from dpmc.studies.huber.tables_privacy import loss_table
from dpmc.study.frames import DATASET_LABELS, EVERY, MECHANISM_LABELS, select
from dpmc.study.table_formats import FORMATS
from dpmc.study.table_model import Cell, Column, Row, Table

LINES = {
    "basic": ("basic",),
    "RDP": ("rdp",),
    "tightest": ("pld", "exact"),
}
DIGITS = 4  # significant
VARIANCES = (1.0, 2.0)  # with which trainings were published
NO_GUARANTEE = (
    "None of these is a guarantee: in the published algorithms nothing bounds a user's factors and "
    "the Gram matrices have no noise, so that no finite ε covers the item vectors; the completed "
    "matrix holds noiseless functions of each user's own ratings."
)


def write_privacy_tables(
    results_folder: str | Path, published: pd.DataFrame, folder: str | Path
) -> None:
    """Write the tables of the privacy part as .csv, .md, .tex and .html into ``folder``.

    Parameters
    ----------
    results_folder : path
        Where ``totals.csv``, ``transcript_loss.csv``, ``calibrated.csv`` and ``audit.csv`` lie;
        a table whose file is missing is left out.
    published : DataFrame
        As :func:`dpmc.studies.huber.published.load` returns it.
    folder : path
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    for table in build_privacy_tables(read_results(results_folder), published):
        for suffix, text in FORMATS.items():
            write_text(Path(folder) / f"{table.id}.{suffix}", text(table))


def build_privacy_tables(
    results: Mapping[str, pd.DataFrame | None], published: pd.DataFrame
) -> list[Table]:
    """Return the tables that :func:`write_privacy_tables` writes.

    Their ids are numbered in the order of the page, which sorts them.
    """
    tables = []
    if results["totals"] is not None:
        tables.append(totals_table(results["totals"], published))
    if results["transcript_loss"] is not None:
        tables.append(loss_table(results["transcript_loss"]))
    if results["calibrated"] is not None:
        tables += equal_tables(results["calibrated"])
    if len(found := attacks(results.get("audit"))):
        tables.append(attack_table(found))
    return tables


def totals_table(totals: pd.DataFrame, published: pd.DataFrame) -> Table:
    """Return the nominal budget of one release beside its total over every published training."""
    columns = tuple(
        Column(f"{mechanism}_{variance:g}", MECHANISM_LABELS[mechanism], f"Variance {variance:g}")
        for variance in VARIANCES
        for mechanism in EVERY
    )
    rows = _nominal_rows(published)
    for run in PUBLISHED_RUNS:
        rows += _run_rows(run, totals)
    headings = (("dataset", "Data"), ("run", "Training"), ("releases", "Releases"))
    delta = f"{totals['delta'].max():g}".replace("e-0", "e-")
    notes = (
        "One release: nominal ε of one number at sensitivity 5, printed in table 1 and corrected "
        "(Gaussian: with ln instead of log10; exact: analytic Gaussian mechanism). Totals: the ε "
        "of all releases of one item vector in a training, if every one had an ℓ1 (Gaussian: ℓ2) "
        f"change of at most 5, at δ = {delta}; by basic composition, by Rényi "
        "differential privacy (RDP), and the tightest: by privacy-loss distributions, exact for "
        "Gaussian noise.",
        NO_GUARANTEE,
        "–: not published.",
    )
    title = "What the published ε is: one release, and the whole training"
    return Table("table_privacy_1_totals", title, headings, columns, tuple(rows), notes)


def _nominal_rows(published: pd.DataFrame) -> list[Row]:
    printed = published[published["metric"] == "epsilon"]
    ours = pd.DataFrame(table_one(VARIANCES))
    lines = {
        "printed": (printed, "published", 3),
        "corrected": (ours, "epsilon_corrected", 3),
        "exact": (ours, "epsilon_exact", 3),
    }
    rows = []
    for line, (frame, column, digits) in lines.items():
        cells = []
        for variance in VARIANCES:
            for mechanism in EVERY:
                found = select(frame, mechanism=mechanism, variance=variance)[column]
                value = float(found.iloc[0]) if len(found) else np.nan
                cells.append(Cell(value, digits=digits))
        rows.append(Row(("any", "one release", 1), ("Any", "one release", "1"), line, tuple(cells)))
    return rows


def _run_rows(run: PublishedRun, totals: pd.DataFrame) -> list[Row]:
    here = select(totals, releases=run.releases)
    labels = (DATASET_LABELS[run.dataset], run.label, f"{run.releases:,}")
    rows = []
    for line, accountants in LINES.items():
        cells = []
        for variance in VARIANCES:
            for mechanism in EVERY:
                cells.append(_total_cell(here, run, mechanism, variance, accountants))
        keys = (run.dataset, run.label, run.releases)
        rows.append(Row(keys, labels, line, tuple(cells)))
    return rows


def _total_cell(here, run: PublishedRun, mechanism: str, variance: float, accountants) -> Cell:
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
