"""Attempts to catch mechanisms, calibrated methods and publications at breaking their promises.

The audit has independent parts, each a job of its own.
"""

from pathlib import Path

from dpmc.frame.api import Regression, Step, Study
from dpmc.studies.audit.jobs import PART
from dpmc.studies.audit.rows import AUDIT_KEYS

HERE = Path(__file__).parent


def prepare(configuration) -> dict[str, object]:
    """Return the section ``audit``; the schema sees all that could be wrong with it."""
    return dict(configuration["audit"])


STUDY = Study(
    name="audit",
    title="Audit of mechanisms, models and publications",
    prepare=prepare,
    jobs=(PART,),
    steps=(
        Step(
            name="claims",
            run="dpmc.studies.audit.claims:run",
            makes=("claims",),
            needs=("audit",),
            files=(HERE / "claims.yaml",),
        ),
        Step(name="tables", run="dpmc.studies.audit.tables:run"),
        Step(name="figures", run="dpmc.studies.audit.figures:run"),
    ),
    chapter="dpmc.studies.audit.chapter:chapter",
    regression=Regression(passed={"audit": AUDIT_KEYS}),
    schema=HERE / "schema.yaml",
    costs=HERE / "costs.csv",
)
