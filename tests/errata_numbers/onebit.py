"""What shows the errata of the one-bit paper."""

import math

import numpy as np

from dpmc.mechanisms import Laplace
from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.methods.onebit.guarantee import guarantee_of
from dpmc_studies.methods.onebit.links import Link, link_of
from dpmc_studies.methods.onebit.signs import MEAN, binarise
from dpmc_studies.studies.onebit.claims.facts import (
    CLIP,
    RIGHT,
    least_curvature,
    loss_on_one_entry,
    one_entry,
    published_steepness_and_flatness,
    sampling_constants,
    steepness_and_flatness,
)
from dpmc_studies.studies.onebit.experiments.outp import block_change
from dpmc_studies.studies.onebit.instances import first_split, instance
from errata_numbers import Evidence

SIDE, OBSERVED = 100, 1500  # of the paper's matrices, 15 % of the entries
SIZES = ((SIDE, OBSERVED), (SIDE, 8000))  # sides and observed entries
ADMITTED, SMALL = 0.5, 0.001  # chances of flipping -1, and +1
BLOCK = 40  # side of the block instance
SEARCHES, SIGNS, HALVINGS, DECREASE = 500, 50, 20, 1e-4
MATRICES = 10_000
TRAINING = 0.8
TEST = 20_000  # lines of the split u1 of MovieLens 100K
DRAWS = 200
LEVEL = 1.3  # c, less than the root mean square √2 of the noise


def flip_probabilities(sources) -> Evidence:
    """The condition on two flip probabilities looks at two of four ratios."""
    flips = RandomisedResponse(0.0, ADMITTED)
    nearly = RandomisedResponse(SMALL, ADMITTED).epsilon()
    return Evidence(
        {
            "first": (1 - flips.p_plus) / flips.p_minus,
            "second": flips.p_minus / (1 - flips.p_plus),
            "third": flips.p_plus / (1 - flips.p_minus),
            "nearly": nearly,
        },
        admitted=ADMITTED,
        small=SMALL,
    )


def gaussian_objective(sources) -> Evidence:
    """With the Gaussian link the proof omits a Jacobian, and its sensitivity is loose."""
    link = link_of("gaussian")
    facts = one_entry(link)
    tight, reported = link.sensitivity(1.0), link.published_sensitivity(1.0)
    least = link.log_curvature_ratio(1.0)
    gap = float(-np.diff(link.slope(np.array([-1.0, 1.0])))[0])
    numbers = {
        "tight": tight,
        "reported": reported,
        "jacobian": least,
        # where the loss at the bound, least - gap epsilon/reported, equals epsilon
        "broken": least / (1 + gap / reported),
    }
    losses = []
    for epsilon in (0.25, 1.0):
        exact = loss_on_one_entry("objp_paper", facts, epsilon)
        proven = guarantee_of("objp_paper", facts, epsilon).actual_epsilon
        losses.append({"proven": proven, "claimed": epsilon, "exact": exact})
    return Evidence(numbers, losses=losses)


def output_noise(sources) -> Evidence:
    """OutP: the sensitivity of one entry for that of the matrix."""
    settings = {"users": BLOCK, "items": BLOCK, "alpha": 1.0}
    moved = float(np.abs(block_change("gaussian", settings)).sum())
    return Evidence({"moved": moved, "factor": moved / 2}, side=BLOCK)


def absolute_value(sources) -> Evidence:
    """What a matrix can make of the noise: the published term, a bound, and what is attained."""
    rng = np.random.default_rng(1)
    draws = []
    for side, count in SIZES:
        noise = np.zeros(side * side)
        noise[rng.permutation(noise.size)[:count]] = Laplace(1.0).rvs(count, rng)
        noise = noise.reshape(side, side)
        found = {
            "published": math.sqrt(2) / math.cbrt(count),
            "duality": 2 * side * float(np.linalg.norm(noise, ord=2)) / count,
            "attained": 2 * float((noise * aligned(noise, side)).sum()) / count,
        }
        draws.append({**found, "side": side, "count": count})
    return Evidence({}, draws=draws[-1:], sizes=draws)


def aligned(noise: np.ndarray, tau: float) -> np.ndarray:
    """Return a matrix X of nuclear norm at most tau, entries within +-1, with a large <noise, X>.

    Twice that product is what the matrices X and -X attain.
    """
    left, _, right = np.linalg.svd(noise)
    matrix = np.clip(tau * np.outer(left[:, 0], right[0]), -1, 1)
    return matrix * min(1.0, tau / np.linalg.norm(matrix, ord="nuc"))


def flipped_flatness(sources) -> Evidence:
    """The bound on beta of the flipped link lacks 1/h'^2."""
    cases = []
    flip = 1 / (1 + math.e)
    for link in ("logistic", "gaussian"):
        bound = published_steepness_and_flatness(link_of(link), flip)[1]
        right = steepness_and_flatness(link_of(link), flip)[1]
        cases.append({"right": right, "bound": bound, "link": link})
    return Evidence({}, cases=cases)


def sampling_constant(sources) -> Evidence:
    """C_OmegaY is printed in three forms, with one root too many."""
    constants = sampling_constants(SIDE, OBSERVED)
    factors = {form: math.sqrt(constant / OBSERVED) for form, constant in constants.items()}
    return Evidence(factors | {"right": factors[RIGHT]}, side=SIDE, count=OBSERVED)


def input_objective(sources) -> Evidence:
    """Theorem 1 is about a minimiser that need not be found."""
    cases = []
    for link in ("gaussian", "logistic"):
        least = [least_curvature(link_of(link), epsilon) for epsilon in (0.5, 1.0)]
        half, one = (f"{value:.3f}".replace("-", "−") for value in least)
        cases.append({"half": half, "one": one, "link": link})
    return Evidence({}, cases=cases)


def halved_noise(sources) -> Evidence:
    """The objective of ObjP halves the noise that its proof needs."""
    facts = one_entry(link_of("logistic"))
    exact = loss_on_one_entry("objp_literal", facts, 1.0)
    proven = guarantee_of("objp_literal", facts, 1.0).actual_epsilon
    return Evidence({"proven": proven, "exact": exact})


def gradient_noise(sources) -> Evidence:
    """GraP: the sensitivity of clamped gradients, and what the steps may look at."""
    facts = one_entry(link_of("logistic"))
    proven = guarantee_of("grap_paper", facts, 1.0, clip=CLIP).actual_epsilon
    differ = _searches_that_differ()
    return Evidence({"proven": proven, "searches": differ}, draws=SEARCHES, signs=SIGNS)


def _searches_that_differ() -> int:
    """Count draws in which one flip changes the step that backtracking accepts."""
    rng = np.random.default_rng(1)
    link, noise = link_of("logistic"), Laplace(2 * CLIP)
    steps = 0.5 ** np.arange(HALVINGS)
    count = 0
    for _ in range(SEARCHES):
        signs = rng.choice([-1.0, 1.0], SIGNS)
        flipped = signs.copy()
        flipped[0] *= -1
        gradient = -signs * link.slope(0.0) + noise.rvs(SIGNS, rng)
        count += _accepted(signs, gradient, steps, link) != _accepted(
            flipped, gradient, steps, link
        )
    return count


def _accepted(signs: np.ndarray, gradient: np.ndarray, steps: np.ndarray, link: Link) -> int:
    """Return the place of the first step of sufficient decrease from the matrix 0."""
    moved, _ = link.loss(-steps[:, None] * gradient * signs)
    start, _ = link.loss(np.zeros(1))
    decrease = moved.sum(axis=1) - signs.size * start[0]
    enough = decrease <= -DECREASE * steps * np.square(gradient).sum()
    return int(np.argmax(enough)) if enough.any() else steps.size


def largest_entry(sources) -> Evidence:
    """M is divided by its largest entry, not by its largest absolute entry."""
    rng = np.random.default_rng(1)
    ends = []
    for _ in range(2):
        factor = rng.uniform(-0.5, 0.5, (MATRICES, SIDE))
        ends.append(np.stack([factor.min(axis=1), factor.max(axis=1)], axis=1))
    # the extremes of an outer product are products of extremes
    products = (ends[0][:, :, None] * ends[1][:, None, :]).reshape(MATRICES, 4)
    ratio = np.abs(products).max(axis=1) / products.max(axis=1)
    return Evidence(
        {"share_percent": 100 * (ratio > 1).mean(), "largest_percent": 100 * (ratio.max() - 1)},
        draws=MATRICES,
        side=SIDE,
    )


def restaurant_density(sources) -> Evidence:
    """The published density of the restaurant data is that of the training part."""
    ratings = sources.ratings.get("restaurant")
    if ratings is None:
        return Evidence({}, ["measured"])
    return Evidence(
        {"density": ratings.density, "training": TRAINING * ratings.density},
        ratings=len(ratings),
        users=ratings.n_users,
        restaurants=ratings.n_items,
    )


def threshold(sources) -> Evidence:
    """Which mean MovieLens is cut at."""
    ratings = sources.ratings.get("ml-100k", ())
    if len(ratings) <= TEST:
        return Evidence({}, ["measured"])
    training, _ = first_split(ratings, TEST)
    signs = binarise(ratings, MEAN).values
    others = np.where(ratings.values > training.values.mean(), 1, -1)
    return Evidence(
        {
            "mean": float(ratings.values.mean()),
            "training_mean": float(training.values.mean()),
            "changed": int((signs != others).sum()),
        }
    )


def flatness(sources) -> Evidence:
    """beta of the logistic link."""
    ours = steepness_and_flatness(link_of("logistic"))[1]
    numbers = {"right": ours, "reported": float(np.exp(1.0))}
    return Evidence(numbers)


def true_matrix(sources) -> Evidence:
    """The identity of the likelihood holds for the matrix that the signs come from."""
    link = link_of("logistic")
    matrix, _ = instance(np.random.default_rng(1), SIDE, SIDE, 1, 0.15, link, 1.0)
    chance, zero = link.cdf(matrix), np.full(matrix.shape, 0.5)
    # of the mean log-likelihoods, over signs drawn from the matrix
    other = 1 - chance
    mean = float((_entropy(chance, zero) - _entropy(chance, other)).mean())
    divergence = float((_entropy(other, zero) - _entropy(other, other)).mean())
    return Evidence({"mean": mean, "divergence": divergence}, side=SIDE)


def _entropy(drawn: np.ndarray, assumed: np.ndarray) -> np.ndarray:
    """Return the mean of minus log likelihood of signs that are +1 with these chances."""
    return -(drawn * np.log(assumed) + (1 - drawn) * np.log1p(-assumed))


def minimum(sources) -> Evidence:
    """Appendix D writes min for max."""
    entries = SIDE * SIDE
    noise = np.random.default_rng(1).laplace(size=(DRAWS, entries))
    exceeds = np.square(noise).sum(axis=1) >= entries * LEVEL**2
    tail = math.exp(-LEVEL)  # P(|H| >= LEVEL) at scale 1
    numbers = {
        "sum": float(exceeds.mean()),
        "log10_minimum": entries * math.log10(tail),
    }
    power = f"{numbers['log10_minimum']:.0f}".replace("-", "−")
    return Evidence(numbers, side=SIDE, level=LEVEL, draws=DRAWS, log10_minimum=power)


def squared_triangle(sources) -> Evidence:
    """A triangle inequality of squares without its factor 2."""
    rng = np.random.default_rng(1)
    error = rng.standard_normal(SIDE * SIDE)
    noise = rng.laplace(size=(DRAWS, SIDE * SIDE))
    apart = np.square(error).sum() + np.square(noise).sum(axis=1)
    fails = float((np.square(error + noise).sum(axis=1) > apart).mean())
    return Evidence({"fails": fails}, side=SIDE, draws=DRAWS)


ENTRIES = {
    "E17": flip_probabilities,
    "E20": gaussian_objective,
    "E22": output_noise,
    "E26": absolute_value,
    "E46": flipped_flatness,
    "E47": sampling_constant,
    "E18": input_objective,
    "E19": halved_noise,
    "E21": gradient_noise,
    "E23": largest_entry,
    "E25": flatness,
    "E27": minimum,
    "E28": restaurant_density,
    "E29": threshold,
    "E48": squared_triangle,
    "E80": true_matrix,
}
