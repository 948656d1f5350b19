"""What ``check`` compares at equal privacy: the first trials of every fit, and the verdicts."""

from dpmc.studies.equal_privacy.cells import (
    KEYS,
    METRICS,
    calibrated_cells,
    calibrated_settings,
)
from dpmc.study.api import Regression, Section
from dpmc.study.cells import cell_name

TRIALS = 2  # of each fit: the noise of the others comes from the same code


def cells_with_rows(section: Section) -> dict[str, dict[str, object]]:
    """Return the settings of each mechanism of every cell, by the names in the table of trials.

    Its hyper-parameters stand under ``method``: ``rank`` is that of the data.
    """
    found = {}
    for cell in calibrated_cells(section):
        shared = calibrated_settings(section, section["hyperparameters"], cell)
        for mechanism, own in shared.pop("hyperparameters").items():
            name = cell_name(cell.coordinates() | {"mechanism": mechanism})
            found[name] = shared | {"method": own}
    return found


REGRESSION = Regression(
    table="calibrated",
    coordinates=KEYS,
    metrics=METRICS,
    cells=cells_with_rows,
    trials=TRIALS,
    labels={"claims": ("id",)},
)
