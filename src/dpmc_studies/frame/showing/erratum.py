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

        - :data:`CHANGES_CONCLUSION`: put right, a guarantee, theorem or finding that is stated no
          longer holds as stated;
        - :data:`WITHOUT_CONSEQUENCE`: wrong as written, but nothing that is concluded rests on it;
        - :data:`UNSTATED`: what is needed to repeat or to judge the work is not stated, or stated
          in two ways;
        - :data:`IMPROVEMENT`: right as written; dpmc does it otherwise, with a reason.
    place : str
        Where it is reported: section, table, equation.
    published, correct : str
        What is reported and what is right, or what was settled where nothing is stated.
    evidence : str
        A sentence or two with the numbers that show it.
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
