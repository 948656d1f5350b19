"""A question of our own: from which observed fraction on does noisy ALS beat the item bias?"""

from dataclasses import dataclass
from itertools import product, starmap

from dpmc_studies.frame.api import Job, Study
from dpmc_studies.frame.jobs.cells import Cell

METHODS = {"item_bias": "Item bias", "als": "ALS", "noisy_als": "ALS, Gaussian noise"}
UNUSED = {"item_bias": ("iterations", "regularization", "variance"), "als": ("variance",)}


@dataclass(frozen=True)
class Fit(Cell):
    """A method at an observed fraction, with all its trials."""

    method: str
    observed_fraction: float


def settings(section, cell):
    """Return exactly what a cell uses: a changed variance reruns nothing without noise."""
    unused = ("observed_fractions", *UNUSED.get(cell.method, ()))
    return {name: value for name, value in section.items() if name not in unused}


FIT = Job(
    "fit",
    ".run:fit",
    tables={"trials": (*Fit.names(), "trial", "rmse")},
    cell=Fit,
    cells=lambda section: starmap(Fit, product(METHODS, section["observed_fractions"])),
    by=("method",),  # a job is a curve: a method at all observed fractions
    settings=settings,
)
STUDY = Study.of(__name__, title="How many ratings do noisy factors need?", jobs=(FIT,))
