"""Tables of the published budgets: what they add up to, and the loss that was measured."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import (
    DATASET_LABELS,
    MECHANISM_LABELS,
    METHOD_LABELS,
    PRIVATE,
    select,
)
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table

DECLARED = DeclaredTables(__file__)
LINES = {"basic": ("basic",), "RDP": ("rdp",), "tightest": ("pld", "exact")}
KIND = ["dataset", "method", "releases", "irls_iterations"]
DIGITS = 4  # significant
COLUMNS = tuple((variance, mechanism) for variance in (1.0, 2.0) for mechanism in PRIVATE)


class Training(NamedTuple):
    """A kind of training that the papers ran with noise: T and K ([Gowtham 2022], section 4)."""

    dataset: str
    method: str
    iterations: int
    irls_iterations: int | None
    variances: tuple[float, ...]
    mechanisms: tuple[str, ...]


TRAININGS = (
    Training(SYNTHETIC, "als", 50, None, (1.0, 2.0), PRIVATE),
    Training(SYNTHETIC, "irls", 50, 20, (1.0, 2.0), PRIVATE),
    Training("ml-100k", "als", 20, None, (1.0,), ("gaussian",)),
    Training("ml-100k", "irls", 20, 20, (1.0,), ("laplace", "huber")),
    Training("ml-100k", "irls", 20, 2, (1.0,), ("huber",)),
    Training("sweetrs", "als", 100, None, (1.0,), ("gaussian",)),
    Training("sweetrs", "irls", 100, 20, (1.0,), ("laplace", "huber")),
    Training("sweetrs", "irls", 100, 2, (1.0,), ("huber",)),
)


def label_of(method: str, iterations: int, inner: float | None) -> str:
    """Return the method with T and K, for the reader."""
    of_irls = "" if pd.isna(inner) else f", K = {inner:g}"
    return f"{METHOD_LABELS[method]}, T = {iterations}{of_irls}"


def totals_table(totals: pd.DataFrame, published: pd.DataFrame) -> Table:
    """Return the nominal budget of one release beside its total over every published training."""
    columns = tuple(
        Column(f"{mechanism}_{variance:g}", MECHANISM_LABELS[mechanism], f"Variance {variance:g}")
        for variance, mechanism in COLUMNS
    )
    rows = _nominal_rows(published)
    for training in TRAININGS:
        dataset, method, iterations, inner, *_ = training
        releases = iterations * (inner or 1)  # of each item vector
        here, label = select(totals, releases=releases), label_of(method, iterations, inner)
        keys, labels = (dataset, label, releases), (DATASET_LABELS[dataset], label, f"{releases:,}")
        for line, used in LINES.items():
            part = here[here["accountant"].isin(used)]
            cells = tuple(_total_cell(part, training, *column) for column in COLUMNS)
            rows.append(Row(keys, labels, line, cells))
    delta = f"{totals['delta'].max():g}".replace("e-0", "e-")
    return DECLARED("table_privacy_1_totals", rows, columns, delta=delta)


def _nominal_rows(published: pd.DataFrame) -> list[Row]:
    reported = published[published["metric"] == "epsilon"]
    ours = pd.DataFrame(table_one())
    lines = {
        "reported": (reported, "published"),
        "corrected": (ours, "epsilon_corrected"),
        "exact": (ours, "epsilon_exact"),
    }
    rows = []
    for line, (frame, column) in lines.items():
        found = [select(frame, mechanism=noise, variance=v)[column] for v, noise in COLUMNS]
        cells = tuple(Cell(float(each.iloc[0]), digits=3) for each in found)
        rows.append(Row(("any", "one release", 1), ("Any", "one release", "1"), line, cells))
    return rows


def _total_cell(here: pd.DataFrame, training: Training, variance: float, mechanism: str) -> Cell:
    if mechanism not in training.mechanisms or variance not in training.variances:
        return Cell()
    found = select(here, mechanism=mechanism, variance=variance)["epsilon"]
    if found.empty:
        return Cell(absent="not run")
    value = float(found.min())  # of the exact total and the one rounded up, where both are there
    return Cell(value, digits=int(np.clip(DIGITS - 1 - np.floor(np.log10(value)), 0, DIGITS)))


def loss_table(losses: pd.DataFrame) -> Table:
    """Return claimed budgets beside measured losses, a line for every kind of training measured.

    ``transcript_loss.csv`` has one row a cell (rank, observed fraction, ...).
    """
    rows = []
    for place, part in losses.groupby([*KIND, "variance", "mechanism"], dropna=False):
        dataset, method, releases, inner, variance, mechanism = place
        label = label_of(method, int(releases / (1 if pd.isna(inner) else inner)), inner)
        labels = (DATASET_LABELS[dataset], label, f"{variance:g}", MECHANISM_LABELS[mechanism])
        cells = (
            Cell(part["nominal_epsilon"].iloc[0], digits=2),
            Cell(part["total_pld"].iloc[0], digits=1),
            Cell(part["median"].min(), digits=1),
            Cell(part["median"].max(), digits=1),
            Cell(part["largest"].max(), digits=1),
            Cell(100 * part["share_above_nominal"].mean(), digits=1),
            Cell(100 * part["share_above_total"].mean(), digits=1),
        )
        rows.append(Row((dataset, label, variance, mechanism), labels, "", cells))
    counts = losses["neighbours"]
    return DECLARED("table_privacy_2_loss", rows, fewest=counts.min(), most=counts.max())
