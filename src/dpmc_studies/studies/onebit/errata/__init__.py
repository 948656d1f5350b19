"""The errata of the one-bit paper, in the order of their ids.

"One-bit paper" is [Li 2021]. The number that shows an erratum is computed where a conclusion
depends on it.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.showing.erratum import Erratum, read_errata
from dpmc_studies.studies.onebit.errata import mechanisms, proofs
from dpmc_studies.studies.onebit.errata.sources import Sources
from dpmc_studies.studies.onebit.frames import read_onebit

TEXTS = Path(__file__).parents[1] / "errata.yaml"
ENTRIES = {
    "E17": mechanisms.flip_probabilities,
    "E20": mechanisms.gaussian_objective,
    "E22": mechanisms.output_noise,
    "E26": proofs.absolute_value,
    "E46": proofs.flipped_flatness,
    "E47": proofs.sampling_constant,
}


def errata(folder: str | Path, raw_files: Mapping[str, str | Path | None]) -> list[Erratum]:
    """Return every erratum with its evidence, for which no data set is needed."""
    tables = read_onebit(folder)
    sources = Sources(tables["outp_change"], tables["outp_attack"])
    return read_errata(TEXTS, ENTRIES, sources)
