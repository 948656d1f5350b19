"""Errata of the DPALS paper and of DP_Matrix_Completion_Alt_Min, with the numbers that show them.

Each is computed from its name and the tables of :func:`dpmc.studies.dpals.frames.read_dpals`.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.studies.dpals.errata import method, reported
from dpmc.studies.dpals.frames import read_dpals
from dpmc.study.erratum import Erratum
from dpmc.study.results import Results

FIRST = 30  # the papers share one numbering
ENTRIES = (
    reported.two_statistics,
    reported.private_mean,
    reported.private_start,
    reported.replaced_users,
    method.clipping,
    method.order_of_the_projection,
    method.all_movies,
    method.one_noise_for_all,
    method.start_without_noise,
)


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum, with its evidence.

    Parameters
    ----------
    folder : path
        The study's results; what is not there is said to be not available.
    raw_files : mapping
        None are used.
    """
    return entries(read_dpals(folder))


def entries(results: Results) -> list[Erratum]:
    """Return every erratum with its evidence; tables that are absent may be left out."""
    return [entry(f"E{number}", results) for number, entry in enumerate(ENTRIES, start=FIRST)]
