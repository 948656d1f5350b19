"""Fits with one link to signs that were drawn with the other: what an unknown link costs.

Source: [Li 2021], section 5.2.2, explains the order of the mechanisms on real data with it.
"""

from collections.abc import Iterator

from dpmc.errors import refuse_unknown
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.onebit.cells import (
    BOTH,
    NOISES,
    OBSERVED_FRACTION,
    ONEBIT_COORDINATES,
    PRIVATE,
    SYNTHETIC,
    OneBitCell,
)
from dpmc_studies.studies.onebit.settings import cell_settings
from dpmc_studies.studies.onebit.trial import run_curve

WRONG_LINK_COLUMNS = (*ONEBIT_COORDINATES, "drawn_link", "trial", "are_raw", "are_truncated")


def cells(section: Section) -> list[OneBitCell]:
    """Return cells of the benchmark with the link of the fit; none where only one link is run."""
    own = section["wrong_link"]
    refuse_unknown("private mechanism", own["mechanisms"], PRIVATE)
    return [
        cell
        for cell in section["cells"]
        if (cell.dataset, cell.constraint) == (SYNTHETIC, BOTH)
        and cell.observed_fraction == OBSERVED_FRACTION
        and cell.mechanism in own["mechanisms"]
        and cell.epsilon in own["epsilons"]
        and len(section["links"]) > 1
    ]


def settings(section: Section, cell: OneBitCell) -> dict[str, object]:
    """Return what the cell of the grid uses, with the link of the signs: the other one."""
    (drawn,) = (link for link in section["links"] if link != cell.link)
    own = {"trials": section["wrong_link"]["trials"], "drawn_link": drawn}
    return cell_settings(section, cell) | own


def run(task: Task) -> Iterator[dict[str, object]]:
    """Run a mechanism with all its epsilons; matrices, entries and noise are those of the grid."""
    drawn = {"drawn_link": task.settings["drawn_link"]}
    for row in run_curve(list(task.cells), task.settings):
        yield {name: (row | drawn)[name] for name in WRONG_LINK_COLUMNS}


def modules(section: Section, cell: OneBitCell) -> tuple[str, ...]:
    """Return the modules that are imported by name."""
    return NOISES


TABLES = {"wrong_link": WRONG_LINK_COLUMNS}
CELL = OneBitCell
BY = ONEBIT_COORDINATES[:5]
