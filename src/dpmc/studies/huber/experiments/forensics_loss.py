"""A sweep over the parameter of A-IRLS's loss on real data, which the papers do not state.

Without noise they report A-IRLS 2.6 % above ALS on MovieLens 100K (table 4) and equal to it on
SweetRS (table 5). With the parameter of Huber noise of variance 1, a = 3, ours coincide on both.
"""

from collections.abc import Iterator, Mapping

from dpmc.frame.api import Job, Section
from dpmc.frame.jobs.task import Task
from dpmc.ratings import Ratings
from dpmc.studies.huber.cells import Cell, DataCell
from dpmc.studies.huber.experiments.common import (
    FORENSICS,
    papers_data,
    papers_modules,
    ratings_of,
)
from dpmc.studies.huber.experiments.forensics_real import settings_of_data
from dpmc.studies.huber.trial import TRIAL_COLUMNS, run_cell

LOSS_COLUMNS = ("loss_parameter", *TRIAL_COLUMNS)


def settings(section: Section, cell: DataCell) -> dict[str, object]:
    """Return the loss parameters, and what A-IRLS uses on a real data set."""
    names = ("rank", "variance", "iterations", "irls_iterations", "regularization", "start")
    return settings_of_data(section, cell.dataset, names)


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run A-IRLS with each parameter."""
    return {"forensics_loss": run_losses(task.cell.dataset, task.settings, task.ratings)}


def run_losses(dataset: str, settings: Mapping, ratings: Ratings) -> Iterator[dict[str, object]]:
    """Yield the trial rows of ALS, and of A-IRLS without and with Huber noise by loss parameter.

    ``settings`` has ``trials``, ``rank``, ``variance``, ``irls_iterations``, ``loss_parameters``,
    ``splits`` (reported visible fraction to training share) and the settings of the method. Rows
    have the keys :data:`LOSS_COLUMNS`; ALS has no loss parameter.
    """
    rank, inner = settings["rank"], settings["irls_iterations"]
    for fraction, share in settings["splits"].items():
        own = dict(settings) | {"training_share": share}
        als = Cell(dataset, rank, None, fraction, "als", "none", None)
        for row in run_cell(als, own, ratings=ratings):
            yield {"loss_parameter": None} | row
        for mechanism, variance in (("none", None), ("huber", float(settings["variance"]))):
            cell = Cell(dataset, rank, variance, fraction, "irls", mechanism, inner)
            for loss in settings["loss_parameters"]:
                for row in run_cell(cell, own | {"loss_parameter": loss}, ratings=ratings):
                    yield {"loss_parameter": loss} | row


JOB = Job(
    name="forensics_loss",
    run=f"{__name__}:run",
    tables={"forensics_loss": LOSS_COLUMNS},
    cell=DataCell,
    cells=lambda section: [DataCell(name) for name in papers_data(section)],
    settings=settings,
    inputs=ratings_of,
    modules=papers_modules,
    target=FORENSICS,
    seconds=60.0,
)
