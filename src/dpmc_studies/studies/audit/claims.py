"""What we claim of the audit: T1. Each of its tests decides by its own threshold already."""

from collections.abc import Callable
from pathlib import Path

import pandas as pd

from dpmc_studies.frame.judging.claims import judge_all, registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import fact, not_available
from dpmc_studies.frame.showing.results import read_results
from dpmc_studies.studies.audit.frames import describe_audit, with_share

PREDICATES: dict[str, Callable[[pd.DataFrame | None], Finding]] = {}
claim = registering(PREDICATES)


def run(folder: Path, settings: object) -> dict[str, pd.DataFrame]:
    """Judge the claims on the audit in ``folder``; no setting is used."""
    audit = read_results(folder, ("audit",))["audit"]
    return {"claims": judge_all(__file__, PREDICATES, audit)}


@claim("T1")
def no_promise_is_broken(audit: pd.DataFrame | None) -> Finding:
    """FACT: every test was passed, and every planted fault was caught."""
    if audit is None:
        return not_available("the audit")
    return fact(audit["passed"].astype(bool).all(), describe_audit(with_share(audit)))
