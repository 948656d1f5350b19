"""The section ``equal_privacy``: checked before anything runs, its cells, and what each uses.

The papers compare noises at equal variance. Here they are compared at an equal total budget
(epsilon, delta) of a training, with hyper-parameters for each cell and mechanism that were chosen
on other seeds (:mod:`dpmc_studies.studies.equal_privacy.tuning`) and stand in a file.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.errors import InputError
from dpmc.privacy.relations import USER_LEVEL
from dpmc_studies.frame.api import Section, refuse_unknown_data
from dpmc_studies.studies.equal_privacy.cells import NOT_PRIVATE, CalibratedCell
from dpmc_studies.studies.equal_privacy.hyperparameters import load_hyperparameters, row_of

TABLE = Path(__file__).parent / "hyperparameters.csv"
NAME = "equal_privacy"
TUNING_TRIALS = 3  # where a data set does not name another number
L1_MECHANISMS = ("laplace", "huber")


def prepare(section: Section, own_sets: Mapping[str, Mapping]) -> Section:
    """Return the section with its table of hyper-parameters read.

    Fits that could not run are refused: an unknown data set or method, a range that is none, a cell
    without hyper-parameters, or some that its method does not take.
    """
    # describing the study imports no methods
    from dpmc_studies.studies.equal_privacy.trial import make_calibrated_method

    if section["tuning_seed"] == section["seed"]:
        raise InputError(
            f"{NAME}.tuning_seed must differ from {NAME}.seed, both are {section['seed']}: "
            "hyper-parameters are chosen on other data than they are judged on."
        )
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


def calibrated_settings(privacy: Mapping, cell: CalibratedCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun: editing
    one row of the hyper-parameters reruns the one job that it belongs to.
    """
    own = {
        mechanism: {}
        if cell.method in privacy["untuned"]
        else row_of(privacy["hyperparameters"], cell, mechanism)
        for mechanism in mechanisms_of(privacy, cell)
    }
    return shared_settings(privacy, cell) | {"hyperparameters": own}


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
    """Return exactly what :mod:`dpmc_studies.studies.equal_privacy.tuning` needs to know of a
    cell.
    """
    settings = shared_settings(privacy, cell)
    del settings["trials"]
    return settings | {
        "seed": privacy["tuning_seed"],
        "tuning_trials": privacy["datasets"][cell.dataset].get("tuning_trials", TUNING_TRIALS),
        "mechanisms": mechanisms_of(privacy, cell),
    }
