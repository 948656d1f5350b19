"""The section ``equal_privacy`` of the configuration, checked before anything runs."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.errors import InputError
from dpmc.studies.equal_privacy.cells import (
    Hyperparameters,
    calibrated_cells,
    calibrated_settings,
    load_hyperparameters,
)

HYPERPARAMETERS = Path(__file__).parent / "hyperparameters.csv"
NAME = "equal_privacy"


def prepare(configuration: Mapping[str, object]) -> dict[str, object]:
    """Return the section: data sets that are null left out, the table of hyper-parameters read.

    Raises
    ------
    InputError
        What the schema cannot see: an empty range of ratings, the same seed twice, an unknown data
        set or method, a cell without hyper-parameters, or some that its method does not take.
    """
    section = dict(configuration[NAME])
    section["datasets"] = {
        name: entry for name, entry in section["datasets"].items() if entry is not None
    }
    _check_section(section)
    table = load_hyperparameters(section["hyperparameters"] or HYPERPARAMETERS)
    section["hyperparameters"] = table
    check_fits(section, table, configuration["data"]["sets"])
    return section


def _check_section(section: Mapping) -> None:
    for name, entry in section["datasets"].items():
        low, high = entry["rating_range"]
        if not low < high:
            raise InputError(
                f"{NAME}.datasets.{name}.rating_range must be [lowest, highest], "
                f"got [{low:g}, {high:g}]."
            )
    if section["tuning_seed"] == section["seed"]:
        raise InputError(
            f"{NAME}.tuning_seed must differ from {NAME}.seed, both are {section['seed']}: "
            "hyper-parameters are chosen on other data than they are judged on."
        )


def check_fits(section: Mapping, table: Hyperparameters, own_sets: Mapping) -> None:
    """Refuse fits at equal privacy that could not run, before anything runs.

    Parameters
    ----------
    section : mapping
    table : dict
        As :func:`dpmc.studies.equal_privacy.cells.load_hyperparameters` returns it.
    own_sets : mapping
        ``data.sets`` of the configuration.

    Raises
    ------
    InputError
        An unknown data set or method, a cell without hyper-parameters, or some that its method
        does not take.
    """
    # describing the study imports neither data sets nor methods
    from dpmc.datasets import resolve
    from dpmc.studies.equal_privacy.trial import make_calibrated_method

    for name, entry in section["datasets"].items():
        if "users" not in entry:
            resolve(name, own_sets)
    for cell in calibrated_cells(section):
        settings = calibrated_settings(section, table, cell)
        for mechanism, values in settings["hyperparameters"].items():
            make_calibrated_method(cell, settings, mechanism, values)
