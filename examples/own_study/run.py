"""What a job does: fit one method, all trials at every observed fraction."""

from itertools import product

import numpy as np

from dpmc.datasets.synthetic import generate
from dpmc.mechanisms.gaussian import Gaussian
from dpmc.methods.factorization.als import ALS
from dpmc.methods.factorization.baselines import ItemBias
from dpmc.statistics.errors import rmse
from dpmc.study.seeds import DATA, NOISE, START, stream


def fit(task):
    """Return the rows of the table of trials."""
    settings, rows = task.settings, []
    for fraction, trial in product(settings["observed_fractions"], range(settings["trials"])):
        cell = {**task.coordinates, "observed_fraction": fraction}
        rows.append(cell | {"trial": trial, "rmse": error(cell, trial, settings)})
    return {"trials": rows}


def error(cell, trial, settings):
    """Return the RMSE on unobserved entries."""
    # data and start, but not the noise, are the same for all methods and fractions
    seed, shared = settings["seed"], {"dataset": "own_study", "trial": trial}
    shape = {name: settings[name] for name in ("users", "items", "rank")}
    fraction = cell["observed_fraction"]
    instance = generate(stream(seed, DATA, shared), **shape, observed_fraction=fraction)
    model = ItemBias() if cell["method"] == "item_bias" else als(**settings)
    noise = stream(seed, NOISE, shared | cell)
    model.fit(instance.observed, rng=stream(seed, START, shared), noise_rng=noise)
    hidden = np.ones((shape["users"], shape["items"]), dtype=bool)
    hidden[instance.observed.users, instance.observed.items] = False
    return rmse(model.predict_matrix()[hidden], instance.matrix()[hidden])


def als(*, rank, iterations, regularization, variance=None, **others):
    """Return ALS, with noise if there is a variance."""
    noise = None if variance is None else Gaussian.from_variance(variance)
    return ALS(rank=rank, iterations=iterations, regularization=regularization, mechanism=noise)
