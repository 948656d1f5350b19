"""The section of the study: its cells, and exactly what each uses."""

from collections.abc import Iterator, Mapping

from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import owners
from dpmc_studies.frame.jobs.hyperparameters import model_settings
from dpmc_studies.methods import variant
from dpmc_studies.studies.which_model.cells import FitCell


def experiments_of(section: Mapping) -> dict[str, Mapping]:
    """Return the experiments that run, by name: large ones only if wanted."""
    found = section["experiments"].items()
    return {name: each for name, each in found if section["large"] or not each.get("large")}


def fit_cells(section: Section) -> dict[FitCell, Mapping]:
    """Return every cell with its experiment."""
    advice = "data sets, methods or variants"
    return owners("which_model", experiments_of(section), _cells_of, advice)


def _cells_of(experiment: Mapping) -> Iterator[FitCell]:
    for dataset in experiment["datasets"]:
        for method in experiment["methods"]:
            for epsilon in experiment["epsilons"]:
                yield FitCell(dataset, method, experiment["variant"], float(epsilon))


def fit_settings(section: Section, cell: FitCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values."""
    return data_settings(section, cell, section["cells"][cell]["trials"]) | {
        "model": model_settings(section["hyperparameters"], cell.coordinates())
    }


def data_settings(section: Section, cell: FitCell, trials: int) -> dict[str, object]:
    """Return the settings of a cell that are not its method's."""
    return {
        "seed": section["seed"],
        "trials": trials,
        "data": dict(section["datasets"][cell.dataset]),
        "delta": section["delta"],
    }


def modules_of(method: str) -> list[str]:
    """Return the modules of a method, which are imported by name."""
    return [variant(method).module, "dpmc.mechanisms.gaussian"]
