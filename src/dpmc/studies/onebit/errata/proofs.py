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

DRAWS = 200
SIDE, OBSERVED = 100, 1500  # of the paper's matrices, 15 % of the entries
LEVEL = 1.3  # c, less than the root mean square √2 of the noise


def flatness(sources: Sources) -> Evidence:
    """beta of the logistic link."""
    ours = steepness_and_flatness(link_of("logistic"), 1.0)[1]
    numbers = {"right": ours, "reported": float(np.exp(1.0))}
    return Evidence(numbers)


def absolute_value(sources: Sources) -> Evidence:
    """A sum of noises for the sum of their sizes: the proof does not give the rate."""
    rng = np.random.default_rng(1)
    noise = Laplace(1.0)
    numbers, draws = {}, []
    for count in (OBSERVED, 100 * OBSERVED):
        numbers[f"right_{count}"] = right = 2 * float(np.abs(noise.rvs(count, rng)).mean())
        numbers[f"published_{count}"] = published = math.sqrt(2) / math.cbrt(count)
        draws.append({"right": right, "published": published, "count": count})
    return Evidence(numbers, draws=draws)


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
