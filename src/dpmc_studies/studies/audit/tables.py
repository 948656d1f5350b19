"""Table of the black-box attack: what the published files alone say about one user or rating."""

from pathlib import Path

import pandas as pd

from dpmc_studies.frame.showing.declared_tables import DeclaredTables
from dpmc_studies.frame.showing.frames import FACTOR_MODELS, PRIVATE_BASELINES, Labels
from dpmc_studies.frame.showing.results import read_results, write_tables
from dpmc_studies.frame.showing.table_model import Cell, Row, Table
from dpmc_studies.studies.audit.attack import most_shown

DECLARED = DeclaredTables(__file__)
PROTECTED = {
    "entry_change": "one rating that changes",
    "entry_add_remove": "one rating more or less",
    "user_add_remove": "a user who joins or leaves",
    "user_replace": "a user who is replaced",
}
METHODS = Labels(
    FACTOR_MODELS
    | PRIVATE_BASELINES
    | {
        "local_bayes": "Local Bayes",
        "local_bayes_directions": "Local Bayes, covariance",
        "local_bayes_held_out": "Local Bayes, held-out errors",
        "local_ease": "Local EASE",
        "local_ease_counts": "Local EASE, counts alone",
        "local_ease_likes": "Local EASE, likes by a threshold",
        "private_choice_of_items": "Item + user bias, items chosen privately",
    }
)


def run(results_folder: str | Path, settings: object, folder: str | Path) -> None:
    """Write the table of the attacks; without rows of an attack there is none."""
    audit = read_results(results_folder, ("audit",))["audit"]
    found = [] if audit is None else audit[audit["test"] == "black_box"]
    write_tables([attack_table(found)] if len(found) else [], folder)


def attack_table(found: pd.DataFrame) -> Table:
    """Return a line for everything that was attacked, planted faults last."""
    found = found.assign(
        part=found["planted_fault"].isna().map({True: "As it is", False: "Planted fault"}),
        label=found["planted_fault"].fillna(found["method"].map(METHODS.__getitem__)),
    )
    # methods in their order, each with all that it protects
    parts = [each for _, each in found.groupby(["part", "label"], sort=False)]
    parts.sort(key=lambda each: each["part"].iloc[0])
    rows = [_row(row) for each in parts for _, row in each.iterrows()]
    return DECLARED("table_privacy_4_attack", rows)


def _row(row: pd.Series) -> Row:
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
    labels = (row["part"], row["label"])
    return Row(labels, labels, PROTECTED[row["relation"]], cells)
