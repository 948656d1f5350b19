"""Errata of the Huber mechanism paper and the thesis: E1 to E16, E39 to E45, E60 to E66, E94.

"Paper" is [Gowtham 2022], "thesis" is Gowtham's thesis of the same year. No number depends on a
run: ``tests/errata_numbers`` computes what the texts say.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.erratum import Erratum, read_errata

TEXTS = Path(__file__).with_name("errata.yaml")


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum."""
    return read_errata(TEXTS)
