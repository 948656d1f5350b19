"""RMSE by iteration of ALS with noise on the right-hand side, and on the iterates instead."""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.huber.experiments.common import (
    NOISES,
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
    """Yield RMSE on all entries after each outer iteration, for every mechanism.

    The paper (3.1) says that noise on the item factors (``noise_target`` iterate) prevents
    convergence.
    """
    for mechanism in NOISES:
        cell = synthetic_cell(settings, "als", mechanism)
        coordinates = cell.coordinates()
        del coordinates["irls_iterations"]
        for target in ("right_hand_side", "iterate"):
            for trial in range(settings["trials"]):
                instance = synthetic_instance(coordinates, settings, trial)
                truth, errors = instance.matrix(), []

                def record(_iteration, model, truth=truth, errors=errors):
                    squares = np.square(model.predict_matrix() - truth)
                    errors.append(float(np.sqrt(np.mean(squares))))

                used = settings | {"noise_target": target}
                synthetic_trial(cell, used, trial, instance, record)
                for iteration, error in enumerate(errors, start=1):
                    yield coordinates | {
                        "noise_target": target,
                        "trial": trial,
                        "iteration": iteration,
                        "rmse_all": error,
                    }


def settings(section: Mapping, cell: object) -> Mapping:
    """Return what the job uses."""
    return method_settings(section, "convergence")


TABLES = {"convergence": CONVERGENCE_COLUMNS}
modules = papers_modules
