"""Audit of every mechanism at epsilon 1: one release, several of them, and exact integer noise.

Randomised response, which adds no noise, is in :mod:`dpmc_studies.studies.audit.randomised`.
"""

import math
import random
from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.mechanisms import Huber, Laplace
from dpmc.mechanisms.discrete import Discrete, DiscreteGaussian, DiscreteLaplace
from dpmc.privacy.calibration import CALIBRATED, calibrate
from dpmc_studies.studies.audit.noise import NoiseClaim, noise_rows
from dpmc_studies.studies.audit.randomised import response_rows
from dpmc_studies.studies.audit.rows import AUDIT, stream

EPSILON = 1.0
DELTA = 0.05
"""Of the claims that are not pure. A guarantee at 1e-5 is about events that a million samples
hardly see; the same calibration at a large delta is about events that they do."""
RELEASES = 4
STEPS = 16
"""Sensitivity on the grid of the integer noise."""


def float_claims() -> list[NoiseClaim]:
    """Return the claims of the samplers that draw floating-point numbers.

    Single releases: Laplace and Huber noise at pure epsilon 1, Gaussian noise at (1, DELTA).
    Compositions: RELEASES releases of each noise, calibrated together for (1, DELTA), and of
    Laplace noise also by basic composition.
    """
    pure = {"laplace": Laplace(1 / EPSILON), "huber": Huber(1.0, scale=1 / EPSILON)}
    claims = [claim_of(name, noise, EPSILON, 0.0) for name, noise in pure.items()]
    plans = [("gaussian", 1, DELTA), ("laplace", RELEASES, 0.0)]
    plans += [(name, RELEASES, DELTA) for name in CALIBRATED]
    for name, releases, delta in plans:
        noise = calibrate(name, releases=releases, epsilon=EPSILON, delta=delta).noise
        claims.append(claim_of(name, noise, EPSILON, delta, releases))
    return claims


def claim_of(name, noise, epsilon, delta, releases=1) -> NoiseClaim:
    """Return the claim of a mechanism of :mod:`dpmc.mechanisms` at sensitivity 1."""
    return NoiseClaim(name, noise.logpdf, noise.rvs, noise.cdf, epsilon, delta, releases)


def discrete_claims(seed: int) -> list[NoiseClaim]:
    """Return the claims of the exact samplers, on a grid of STEPS to the sensitivity.

    Gaussian noise has epsilon 1 at the exact delta of its distribution, computed as a sum.
    """
    bits = random.Random(seed).getrandbits
    gaussian = DiscreteGaussian(3 * STEPS // 2)
    return [
        _discrete_claim("discrete_laplace", DiscreteLaplace(STEPS), 0.0, bits),
        _discrete_claim("discrete_gaussian", gaussian, _hockey_stick(gaussian), bits),
    ]


def mechanism_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of all mechanisms.

    ``settings`` has ``seed`` and ``samples``.
    """
    samples = settings["samples"]
    for claim in [*float_claims(), *discrete_claims(settings["seed"])]:
        key = {"mechanism": claim.mechanism, "releases": claim.releases, "delta": claim.delta}
        yield from noise_rows(claim, samples, stream(settings["seed"], AUDIT, key))
    yield from response_rows(settings)


def _discrete_claim(name, noise, delta, bits) -> NoiseClaim:
    support = _support(noise)
    below = np.concatenate([[0.0], np.cumsum(np.exp(noise.logpmf(support)))])

    def draw(size, _rng):
        return np.array(noise.draw(math.prod(size), bits), dtype=float).reshape(size)

    def cdf(x):  # of an integer plus a uniform number
        return np.interp(x, np.append(support, support[-1] + 1), below)

    return NoiseClaim(
        name, noise.logpmf, draw, cdf, EPSILON, delta, shift=float(STEPS), integers=True
    )


def _hockey_stick(noise: Discrete) -> float:
    """Return the delta at EPSILON of integer noise."""
    k = _support(noise)
    there = np.exp(EPSILON + noise.logpmf(k - STEPS))
    return float(np.maximum(np.exp(noise.logpmf(k)) - there, 0).sum())


def _support(noise: Discrete) -> np.ndarray:
    """Return the integers that the noise can take, except for a mass below exp(-90)."""
    reach = math.ceil(100 * noise.scale)
    return np.arange(-reach, reach + 1)
