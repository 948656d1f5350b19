"""Errata of the DPALS paper, its program and DP_Matrix_Completion_Alt_Min.

No number is of a run: ``tests/errata_numbers`` computes what the texts say. The papers share one
numbering; E33 was wrong and is gone.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.erratum import Erratum, read_errata

TEXTS = Path(__file__).with_name("errata.yaml")


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum."""
    return read_errata(TEXTS)
