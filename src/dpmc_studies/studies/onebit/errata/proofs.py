"""Errata of the one-bit paper: constants and proofs of its theorems.

"One-bit paper" is [Li 2021].
"""

import math

import numpy as np

from dpmc.mechanisms import Laplace
from dpmc_studies.frame.showing.erratum import Evidence, listed
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.studies.onebit.errata.sources import Sources
from dpmc_studies.studies.onebit.experiments.bounds import (
    RIGHT,
    published_steepness_and_flatness,
    sampling_constants,
    steepness_and_flatness,
)

SIDE, OBSERVED = 100, 1500  # of the paper's matrices, 15 % of the entries
SIZES = ((SIDE, OBSERVED), (SIDE, 8000), (400, 24_000))  # sides and observed entries


def absolute_value(sources: Sources) -> Evidence:
    """What a matrix can make of the noise: the published term, two bounds, and what is attained."""
    rng = np.random.default_rng(1)
    numbers, draws = {}, []
    for side, count in SIZES:
        noise = np.zeros(side * side)
        noise[rng.permutation(noise.size)[:count]] = Laplace(1.0).rvs(count, rng)
        noise = noise.reshape(side, side)
        norm = float(np.linalg.norm(noise, ord=2))
        found = {
            "published": math.sqrt(2) / math.cbrt(count),
            "sizes": 2 * float(np.abs(noise).sum()) / count,
            "duality": 2 * side * norm / count,
            "attained": 2 * float((noise * aligned(noise, side)).sum()) / count,
        }
        numbers |= {f"{name}_{side}_{count}": value for name, value in found.items()}
        draws.append({**found, "side": side, "count": count})
    return Evidence(numbers, draws=draws)


def aligned(noise: np.ndarray, tau: float) -> np.ndarray:
    """Return a matrix X of nuclear norm at most tau, entries within +-1, with a large <noise, X>.

    Twice that product is what the matrices X and -X attain.
    """
    left, _, right = np.linalg.svd(noise)
    matrix = np.clip(tau * np.outer(left[:, 0], right[0]), -1, 1)
    return matrix * min(1.0, tau / np.linalg.norm(matrix, ord="nuc"))


def flipped_flatness(sources: Sources) -> Evidence:
    """The bound on beta of the flipped link lacks 1/h'^2."""
    numbers, cases = {}, []
    flip = 1 / (1 + math.e)
    for alpha in (1.0, 3.0):
        for link in ("logistic", "gaussian"):
            bound = published_steepness_and_flatness(link_of(link), alpha, flip)[1]
            right = steepness_and_flatness(link_of(link), alpha, flip)[1]
            numbers |= {f"{link}_{alpha:g}": right, f"published_{link}_{alpha:g}": bound}
            cases.append({"right": right, "bound": bound, "link": link, "alpha": alpha})
    return Evidence(numbers, cases=cases)


def sampling_constant(sources: Sources) -> Evidence:
    """C_OmegaY is printed in three forms, with one root too many."""
    numbers, cases = {}, []
    for count in (OBSERVED, SIDE * SIDE):
        constants = sampling_constants(SIDE, SIDE, count)
        factors = {form: math.sqrt(constant / count) for form, constant in constants.items()}
        right = factors.pop(RIGHT)
        numbers |= {f"{form}_{count}": factor for form, factor in factors.items()}
        numbers[f"right_{count}"] = right
        cases.append({"factors": listed(factors.values(), 2), "right": right, "count": count})
    return Evidence(numbers, side=SIDE, cases=cases)
