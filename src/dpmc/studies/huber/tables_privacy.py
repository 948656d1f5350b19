"""Table of the privacy loss that was measured in the published algorithms."""

import pandas as pd

from dpmc.studies.huber.privacy_meaning import PUBLISHED_RUNS, PublishedRun
from dpmc.study.frames import DATASET_LABELS, MECHANISM_LABELS, select
from dpmc.study.table_model import Cell, Column, Row, Table

NEIGHBOURS = {"change": "rating changed", "remove_user": "user removed"}
COLUMNS = (
    Column("nominal", "one release, printed", "Claimed ε"),
    Column("total", "whole training", "Claimed ε"),
    Column("lowest_median", "lowest median", "Measured loss"),
    Column("highest_median", "highest median", "Measured loss"),
    Column("largest", "largest", "Measured loss"),
    Column("above_nominal", "one release", "Share of neighbours above (%)"),
    Column("above_total", "whole training", "Share of neighbours above (%)"),
)


def cells_of_run(losses: pd.DataFrame, run: PublishedRun) -> pd.DataFrame:
    """Return the cells of the table of measured losses that belong to one kind of training."""
    here = losses[(losses["dataset"] == run.dataset) & (losses["solver"] == run.solver)]
    if "irls_iterations" in here:
        here = select(here, irls_iterations=run.irls_iterations)
    return here


def loss_table(losses: pd.DataFrame) -> Table:
    """Return claimed budgets beside measured losses, a line for every published kind of training.

    Parameters
    ----------
    losses : DataFrame
        ``transcript_loss.csv``: one row a cell (rank, observed fraction, ...) and kind of
        neighbour.
    """
    rows = []
    for run in PUBLISHED_RUNS:
        here = cells_of_run(losses, run)
        for variance in run.variances:
            for mechanism in run.mechanisms:
                part = select(here, variance=variance, mechanism=mechanism)
                rows += _rows(run, variance, mechanism, part)
    counts = losses["neighbours"]
    headings = (
        ("dataset", "Data"),
        ("run", "Training"),
        ("variance", "Variance"),
        ("mechanism", "Noise"),
    )
    notes = (
        "Exact log-likelihood ratio of all released item vectors between the data of a run and "
        f"neighbouring data, over {counts.min():g} to {counts.max():g} neighbours of each kind a "
        "cell: a rating moved to the far end of its range, or a user removed. Medians, largest "
        "losses and shares over ranks and observed fractions; shares: mean over them.",
        "Under (ε, δ)-differential privacy a loss exceeds ε hardly more often than δ. The total "
        "is the tightest known under the papers' own assumption (PLD; Gaussian: exact).",
    )
    title = "Privacy loss of the published algorithms, claimed and measured"
    return Table("table_privacy_2_loss", title, headings, COLUMNS, tuple(rows), notes)


def _rows(run: PublishedRun, variance: float, mechanism: str, part: pd.DataFrame) -> list[Row]:
    keys = (run.dataset, run.label, variance, mechanism)
    name = MECHANISM_LABELS[mechanism]
    labels = (DATASET_LABELS[run.dataset], run.label, f"{variance:g}", name)
    rows = []
    for neighbour, line in NEIGHBOURS.items():
        found = part[part["neighbour"] == neighbour]
        if found.empty:
            rows.append(Row(keys, labels, line, (Cell(absent="not run"),) * len(COLUMNS)))
            continue
        values = (
            Cell(found["nominal_epsilon"].iloc[0], digits=2),
            Cell(found["total_pld"].iloc[0], digits=1),
            Cell(found["median"].min(), digits=1),
            Cell(found["median"].max(), digits=1),
            Cell(found["largest"].max(), digits=1),
            Cell(100 * found["share_above_nominal"].mean(), digits=1),
            Cell(100 * found["share_above_total"].mean(), digits=1),
        )
        rows.append(Row(keys, labels, line, values))
    return rows
