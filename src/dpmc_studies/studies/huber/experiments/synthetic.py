"""The generated data of the papers' grid, which all cells of a rank and fraction share."""

from dataclasses import dataclass

from dpmc.datasets.synthetic import save_instances
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs import cells
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.huber.experiments.common import SYNTHETIC_SETTINGS
from dpmc_studies.studies.huber.trial import synthetic_instance


@dataclass(frozen=True)
class Instances(cells.Cell):
    """The generated data of all trials of a rank and an observed fraction."""

    rank: int
    observed_fraction: float


def settings(section: Section, cell: Instances) -> dict[str, object]:
    """Return what generated data depend on."""
    sizes = {name: section["synthetic"][name] for name in SYNTHETIC_SETTINGS}
    return {"seed": section["seed"], "trials": section["trials"]} | sizes


def run(task: Task) -> dict:
    """Generate the data of all trials; no table is made of them."""
    shared, used = task.cell.coordinates(), task.settings
    trials = range(used["trials"])
    save_instances(task.file, [synthetic_instance(shared, used, trial) for trial in trials])
    return {}


CELL = Instances
cells = None
FILE = "npz"
