"""What a job does: fit one method, all trials at every observed fraction."""

import numpy as np

from dpmc.datasets.synthetic import generate
from dpmc.mechanisms.gaussian import Gaussian
from dpmc.methods.factorization.als import ALS
from dpmc.methods.factorization.baselines import ItemBias
from dpmc.statistics.errors import rmse
from dpmc.study.seeds import DATA, NOISE, START, stream


def fit(task):
    """Return the rows of the table of trials."""
    rows = []
    for fraction in task.settings["observed_fractions"]:
        cell = {**task.coordinates, "observed_fraction": fraction}
        for trial in range(task.settings["trials"]):
            rows.append(cell | {"trial": trial, "rmse": error(cell, trial, **task.settings)})
    return {"trials": rows}


def error(cell, trial, *, seed, users, items, rank, **settings):
    """Return the RMSE on unobserved entries.

    The streams of data and start name neither method nor fraction: all methods see the same data,
    and a larger fraction observes a superset.
    """
    shared = {"dataset": "own_study", "trial": trial}
    fraction, data = cell["observed_fraction"], stream(seed, DATA, shared)
    instance = generate(data, users=users, items=items, rank=rank, observed_fraction=fraction)
    model = ItemBias() if cell["method"] == "item_bias" else als(rank, **settings)
    noise = stream(seed, NOISE, shared | cell)
    model.fit(instance.observed, rng=stream(seed, START, shared), noise_rng=noise)
    hidden = np.ones((users, items), dtype=bool)
    hidden[instance.observed.users, instance.observed.items] = False
    return rmse(model.predict_matrix()[hidden], instance.matrix()[hidden])


def als(rank, *, iterations, regularization, variance=None, **others):
    """Return ALS, with noise if there is a variance."""
    noise = None if variance is None else Gaussian.from_variance(variance)
    return ALS(rank=rank, iterations=iterations, regularization=regularization, mechanism=noise)
