"""Errata of the DPALS paper: how much noise its releases need.

"DPALS paper" is [Chien 2021]. A user with up to k ratings joins or leaves.
"""

import math

import numpy as np

from dpmc.mechanisms import Gaussian
from dpmc.privacy.calibration import calibrate
from dpmc_studies.frame.showing.erratum import Evidence
from dpmc_studies.frame.showing.results import Results
from dpmc_studies.methods.user_level.plan import published_sigma
from dpmc_studies.studies.dpals.experiments.accounting import accounting_rows
from dpmc_studies.studies.dpals.frames import number

POINTS = ((1, 50, 2), (5, 50, 3), (20, 100, 4))  # epsilon, ratings per user, iterations
DELTA, EPSILON, RATINGS = 1e-5, 1.0, 50  # of the examples
LARGEST = 3.0  # of centred ratings of MovieLens 10M, in absolute value
COUNT_DEVIATION, OF_PROGRAM = 100, 100  # count_stddev and count_sample of the program's own test


def epsilon_of(sensitivity: float, epsilon: float = EPSILON) -> float:
    """Return the true epsilon of noise that is calibrated to epsilon at sensitivity 1."""
    noise = calibrate("gaussian", releases=1, epsilon=epsilon, delta=DELTA).noise
    return Gaussian(noise.scale).epsilon(sensitivity, DELTA)


def two_statistics(results: Results) -> Evidence:
    """Theorem 1 counts one of the two noised statistics."""
    rows = list(accounting_rows(POINTS, DELTA))
    numbers = {f"epsilon_{row['epsilon']:g}": row["epsilon_at_published"] for row in rows}
    numbers |= {f"sigma_{row['epsilon']:g}": row["exact_sigma"] for row in rows}
    epsilons = [
        {
            "actual": number(row["epsilon_at_published"], 4),
            **{name: row[name] for name in ("epsilon", "ratings_per_user", "iterations")},
            **{name: number(row[name], 4) for name in ("published_sigma", "exact_sigma")},
        }
        for row in rows
    ]
    return Evidence(numbers, epsilons=epsilons, delta=f"{DELTA:g}".replace("e-0", "e-"))


def private_mean(results: Results) -> Evidence:
    """The private mean has the sensitivity of one number, not of k of them."""
    true = epsilon_of(math.sqrt(RATINGS))
    return Evidence({"epsilon": true}, ratings=RATINGS, claimed=EPSILON)


def private_start(results: Results) -> Evidence:
    """The noise of the start forgets that a user has k ratings."""
    row = np.ones(RATINGS)
    moved = np.outer(row, row)
    sizes = {"triangle": float(np.linalg.norm(np.triu(moved))), "moved": float(RATINGS)}
    numbers, epsilons = dict(sizes), []
    for steps in (2, 3):
        noise = Gaussian(published_sigma(EPSILON, DELTA, RATINGS, steps))
        for which, size in sizes.items():
            numbers[f"epsilon_{which}_{steps}"] = noise.epsilon(size, DELTA)
        found = {which: numbers[f"epsilon_{which}_{steps}"] for which in sizes}
        epsilons.append({**found, "steps": steps})
    return Evidence(numbers, ratings=RATINGS, epsilon=EPSILON, epsilons=epsilons)


def program_of_dpals(results: Results) -> Evidence:
    """The authors' program charges ratings as if they were at most 1, and their mean as of one."""
    # noise for two statistics that move by 1 each, of which one moves by the largest rating
    items = epsilon_of(math.hypot(1, LARGEST) / math.sqrt(2))
    # (what a user moves, deviation of the noise) in units of the largest rating and of counts
    releases = (
        (OF_PROGRAM, COUNT_DEVIATION * math.sqrt(OF_PROGRAM)),
        (OF_PROGRAM, COUNT_DEVIATION),
    )
    true = math.hypot(*(moved / deviation for moved, deviation in releases))
    charged = math.sqrt(2) / COUNT_DEVIATION
    numbers = {
        name: Gaussian(1.0).epsilon(mu, DELTA)
        for name, mu in (("charged", charged), ("epsilon", true))
    }
    return Evidence(
        {"items": items, **numbers},
        largest=LARGEST,
        claimed=EPSILON,
        deviation=COUNT_DEVIATION,
        ratings=OF_PROGRAM,
        delta=f"{DELTA:g}".replace("e-0", "e-"),
    )
