"""What the jobs of the Huber study do."""

from collections.abc import Iterable, Iterator, Mapping

from dpmc.datasets.synthetic import load_instances, save_instances
from dpmc.studies.huber import heldout as heldout_errors
from dpmc.studies.huber import plugins, side
from dpmc.studies.huber import thesis_methods as methods_of_thesis
from dpmc.studies.huber import weights as irls_weights
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.forensics import RealVariant, SyntheticVariant, run_real, run_synthetic
from dpmc.studies.huber.forensics_loss import run_losses
from dpmc.studies.huber.trial import run_cell, synthetic_instance
from dpmc.study.cells import SYNTHETIC
from dpmc.study.task import Task

Rows = Iterable[Mapping[str, object]]


def synthetic(task: Task) -> dict[str, Rows]:
    """Generate the data of all trials of one rank and observed fraction."""
    settings = dict(task.settings)
    shared = {name: settings.pop(name) for name in ("rank", "observed_fraction")}
    trials = range(settings["trials"])
    save_instances(task.file, [synthetic_instance(shared, settings, trial) for trial in trials])
    return {}


def cell(task: Task) -> dict[str, Rows]:
    """Run all trials of a cell."""
    settings = dict(task.settings)
    plugins.load(settings.pop("plugins"))
    cell = Cell.from_formatted(task.coordinates)
    if cell.dataset == SYNTHETIC:
        instances = load_instances(task.inputs["data"])
        return {"trials": run_cell(cell, settings, instances=instances)}
    return {"trials": run_cell(cell, settings, ratings=task.ratings)}


def convergence(task: Task) -> dict[str, Rows]:
    """Run the errors by iteration."""
    return {"convergence": side.convergence(task.settings)}


def starts(task: Task) -> dict[str, Rows]:
    """Run many starts on the same data."""
    return {"starts": side.starts(task.settings)}


def timing(task: Task) -> dict[str, Rows]:
    """Measure seconds by the number of inner iterations."""
    return {"timing": side.timing(task.settings)}


def weights(task: Task) -> dict[str, Rows]:
    """Count the weights of A-IRLS below 1, and fit ALS with the same noise."""
    return {"weights": irls_weights.weights(task.settings, task.ratings)}


def heldout(task: Task) -> dict[str, Rows]:
    """Run the errors on held-out ratings by iteration."""
    return {"heldout": heldout_errors.errors_by_iteration(task.settings, task.ratings)}


def sweetrs_variances(task: Task) -> dict[str, Rows]:
    """Run cells of SweetRS at other noise variances than that of the grid."""
    return {"sweetrs_variances": _cells(task)}


def _cells(task: Task) -> Iterator[Mapping[str, object]]:
    for entry in task.settings["cells"]:
        coordinates = dict(entry)
        settings = coordinates.pop("settings")
        yield from run_cell(Cell(**coordinates), settings, ratings=task.ratings)


def thesis_methods(task: Task) -> dict[str, Rows]:
    """Run the methods of the thesis's chapter 3."""
    return {"thesis_methods": methods_of_thesis.thesis_methods(task.settings, task.ratings)}


def forensics_synthetic(task: Task) -> dict[str, Rows]:
    """Run one choice on synthetic data that the papers leave open."""
    settings = dict(task.settings)
    variant = SyntheticVariant(**settings.pop("variant"))
    rows = run_synthetic(variant, settings)
    return {"forensics_synthetic": _of_variant(task.coordinates["variant"], rows)}


def forensics_real(task: Task) -> dict[str, Rows]:
    """Run one choice on real data that the papers leave open."""
    settings = dict(task.settings)
    variant = RealVariant(**settings.pop("variant"))
    rows = run_real(variant, settings, task.ratings)
    return {"forensics_real": _of_variant(task.coordinates["variant"], rows)}


def forensics_loss(task: Task) -> dict[str, Rows]:
    """Run A-IRLS on real data with several parameters of its loss."""
    dataset = task.coordinates["dataset"]
    return {"forensics_loss": run_losses(dataset, task.settings, task.ratings)}


def _of_variant(name: str, rows: Rows) -> Iterator[dict[str, object]]:
    return ({"variant": name, **row} for row in rows)
