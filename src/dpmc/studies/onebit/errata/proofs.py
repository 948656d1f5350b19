"""Errata of the one-bit paper: its theorems, their constants and their proofs.

"One-bit paper" is [Li 2021].
"""

import math

import numpy as np

from dpmc.frame.showing.erratum import Evidence, listed
from dpmc.mechanisms import Laplace
from dpmc.methods.onebit.links import link_of
from dpmc.studies.onebit.errata.sources import Sources
from dpmc.studies.onebit.experiments.bounds import (
    RIGHT,
    published_steepness_and_flatness,
    sampling_constants,
    steepness_and_flatness,
)
from dpmc.studies.onebit.instances import instance

DRAWS = 200
SIDE, OBSERVED = 100, 1500  # of the paper's matrices, 15 % of the entries
SIZES = ((SIDE, OBSERVED), (SIDE, 8000), (400, 24_000))  # sides and observed entries
LEVEL = 1.3  # c, less than the root mean square √2 of the noise


def flatness(sources: Sources) -> Evidence:
    """beta of the logistic link."""
    ours = steepness_and_flatness(link_of("logistic"), 1.0)[1]
    numbers = {"right": ours, "reported": float(np.exp(1.0))}
    return Evidence(numbers)


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


def true_matrix(sources: Sources) -> Evidence:
    """The identity of the likelihood holds for the matrix that the signs come from."""
    link = link_of("logistic")
    matrix, _ = instance(np.random.default_rng(1), SIDE, SIDE, 1, 0.15, link, 1.0)
    chance, zero = link.cdf(matrix), np.full(matrix.shape, 0.5)
    # of the mean log-likelihoods, over signs drawn from the matrix
    mean = {
        name: float((_entropy(chance, zero) - _entropy(chance, other)).mean())
        for name, other in (("mean", 1 - chance), ("mean_of_true", chance))
    }
    divergence = {
        name: float((_entropy(other, zero) - _entropy(other, other)).mean())
        for name, other in (("divergence", 1 - chance), ("divergence_of_true", chance))
    }
    return Evidence(mean | divergence, side=SIDE)


def _entropy(drawn: np.ndarray, assumed: np.ndarray) -> np.ndarray:
    """Return the mean of minus log likelihood of signs that are +1 with these chances."""
    return -(drawn * np.log(assumed) + (1 - drawn) * np.log1p(-assumed))


def optimal_solution(sources: Sources) -> Evidence:
    """To the solution without noise, output perturbation adds the noise and nothing else."""
    noise = Laplace(2.0).rvs(SIDE * SIDE, np.random.default_rng(1))
    return Evidence({"measured": float(np.square(noise).mean())}, side=SIDE)


def minimum(sources: Sources) -> Evidence:
    """Appendix D writes min for max."""
    entries = SIDE * SIDE
    noise = np.random.default_rng(1).laplace(size=(DRAWS, entries))
    exceeds = np.square(noise).sum(axis=1) >= entries * LEVEL**2
    tail = math.exp(-LEVEL)  # P(|H| >= LEVEL) at scale 1
    numbers = {
        "sum": float(exceeds.mean()),
        "log10_minimum": entries * math.log10(tail),
        "maximum": -math.expm1(entries * math.log1p(-tail)),
    }
    power = f"{numbers['log10_minimum']:.0f}".replace("-", "−")
    return Evidence(numbers, side=SIDE, level=LEVEL, draws=DRAWS, log10_minimum=power)


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


def squared_triangle(sources: Sources) -> Evidence:
    """A triangle inequality of squares without its factor 2."""
    rng = np.random.default_rng(1)
    error = rng.standard_normal(SIDE * SIDE)
    noise = rng.laplace(size=(DRAWS, SIDE * SIDE))
    apart = np.square(error).sum() + np.square(noise).sum(axis=1)
    numbers = {
        "fails": float((np.square(error + noise).sum(axis=1) > apart).mean()),
        "worst": float(np.square(2 * error).sum() / (2 * np.square(error).sum())),
    }
    return Evidence(numbers, side=SIDE, draws=DRAWS)
