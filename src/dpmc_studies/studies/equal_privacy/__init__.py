"""Private models at an equal total budget (a question of our own).

The Huber paper compares noises at equal variance. Here models are compared at an equal total
budget (epsilon, delta) of a training, private baselines among them, each with hyper-parameters
that were chosen for it on other seeds.
"""

from dpmc_studies.frame.api import Job, Regression, Step, Study
from dpmc_studies.studies.equal_privacy import frontier
from dpmc_studies.studies.equal_privacy.cells import METRICS
from dpmc_studies.studies.equal_privacy.hyperparameters import KEYS
from dpmc_studies.studies.equal_privacy.jobs import FIT, TUNE, by_mechanism
from dpmc_studies.studies.equal_privacy.settings import prepare

STUDY = Study.of(
    __name__,
    title="Private models at an equal total budget",
    prepare=prepare,
    jobs=(FIT, Job.of(frontier), TUNE),
    steps=(
        Step(
            "claims",
            ".claims.judge:run",
            makes=("claims", "comparisons"),
            needs=("calibrated", "frontier"),
        ),
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
