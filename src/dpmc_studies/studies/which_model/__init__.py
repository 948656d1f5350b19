"""Which private model for ratings, where users are protected? (a question of our own)

Local Bayes, the default of ``dpmc fit``, beside the other methods that protect users. Cells, data
and random streams of the comparison are named as they were when its numbers were drawn.
"""

from pathlib import Path

from dpmc_studies.frame.api import Regression, Step, Study
from dpmc_studies.frame.jobs.hyperparameters import with_hyperparameters
from dpmc_studies.studies.which_model.cells import FitCell
from dpmc_studies.studies.which_model.experiments.ranking import RankingCell
from dpmc_studies.studies.which_model.jobs import FIT
from dpmc_studies.studies.which_model.settings import fit_cells

HYPERPARAMETERS = Path(__file__).with_name("hyperparameters.csv")
STUDY = Study.of(
    __name__,
    title="Which private model for ratings?",
    prepare=with_hyperparameters(HYPERPARAMETERS, f"{__name__}.check:check", fit_cells),
    jobs=(FIT,),
    steps=(
        Step("claims", ".claims.judge:run"),
        Step("tables", needs=("trials", "popularity", "ranking")),
        Step("figures"),
    ),
    errata=".errata:errata",
    regression=Regression(
        table="trials",
        optional={
            "popularity": (*FitCell.names(), "fifth", "trial"),
            "ranking": (*RankingCell.names(), "trial"),
        },
    ),
)
