"""Audit of randomised response, whose outputs are signs."""

import math
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.statistics.privacy_bounds import fit_of_sample, threshold_bound
from dpmc_studies.studies.audit.rows import AUDIT, CONFIDENCE, bound_row, p_value_row, stream

EPSILON = 1.0
UNEVEN = RandomisedResponse(0.5 * math.exp(-EPSILON), 0.5)
"""Flips that are not symmetric: (1 - q)/p is the largest of the four ratios."""

Flip = Callable[[np.ndarray, np.random.Generator], np.ndarray]


@dataclass(frozen=True, eq=False)
class FlipClaim:
    """The probabilities and the guarantee that flips of signs, drawn by ``flip``, claim.

    ``response`` holds the probabilities that are claimed.
    """

    mechanism: str
    response: RandomisedResponse
    epsilon: float
    flip: Flip


def flip_claims() -> list[FlipClaim]:
    """Return the claims: symmetric flips at EPSILON, uneven ones, and both with exact coins."""
    claims = []
    for name, response in (
        ("randomised_response", RandomisedResponse.from_epsilon(EPSILON)),
        ("uneven_randomised_response", UNEVEN),
    ):
        claims.append(FlipClaim(name, response, EPSILON, response.flip))
        claims.append(FlipClaim(f"discrete_{name}", response, EPSILON, _exact(response)))
    return claims


def response_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of all claims.

    ``settings`` has ``seed`` and ``samples``.
    """
    for claim in flip_claims():
        rng = stream(settings["seed"], AUDIT, {"mechanism": claim.mechanism})
        yield from flip_rows(claim, settings["samples"], rng)


def flip_rows(
    claim: FlipClaim, samples: int, rng: np.random.Generator
) -> Iterator[dict[str, object]]:
    """Yield the rows of the likelihood-ratio event, and of tests of either probability.

    ``samples`` signs of either kind are flipped.
    """
    stated = {
        "target": "mechanism",
        "mechanism": claim.mechanism,
        "claimed_epsilon": claim.epsilon,
        "delta": 0.0,
        "samples": samples,
    }
    outputs = [claim.flip(np.full(samples, sign), rng) for sign in (1.0, -1.0)]
    # a sign has two events only: an output is as good as its likelihood ratio
    found = threshold_bound(*outputs, delta=0.0, confidence=CONFIDENCE)
    yield bound_row("likelihood_ratio", found, stated)
    p_plus, p_minus = claim.response.p_plus, claim.response.p_minus
    fits = [
        fit_of_sample(*_uniform(output, minus, rng))
        for output, minus in zip(outputs, (p_plus, 1 - p_minus), strict=True)
    ]
    # the smaller of two, which pays for both
    yield p_value_row("kolmogorov_smirnov", min(1.0, 2 * min(fits)), stated)


def _exact(response: RandomisedResponse) -> Flip:
    """Exact coins, with bits from a seeded generator."""

    def flip(signs, rng):
        return response.flip_exact(signs, random.Random(int(rng.integers(2**32))).getrandbits)

    return flip


def _uniform(outputs, minus, rng):
    """Outputs plus uniform numbers in [0, 2), and their law if -1 has the probability given."""

    def cdf(x):
        return np.interp(x, [-1.0, 1.0, 3.0], [0.0, minus, 1.0])

    return outputs + rng.uniform(0, 2, outputs.size), cdf
