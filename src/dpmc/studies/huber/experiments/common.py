"""What several experiments of the Huber study share."""

import math
from collections.abc import Callable
from functools import reduce

from dpmc.frame.api import Cells, Effort, RatingsOf, Section
from dpmc.frame.jobs import cells
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.mechanisms import mechanism_module
from dpmc.methods import method_module
from dpmc.studies.huber.cells import Cell, DataCell

MOVIELENS, SWEETRS = "ml-100k", "sweetrs"
METHODS = ("als", "irls")
MECHANISMS = ("none", "gaussian", "laplace", "huber")


def real_cell(
    section: Section, dataset: str, fraction: float, method: str, mechanism: str, variance: float
) -> Cell:
    """Return a cell of a real data set with its rank, and its K where the method has one."""
    entry = section["real"][dataset]
    inner = entry["irls_iterations"] if method == "irls" else None
    level = None if mechanism == "none" else float(variance)
    return Cell(dataset, entry["rank"], level, float(fraction), method, mechanism, inner)


def ratings_of(section: Section, cell: Cell | DataCell) -> dict[str, RatingsOf]:
    """Return the ratings of a real data set; synthetic data are generated."""
    return {} if cell.dataset == SYNTHETIC else {"ratings": RatingsOf(cell.dataset)}


def side_modules(section: Section, cell: cells.Cell) -> list[str]:
    """Return the modules of the methods and mechanisms of all side experiments."""
    mechanisms = [mechanism_module(name) for name in MECHANISMS]
    side = "dpmc.studies.huber.experiments.side"
    return [side, *map(method_module, METHODS), *mechanisms]


def in_proportion_to(*keys: str) -> Callable[[Section, Cells], Effort]:
    """Return an effort that grows with settings of the section, such as ``"starts.count"``."""

    def effort(section: Section, cells: Cells) -> Effort:
        values = (reduce(lambda part, name: part[name], key.split("."), section) for key in keys)
        return Effort(amount=math.prod(values))

    return effort
