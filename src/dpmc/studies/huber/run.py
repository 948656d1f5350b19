"""What the jobs of the Huber study do that are not experiments of their own."""

from collections.abc import Iterable, Iterator, Mapping

from dpmc.datasets.synthetic import load_instances, save_instances
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.jobs.task import Task
from dpmc.studies.huber import plugins
from dpmc.studies.huber.forensics import run_real, run_synthetic
from dpmc.studies.huber.forensics_loss import run_losses
from dpmc.studies.huber.trial import run_cell, synthetic_instance

Rows = Iterable[Mapping[str, object]]


def synthetic(task: Task) -> dict[str, Rows]:
    """Generate the data of all trials of one rank and observed fraction."""
    shared, settings = task.cell.coordinates(), task.settings
    trials = range(settings["trials"])
    save_instances(task.file, [synthetic_instance(shared, settings, trial) for trial in trials])
    return {}


def cell(task: Task) -> dict[str, Rows]:
    """Run all trials of a cell."""
    settings = task.settings
    plugins.load(settings.pop("plugins"))
    if task.cell.dataset == SYNTHETIC:
        instances = load_instances(task.inputs["data"])
        return {"trials": run_cell(task.cell, settings, instances=instances)}
    return {"trials": run_cell(task.cell, settings, ratings=task.ratings)}


def forensics_synthetic(task: Task) -> dict[str, Rows]:
    """Run one choice on synthetic data that the papers leave open."""
    rows = run_synthetic(task.cell, task.settings)
    return {"forensics_synthetic": _of_variant(task.cell.variant, rows)}


def forensics_real(task: Task) -> dict[str, Rows]:
    """Run one choice on real data that the papers leave open."""
    rows = run_real(task.cell, task.settings, task.ratings)
    return {"forensics_real": _of_variant(task.cell.variant, rows)}


def forensics_loss(task: Task) -> dict[str, Rows]:
    """Run A-IRLS on real data with several parameters of its loss."""
    return {"forensics_loss": run_losses(task.cell.dataset, task.settings, task.ratings)}


def _of_variant(name: str, rows: Rows) -> Iterator[dict[str, object]]:
    return ({"variant": name, **row} for row in rows)
