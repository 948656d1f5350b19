"""What several experiments of the Huber study share."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from dpmc.mechanisms import mechanism_module
from dpmc_studies.frame.api import RatingsOf, Section
from dpmc_studies.frame.jobs import cells
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_module
from dpmc_studies.studies.huber.cells import Cell, DataCell

MOVIELENS, SWEETRS = "ml-100k", "sweetrs"
PAPERS_DATA = (MOVIELENS, SWEETRS)
METHODS = ("als", "irls")
NOISES = ("gaussian", "laplace", "huber")  # of the papers; what dpmc can calibrate may be more
MECHANISMS = ("none", *NOISES)
# what a synthetic instance depends on beside its coordinates, seed and trial
SYNTHETIC_SETTINGS = ("users", "items", "scale")
METHOD_SETTINGS = (
    "seed", "trials", "regularization", "iterations", "irls_iterations", "start", "loss_parameter",
    "residual_scale",
)  # fmt: skip


def method_settings(section: Section, experiment: str) -> dict[str, object]:
    """Return what both methods use on synthetic data, and the settings of an experiment."""
    sizes = {name: section["synthetic"][name] for name in SYNTHETIC_SETTINGS}
    return {name: section[name] for name in METHOD_SETTINGS} | sizes | dict(section[experiment])


def splits_of(section: Section, dataset: str) -> dict[float, float]:
    """Return the reported visible fractions, each with the share of the ratings that trains."""
    return {
        split["observed_fraction"]: split.get("training_share", split["observed_fraction"])
        for split in section["real"][dataset]["splits"]
    }


def synthetic_cell(settings: Mapping, method: str, mechanism: str) -> Cell:
    """Return the cell of a method and mechanism at the place that the settings say."""
    names = ("rank", "observed_fraction", "variance", "irls_iterations")
    rank, fraction, variance, inner = (settings[name] for name in names)
    return Cell.of(SYNTHETIC, rank, fraction, method, mechanism, variance, inner)


def rows_of(task: Task, run: Callable[..., Iterable[Mapping]]) -> Iterator[Mapping]:
    """Yield what ``run`` makes of each cell of a job, its settings and the ratings."""
    for cell, settings in task.cells.items():
        yield from run(cell, settings, ratings=task.ratings)


def ratings_of(section: Section, cell: Cell | DataCell) -> dict[str, RatingsOf]:
    """Return the ratings of a real data set; synthetic data are generated."""
    return {} if cell.dataset == SYNTHETIC else {"ratings": RatingsOf(cell.dataset)}


def papers_modules(section: Section, cell: cells.Cell) -> list[str]:
    """Return the modules of the papers' methods and mechanisms, which are imported by name."""
    return [*map(method_module, METHODS), *map(mechanism_module, MECHANISMS)]
