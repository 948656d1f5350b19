"""Texts of a study in YAML, with placeholders that must all be filled.

Placeholders are those of :meth:`str.format`: ``{share:.1%}``.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from string import Formatter

from dpmc.errors import InputError
from dpmc_studies.yaml_files import read_mapping

Values = Mapping[str, object]


def placeholders(text: str) -> set[str]:
    """Return the names of a text's placeholders."""
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def fill(text: str, values: Values, where: str) -> str:
    """Fill the placeholders of a text.

    Raises
    ------
    InputError
        If a placeholder has no value; ``where`` names the text.
    """
    unknown = sorted(placeholders(text) - set(values))
    if unknown:
        raise InputError(f"{where}: nothing is known of {{{unknown[0]}}}.")
    return text.format_map(values)


def check_used(names: Iterable[str], texts: Iterable[str], where: str) -> None:
    """Check that each name has a placeholder in at least one of the texts.

    Raises
    ------
    InputError
        If one has none.
    """
    unused = sorted(set(names) - set().union(*map(placeholders, texts)))
    if unused:
        raise InputError(f"{where}: no text has a placeholder {{{unused[0]}}}.")


class Texts:
    """The texts of a file by name."""

    def __init__(self, path: Path) -> None:
        self.path, self.entries = path, read_mapping(path)

    def __call__(self, name: str, **values: object) -> str:
        """Return a text with its placeholders filled: each by a value, and each value used."""
        where = f"{self.path}, {name}"
        check_used(values, [self.entries[name]], where)
        return fill(self.entries[name], values, where)
