"""Which private model for ratings, where users are protected? (a question of our own)

The study compares Local Bayes, the default of ``dpmc fit``, with the other methods that protect
users. Cells, data and random streams keep the names under which the numbers were computed.
"""

from pathlib import Path

from dpmc_studies.frame.api import Job, Regression, Study
from dpmc_studies.frame.jobs.entries import inputs_of
from dpmc_studies.frame.jobs.hyperparameters import with_hyperparameters
from dpmc_studies.studies.which_model.cells import COLUMNS, FitCell
from dpmc_studies.studies.which_model.experiments.ranking import RankingCell
from dpmc_studies.studies.which_model.settings import fit_cells, fit_settings, modules_of

HYPERPARAMETERS = Path(__file__).with_name("hyperparameters.csv")
FIT = Job(
    name="fit",
    run=".trial:run_fits",
    tables={"trials": COLUMNS},
    cell=FitCell,
    cells=lambda section: section["cells"],
    by=("dataset", "method"),
    settings=fit_settings,
    inputs=inputs_of,
    modules=lambda section, cell: modules_of(cell.method),
)
STUDY = Study.of(
    __name__,
    title="Which private model for ratings?",
    prepare=with_hyperparameters(HYPERPARAMETERS, f"{__name__}.check:check", fit_cells),
    jobs=(FIT,),
    regression=Regression(
        table="trials",
        optional={"ranking": (*RankingCell.names(), "trial")},
    ),
)
