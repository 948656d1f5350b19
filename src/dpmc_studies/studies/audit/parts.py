"""The parts of the audit: what runs them, and which settings they use."""

from dataclasses import dataclass
from types import MappingProxyType

from dpmc.privacy.relations import RELATIONS
from dpmc_studies.frame.jobs.cells import Cell

HERE = "dpmc_studies.studies.audit"
FAULTS = f"{HERE}.faults"


@dataclass(frozen=True)
class Part:
    """One part of the audit.

    Its ``settings`` are those that it uses: ``seed``, ``samples`` (outputs of a mechanism),
    ``runs`` (of a method) and ``attacks`` (publications that are attacked), on each of two
    neighbouring data sets. ``rows``, a ``"package.module:function"``, turns them into the rows, for
    a relation also given its name. ``faults`` names a function that yields the planted faults
    (:class:`dpmc_studies.studies.audit.faults.Fault`), whose rows follow.
    """

    settings: tuple[str, ...]
    rows: str | None = None
    faults: str | None = None

    @property
    def modules(self) -> list[str]:
        """Dotted names of the modules that make the rows."""
        return [name.partition(":")[0] for name in (self.rows, self.faults) if name]


@dataclass(frozen=True)
class PartCell(Cell):
    """A part, which is one job: a key of :data:`PARTS`."""

    part: str


PARTS = MappingProxyType(
    {
        "mechanisms": Part(("seed", "samples"), f"{HERE}.mechanisms:mechanism_rows"),
        **dict.fromkeys(RELATIONS, Part(("seed", "runs"), f"{HERE}.method_runs:relation_rows")),
        "onebit": Part(
            ("seed", "samples", "runs"), f"{HERE}.onebit:onebit_rows", f"{FAULTS}.onebit:faults"
        ),
        "dpals": Part(("seed", "runs"), f"{HERE}.dpals:dpals_rows", f"{FAULTS}.dpals:faults"),
        "published": Part(
            ("seed",), f"{HERE}.released_rows:published_rows", f"{FAULTS}.released:faults"
        ),
        "attack": Part(("attacks",), f"{HERE}.attack_cases:attack_rows", f"{FAULTS}.attack:faults"),
        "faults": Part(("seed", "samples"), faults=f"{FAULTS}.methods:faults"),
    }
)
"""The mechanisms; all calibrated methods under one neighbouring relation; one-bit completion;
private factorisation at user level; all that is published of any of them; what somebody learns who
has the published files alone, these four with their own planted faults; the faults of the others.
"""
