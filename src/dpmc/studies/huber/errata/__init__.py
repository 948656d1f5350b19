"""Errata of the Huber mechanism paper and the thesis: E1 to E16, E39 to E45, E60 to E66.

"Paper" is [Gowtham 2022], "thesis" is Gowtham's thesis of the same year. The number that shows an
erratum is computed when the list is made, never typed in.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.frame.checking.runs import read_frame
from dpmc.frame.showing.erratum import Erratum, read_errata
from dpmc.studies.huber.errata import method, noise, privacy, results, thesis, unstated
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.reported import load

HOME = Path(__file__).parents[1]
TEXTS = HOME / "errata.yaml"
ENTRIES = {
    "E1": noise.inverse_cdf,
    "E2": noise.normaliser,
    "E3": noise.gaussian_budgets,
    "E4": noise.huber_budgets,
    "E5": method.sensitivity,
    "E6": method.regularization,
    "E8": method.noise_in_the_sum,
    "E9": method.unstated_start,
    "E10": results.data_sets,
    "E11": results.labels,
    "E12": method.residual_scale,
    "E13": noise.less_noise_than_laplace,
    "E14": results.claims_about_own_tables,
    "E15": privacy.one_release,
    "E16": privacy.noiseless_users,
    "E39": thesis.thresholding,
    "E40": thesis.decomposition,
    "E41": noise.proof_for_numbers,
    "E42": method.gradient,
    "E43": method.identical_noise,
    "E44": results.noiseless_columns,
    "E45": results.small_fractions,
    "E60": unstated.huber_columns,
    "E61": unstated.settings,
    "E62": unstated.rating_range,
    "E63": method.noise_in_ratings,
    "E64": thesis.slips,
    "E65": results.two_inner_iterations,
    "E66": noise.falling_budgets,
}


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum, with its evidence (a few seconds of computing)."""
    published = load()
    trials, heldout = (read_frame(folder / f"{name}.csv") for name in ("trials", "heldout"))
    return listed(Sources(published, raw_files, trials, heldout))


def listed(sources: Sources) -> list[Erratum]:
    """Return every erratum with what its evidence says on these sources."""
    return read_errata(TEXTS, ENTRIES, sources)
