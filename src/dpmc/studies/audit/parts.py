"""The parts of the audit: what runs them, and which settings they use."""

from dataclasses import dataclass
from types import MappingProxyType

from dpmc.privacy.relations import RELATIONS

HERE = "dpmc.studies.audit"


@dataclass(frozen=True)
class Part:
    """One part of the audit.

    Attributes
    ----------
    rows : str
        ``"package.module:function"``: from the settings to the rows, of a relation also given its
        name.
    settings : tuple of str
        Those that it uses: ``seed``, ``samples`` (outputs of a mechanism), ``runs`` (of a method)
        and ``attacks`` (publications that are attacked), on each of two neighbouring data sets.
    """

    rows: str
    settings: tuple[str, ...]

    @property
    def module(self) -> str:
        """Dotted name of the module that makes the rows."""
        return self.rows.partition(":")[0]


PARTS = MappingProxyType(
    {
        "mechanisms": Part(f"{HERE}.mechanisms:mechanism_rows", ("seed", "samples")),
        **dict.fromkeys(RELATIONS, Part(f"{HERE}.method_runs:relation_rows", ("seed", "runs"))),
        "onebit": Part(f"{HERE}.onebit:onebit_rows", ("seed", "samples", "runs")),
        "dpals": Part(f"{HERE}.dpals:dpals_rows", ("seed", "runs")),
        "published": Part(f"{HERE}.published:published_rows", ("seed",)),
        "attack": Part(f"{HERE}.attack_cases:attack_rows", ("attacks",)),
        "faults": Part(f"{HERE}.faults:fault_rows", ("seed", "samples")),
    }
)
"""The mechanisms; all calibrated methods under one neighbouring relation; one-bit completion;
private factorisation at user level; all that is published of any of them; what somebody learns who
has the published files alone, these four with their own planted faults; the faults of the others.
"""
