"""What a job does: fit one method, all trials at every observed fraction."""

import numpy as np

from dpmc.datasets.synthetic import generate
from dpmc.frame.jobs.seeds import DATA, NOISE, START, stream
from dpmc.mechanisms.gaussian import Gaussian
from dpmc.methods.factorization.als import ALS
from dpmc.methods.factorization.baselines import ItemBias
from dpmc.statistics.errors import rmse


def fit(task):
    """Return the rows of the table of trials."""
    rows = [
        cell.coordinates() | {"trial": trial, "rmse": error(cell, trial, **settings)}
        for cell, settings in task.cells.items()
        for trial in range(settings["trials"])
    ]
    return {"trials": rows}


def error(cell, trial, *, seed, users, items, rank, trials, **options):
    """Return the RMSE on unobserved entries."""
    # data and start, but not the noise, are the same for all methods and fractions
    shared = {"dataset": "own_study", "trial": trial}
    sizes = {"users": users, "items": items, "rank": rank}
    data = generate(stream(seed, DATA, shared), **sizes, observed_fraction=cell.observed_fraction)
    model = ItemBias() if cell.method == "item_bias" else als(rank, **options)
    noise = cell.stream(seed, NOISE, **shared)
    model.fit(data.observed, rng=stream(seed, START, shared), noise_rng=noise)
    hidden = np.ones((users, items), dtype=bool)
    hidden[data.observed.users, data.observed.items] = False
    return rmse(model.predict_matrix()[hidden], data.matrix()[hidden])


def als(rank, iterations, regularization, variance=None):
    """Return ALS, with noise if there is a variance."""
    noise = None if variance is None else Gaussian.from_variance(variance)
    return ALS(rank=rank, iterations=iterations, regularization=regularization, mechanism=noise)
