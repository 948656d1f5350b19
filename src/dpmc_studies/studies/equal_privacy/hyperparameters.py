"""The table of hyper-parameters of fits at equal privacy: a row for each cell and mechanism."""

import csv
from collections.abc import Mapping
from pathlib import Path

from dpmc.errors import InputError
from dpmc_studies.frame.jobs.cells import format_coordinate
from dpmc_studies.studies.equal_privacy.cells import CalibratedCell

KEYS = ("dataset", "relation", "epsilon", "method", "mechanism")
# Whole numbers first (offsets is 0 or 1; norm is that of the sensitivities, 1 or 2, of Laplace and
# Huber noise); a row has those that its method takes.
COUNTS = ("rank", "iterations", "inner_iterations", "ratings_per_user", "offsets", "norm")
NUMBERS = (
    "factor_bound",
    "residual_bound",
    "loss_parameter",
    "regularization",
    "user_regularization",
    "shrinkage",
)
HYPERPARAMETERS = (*COUNTS, *NUMBERS)
HYPERPARAMETER_COLUMNS = (*KEYS, *HYPERPARAMETERS, "tuning_rmse")

Hyperparameters = dict[tuple, dict[str, float]]


def load_hyperparameters(path: str | Path) -> Hyperparameters:
    """Read the hyper-parameters, by (data set, relation, epsilon, method, mechanism).

    For each key of :data:`KEYS` (relation and epsilon None for a reference) there are those of
    :data:`HYPERPARAMETERS` that have a value.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: the file with the hyper-parameters is missing.")
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != HYPERPARAMETER_COLUMNS:
            raise InputError(f"{path}: the columns must be {', '.join(HYPERPARAMETER_COLUMNS)}.")
        table: Hyperparameters = {}
        for row in reader:
            if None in row or None in row.values():
                raise InputError(f"{path}: line {reader.line_num} has too few or many fields.")
            try:
                key, values = _parsed(row)
            except ValueError:
                raise InputError(
                    f"{path}: line {reader.line_num} has a value that is not a number."
                ) from None
            if key in table:
                raise InputError(f"{path}: line {reader.line_num} repeats an earlier row.")
            table[key] = values
    return table


def _parsed(row: Mapping[str, str]) -> tuple[tuple, dict[str, float]]:
    cell = CalibratedCell.parse(row)
    values = {name: int(row[name]) for name in COUNTS if row[name] != ""}
    values |= {name: float(row[name]) for name in NUMBERS if row[name] != ""}
    return (*cell.coordinates().values(), row["mechanism"]), values


def row_of(table: Hyperparameters, cell: CalibratedCell, mechanism: str) -> dict[str, float]:
    """Return the hyper-parameters of a cell with a mechanism."""
    try:
        return table[(*cell.coordinates().values(), mechanism)]
    except KeyError:
        raise InputError(
            f"There are no hyper-parameters for {cell.method} with {mechanism} noise on "
            f"{cell.dataset}, {format_coordinate(cell.relation)}, "
            f"epsilon {format_coordinate(cell.epsilon)}; "
            "`snakemake tune` chooses them."
        ) from None
