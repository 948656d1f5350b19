"""Errata about the method: sensitivity, and noise in ratings or in their sums.

The small runs behind the evidence have the synthetic size and settings of the configuration's
defaults and a seed of their own, so that the page does not depend on a run.
"""

import numpy as np

from dpmc.mechanisms.huber import Huber
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.judging.finding import NOT_AVAILABLE
from dpmc_studies.frame.showing.erratum import Evidence
from dpmc_studies.statistics.tests import Interval, mean_interval
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.errata.sources import Sources
from dpmc_studies.studies.huber.trial import fit, run_cell, synthetic_instance

SETTINGS = {
    "seed": 1,
    "trials": 5,
    "users": 100,
    "items": 500,
    "scale": 1.0,
    "regularization": 0.5,
    "iterations": 50,
    "start": "normal",
    "loss_parameter": "noise",
    "residual_scale": 1.0,
}
LARGEST_RANK = 20
REGRESSIONS, INNER_STEPS = 500, 20


def sensitivity(sources: Sources) -> Evidence:
    """One number for every data set, and nothing that bounds what is noised."""
    cell = Cell(SYNTHETIC, LARGEST_RANK, None, 0.15, "als", "none", None)
    instance = synthetic_instance(cell.coordinates(), SETTINGS, 0)
    spread = float(np.ptp(instance.matrix()))
    model, _ = fit(cell, SETTINGS, 0, instance.observed)
    factors = np.abs(model.user_factors_)
    numbers = {
        "synthetic_range": spread,
        "l1": spread * float(factors.sum(axis=1).max()),
        "l2": spread * float(np.sqrt(np.square(factors).sum(axis=1)).max()),
    }
    stated = []
    for dataset, label in (("sweetrs", "SweetRS"), ("ml-100k", "MovieLens 100K")):
        if dataset in sources.ratings:
            values = sources.ratings[dataset].values
            numbers[f"{dataset}_range"] = float(np.ptp(values))
            stated.append(f"{np.ptp(values):g} on {label} ({values.min():g} to {values.max():g})")
        else:
            stated.append(f"{NOT_AVAILABLE} on {label}")
    return Evidence(
        numbers, ranges=", ".join(stated), synthetic_range=spread, largest_rank=LARGEST_RANK
    )


def noise_in_ratings(sources: Sources) -> Evidence:
    """Huber's loss is the likelihood of noise in ratings; the noise is added to their sums."""
    noise = Huber.from_variance(2.0)
    rng = np.random.default_rng(1)
    squares = {place: {"plain": [], "robust": []} for place in ("ratings", "sums")}
    for _ in range(REGRESSIONS):
        users, theta = rng.standard_normal((40, 5)), rng.standard_normal(5)
        values = users @ theta
        found = {
            "ratings": (values + noise.rvs(40, rng), np.zeros(5)),
            "sums": (values, noise.rvs(5, rng)),
        }
        for place, (targets, added) in found.items():
            plain = robust = np.linalg.solve(users.T @ users, users.T @ targets + added)
            for _ in range(INNER_STEPS):
                residuals = np.abs(targets - users @ robust)
                weights = np.minimum(1.0, noise.a / np.maximum(residuals, 1e-300))
                weighted = users.T * weights
                robust = np.linalg.solve(weighted @ users, weighted @ targets + added)
            for name, estimate in (("plain", plain), ("robust", robust)):
                squares[place][name].append(np.square(estimate - theta).sum())
    numbers = {
        place: float(np.mean(each["robust"]) / np.mean(each["plain"]) - 1)
        for place, each in squares.items()
    }
    return Evidence(numbers, regressions=REGRESSIONS)


def errors(cell: Cell, **change: object) -> np.ndarray:
    """Return RMSE by trial with the settings of this module, some of them changed."""
    return np.array([row["rmse_all"] for row in run_cell(cell, SETTINGS | change)])


def log_ratio(first: np.ndarray, second: np.ndarray) -> Interval:
    """Return the mean log ratio of errors, paired by trial."""
    return mean_interval(np.log(first / second))


def formatted(change: Interval) -> str:
    """Write a change with its standard error."""
    return f"{change.estimate:+.2g} ± {change.standard_error:.1g}"
