"""The jobs of the grid: fits at a stated budget, and the choice of their parameters."""

from collections.abc import Iterator

from dpmc.frame.api import Cells, Effort, Job, RatingsOf, Section, Settings
from dpmc.methods import method_module
from dpmc.studies.equal_privacy.cells import CALIBRATED_COLUMNS, CalibratedCell
from dpmc.studies.equal_privacy.hyperparameters import HYPERPARAMETER_COLUMNS
from dpmc.studies.equal_privacy.settings import (
    calibrated_cells,
    calibrated_settings,
    tuning_settings,
)


def ratings_of(section: Section, cell: CalibratedCell) -> dict[str, RatingsOf]:
    """Return the ratings of a real data set; synthetic data are generated."""
    drawn = "users" in section["datasets"][cell.dataset]
    return {} if drawn else {"ratings": RatingsOf(cell.dataset)}


def modules_of(section: Section, cell: CalibratedCell) -> list[str]:
    """Return the module of the cell's method, which is imported by its name."""
    return [method_module(cell.method)]


def effort(section: Section, cells: Cells) -> Effort:
    """Return what a curve's cost grows with: trials, budgets, mechanisms; users of drawn data."""
    fits = cells.values()
    amount = sum(fit["trials"] * len(fit["hyperparameters"]) for fit in fits)
    return Effort(None, amount, next(iter(fits)).get("users", 1))


def by_mechanism(cell: CalibratedCell, settings: Settings) -> Iterator[tuple[dict, dict]]:
    """Yield each mechanism of a cell as the table of trials names it, with what it uses.

    Its hyper-parameters stand under ``method``: ``rank`` is that of the data.
    """
    shared = {name: value for name, value in settings.items() if name != "hyperparameters"}
    for mechanism, own in settings["hyperparameters"].items():
        yield cell.coordinates() | {"mechanism": mechanism}, shared | {"method": own}


FIT = Job(
    name="fit",
    run="dpmc.studies.equal_privacy.trial:run",
    tables={"calibrated": CALIBRATED_COLUMNS},
    cell=CalibratedCell,
    cells=calibrated_cells,
    by=("dataset", "relation", "method"),  # a job runs all epsilons
    settings=calibrated_settings,
    inputs=ratings_of,
    modules=modules_of,
    seconds=10.0,
    effort=effort,
)
# hyper-parameters are chosen once, on other seeds, and lie in hyperparameters.csv
TUNE = Job(
    name="tune",
    run="dpmc.studies.equal_privacy.tuning:run",
    tables={"hyperparameters": HYPERPARAMETER_COLUMNS},
    cell=CalibratedCell,
    cells=calibrated_cells,
    settings=tuning_settings,
    inputs=ratings_of,
    modules=modules_of,
    target="tune",
    seconds=10.0,
)
