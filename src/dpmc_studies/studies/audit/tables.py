"""Table of the black-box attack: what the published files alone say about one user or rating."""

from pathlib import Path

import pandas as pd

from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import FACTOR_MODELS, PRIVATE_BASELINES
from dpmc_studies.frame.showing.results import read_results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Column, Row, Table
from dpmc_studies.studies.audit.attack import most_shown

DECLARED = DeclaredTables(__file__)
TEST = "black_box"
PROTECTED = {
    "entry_change": "one rating that changes",
    "entry_add_remove": "one rating more or less",
    "user_add_remove": "a user who joins or leaves",
    "user_replace": "a user who is replaced",
}
METHODS = {
    **FACTOR_MODELS,
    **PRIVATE_BASELINES,
    "local_bayes": "Local Bayes",
    "local_bayes_directions": "Local Bayes, covariance",
    "local_bayes_held_out": "Local Bayes, held-out errors",
    "local_ease": "Local EASE",
    "local_ease_counts": "Local EASE, counts alone",
    "local_ease_likes": "Local EASE, likes by a threshold",
    "private_choice_of_items": "Item + user bias, items chosen privately",
}
COLUMNS = (
    Column("claimed", "ε", "Claimed"),
    Column("delta", "δ", "Claimed"),
    Column("runs", "runs a side", "Attack"),
    Column("lower_bound", "ε at least", "Attack"),
    Column("most", "at most provable", "Attack"),
    Column("confidence", "confidence (%)", "Attack"),
)
HONEST, PLANTED = "As it is", "Planted fault"


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Write the table as .csv, .md, .tex and .html; without rows of the attack there is none."""
    found = attacks(read_results(results_folder, ("audit",))["audit"])
    write_tables([attack_table(found)] if len(found) else [], folder)


def attacks(audit: pd.DataFrame | None) -> pd.DataFrame:
    """Return the rows of the attack, none without an audit."""
    return pd.DataFrame() if audit is None else audit[audit["test"] == TEST]


def attack_table(found: pd.DataFrame) -> Table:
    """Return a line for everything that was attacked, planted faults last.

    ``found`` is as :func:`attacks` returns it, not empty.
    """
    methods = [method_name(row) for _, row in found.iterrows()]
    planted = found["planted_fault"].notna().to_numpy()
    # methods in their order, each with all that it protects
    place = {name: number for number, name in enumerate(dict.fromkeys(methods))}
    order = sorted(range(len(found)), key=lambda i: (planted[i], place[methods[i]], i))
    rows = [_row(found.iloc[i], methods[i]) for i in order]
    return DECLARED("table_privacy_4_attack", rows)


def method_name(row: pd.Series) -> str:
    """Format what published: a method; of a planted fault, the fault."""
    if pd.notna(row["planted_fault"]):
        return str(row["planted_fault"])
    return METHODS.get(row["method"], str(row["method"]))


def _row(row: pd.Series, method: str) -> Row:
    part = HONEST if pd.isna(row["planted_fault"]) else PLANTED
    runs, confidence = int(row["samples"]), float(row["confidence"])
    most = most_shown(runs, delta=float(row["delta"]), confidence=confidence)
    cells = (
        Cell(float(row["claimed_epsilon"]), digits=1),
        Cell(float(row["delta"]), digits=2),
        Cell(runs, digits=0),
        Cell(float(row["lower_bound"]), digits=2),
        Cell(most, digits=2),
        Cell(100 * confidence, digits=1),
    )
    return Row((part, method), (part, method), PROTECTED[row["relation"]], cells)
