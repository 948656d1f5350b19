"""What the check compares of the one-bit study.

The solvers use BLAS, whose kernels differ between CPUs. Measured with those of three kinds of CPU,
100 x 100 completions differ by at most a relative 1e-7. Large ones, which are in single precision
and may stop an iteration earlier, have a tolerance of their own in the reference.
"""

from dataclasses import replace

from dpmc.studies.onebit.cells import ONEBIT_COLUMNS, ONEBIT_COORDINATES
from dpmc.studies.onebit.settings import cell_settings, onebit_cells
from dpmc.study.api import Regression, Section
from dpmc.study.cells import cell_name

_NOT_COMPARED = ("iterations", "converged", "seconds")  # how it was computed
ONEBIT_METRICS = tuple(
    name for name in ONEBIT_COLUMNS if name not in (*ONEBIT_COORDINATES, "trial", *_NOT_COMPARED)
)


def cells_with_rows(section: Section) -> dict[str, dict[str, object]]:
    """Return the settings by the name of each cell that has rows, those of baselines too."""
    found = {}
    for cell in onebit_cells(section):
        settings = cell_settings(section, cell)
        settings.pop("ranks", None)  # of another table, which is not compared
        for mechanism in (cell.mechanism, *settings.pop("baselines", ())):
            found[cell_name(replace(cell, mechanism=mechanism).coordinates())] = settings
    return found


REGRESSION = Regression(
    table="trials",
    coordinates=ONEBIT_COORDINATES,
    metrics=ONEBIT_METRICS,
    cells=cells_with_rows,
    labels={"claims": ("id",)},
)
