"""Errata of the Huber mechanism paper and the thesis: E1 to E16, E39 to E45, E60 to E66, E94.

"Paper" is [Gowtham 2022], "thesis" is Gowtham's thesis of the same year. The number that shows an
erratum is computed where a conclusion depends on it, or where it is the run's.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc_studies.frame.checking.runs import read_frame
from dpmc_studies.frame.showing.erratum import Erratum, read_errata
from dpmc_studies.studies.huber.errata import method, noise, privacy, results, unstated
from dpmc_studies.studies.huber.errata.sources import Sources
from dpmc_studies.studies.huber.reported import load

HOME = Path(__file__).parents[1]
TEXTS = HOME / "errata.yaml"
ENTRIES = {
    "E3": noise.gaussian_budgets,
    "E5": method.sensitivity,
    "E11": results.labels,
    "E14": results.claims_about_own_tables,
    "E15": privacy.one_release,
    "E16": privacy.noiseless_users,
    "E61": unstated.settings,
    "E63": method.noise_in_ratings,
}


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum, with its evidence (a few seconds of computing)."""
    published = load()
    trials, heldout = (read_frame(folder / f"{name}.csv") for name in ("trials", "heldout"))
    return listed(Sources(published, raw_files, trials, heldout))


def listed(sources: Sources) -> list[Erratum]:
    """Return every erratum with what its evidence says on these sources."""
    return read_errata(TEXTS, ENTRIES, sources)
