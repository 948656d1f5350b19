"""Error by iteration, for every method and mechanism."""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.experiments.common import (
    MECHANISMS,
    METHODS,
    method_settings,
    papers_modules,
    synthetic_cell,
)
from dpmc_studies.studies.huber.trial import synthetic_instance, synthetic_trial

CONVERGENCE_COLUMNS = (
    "dataset", "rank", "variance", "observed_fraction", "method", "mechanism",
    "noise_target", "trial", "iteration", "rmse_all",
)  # fmt: skip


def run(task: Task) -> dict[str, Iterator[dict[str, object]]]:
    """Run the errors by iteration."""
    return {"convergence": convergence(task.settings)}


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
            cell = synthetic_cell(settings, method, mechanism)
            coordinates = cell.coordinates()
            del coordinates["irls_iterations"]
            for target in targets:
                for trial in range(settings["trials"]):
                    errors = _errors_by_iteration(cell, settings | {"noise_target": target}, trial)
                    for iteration, error in enumerate(errors, start=1):
                        yield coordinates | {
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


def settings(section: Mapping, cell: object) -> Mapping:
    """Return what the job uses."""
    return method_settings(section, "convergence")


TABLES = {"convergence": CONVERGENCE_COLUMNS}
modules = papers_modules
