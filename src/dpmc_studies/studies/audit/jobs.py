"""The job of the audit, one for each of its parts."""

from dpmc_studies.frame.api import Job, Section
from dpmc_studies.methods import method_module
from dpmc_studies.studies.audit.methods import METHODS, USER_LEVEL_METHODS
from dpmc_studies.studies.audit.parts import PARTS, PartCell
from dpmc_studies.studies.audit.rows import AUDIT_COLUMNS


def part_settings(section: Section, cell: PartCell) -> dict[str, object]:
    """Return the settings that a part uses."""
    return {name: section[name] for name in PARTS[cell.part].settings}


def part_modules(section: Section, cell: PartCell) -> list[str]:
    """Return the module of a part, and those of the methods, which are imported by name."""
    methods = map(method_module, (*METHODS, *USER_LEVEL_METHODS))
    return [*PARTS[cell.part].modules, *dict.fromkeys(methods)]


PART = Job(
    name="part",
    run=".run:run",
    tables={"audit": AUDIT_COLUMNS},
    cell=PartCell,
    cells=lambda section: map(PartCell, section["parts"]),
    settings=part_settings,
    modules=part_modules,
    differ_by="part",
)
