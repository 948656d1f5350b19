"""Every erratum of the one-bit paper, in the order of their ids.

"One-bit paper" is [Li 2021]. The number that shows an erratum is computed when the list is made,
never typed in.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.showing.erratum import Erratum, read_errata
from dpmc.studies.onebit.errata import mechanisms, proofs, text
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.studies.onebit.frames import read_onebit

TEXTS = Path(__file__).parents[1] / "errata.yaml"
ENTRIES = {
    "E17": mechanisms.flip_probabilities,
    "E18": mechanisms.input_objective,
    "E19": mechanisms.halved_noise,
    "E20": mechanisms.gaussian_objective,
    "E21": mechanisms.gradient_noise,
    "E22": mechanisms.output_noise,
    "E23": text.largest_entry,
    "E24": text.figure_one,
    "E25": proofs.flatness,
    "E26": proofs.absolute_value,
    "E27": proofs.minimum,
    "E28": text.restaurant_density,
    "E29": text.threshold,
    "E46": proofs.flipped_flatness,
    "E47": proofs.sampling_constant,
    "E48": proofs.squared_triangle,
    "E80": proofs.true_matrix,
    "E81": proofs.optimal_solution,
    "E82": text.variance,
    "E83": text.counter,
}


def errata(folder: str | Path, raw_files: Mapping[str, str | Path | None]) -> list[Erratum]:
    """Return every erratum with its evidence.

    ``raw_files`` is data set name to its raw file, None where it is not available.
    """
    tables = read_onebit(folder)
    sources = Sources(raw_files, tables["outp_change"], tables["outp_attack"])
    return read_errata(TEXTS, ENTRIES, sources)
