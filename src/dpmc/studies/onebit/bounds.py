"""Shapes of the error bounds of Li et al., with every constant 1, to lay beside measured errors.

Source: Davenport, Plan, van den Berg and Wootters, "1-bit matrix completion" (2014), theorem 1:
with probability 1 - C/(d1 + d2) the mean squared error is at most
C alpha L beta sqrt(r (d1 + d2)/n), where over abs(x) <= alpha

    L = sup h'/(h (1 - h)),        beta = sup h (1 - h)/h'^2.

Li, Wei, Huang, Mao and Wang, "One-bit matrix completion with differential privacy"
(arXiv:2110.00719), make of it a bound for randomised response (theorem 1: h becomes the flipped
link p + (1 - 2p) h), objective perturbation (theorem 2: the operator norm of the noise is added to
that of the gradient) and output perturbation (theorem 4: the variance of the noise is added). The
constants are not stated: only how a bound falls with epsilon and the observed fraction means
anything, not where it lies.
"""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.datasets.onebit import instance
from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc.methods.onebit.links import Link, link_of
from dpmc.studies.onebit.cells import BOUND_COLUMNS, SYNTHETIC
from dpmc.studies.onebit.streams import stream
from dpmc.study.seeds import DATA
from dpmc.study.task import Task

GRID = 4001


def steepness_and_flatness(link: Link, alpha: float, flip: float = 0.0) -> tuple[float, float]:
    """Return L and beta of the link p + (1 - 2p) h over abs(x) <= alpha, p = ``flip``."""
    # both suprema are at 0 or at the ends for the links here; the grid holds these points
    x = np.linspace(-alpha, alpha, GRID)
    chance = flip + (1 - 2 * flip) * link.cdf(x)
    slope = (1 - 2 * flip) * link.pdf(x)
    spread = chance * (1 - chance)
    return float((slope / spread).max()), float((spread / slope**2).max())


def run(task: Task) -> Mapping[str, list[dict]]:
    """Run the job: the table of bounds."""
    return {"bounds": list(bounds(task.settings))}


def bounds(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the bounds as average relative errors, for each link, observed fraction and epsilon.

    Parameters
    ----------
    settings : mapping
        What :func:`dpmc.studies.onebit.settings.bound_settings` returns.

    Yields
    ------
    dict
        Keys :data:`dpmc.studies.onebit.cells.BOUND_COLUMNS`.
    """
    means = {}
    for name in settings["links"]:
        link = link_of(name)
        for fraction, epsilon in settings["points"]:
            if fraction not in means:
                means[fraction] = mean_square(settings, fraction)
            found = squared_error_bounds(link, settings, fraction, epsilon)
            for (theorem, mechanism), bound in found.items():
                row = (theorem, mechanism, name, fraction, epsilon, bound / means[fraction])
                yield dict(zip(BOUND_COLUMNS, row, strict=True))


def squared_error_bounds(
    link: Link, settings: Mapping, fraction: float, epsilon: float
) -> dict[tuple[int, str], float]:
    """Return the bound on the mean squared error by (theorem, mechanism).

    The operator norm of noise of standard deviation s on n entries counts as
    s sqrt(n (d1 + d2)/(d1 d2)), which is its order.
    """
    alpha = float(settings["alpha"])
    users, items, rank = (settings[name] for name in ("users", "items", "rank"))
    observed = round(fraction * users * items)
    rate = alpha * float(np.sqrt(rank * (users + items) / observed))
    flip = RandomisedResponse.from_epsilon(epsilon).p_plus
    steep, flat = steepness_and_flatness(link, alpha, flip)
    steep_clear, flat_clear = steepness_and_flatness(link, alpha)
    noise = float(np.sqrt(2)) * link.published_sensitivity(alpha) / epsilon
    return {
        (1, "inp"): rate * steep * flat,
        (2, "objp_paper"): rate * (steep_clear + noise) * flat_clear,
        (4, "outp_paper"): rate * steep_clear * flat_clear + 8 * alpha**2 / epsilon**2,
    }


def mean_square(settings: Mapping, fraction: float) -> float:
    """Return the mean square of an entry of the trials' matrices, by which errors are divided."""
    sizes = (settings["users"], settings["items"], settings["rank"])
    squares = []
    for trial in range(settings["trials"]):
        key = {"dataset": SYNTHETIC, "observed_fraction": fraction, "trial": trial}
        rng = stream(settings["seed"], DATA, key)
        matrix, _ = instance(rng, *sizes, fraction, link_of("logistic"), settings["alpha"])
        squares.append(np.square(matrix).mean())
    return float(np.mean(squares))
