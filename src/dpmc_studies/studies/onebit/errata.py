"""Errata of the one-bit paper: E17 to E29, E46 to E48 and E80 to E84.

"One-bit paper" is [Li 2021]. No number depends on a run: ``tests/errata_numbers`` computes what the
texts say.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.erratum import Erratum, read_errata

TEXTS = Path(__file__).with_name("errata.yaml")


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum."""
    return read_errata(TEXTS)
