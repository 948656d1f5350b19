"""What the jobs of the Huber study do."""

from collections.abc import Iterable, Iterator, Mapping

from dpmc.datasets.synthetic import load_instances, save_instances
from dpmc.studies.huber import plugins, side
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.forensics import RealVariant, SyntheticVariant, run_real, run_synthetic
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


def _of_variant(name: str, rows: Rows) -> Iterator[dict[str, object]]:
    return ({"variant": name, **row} for row in rows)
