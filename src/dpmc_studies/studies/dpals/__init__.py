"""The study of "Private alternating least squares" and of the methods that it is compared with.

[Chien 2021] is Chien, Jain, Krichene, Rendle, Song, Thakurta and Zhang, "Private alternating least
squares" (ICML 2021). [Jain 2018], the source of private Frank-Wolfe, is Jain, Thakkar and Thakurta,
"Differentially private matrix completion revisited" (ICML 2018). A third source is
DP_Matrix_Completion_Alt_Min's read-me.
"""

from pathlib import Path

from dpmc_studies.frame.api import Regression, Step, Study
from dpmc_studies.frame.jobs.hyperparameters import with_hyperparameters
from dpmc_studies.studies.dpals.jobs import FIT
from dpmc_studies.studies.dpals.settings import dpals_cells

HYPERPARAMETERS = Path(__file__).with_name("hyperparameters.csv")
PUBLISHED = ("published.csv",)
MEASURED = ("trials", "iterations", "accounting", "coverage", "timing")
STUDY = Study.of(
    __name__,
    title="Private alternating least squares",
    prepare=with_hyperparameters(HYPERPARAMETERS, f"{__name__}.check:check_dpals", dpals_cells),
    jobs=(FIT,),
    steps=(
        Step(
            "claims",
            ".claims.judge:run",
            files=PUBLISHED,
        ),
        Step("tables", needs=(*MEASURED, "claims"), files=PUBLISHED),
        Step("figures", files=PUBLISHED),
    ),
    # Sums over ratings are added in another order on other CPUs, in single precision for large
    # data sets: these have a tolerance of their own in the reference.
    regression=Regression(
        table="trials",
        made_of="data.of",
        by_clock=("D21", "D40"),  # about seconds
    ),
)
