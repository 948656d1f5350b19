"""The data sets of a section: stored ratings, parts of them, and drawn matrices.

An entry of ``datasets`` with a number of ``items`` is drawn in the job, and one that is ``like``
MovieLens 10M is generated there. ``of`` names the stored ratings that an entry is made of; without
it they have the name of the entry.
"""

from collections.abc import Mapping

from dpmc_studies.datasets.parts import LIANG
from dpmc_studies.frame.api import RatingsOf, Section, Source
from dpmc_studies.frame.jobs.cells import Cell, is_drawn


def stored(section: Mapping, dataset: str) -> str | None:
    """Return the name of the stored ratings that a data set is made of; None if a job makes it."""
    entry = section["datasets"][dataset]
    return None if is_drawn(entry) or "like" in entry else entry.get("of", dataset)


def public_range(entry: Mapping) -> tuple[float, float]:
    """Return the public range of the ratings that a model sees, from the entry of a data set."""
    if entry.get("split") == LIANG:
        return (0.0, 1.0)  # signs of preference
    low, high = entry.get("rescale", entry["rating_range"])
    return float(low), float(high)


def inputs_of(section: Section, cell: Cell) -> dict[str, Source]:
    """Return what a job on a data set reads: nothing where it makes its data."""
    name = stored(section, cell.dataset)
    return {} if name is None else {"ratings": RatingsOf(name)}
