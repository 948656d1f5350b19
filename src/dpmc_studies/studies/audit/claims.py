"""Our claim about the audit: T1. Each test already decides by its own threshold."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd

from dpmc_studies.frame.judging.claims import judge_all, registering
from dpmc_studies.frame.judging.finding import Finding
from dpmc_studies.frame.judging.rules import fact, not_available
from dpmc_studies.frame.showing.results import read_results

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
    return fact(audit["passed"].astype(bool).all(), describe_audit(audit))


def describe_audit(audit: pd.DataFrame) -> str:
    """Count the tests that were passed and the planted faults that were caught."""
    passed, honest = audit["passed"].astype(bool), audit["planted_fault"].isna()
    confidence = audit["confidence"].dropna()
    sure = f" at {100 * confidence.min():g} % confidence a test" if len(confidence) else ""
    text = f"{passed[honest].sum()} of {honest.sum()} tests are passed{sure}"
    highest = (audit["lower_bound"] / audit["claimed_epsilon"])[honest].max()
    if np.isfinite(highest):
        text += f", with lower bounds of up to {100 * highest:.1f} % of the claimed ε"
    caught, planted = passed[~honest].sum(), (~honest).sum()
    return f"{text}; {caught} of {planted} planted faults are caught."
