"""One erratum, and how its numbers are formatted."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Erratum:
    """Something reported that is not right.

    Attributes
    ----------
    id, title : str
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
    place: str
    published: str
    correct: str
    evidence: str
    numbers: Mapping[str, float]


def listed(values, digits: int) -> str:
    """Format numbers as "1.23, 4.56 and 7.89"."""
    texts = [f"{value:.{digits}f}" for value in values]
    return f"{', '.join(texts[:-1])} and {texts[-1]}" if len(texts) > 1 else texts[0]
