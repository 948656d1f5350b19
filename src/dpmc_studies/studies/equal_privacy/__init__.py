"""Private models at an equal total budget (a question of our own).

The Huber paper compares noises at equal variance. This study compares models, including private
baselines, at an equal total budget (epsilon, delta) of a training. Hyper-parameters were chosen on
other seeds.
"""

from collections.abc import Iterator

from dpmc_studies.frame.api import Job, Regression, Settings, Step, Study, ratings_of
from dpmc_studies.methods import method_module
from dpmc_studies.studies.equal_privacy import frontier
from dpmc_studies.studies.equal_privacy.cells import CALIBRATED_COLUMNS, METRICS, CalibratedCell
from dpmc_studies.studies.equal_privacy.settings import (
    KEYS,
    calibrated_cells,
    calibrated_settings,
    prepare,
)


def by_mechanism(cell: CalibratedCell, settings: Settings) -> Iterator[tuple[dict, dict]]:
    """Yield each mechanism of a cell as the table of trials names it, with what it uses.

    Its hyper-parameters stand under ``method``: ``rank`` is that of the data.
    """
    shared = {name: value for name, value in settings.items() if name != "hyperparameters"}
    for mechanism, own in settings["hyperparameters"].items():
        yield cell.coordinates() | {"mechanism": mechanism}, shared | {"method": own}


FIT = Job(
    name="fit",
    run=".trial:run",
    tables={"calibrated": CALIBRATED_COLUMNS},
    cell=CalibratedCell,
    cells=calibrated_cells,
    by=("dataset", "relation", "method"),  # a job runs all epsilons
    settings=calibrated_settings,
    inputs=ratings_of,
    modules=lambda section, cell: [method_module(cell.method)],  # imported by its name
)
STUDY = Study.of(
    __name__,
    title="Private models at an equal total budget",
    prepare=prepare,
    jobs=(FIT, Job.of(frontier)),
    steps=(
        Step("claims", makes=("claims", "comparisons"), needs=("calibrated", "frontier")),
        Step("tables"),
        Step("figures"),
    ),
    regression=Regression(
        table="calibrated",
        coordinates=KEYS,
        metrics=METRICS,
        rows=by_mechanism,
        trials=2,  # of each fit: the noise of the others comes from the same code
    ),
)
