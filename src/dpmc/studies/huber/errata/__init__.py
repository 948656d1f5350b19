"""Errata of the Huber mechanism paper and the thesis: E1 to E16.

"Paper" is "Introducing the Huber mechanism for differentially private low-rank matrix completion"
(arXiv:2206.07910), "thesis" is Gowtham's thesis of the same year. The number that shows an erratum
is computed when the list is made, never typed in.
"""

from collections.abc import Mapping
from pathlib import Path

from dpmc.studies.huber.errata import method, noise, privacy, results
from dpmc.studies.huber.errata.sources import Sources
from dpmc.studies.huber.published import load
from dpmc.study.erratum import Erratum
from dpmc.study.runs import read_frame

FIRST = 1
ENTRIES = (
    noise.inverse_cdf,
    noise.normaliser,
    noise.gaussian_budgets,
    noise.huber_budgets,
    method.sensitivity,
    method.regularization,
    method.weights_at_zero,
    method.noise_in_the_sum,
    method.unstated_start,
    results.data_sets,
    results.labels,
    method.residual_scale,
    noise.less_noise_than_laplace,
    results.claims_about_own_tables,
    privacy.one_release,
    privacy.noiseless_users,
)


def errata(folder: Path, raw_files: Mapping[str, Path]) -> list[Erratum]:
    """Return every erratum, with its evidence (a few seconds of computing)."""
    published = load(Path(__file__).parents[1] / "published")
    return listed(Sources(published, raw_files, read_frame(folder / "trials.csv")))


def listed(sources: Sources) -> list[Erratum]:
    """Return every erratum with what its evidence says on these sources."""
    return [entry(f"E{number}", sources) for number, entry in enumerate(ENTRIES, start=FIRST)]
