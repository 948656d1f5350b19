"""Attempts to catch mechanisms, calibrated methods and publications at breaking their promises.

The audit has independent parts, each a job of its own.
"""

from dpmc.frame.api import Regression, Step, Study
from dpmc.studies.audit.jobs import PART
from dpmc.studies.audit.rows import AUDIT_KEYS

STUDY = Study.of(
    __name__,
    title="Audit of mechanisms, models and publications",
    jobs=(PART,),
    steps=(
        Step("claims", ".claims:run", makes=("claims",), needs=("audit",)),
        Step("tables", ".tables:run"),
        Step("figures", ".figures:run"),
    ),
    regression=Regression(passed={"audit": AUDIT_KEYS}),
)
