"""Mistakes in the papers: the texts of a study's ``errata.yaml``.

Their numbers do not depend on a run: ``tests/contract/test_errata_numbers.py`` computes them.
"""

from dataclasses import dataclass
from pathlib import Path

from dpmc.errors import InputError
from dpmc_studies.yaml_files import read_mapping

CHANGES_CONCLUSION = "error that changes a conclusion"
WITHOUT_CONSEQUENCE = "error without consequence"
UNSTATED = "unstated"
IMPROVEMENT = "our improvement"


@dataclass(frozen=True)
class Erratum:
    """A mistake or an omission in a paper, or a point where dpmc differs.

    Attributes
    ----------
    grade : str
        How much it matters:

        - :data:`CHANGES_CONCLUSION`: once corrected, a stated guarantee, theorem or finding no
          longer holds as stated;
        - :data:`WITHOUT_CONSEQUENCE`: wrong as written, but no conclusion depends on it;
        - :data:`UNSTATED`: information needed to repeat or judge it is missing or inconsistent;
        - :data:`IMPROVEMENT`: right as written, but dpmc does it differently, for a reason.
    place : str
        Place in the paper: section, table, equation.
    published, correct : str
        The reported statement and the right one, or our choice if the paper states nothing.
    evidence : str
        One or two sentences with the numbers that prove it.
    """

    id: str
    title: str
    grade: str
    place: str
    published: str
    correct: str
    evidence: str


def read_errata(path: Path | None) -> list[Erratum]:
    """Return the errata of a file, in its order: id -> the attributes of :class:`Erratum`."""
    try:
        entries = {} if path is None else read_mapping(path)
        return [Erratum(id_, **entry) for id_, entry in entries.items()]
    except TypeError as error:
        raise InputError(f"{path}: {error}.") from None
