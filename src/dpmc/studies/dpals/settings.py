"""The section of DPALS, checked, and what each of its jobs reads."""

from collections.abc import Mapping
from pathlib import Path

from dpmc.studies.dpals.cells import (
    GENERATED,
    DpalsCell,
    coverage_settings,
    curve_settings,
    curves,
    is_surrogate,
    modules_of,
    stored,
    surrogate_settings,
    surrogates,
)
from dpmc.studies.dpals.hyperparameters import load_hyperparameters
from dpmc.studies.dpals.spaces import tuning_cells, tuning_settings
from dpmc.study.api import RatingsOf, Section, Source
from dpmc.study.text_cells import Coordinates, Made

HYPERPARAMETERS = Path(__file__).with_name("hyperparameters.yaml")
SURROGATE = "surrogate"


def prepare(configuration: Mapping[str, object]) -> Section:
    """Return the section ``dpals`` with its table of hyper-parameters.

    Raises
    ------
    InputError
        The table cannot be read, or something of the grid could not run.
    """
    # constructs models, so it imports all methods
    from dpmc.studies.dpals.check import check_dpals

    given = configuration["dpals"]
    table = load_hyperparameters(given["hyperparameters"] or HYPERPARAMETERS)
    section = {**given, "hyperparameters": table}
    check_dpals({**section, "large": True}, configuration["data"]["sets"])  # what may run later too
    return section


def surrogate_jobs(section: Section) -> list[Coordinates]:
    """Return the coordinates of the data sets that are generated."""
    return [{SURROGATE: name} for name in surrogates(section)]


def surrogate_job_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what the generation of a data set uses."""
    return surrogate_settings(section, coordinates[SURROGATE])


def curve_jobs(section: Section) -> list[Coordinates]:
    """Return the coordinates of every curve."""
    return curves(section)


def curve_job_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what a curve uses."""
    return curve_settings(section, coordinates)


def ratings_inputs(section: Section, coordinates: Coordinates) -> dict[str, Source]:
    """Return what a job on a data set reads: nothing where it draws its data."""
    name = stored(section, coordinates["dataset"])
    if name is None:
        return {}
    if is_surrogate(section, name):
        return {GENERATED: Made(SURROGATE, {SURROGATE: name})}
    return {"ratings": RatingsOf(name)}


def method_modules(section: Section, coordinates: Coordinates) -> list[str]:
    """Return the modules of a job's method, which are imported by name."""
    return modules_of(coordinates["method"])


def timing_modules(section: Section, coordinates: Coordinates) -> list[str]:
    """Return the modules of all methods that are timed."""
    return [module for name in section["timing"]["methods"] for module in modules_of(name)]


def coverage_jobs(section: Section) -> list[Coordinates]:
    """Return the data sets whose popularity is measured."""
    return [{"dataset": name} for name in section["coverage"]["datasets"]]


def coverage_job_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what the measuring of a data set uses."""
    return coverage_settings(section, coordinates["dataset"])


def tuning_jobs(section: Section) -> list[Coordinates]:
    """Return the coordinates of the cells whose hyper-parameters are searched."""
    return [cell.formatted() for cell in tuning_cells(section)]


def tuning_job_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return what the search of a cell uses."""
    return tuning_settings(section, DpalsCell.from_formatted(coordinates))
