"""Attempts to catch mechanisms, calibrated methods and publications at breaking their promises.

The audit has independent parts, each a job of its own.
"""

from dpmc_studies.frame.api import Regression, Step, Study
from dpmc_studies.studies.audit.parts import PART
from dpmc_studies.studies.audit.rows import AUDIT_KEYS

STUDY = Study.of(
    __name__,
    title="Audit of mechanisms, models and publications",
    jobs=(PART,),
    steps=(Step("claims"), Step("figures")),
    regression=Regression(passed={"audit": AUDIT_KEYS}),
)
