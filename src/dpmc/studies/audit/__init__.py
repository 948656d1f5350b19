"""Attempts to catch mechanisms, calibrated solvers and publications at breaking their promises.

The audit has independent parts, each a job of its own.
"""

from collections.abc import Iterator, Mapping

from dpmc.privacy.relations import RELATIONS
from dpmc.studies.audit.rows import AUDIT_COLUMNS

__all__ = ["AUDIT_COLUMNS", "AUDIT_PARTS", "audit_part"]

AUDIT_PARTS = ("mechanisms", *RELATIONS, "onebit", "dpals", "published", "attack", "faults")


def audit_part(part: str, settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of one part of the audit.

    Parameters
    ----------
    part : str
        "mechanisms"; a neighbouring relation, for all calibrated solvers under it; "onebit", for
        one-bit completion, and "dpals", for private factorisation at user level; "published", for
        all that is published of any of them, and "attack", for what somebody learns who has the
        published files alone, these four with their own planted faults; or "faults", of the others.
    settings : mapping
        ``seed``, ``samples`` (outputs of a mechanism), ``runs`` (of a solver) and ``attacks``
        (publications that are attacked), on each of two neighbouring data sets.

    Yields
    ------
    dict
        Keys :data:`AUDIT_COLUMNS`.
    """
    if part == "mechanisms":
        from dpmc.studies.audit.mechanisms import mechanism_rows

        return mechanism_rows(settings)
    if part == "faults":
        from dpmc.studies.audit.faults import fault_rows

        return fault_rows(settings)
    if part == "onebit":
        from dpmc.studies.audit.onebit import onebit_rows

        return onebit_rows(settings)
    if part == "dpals":
        from dpmc.studies.audit.dpals import dpals_rows

        return dpals_rows(settings)
    if part == "published":
        from dpmc.studies.audit.published import published_rows

        return published_rows(settings)
    if part == "attack":
        from dpmc.studies.audit.attack_cases import attack_rows

        return attack_rows(settings)
    from dpmc.studies.audit.solvers import relation_rows

    return relation_rows(settings, part)
