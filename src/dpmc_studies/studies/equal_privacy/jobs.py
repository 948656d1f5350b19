"""The jobs of the grid: fits at a stated budget, and the choice of their parameters."""

from collections.abc import Iterator
from functools import partial

from dpmc_studies.frame.api import Job, Settings, ratings_of
from dpmc_studies.methods import method_module
from dpmc_studies.studies.equal_privacy.cells import CALIBRATED_COLUMNS, CalibratedCell
from dpmc_studies.studies.equal_privacy.hyperparameters import HYPERPARAMETER_COLUMNS
from dpmc_studies.studies.equal_privacy.settings import (
    calibrated_cells,
    calibrated_settings,
    tuning_settings,
)


def by_mechanism(cell: CalibratedCell, settings: Settings) -> Iterator[tuple[dict, dict]]:
    """Yield each mechanism of a cell as the table of trials names it, with what it uses.

    Its hyper-parameters stand under ``method``: ``rank`` is that of the data.
    """
    shared = {name: value for name, value in settings.items() if name != "hyperparameters"}
    for mechanism, own in settings["hyperparameters"].items():
        yield cell.coordinates() | {"mechanism": mechanism}, shared | {"method": own}


of_grid = partial(
    Job,
    cell=CalibratedCell,
    cells=calibrated_cells,
    inputs=ratings_of,
    modules=lambda section, cell: [method_module(cell.method)],  # imported by its name
)
FIT = of_grid(
    name="fit",
    run=".trial:run",
    tables={"calibrated": CALIBRATED_COLUMNS},
    by=("dataset", "relation", "method"),  # a job runs all epsilons
    settings=calibrated_settings,
)
TUNE = of_grid(
    name="tune",
    run=".tuning:run",
    tables={"hyperparameters": HYPERPARAMETER_COLUMNS},
    settings=tuning_settings,
    target="tune",
)
