"""What the audit found, computed from its table."""

import pandas as pd

from dpmc.studies.audit.figures import describe_audit, with_share
from dpmc.study.effects import FAILS, HOLDS, OPEN, Finding

NOT_RUN = "Not run."


def audited(audit: pd.DataFrame | None) -> Finding:
    """Judge whether every test was passed and every planted fault was caught."""
    title = "The audit finds no broken promise and catches every planted fault"
    if audit is None:
        return Finding(OPEN, title, NOT_RUN)
    verdict = HOLDS if audit["passed"].astype(bool).all() else FAILS
    return Finding(verdict, title, describe_audit(with_share(audit)))
