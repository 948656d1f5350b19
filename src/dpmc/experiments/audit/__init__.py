"""Attempts to catch mechanisms and calibrated solvers at breaking their promise of privacy.

The audit has independent parts, each a job of its own.
"""

from collections.abc import Iterator, Mapping

from dpmc.experiments.audit.rows import AUDIT_COLUMNS
from dpmc.privacy.relations import RELATIONS

__all__ = ["AUDIT_COLUMNS", "AUDIT_PARTS", "audit_part"]

AUDIT_PARTS = ("mechanisms", *RELATIONS, "onebit", "dpals", "faults")


def audit_part(part: str, settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of one part of the audit.

    Parameters
    ----------
    part : str
        "mechanisms"; a neighbouring relation, for all calibrated solvers under it; "onebit", for
        one-bit completion, and "dpals", for private factorisation at user level, both with their
        own planted faults; or "faults", of the others.
    settings : mapping
        ``seed``, ``samples`` (outputs of a mechanism) and ``runs`` (of a solver), on each of two
        neighbouring data sets.

    Yields
    ------
    dict
        Keys :data:`AUDIT_COLUMNS`.
    """
    if part == "mechanisms":
        from dpmc.experiments.audit.mechanisms import mechanism_rows

        return mechanism_rows(settings)
    if part == "faults":
        from dpmc.experiments.audit.faults import fault_rows

        return fault_rows(settings)
    if part == "onebit":
        from dpmc.experiments.audit.onebit import onebit_rows

        return onebit_rows(settings)
    if part == "dpals":
        from dpmc.experiments.audit.dpals import dpals_rows

        return dpals_rows(settings)
    from dpmc.experiments.audit.solvers import relation_rows

    return relation_rows(settings, part)
