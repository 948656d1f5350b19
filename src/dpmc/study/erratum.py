"""One erratum, and how its numbers are formatted."""

from collections.abc import Mapping
from dataclasses import dataclass

CHANGES_CONCLUSION = "error that changes a conclusion"
WITHOUT_CONSEQUENCE = "error without consequence"
UNSTATED = "unstated"
IMPROVEMENT = "improvement of ours"


@dataclass(frozen=True)
class Erratum:
    """Something reported that is not right, or left open, or that dpmc does otherwise.

    Attributes
    ----------
    id, title : str
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
    numbers : dict
        The same numbers by name, unrounded; a number that needs absent data is missing.
    """

    id: str
    title: str
    grade: str
    place: str
    published: str
    correct: str
    evidence: str
    numbers: Mapping[str, float]


def listed(values, digits: int) -> str:
    """Format numbers as "1.23, 4.56 and 7.89"."""
    texts = [f"{value:.{digits}f}" for value in values]
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
