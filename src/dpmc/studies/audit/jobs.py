"""The job of the audit, one for each of its parts."""

from dpmc.methods import method_module
from dpmc.studies.audit.methods import METHODS, USER_LEVEL_METHODS
from dpmc.studies.audit.parts import HERE, PARTS
from dpmc.studies.audit.rows import AUDIT_COLUMNS
from dpmc.study.api import Effort, Section
from dpmc.study.text_cells import Coordinates
from dpmc.study.text_cells import text_job as Job


def part_cells(section: Section) -> list[Coordinates]:
    """Return the parts that are asked for."""
    return [{"part": name} for name in section["parts"]]


def part_settings(section: Section, coordinates: Coordinates) -> dict[str, object]:
    """Return the settings that a part uses."""
    return {name: section[name] for name in PARTS[coordinates["part"]].settings}


def part_modules(section: Section, coordinates: Coordinates) -> list[str]:
    """Return the module of a part, and those of the methods, which are imported by name."""
    methods = map(method_module, (*METHODS, *USER_LEVEL_METHODS))
    return [*PARTS[coordinates["part"]].modules, *dict.fromkeys(methods)]


def effort(section: Section, coordinates: Coordinates) -> Effort:
    """Return what a part's cost grows with: publications, transcripts or draws."""
    used = part_settings(section, coordinates)
    counts = [used[name] for name in ("attacks", "runs", "samples") if name in used]
    return Effort(coordinates["part"], next(iter(counts), 1))


PART = Job(
    name="part",
    run=f"{HERE}.run:run",
    tables={"audit": AUDIT_COLUMNS},
    coordinates=("part",),
    cells=part_cells,
    settings=part_settings,
    modules=part_modules,
    seconds=20.0,
    effort=effort,
)
