"""Errata of DPSR (arXiv:2512.18932), which is judged and not run."""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.erratum import Erratum, read_errata

TEXTS = Path(__file__).with_name("errata.yaml")


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum."""
    return read_errata(TEXTS)
