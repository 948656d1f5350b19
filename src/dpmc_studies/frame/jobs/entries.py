"""The data sets of a section: stored ratings, parts of them, and random matrices.

The job makes the data for an entry of ``datasets`` with a number of ``items`` (a random matrix), or
``like`` MovieLens 10M. Other entries name their stored ratings, as ``of`` or by their own name.
"""

from collections.abc import Mapping

from dpmc_studies.datasets.parts import LIANG
from dpmc_studies.frame.api import RatingsOf, Section, Source
from dpmc_studies.frame.jobs.cells import Cell, is_drawn


def stored(section: Mapping, dataset: str) -> str | None:
    """Return the name of a data set's stored ratings; None if the job makes the data."""
    entry = section["datasets"][dataset]
    return None if is_drawn(entry) or "like" in entry else entry.get("of", dataset)


def public_range(entry: Mapping) -> tuple[float, float]:
    """Return the public range of the ratings that a model sees, for an entry of ``datasets``."""
    if entry.get("split") == LIANG:
        return (0.0, 1.0)  # signs of preference
    low, high = entry.get("rescale", entry["rating_range"])
    return float(low), float(high)


def inputs_of(section: Section, cell: Cell) -> dict[str, Source]:
    """Return the inputs of a job on a data set; none if the job makes its data."""
    name = stored(section, cell.dataset)
    return {} if name is None else {"ratings": RatingsOf(name)}
