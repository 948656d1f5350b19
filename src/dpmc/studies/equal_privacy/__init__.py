"""Private models at an equal total budget (a question of our own).

The Huber paper compares noises at equal variance. Here models are compared at an equal total
budget (epsilon, delta) of a training, private baselines among them, each with hyper-parameters
that were chosen for it on other seeds.
"""

from pathlib import Path

from dpmc.frame.api import Regression, Step, Study
from dpmc.studies.equal_privacy import frontier
from dpmc.studies.equal_privacy.cells import METRICS
from dpmc.studies.equal_privacy.hyperparameters import KEYS
from dpmc.studies.equal_privacy.jobs import FIT, TUNE, by_mechanism
from dpmc.studies.equal_privacy.settings import prepare

HERE = Path(__file__).parent
STUDY = Study(
    name="equal_privacy",
    title="Private models at an equal total budget",
    prepare=prepare,
    jobs=(FIT, frontier.JOB, TUNE),
    steps=(
        Step(
            name="claims",
            run="dpmc.studies.equal_privacy.claims.judge:run",
            makes=("claims",),
            needs=("calibrated", "frontier"),
            files=(HERE / "claims.yaml",),
        ),
        Step(name="tables", run="dpmc.studies.equal_privacy.tables:run"),
        Step(name="figures", run="dpmc.studies.equal_privacy.figures:run", seconds=14.0),
    ),
    chapter="dpmc.studies.equal_privacy.chapter:chapter",
    regression=Regression(
        table="calibrated",
        coordinates=KEYS,
        metrics=METRICS,
        rows=by_mechanism,
        trials=2,  # of each fit: the noise of the others comes from the same code
        labels={"claims": ("id",)},
    ),
    schema=HERE / "schema.yaml",
    costs=HERE / "costs.csv",
)
