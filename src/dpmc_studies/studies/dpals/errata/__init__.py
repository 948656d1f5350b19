"""Errata of the DPALS paper, its program and DP_Matrix_Completion_Alt_Min, with their numbers.

Those on which a conclusion depends, or that are the run's, are computed, from the tables of
:func:`dpmc_studies.studies.dpals.frames.read_dpals`.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.erratum import Erratum, read_errata
from dpmc_studies.frame.showing.results import Results
from dpmc_studies.studies.dpals.errata import method, reported
from dpmc_studies.studies.dpals.frames import read_dpals

TEXTS = Path(__file__).parents[1] / "errata.yaml"
ENTRIES = {  # the papers share one numbering; E33 was wrong and is gone
    "E30": reported.two_statistics,
    "E31": reported.private_mean,
    "E32": reported.private_start,
    "E36": method.all_movies,
    "E37": method.one_noise_for_all,
    "E38": method.start_without_noise,
    "E49": method.node_step,
    "E50": method.resampling,
    "E51": method.one_direction,
    "E52": method.growth_with_items,
    "E90": method.program_of_altmin,
    "E91": reported.program_of_dpals,
}


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum with its evidence; results that are not there are said to be not
    available.
    """
    return entries(read_dpals(folder))


def entries(results: Results) -> list[Erratum]:
    """Return every erratum with its evidence; tables that are absent may be left out."""
    return read_errata(TEXTS, ENTRIES, results)
