"""What a job does: fit one method, all trials at every observed fraction."""

from dpmc.datasets.synthetic import generate
from dpmc.mechanisms.gaussian import Gaussian
from dpmc_studies.frame.jobs.seeds import DATA, NOISE, START, stream
from dpmc_studies.methods.factorization.als import ALS
from dpmc_studies.methods.factorization.baselines import ItemBias
from dpmc_studies.statistics.errors import rmse


def fit(task):
    """Yield the rows of the table of trials."""
    for cell, settings in task.cells.items():
        for trial in range(settings["trials"]):
            yield cell.coordinates() | {"trial": trial, "rmse": error(cell, trial, **settings)}


def error(cell, trial, *, seed, trials, users, items, rank, variance=None, **options):
    """Return the RMSE on unobserved entries."""
    # data and start, but not the noise, are the same for all methods and fractions
    shared = {"dataset": "own_study", "trial": trial}
    law = {"rank": rank, "observed_fraction": cell.observed_fraction}
    data = generate(stream(seed, DATA, shared), users=users, items=items, **law)
    noise = None if variance is None else Gaussian.from_variance(variance)
    model = ALS(rank=rank, mechanism=noise, **options) if options else ItemBias()
    start = stream(seed, START, shared)
    model.fit(data.observed, rng=start, noise_rng=cell.stream(seed, NOISE, **shared))
    hidden = data.unobserved()
    return rmse(model.predict_matrix()[hidden], data.matrix()[hidden])
