"""The parts of the audit, each a job: what makes their rows, and which settings they use."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType

from dpmc.privacy.relations import RELATIONS
from dpmc_studies.frame.api import Job, Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_module
from dpmc_studies.studies.audit.rows import AUDIT_COLUMNS

Rows = Iterator[dict[str, object]]
HERE = "dpmc_studies.studies.audit"
FACTOR_METHODS = ("private_als", "private_irls")
METHODS = (
    *FACTOR_METHODS, "private_global_mean", "private_item_bias", "private_user_item_bias",
)  # fmt: skip
"""Audited methods that guarantee any neighbouring relation."""
USER_LEVEL_METHODS = (
    "dpals", "dpals_features", "dpfw", "dp_altmin", "dp_saltls", "dp_svd", "dp_gradient",
    "dp_effects", "local_bayes", "local_ease",
)  # fmt: skip
"""Those that guarantee user level."""


@dataclass(frozen=True)
class Part:
    """One part of the audit.

    ``settings`` names the settings that the part uses: ``seed``, ``samples`` (outputs of a
    mechanism), ``runs`` (of a method) and ``attacks`` (publications to attack). The last three
    count for each of two neighbouring data sets. ``rows``, a ``"module:function"`` of this package,
    returns the rows for these settings; a part that is a relation also passes its name. ``faults``
    names a function that yields planted faults (:class:`dpmc_studies.studies.audit.faults.Fault`),
    whose rows follow.
    """

    settings: tuple[str, ...]
    rows: str | None = None
    faults: str | None = None

    @property
    def modules(self) -> list[str]:
        """Dotted names of the modules that make the rows."""
        return [f"{HERE}.{name.partition(':')[0]}" for name in (self.rows, self.faults) if name]


@dataclass(frozen=True)
class PartCell(Cell):
    """A part, which is one job: a key of :data:`PARTS`."""

    part: str


PARTS = MappingProxyType(
    {
        "mechanisms": Part(("seed", "samples"), "mechanisms:mechanism_rows"),
        **dict.fromkeys(RELATIONS, Part(("seed", "runs"), "method_runs:relation_rows")),
        "onebit": Part(("seed", "samples", "runs"), "onebit:onebit_rows", "faults.onebit:faults"),
        "dpals": Part(("seed", "runs"), "dpals:dpals_rows", "faults.dpals:faults"),
        "published": Part(("seed",), "released_rows:published_rows", "faults.released:faults"),
        "attack": Part(("attacks",), "attack_cases:attack_rows", "faults.attack:faults"),
        "faults": Part(("seed", "samples"), faults="faults.methods:faults"),
    }
)
"""The mechanisms; all calibrated methods under one neighbouring relation; one-bit completion;
private factorisation at user level; all that is published of any of them; what somebody learns who
has the published files alone, these four with their own planted faults; the faults of the others.
"""


def run(task: Task) -> dict[str, Rows]:
    """Audit the mechanisms, the methods under one relation, or what else the part is about."""
    return {"audit": audit_part(task.cell.part, task.settings)}


def audit_part(name: str, settings: Mapping[str, object]) -> Rows:
    """Yield the rows of a part of :data:`PARTS`, given its settings; their keys are
    :data:`dpmc_studies.studies.audit.rows.AUDIT_COLUMNS`.
    """
    part = PARTS[name]
    if part.rows:
        rows = _function(part.rows)
        yield from rows(settings, name) if name in RELATIONS else rows(settings)
    if part.faults:
        for fault in _function(part.faults)():
            yield fault.row(settings)


def _function(target):
    module, _, name = target.partition(":")
    return getattr(import_module(f"{HERE}.{module}"), name)


def part_settings(section: Section, cell: PartCell) -> dict[str, object]:
    """Return the settings that a part uses."""
    return {name: section[name] for name in PARTS[cell.part].settings}


def part_modules(section: Section, cell: PartCell) -> list[str]:
    """Return the modules of a part, and those of the methods, which are imported by name."""
    return [
        *PARTS[cell.part].modules,
        *dict.fromkeys(map(method_module, (*METHODS, *USER_LEVEL_METHODS))),
    ]


PART = Job(
    name="part",
    run=".parts:run",
    tables={"audit": AUDIT_COLUMNS},
    cell=PartCell,
    cells=lambda section: map(PartCell, section["parts"]),
    settings=part_settings,
    modules=part_modules,
    differ_by="part",
)
