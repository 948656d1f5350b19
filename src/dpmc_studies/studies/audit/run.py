"""Running one part of the audit."""

from collections.abc import Iterator, Mapping
from importlib import import_module

from dpmc.privacy.relations import RELATIONS
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.audit.parts import PARTS

Rows = Iterator[dict[str, object]]


def run(task: Task) -> dict[str, Rows]:
    """Audit the mechanisms, the methods under one relation, or what else the part is about."""
    return {"audit": audit_part(task.cell.part, task.settings)}


def audit_part(part: str, settings: Mapping[str, object]) -> Rows:
    """Yield the rows of a part of :data:`dpmc_studies.studies.audit.parts.PARTS`, given its
    settings.

    They have the keys :data:`dpmc_studies.studies.audit.rows.AUDIT_COLUMNS`.
    """
    if PARTS[part].rows:
        rows = _function(PARTS[part].rows)
        yield from rows(settings, part) if part in RELATIONS else rows(settings)
    if PARTS[part].faults:
        for fault in _function(PARTS[part].faults)():
            yield fault.row(settings)


def _function(target):
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)
