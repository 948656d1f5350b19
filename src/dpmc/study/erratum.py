"""One erratum, and how its numbers are spelled."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Erratum:
    """Something printed that is not right.

    Attributes
    ----------
    id, title : str
    place : str
        Where it is printed: section, table, equation.
    published, correct : str
        What is printed and what is right, or what was settled where nothing is stated.
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
    """Spell numbers as "1.23, 4.56 and 7.89"."""
    spelled = [f"{value:.{digits}f}" for value in values]
    return f"{', '.join(spelled[:-1])} and {spelled[-1]}" if len(spelled) > 1 else spelled[0]
