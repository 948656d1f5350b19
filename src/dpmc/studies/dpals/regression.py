"""What the check compares of DPALS.

Sums over ratings are added in another order on other CPUs, in single precision for large data sets:
these have a tolerance of their own in the reference.
"""

from collections.abc import Collection, Mapping

from dpmc.studies.dpals.cells import (
    DPALS_COLUMNS,
    DPALS_COORDINATES,
    dpals_cells,
    dpals_settings,
)
from dpmc.study.api import Regression, Section
from dpmc.study.cells import cell_name

DPALS_METRICS = tuple(
    name for name in DPALS_COLUMNS if name not in (*DPALS_COORDINATES, "trial", "seconds")
)
SOURCE = "data.of"  # the setting that names the data set which another is made of


def settings_by_cell(section: Section) -> dict[str, dict[str, object]]:
    """Return the settings of every cell by its name."""
    return {
        cell_name(cell.coordinates()): dpals_settings(section, cell)
        for cell in dpals_cells(section)
    }


def made_of(unavailable: Collection[str], cells: Mapping[str, Mapping]) -> list[str]:
    """Return the data sets that could not be had, and those that are made of them.

    Parameters
    ----------
    unavailable : collection of str
    cells : mapping
        The settings by cell, one value a name, as
        :func:`dpmc.study.cell_settings.read_settings` reads them.
    """
    sources = {
        name.split(", ")[0].removeprefix("dataset="): own.get(SOURCE) for name, own in cells.items()
    }
    made = [name for name, source in sources.items() if source in unavailable]
    return list(dict.fromkeys([*unavailable, *made]))


REGRESSION = Regression(
    table="trials",
    coordinates=DPALS_COORDINATES,
    metrics=DPALS_METRICS,
    cells=settings_by_cell,
    lacking=made_of,
    labels={"claims": ("id",)},
    by_clock=("D21",),  # about seconds
)
