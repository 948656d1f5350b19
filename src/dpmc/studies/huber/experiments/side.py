"""Side experiments of the Huber part: error by iteration, many starts, seconds by K."""

import time
from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.datasets.synthetic import generate
from dpmc.frame.api import Job
from dpmc.frame.jobs.cells import SYNTHETIC
from dpmc.frame.jobs.seeds import DATA, NOISE, START, stream
from dpmc.frame.jobs.task import Task
from dpmc.methods import method_class
from dpmc.studies.huber.cells import Cell
from dpmc.studies.huber.experiments.common import (
    MECHANISMS,
    METHODS,
    in_proportion_to,
    side_modules,
)
from dpmc.studies.huber.settings import side_settings
from dpmc.studies.huber.trial import make_method, synthetic_instance, synthetic_trial

CONVERGENCE_COLUMNS = (
    "dataset", "rank", "variance", "observed_fraction", "method", "mechanism",
    "noise_target", "trial", "iteration", "rmse_all",
)  # fmt: skip
STARTS_COLUMNS = (
    "rank", "variance", "observed_fraction", "method", "mechanism", "trial", "start",
    "training_loss", "rmse_all",
)  # fmt: skip
TIMING_COLUMNS = ("dataset", "rank", "kernel", "irls_iterations", "repeat", "seconds")
# MovieLens 100K's shape, rank and training share: the papers timed A-IRLS on real data
TIMING_SHAPE = {"users": 943, "items": 1682, "rank": 32, "observed_fraction": 0.0504}


def side_cell(settings: Mapping, method: str, mechanism: str) -> Cell:
    """Return the synthetic cell of a side experiment."""
    return Cell(
        SYNTHETIC,
        settings["rank"],
        None if mechanism == "none" else float(settings["variance"]),
        float(settings["observed_fraction"]),
        method,
        mechanism,
        settings["irls_iterations"] if method == "irls" else None,
    )


def convergence(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield RMSE on all entries after each outer iteration, for every method and mechanism.

    ALS runs also with the noise on the new item factors themselves instead of the right-hand
    side (``noise_target`` iterate), which the paper (3.1) says prevents convergence.
    """
    for method in METHODS:
        for mechanism in MECHANISMS:
            targets = ["right_hand_side"]
            if method == "als" and mechanism != "none":
                targets.append("iterate")
            cell = side_cell(settings, method, mechanism)
            for target in targets:
                for trial in range(settings["trials"]):
                    errors = _errors_by_iteration(cell, settings | {"noise_target": target}, trial)
                    for iteration, error in enumerate(errors, start=1):
                        yield _named(cell) | {
                            "noise_target": target,
                            "trial": trial,
                            "iteration": iteration,
                            "rmse_all": error,
                        }


def _errors_by_iteration(cell: Cell, settings: Mapping, trial: int) -> list[float]:
    instance = synthetic_instance(cell.coordinates(), settings, trial)
    truth = instance.matrix()
    errors = []

    def record(_iteration, model):
        errors.append(float(np.sqrt(np.mean(np.square(model.predict_matrix() - truth)))))

    synthetic_trial(cell, settings, trial, instance, record)
    return errors


def starts(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield training loss and RMSE of many starts on one and the same data.

    Start number s is the same for every mechanism; the noise is fresh for each fit.
    """
    for method in METHODS:
        for mechanism in MECHANISMS:
            cell = side_cell(settings, method, mechanism)
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
                row = _named(cell)
                del row["dataset"]
                yield row | {
                    "trial": 0,
                    "start": start,
                    "training_loss": model.training_loss(instance.observed),
                    "rmse_all": float(np.sqrt(np.mean(np.square(difference)))),
                }


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


def _named(cell: Cell) -> dict[str, object]:
    coordinates = cell.coordinates()
    del coordinates["irls_iterations"]
    return coordinates


def run_convergence(task: Task) -> dict[str, Iterator]:
    """Run the errors by iteration."""
    return {"convergence": convergence(task.settings)}


def run_starts(task: Task) -> dict[str, Iterator]:
    """Run many starts on the same data."""
    return {"starts": starts(task.settings)}


def run_timing(task: Task) -> dict[str, Iterator]:
    """Measure seconds by the number of inner iterations."""
    return {"timing": timing(task.settings)}


def _job(name: str, columns: tuple[str, ...], amount: tuple[str, ...], **others: object) -> Job:
    return Job(
        name=name,
        run=f"{__name__}:run_{name}",
        tables={name: columns},
        settings=lambda section, cell: side_settings(section, name),
        modules=side_modules,
        effort=in_proportion_to(*amount),
        **others,
    )


JOBS = (
    _job("convergence", CONVERGENCE_COLUMNS, ("trials", "iterations"), seconds=16.0),
    _job("starts", STARTS_COLUMNS, ("starts.count", "iterations"), seconds=12.0),
    _job("timing", TIMING_COLUMNS, ("timing.repeats", "iterations"), alone=True, seconds=16.0),
)
