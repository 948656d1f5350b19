"""Seconds of an A-IRLS iteration with 20 inner iterations, and with one, which is ALS."""

import time
from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.datasets.synthetic import generate
from dpmc.ratings import Ratings
from dpmc_studies.frame.jobs.seeds import DATA, stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.huber.experiments.common import method_settings, papers_modules

TIMING_COLUMNS = ("dataset", "rank", "irls_iterations", "repeat", "seconds")
# MovieLens 100K's shape, rank and training share: the papers timed A-IRLS on real data
TIMING_SHAPE = {"users": 943, "items": 1682, "rank": 32, "observed_fraction": 0.0504}


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Measure seconds by the number of inner iterations."""
    return {"timing": timing(task.settings)}


def timing(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield seconds of one A-IRLS iteration at MovieLens 100K's shape, by K."""
    key = {"experiment": "timing"}
    data = generate(stream(settings["seed"], DATA, key), **TIMING_SHAPE).observed
    for inner in (1, 20):
        for repeat in range(-1, settings["repeats"]):
            seconds = _seconds(data, inner, settings["regularization"])
            if repeat >= 0:  # the first one warms caches
                yield {
                    "dataset": "ml-100k shape",
                    "rank": TIMING_SHAPE["rank"],
                    "irls_iterations": inner,
                    "repeat": repeat,
                    "seconds": seconds,
                }


def _seconds(data: Ratings, inner: int, regularization: float) -> float:
    """Time items by the regressions as one would write them from reading the papers."""
    from dpmc_studies.methods.factorization.direct import DirectRegressions  # kernels
    from dpmc_studies.methods.factorization.irls import IRLS

    class DirectIRLS(IRLS):
        def _item_regressions(self, ratings):
            return DirectRegressions(ratings.by_item, self.rank, self.regularization, inner)

    model = DirectIRLS(
        rank=TIMING_SHAPE["rank"],
        loss_parameter=3.0,
        regularization=regularization,
        iterations=1,
        inner_iterations=inner,
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
