"""How the one-bit paper's claims are judged: "always below", "within a margin", on both outputs."""

from collections.abc import Callable
from dataclasses import replace

from dpmc.studies.onebit.claims.evidence import OneBitEvidence, Outputs
from dpmc.study.rules import (
    NOT_REPORTED,
    Finding,
)


def on_both_outputs(evidence: OneBitEvidence, judge: Callable[[Outputs], Finding]) -> Finding:
    """Judge the truncated outputs, and name in the reason what the raw ones would give."""
    found, raw = judge(evidence.truncated), judge(evidence.raw)
    return replace(
        found,
        reason=f"truncated outputs: {found.reason}. Raw outputs ({raw.verdict}): {raw.reason}. "
        f"{NOT_REPORTED.capitalize()}",
    )
