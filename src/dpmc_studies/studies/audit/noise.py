"""Audit of noise: single releases of one number, and compositions of several.

The neighbouring data shift each release by its sensitivity, alternately up and down. The sum of the
releases with these signs shows whether their noise is independent: noise that is used twice
cancels.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from dpmc_studies.statistics.privacy_bounds import (
    fit_of_sample,
    histogram_bound,
    independence,
    threshold_bound,
)
from dpmc_studies.studies.audit.rows import CONFIDENCE, bound_row, p_value_row

Draw = Callable[[tuple[int, int], np.random.Generator], np.ndarray]
"""``draw((releases, samples), rng)``: the noise of so many releases, so many times."""


@dataclass(frozen=True, eq=False)
class NoiseClaim:
    """The privacy that noise claims for releases of sensitivity ``shift``.

    ``log_density`` is the log density (or log probability) of the noise, up to a constant. ``cdf``
    is the distribution function of one draw; integer draws get a uniform number in [0, 1) added.
    ``epsilon`` and ``delta`` are for all releases together.
    """

    mechanism: str
    log_density: Callable[[np.ndarray], np.ndarray]
    draw: Draw
    cdf: Callable[[np.ndarray], np.ndarray]
    epsilon: float
    delta: float
    releases: int = 1
    shift: float = 1.0
    integers: bool = False


def noise_rows(
    claim: NoiseClaim, samples: int, rng: np.random.Generator
) -> Iterator[dict[str, object]]:
    """Yield the rows of the likelihood-ratio event, of the histogram and of tests of the noise.

    ``samples`` outputs are drawn on each of the two neighbouring data sets.
    """
    signs = np.where(np.arange(claim.releases) % 2 == 0, 1.0, -1.0)[:, None]
    shifts = claim.shift * signs
    noises = [claim.draw((claim.releases, samples), rng) for _ in range(2)]
    outputs = [noises[0], noises[1] + shifts]
    stated = {
        "target": "mechanism" if claim.releases == 1 else "composition",
        "mechanism": claim.mechanism,
        "claimed_epsilon": claim.epsilon,
        "delta": claim.delta,
        "samples": samples,
    }
    events = {"delta": claim.delta, "confidence": CONFIDENCE}
    losses = [
        np.sum(claim.log_density(each) - claim.log_density(each - shifts), axis=0)
        for each in outputs
    ]
    yield bound_row("likelihood_ratio", threshold_bound(*losses, **events), stated)
    sums = [np.sum(signs * each, axis=0) for each in outputs]
    yield bound_row("histogram", histogram_bound(*sums, **events), stated)
    single = noises[0][0]
    if claim.integers:
        single = single + rng.random(samples)
    yield p_value_row("kolmogorov_smirnov", fit_of_sample(single, claim.cdf), stated)
    if claim.releases > 1:
        yield p_value_row("independence", independence(noises[0].T, claim.cdf), stated)
