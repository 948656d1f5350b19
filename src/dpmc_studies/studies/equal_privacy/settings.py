"""The section ``equal_privacy``: its checks, its cells, and the settings of each cell.

The papers compare noises at equal variance. This study compares them at an equal total budget
(epsilon, delta) of a training. A file holds the hyper-parameters by cell and mechanism, chosen on
other seeds.
"""

import csv
from collections.abc import Mapping
from pathlib import Path

from dpmc.errors import InputError
from dpmc.privacy.relations import USER_LEVEL
from dpmc_studies.frame.api import Section, refuse_unknown_data
from dpmc_studies.frame.jobs.cells import format_coordinate
from dpmc_studies.studies.equal_privacy.cells import NOT_PRIVATE, CalibratedCell

TABLE = Path(__file__).parent / "hyperparameters.csv"
NAME = "equal_privacy"
L1_MECHANISMS = ("laplace", "huber")
KEYS = ("dataset", "relation", "epsilon", "method", "mechanism")
# Whole numbers (offsets is 0 or 1; norm is that of the sensitivities, 1 or 2, of Laplace and Huber
# noise), then others; a row has those that its method takes.
COUNTS = ("rank", "iterations", "inner_iterations", "ratings_per_user", "offsets", "norm")
NUMBERS = (
    "factor_bound", "residual_bound", "loss_parameter", "regularization", "user_regularization",
    "shrinkage",
)  # fmt: skip
COLUMNS = (*KEYS, *COUNTS, *NUMBERS, "tuning_rmse")

Hyperparameters = dict[tuple, dict[str, float]]


def prepare(section: Section, own_sets: Mapping[str, Mapping]) -> Section:
    """Return the section with its table of hyper-parameters read.

    Fits that cannot run are refused: an unknown data set or method, an invalid range, a cell
    without hyper-parameters, or hyper-parameters that the method does not take.
    """
    # describing the study imports no methods
    from dpmc_studies.studies.equal_privacy.trial import make_calibrated_method

    table = load_hyperparameters(section["hyperparameters"] or TABLE)
    section = {**section, "hyperparameters": table}
    refuse_unknown_data(section["datasets"], own_sets)
    for name, entry in section["datasets"].items():
        low, high = entry["rating_range"]
        if not low < high:
            raise InputError(
                f"{NAME}.datasets.{name}.rating_range must be [lowest, highest], "
                f"got [{low:g}, {high:g}]."
            )
    for cell in calibrated_cells(section):
        settings = calibrated_settings(section, cell)
        for mechanism, values in settings["hyperparameters"].items():
            make_calibrated_method(cell, settings, mechanism, values)
    return section


def load_hyperparameters(path: str | Path) -> Hyperparameters:
    """Read the hyper-parameters by :data:`KEYS` (relation and epsilon None for a reference)."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"{path}: the file with the hyper-parameters is missing.")
    with open(path, encoding="utf-8", newline="") as stream:
        reader = csv.DictReader(stream)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise InputError(f"{path}: the columns must be {', '.join(COLUMNS)}.")
        table: Hyperparameters = {}
        for row in reader:
            where = f"{path}: line {reader.line_num}"
            if None in row or None in row.values():
                raise InputError(f"{where} has too few or many fields.")
            try:
                key = (*CalibratedCell.parse(row).coordinates().values(), row["mechanism"])
                values = {name: int(row[name]) for name in COUNTS if row[name] != ""}
                values |= {name: float(row[name]) for name in NUMBERS if row[name] != ""}
            except ValueError:
                raise InputError(f"{where} has a value that is not a number.") from None
            if key in table:
                raise InputError(f"{where} repeats an earlier row.")
            table[key] = values
    return table


def calibrated_cells(privacy: Mapping) -> list[CalibratedCell]:
    """Return every cell, references last; methods that take no settings protect users."""
    tuned = [*privacy["methods"], *privacy["baselines"]]
    private = [
        CalibratedCell(dataset, relation, float(epsilon), method)
        for dataset, entry in privacy["datasets"].items()
        for relation in entry["relations"]
        for epsilon in privacy["epsilons"]
        for method in [*tuned, *(privacy["untuned"] if relation in USER_LEVEL else ())]
    ]
    references = [
        CalibratedCell(dataset, None, None, method)
        for dataset in privacy["datasets"]
        for method in privacy["references"]
    ]
    return private + references


def mechanisms_of(privacy: Mapping, cell: CalibratedCell) -> list[str]:
    """Return the mechanisms of a cell; ``["none"]`` for a reference.

    Not every mechanism runs in every cell. At user level the sensitivity of Laplace and Huber noise
    grows with the number of a user's ratings, and that of Gaussian noise with its square root; so
    Laplace and Huber noise run at a few epsilons only. Baselines have few releases: at entry level
    Laplace or Gaussian noise is best, and comparisons use the better one.
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


def calibrated_settings(privacy: Mapping, cell: CalibratedCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not returned cannot change the cell's numbers, so changing it reruns nothing.
    If one row of the hyper-parameters changes, only the job of that row reruns.
    """
    own, table = {}, privacy["hyperparameters"]
    for mechanism in mechanisms_of(privacy, cell):
        key = (*cell.coordinates().values(), mechanism)
        if cell.method not in privacy["untuned"] and key not in table:
            raise InputError(
                f"There are no hyper-parameters for {cell.method} with {mechanism} noise on "
                f"{cell.dataset}, {format_coordinate(cell.relation)}, "
                f"epsilon {format_coordinate(cell.epsilon)}: add a row to a copy of its "
                f"{TABLE.name} and name it in {NAME}.hyperparameters."
            )
        own[mechanism] = table.get(key, {})
    entry = privacy["datasets"][cell.dataset]
    settings = {
        "seed": privacy["seed"],
        "trials": entry.get("trials", privacy["trials"]),
        "rating_range": [float(limit) for limit in entry["rating_range"]],
    }
    if cell.relation is not None:
        settings["delta"] = float(privacy["delta"])
    of_data = ("rank", "observed_fraction", "users", "items", "scale", "training_share")
    settings |= {name: entry[name] for name in of_data if name in entry}
    return settings | {"hyperparameters": own}
