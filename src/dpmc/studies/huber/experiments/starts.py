"""Many starts on one and the same data: does Huber noise leave local minima?"""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.frame.api import Job
from dpmc.frame.jobs.seeds import NOISE, START, stream
from dpmc.frame.jobs.task import Task
from dpmc.studies.huber.experiments.common import (
    MECHANISMS,
    METHODS,
    in_proportion_to,
    method_settings,
    papers_modules,
    synthetic_cell,
)
from dpmc.studies.huber.trial import make_method, synthetic_instance

STARTS_COLUMNS = (
    "rank", "variance", "observed_fraction", "method", "mechanism", "trial", "start",
    "training_loss", "rmse_all",
)  # fmt: skip


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run many starts on the same data."""
    return {"starts": starts(task.settings)}


def starts(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield training loss and RMSE of many starts on one and the same data.

    Start number s is the same for every mechanism; the noise is fresh for each fit.
    """
    for method in METHODS:
        for mechanism in MECHANISMS:
            cell = synthetic_cell(settings, method, mechanism)
            instance = synthetic_instance(cell.coordinates(), settings, 0)
            truth = instance.matrix()
            for start in range(settings["count"]):
                key = {"experiment": "starts", "start": start}
                model = make_method(cell, settings).fit(
                    instance.observed,
                    rng=stream(settings["seed"], START, key),
                    noise_rng=cell.stream(settings["seed"], NOISE, **key),
                )
                difference = model.predict_matrix() - truth
                row = cell.coordinates() | {
                    "trial": 0,
                    "start": start,
                    "training_loss": model.training_loss(instance.observed),
                    "rmse_all": float(np.sqrt(np.mean(np.square(difference)))),
                }
                yield {name: row[name] for name in STARTS_COLUMNS}


JOB = Job(
    name="starts",
    run=f"{__name__}:run",
    tables={"starts": STARTS_COLUMNS},
    settings=lambda section, cell: method_settings(section, "starts"),
    modules=papers_modules,
    seconds=12.0,
    effort=in_proportion_to("starts.count", "iterations"),
)
