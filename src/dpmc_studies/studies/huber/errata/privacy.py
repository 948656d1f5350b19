"""Errata about what the reported budgets are said to protect: a whole training, and its output."""

import numpy as np

from dpmc.mechanisms.gaussian import Gaussian
from dpmc.privacy.nominal import table_one
from dpmc_studies.frame.jobs.cells import SYNTHETIC
from dpmc_studies.frame.showing.erratum import Evidence
from dpmc_studies.studies.huber.cells import Cell
from dpmc_studies.studies.huber.errata.method import SETTINGS
from dpmc_studies.studies.huber.errata.noise import SENSITIVITY
from dpmc_studies.studies.huber.errata.sources import Sources
from dpmc_studies.studies.huber.experiments.common import NOISES
from dpmc_studies.studies.huber.trial import fit, synthetic_instance

VARIANCE, DELTA = 2.0, 1e-5
RELEASES = {"ALS": 50, "A-IRLS": 1000}  # T, and T K, on synthetic data


def one_release(sources: Sources) -> Evidence:
    """The reported budget is spent at every release."""
    pure = {
        row["mechanism"]: row["epsilon_corrected"]
        for row in table_one([VARIANCE])
        if row["delta"] == 0
    }
    reported = {m: float(sources.budgets(m)[VARIANCE]) for m in NOISES}
    noise = Gaussian.from_variance(VARIANCE)
    numbers, totals = {}, []
    for method, count in RELEASES.items():
        # n releases with sensitivity D are as private as one with sensitivity sqrt(n) D
        total = noise.epsilon(SENSITIVITY * np.sqrt(count), DELTA, formula="exact")
        found = {"gaussian": total} | {m: count * epsilon for m, epsilon in pure.items()}
        numbers |= {f"{mechanism}_{count}": value for mechanism, value in found.items()}
        totals.append({**found, "count": count, "method": method})
    return Evidence(
        numbers,
        **reported,
        variance=VARIANCE,
        sensitivity=SENSITIVITY,
        totals=totals,
    )


def noiseless_users(sources: Sources) -> Evidence:
    """The rows of users have no noise."""
    rating, moved, shifts = changed_predictions()
    numbers = {"largest": float(shifts.max()), "changed": int((shifts > 0).sum())}
    return Evidence(numbers, rating=rating, moved=moved, predictions=shifts.size)


def changed_predictions() -> tuple[float, float, np.ndarray]:
    """Move a rating of a user to the far end of the range, with the item vectors held fixed.

    Returned are the rating, the one in its place, and how much each prediction for the user moves.
    """
    cell = Cell(SYNTHETIC, 5, VARIANCE, 0.1, "als", "huber", None)
    observed = synthetic_instance(cell.coordinates(), SETTINGS, 0).observed
    model, _ = fit(cell, SETTINGS, 0, observed)
    first = observed.users == observed.users[0]
    rated, ratings = model.item_factors_[observed.items[first]], observed.values[first]
    moved = ratings.copy()
    low, high = observed.values.min(), observed.values.max()
    moved[0] = low if ratings[0] > (low + high) / 2 else high
    gram = rated.T @ rated + SETTINGS["regularization"] * np.eye(cell.rank)
    change = np.linalg.solve(gram, rated.T @ (moved - ratings))
    return ratings[0], moved[0], np.abs(model.item_factors_ @ change)
