"""The rows of audit.csv: what was claimed, what a test found, and whether the claim stands."""

from collections.abc import Iterable
from functools import partial

from dpmc_studies.frame.jobs import seeds

AUDIT_COLUMNS = (
    "target", "test", "mechanism", "method", "relation", "claimed_epsilon", "delta", "samples",
    "lower_bound", "measured", "confidence", "passed", "planted_fault",
)  # fmt: skip
AUDIT_KEYS = (
    "target", "test", "mechanism", "method", "relation", "claimed_epsilon", "planted_fault",
)  # fmt: skip
"""What names a row."""
AUDIT = "audit"
"""Purpose of the streams of random numbers."""
stream = partial(seeds.stream, frozen={"method": "solver"})
"""Columns that were renamed keep their first names in the streams."""
CONFIDENCE = 0.999
"""Of each lower bound: a claim that is true is exceeded with a probability of at most 0.001."""
SIGNIFICANCE = 1e-6
"""Below it, tests of the noise fail: there are many of them, and faults lie far below."""


def bound_row(test: str, lower_bound: float, claim: dict[str, object]) -> dict[str, object]:
    """Return the row of a lower bound on epsilon: passed if it does not exceed what is claimed.

    ``claim`` holds any of :data:`AUDIT_COLUMNS`, among them ``claimed_epsilon``.
    """
    found = {"lower_bound": lower_bound, "passed": lower_bound <= claim["claimed_epsilon"]}
    return _row(test, claim, found | {"confidence": CONFIDENCE})


def p_value_row(test: str, p_value: float, claim: dict[str, object]) -> dict[str, object]:
    """Return the row of a significance test of the noise: passed if it is not rejected."""
    found = {"measured": p_value, "passed": p_value >= SIGNIFICANCE}
    return _row(test, claim, found | {"confidence": 1 - SIGNIFICANCE})


def sensitivity_row(largest: float, claim: dict[str, object]) -> dict[str, object]:
    """Return the row of the largest change of a query over its stated sensitivity.

    The test has no sampling error; rounding may take the change 1e-9 above 1.
    """
    return _row("sensitivity", claim, {"measured": largest, "passed": largest <= 1 + 1e-9})


def difference_row(test: str, differing: int, claim: dict[str, object]) -> dict[str, object]:
    """Return the row of how many numbers or bytes of a replay on other data differ.

    None may differ, because computations after the outputs must not use the data again.
    """
    return _row(test, claim, {"measured": differing, "passed": differing == 0})


def share_row(
    test: str, share: float, claim: dict[str, object], confidence: float | None = None
) -> dict[str, object]:
    """Return the row of something that was found, as a share of what is stated: at most 1.

    Rounding may take it 1e-9 above 1. ``confidence`` is that of a lower bound of the share, where
    it was sampled.
    """
    found = {"measured": share, "passed": share <= 1 + 1e-9, "confidence": confidence}
    return _row(test, claim, found)


def caught_row(fault: str, rows: Iterable[dict[str, object]]) -> dict[str, object]:
    """Return the row of a planted fault, from the tests that should catch it.

    Passed means caught. The row is that of the first test that caught it; later tests are not run.
    """
    row = {}
    for row in rows:
        if not row["passed"]:
            return row | {"planted_fault": fault, "passed": True}
    return row | {"planted_fault": fault, "passed": False}


def _row(test, claim, found):
    return dict.fromkeys(AUDIT_COLUMNS) | {"test": test} | claim | found
