"""Jobs about the published budgets: what they add up to, and what the algorithms reveal.

The tables and figures that are made of them are in :mod:`dpmc.studies.huber.tables_privacy` and
:mod:`dpmc.studies.huber.figures.privacy_totals`, what they mean is said in
:mod:`dpmc.studies.huber.privacy_meaning`.
"""

from dpmc.frame.api import Job, Section
from dpmc.methods import method_module
from dpmc.studies.huber.cells import Cell, huber_cells
from dpmc.studies.huber.experiments.common import in_proportion_to, ratings_of
from dpmc.studies.huber.privacy_columns import TABLES, TOTAL_COLUMNS, TRANSCRIPT_COLUMNS
from dpmc.studies.huber.settings import cell_settings

SUMS, LOSSES = TABLES
METHODS = ("als", "irls")
NOISES = ("gaussian", "laplace", "huber")


def noised_cells(section: Section) -> list[Cell]:
    """Return the cells of the papers' algorithms with noise, whose releases have a density."""
    return [
        cell for cell in huber_cells(section) if cell.method in METHODS and cell.mechanism in NOISES
    ]


def transcript_settings(section: Section, cell: Cell) -> dict[str, object]:
    """Return what a cell of the grid uses, and how many neighbours of its data are looked at."""
    own = {name: section["transcript"][name] for name in ("neighbours", "delta")}
    return cell_settings(section, cell) | own


def transcript_modules(section: Section, cell: Cell) -> list[str]:
    """Return the modules of the part's method and of all its mechanisms."""
    noises = [f"dpmc.mechanisms.{name}" for name in NOISES]
    return [method_module(cell.method), *noises]


TOTALS = Job(
    name="totals",
    run="dpmc.studies.huber.totals:run",
    tables={SUMS: TOTAL_COLUMNS},
    settings=lambda section, cell: dict(section["totals"]),
    seconds=10.0,
)
TRANSCRIPT = Job(
    name="transcript",
    run="dpmc.studies.huber.transcript:run",
    tables={LOSSES: TRANSCRIPT_COLUMNS},
    cell=Cell,
    cells=noised_cells,
    by=("dataset", "rank", "method"),  # most cells take less than starting Python
    settings=transcript_settings,
    effort=in_proportion_to("transcript.neighbours"),
    inputs=ratings_of,
    modules=transcript_modules,
    seconds=15.0,
)
