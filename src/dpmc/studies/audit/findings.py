"""What the audit found, computed from its table."""

import pandas as pd

from dpmc.studies.audit.figures import describe_audit, with_share
from dpmc.study.effects import Answer
from dpmc.study.finding import CONTRADICTED, INCONCLUSIVE, SUPPORTED

NOT_RUN = "Not run."


def audited(audit: pd.DataFrame | None) -> Answer:
    """Judge whether every test was passed and every planted fault was caught."""
    title = "The audit finds no broken promise and catches every planted fault"
    if audit is None:
        return Answer(INCONCLUSIVE, title, NOT_RUN)
    verdict = SUPPORTED if audit["passed"].astype(bool).all() else CONTRADICTED
    return Answer(verdict, title, describe_audit(with_share(audit)))
