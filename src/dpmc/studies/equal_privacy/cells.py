"""The grid of fits at equal privacy: its cells, and exactly the settings that each one uses.

The papers compare noises at equal variance. Here they are compared at an equal total budget
(epsilon, delta) of a training, with hyper-parameters for each cell and mechanism that were chosen
on other seeds (:mod:`dpmc.studies.equal_privacy.tuning`) and stand in a file.
"""

import csv
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from dpmc.errors import InputError
from dpmc.privacy.relations import USER_LEVEL
from dpmc.study.cells import format_coordinate

METRICS = ("rmse_all", "rmse_heldout", "rmse_clipped")
CALIBRATED_COLUMNS = (
    "dataset", "relation", "epsilon", "delta", "method", "mechanism", "trial",
    *METRICS, "releases", "noise_multiplier", "seconds",
)  # fmt: skip
KEYS = ("dataset", "relation", "epsilon", "method", "mechanism")
# Whole numbers first (offsets is 0 or 1); a row has those that its method takes.
COUNTS = ("rank", "iterations", "inner_iterations", "ratings_per_user", "offsets")
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
NOT_PRIVATE = "none"
TUNING_TRIALS = 3  # where a data set does not name another number
L1_MECHANISMS = ("laplace", "huber")

Hyperparameters = dict[tuple, dict[str, float]]


@dataclass(frozen=True)
class CalibratedCell:
    """One (data set, relation, epsilon, method) with all its mechanisms and trials: one job.

    Attributes
    ----------
    dataset : str
        A key of ``datasets`` in the section ``equal_privacy`` of the configuration.
    relation : str or None
        One of :data:`dpmc.privacy.relations.RELATIONS`; None for a reference without privacy.
    epsilon : float or None
        Total of a training; None for a reference.
    method : str
    """

    dataset: str
    relation: str | None
    epsilon: float | None
    method: str

    def coordinates(self) -> dict[str, object]:
        """Return the coordinates as a dictionary."""
        return asdict(self)

    def formatted(self) -> dict[str, str]:
        """Return the coordinates as they stand in file names: 5, 0.5, none."""
        return {name: format_coordinate(value) for name, value in self.coordinates().items()}

    @classmethod
    def from_formatted(cls, formatted: Mapping[str, str]) -> "CalibratedCell":
        """Return the cell that :meth:`formatted` stands for, from a mapping or Snakemake wildcards.

        An empty text, as in a table, stands for None too.
        """
        relation, epsilon = formatted["relation"], formatted["epsilon"]
        return cls(
            formatted["dataset"],
            None if relation in ("", NOT_PRIVATE) else relation,
            None if epsilon in ("", NOT_PRIVATE) else float(epsilon),
            formatted["method"],
        )


def calibrated_cells(privacy: Mapping) -> list[CalibratedCell]:
    """Return every cell of the section ``equal_privacy`` of a configuration, references last."""
    private = [
        CalibratedCell(dataset, relation, float(epsilon), method)
        for dataset, entry in privacy["datasets"].items()
        for relation in entry["relations"]
        for epsilon in privacy["epsilons"]
        for method in [*privacy["methods"], *privacy["baselines"], *_untuned(privacy, relation)]
    ]
    references = [
        CalibratedCell(dataset, None, None, method)
        for dataset in privacy["datasets"]
        for method in privacy["references"]
    ]
    return private + references


def _untuned(privacy: Mapping, relation: str) -> list[str]:
    """Return the methods that take no settings; they protect users."""
    return list(privacy["untuned"]) if relation in USER_LEVEL else []


def mechanisms_of(privacy: Mapping, cell: CalibratedCell) -> list[str]:
    """Return the mechanisms of a cell; ``["none"]`` for a reference.

    At user level the sensitivity of Laplace and Huber noise grows with the ratings of a user,
    that of Gaussian noise with the square root, so they run at a few epsilons only. Baselines
    have few releases: at entry level Laplace noise is best at some budgets and Gaussian noise at
    others, and the better one is what to compare with.
    """
    if cell.relation is None:
        return [NOT_PRIVATE]
    if cell.method in privacy["untuned"]:
        return ["gaussian"]
    section = "baseline_mechanisms" if cell.method in privacy["baselines"] else "mechanisms"
    if cell.relation not in USER_LEVEL:
        return list(privacy[section]["entry_level"])
    few = cell.epsilon not in privacy["mechanisms"]["l1_epsilons_at_user_level"]
    return [
        mechanism
        for mechanism in privacy[section]["user_level"]
        if not (few and mechanism in L1_MECHANISMS)
    ]


def calibrated_settings(
    privacy: Mapping, hyperparameters: Hyperparameters, cell: CalibratedCell
) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun: editing
    one row of the hyper-parameters reruns the one cell that it belongs to.

    Raises
    ------
    InputError
        There is no row of hyper-parameters for a mechanism of the cell.
    """
    settings = shared_settings(privacy, cell)
    settings["hyperparameters"] = {
        mechanism: {}
        if cell.method in privacy["untuned"]
        else _row(hyperparameters, cell, mechanism)
        for mechanism in mechanisms_of(privacy, cell)
    }
    return settings


def shared_settings(privacy: Mapping, cell: CalibratedCell) -> dict[str, object]:
    """Return the settings of a cell without its hyper-parameters."""
    entry = privacy["datasets"][cell.dataset]
    settings = {
        "seed": privacy["seed"],
        "trials": entry.get("trials", privacy["trials"]),
        "rating_range": [float(limit) for limit in entry["rating_range"]],
    }
    if cell.relation is not None:
        settings["delta"] = float(privacy["delta"])
    own = ("rank", "observed_fraction", "users", "items", "scale", "training_share")
    return settings | {name: entry[name] for name in own if name in entry}


def tuning_settings(privacy: Mapping, cell: CalibratedCell) -> dict[str, object]:
    """Return exactly what :mod:`dpmc.studies.equal_privacy.tuning` needs to know of a cell."""
    settings = shared_settings(privacy, cell)
    del settings["trials"]
    return settings | {
        "seed": privacy["tuning_seed"],
        "tuning_trials": privacy["datasets"][cell.dataset].get("tuning_trials", TUNING_TRIALS),
        "mechanisms": mechanisms_of(privacy, cell),
    }


def load_hyperparameters(path: str | Path) -> Hyperparameters:
    """Read the hyper-parameters, by (data set, relation, epsilon, method, mechanism).

    Returns
    -------
    dict
        For each key of :data:`KEYS` (relation and epsilon None for a reference) those of
        :data:`HYPERPARAMETERS` that have a value.

    Raises
    ------
    InputError
        The file is missing, has other columns, a row comes twice, or a value is no number.
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
    cell = CalibratedCell.from_formatted(row)
    values = {name: int(row[name]) for name in COUNTS if row[name] != ""}
    values |= {name: float(row[name]) for name in NUMBERS if row[name] != ""}
    return (*cell.coordinates().values(), row["mechanism"]), values


def _row(table: Hyperparameters, cell: CalibratedCell, mechanism: str) -> dict[str, float]:
    try:
        return table[(*cell.coordinates().values(), mechanism)]
    except KeyError:
        raise InputError(
            f"There are no hyper-parameters for {cell.method} with {mechanism} noise on "
            f"{cell.dataset}, {format_coordinate(cell.relation)}, "
            f"epsilon {format_coordinate(cell.epsilon)}; "
            "`snakemake tune` chooses them."
        ) from None
