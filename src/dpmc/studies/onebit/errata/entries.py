"""Every erratum of the one-bit paper, in the order of their ids.

"One-bit paper" is Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential
privacy" (arXiv:2110.00719). The number that shows an erratum is computed when the list is made,
never typed in.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.studies.onebit.errata import mechanisms, text
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.studies.onebit.frames import read_onebit
from dpmc.study.erratum import Erratum

FIRST = 17
ENTRIES = (
    mechanisms.flip_probabilities,
    mechanisms.input_objective,
    mechanisms.halved_noise,
    mechanisms.gaussian_objective,
    mechanisms.gradient_noise,
    mechanisms.output_noise,
    text.largest_entry,
    text.figure_one,
    text.flatness,
    text.absolute_value,
    text.minimum,
    text.restaurant_density,
    text.threshold,
)


def errata(folder: str | Path, raw_files: Mapping[str, str | Path | None]) -> list[Erratum]:
    """Return every erratum with its evidence.

    Parameters
    ----------
    folder : path
        The study's results.
    raw_files : mapping
        Data set name to its raw file, None where it is not available.
    """
    tables = read_onebit(folder)
    sources = Sources(raw_files, tables["outp_change"], tables["outp_attack"])
    return [entry(f"E{number}", sources) for number, entry in enumerate(ENTRIES, start=FIRST)]
