"""Seconds of an A-IRLS iteration by kernel and K, its number of inner iterations."""

import time
from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.datasets.synthetic import generate
from dpmc_studies.frame.jobs.seeds import DATA, stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods import method_class
from dpmc_studies.studies.huber.experiments.common import method_settings, papers_modules

TIMING_COLUMNS = ("dataset", "rank", "kernel", "irls_iterations", "repeat", "seconds")
# MovieLens 100K's shape, rank and training share: the papers timed A-IRLS on real data
TIMING_SHAPE = {"users": 943, "items": 1682, "rank": 32, "observed_fraction": 0.0504}


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Measure seconds by the number of inner iterations."""
    return {"timing": timing(task.settings)}


def timing(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield seconds of one A-IRLS iteration at MovieLens 100K's shape, by kernel and K."""
    key = {"experiment": "timing"}
    data = generate(stream(settings["seed"], DATA, key), **TIMING_SHAPE).observed
    for kernel in ("direct", "fast"):
        for inner in settings["irls_iterations"]:
            for repeat in range(-1, settings["repeats"]):
                seconds = _seconds(data, kernel, inner, settings["regularization"])
                if repeat >= 0:  # the first one warms caches
                    yield {
                        "dataset": "ml-100k shape",
                        "rank": TIMING_SHAPE["rank"],
                        "kernel": kernel,
                        "irls_iterations": inner,
                        "repeat": repeat,
                        "seconds": seconds,
                    }


def _seconds(data, kernel: str, inner: int, regularization: float) -> float:
    model = method_class("irls")(
        rank=TIMING_SHAPE["rank"],
        loss_parameter=3.0,
        regularization=regularization,
        iterations=1,
        inner_iterations=inner,
        kernel=kernel,
    )
    begin = time.perf_counter()
    model.fit(data, rng=np.random.default_rng(0))
    return time.perf_counter() - begin


def settings(section: Mapping, cell: object) -> Mapping:
    """Return what the job uses."""
    return method_settings(section, "timing")


TABLES = {"timing": TIMING_COLUMNS}
modules = papers_modules
ALONE = True
