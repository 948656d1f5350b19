"""The error bounds of Li et al. as printed and as corrected, to lay beside measured errors.

Source: [Li 2021], theorems 1, 2 and 4. The mean squared error of a d1 x d2 matrix of rank r, of
which n entries are observed, is at most the following, with a probability that the theorems state.
With f = h, or the flipped link c = p + (1 - 2p) h in theorem 1, and over abs(x) <= alpha,

    L = sup f'/(f (1 - f)),        beta = sup f (1 - f)/f'^2,
    S = alpha L beta sqrt(r (d1 + d2)/n),

    theorem 1 (InP)     S sqrt(C/n)
    theorem 2 (ObjP)    S sqrt(C/n) + 8 sqrt(2) Delta beta/(epsilon n^(1/3))
    theorem 4 (OutP)    S sqrt(C/n) + alpha^2 log^2(d1 + d2)/epsilon^2

where C is the C_Omega,Y of the theorems. Constants that they leave open are 1 here: how a bound
falls, and what its corrections change, means something, where it lies only with that constant.

Corrected are L and beta (E25, E46: computed, not the printed bounds on them), C (E47), the second
term of theorem 2 (E26), and a factor 2 of all of theorem 4 (E48).

**The second term of theorem 2** bounds 8 beta (1/n) <H, X - X'> over the observed entries, for the
noise H, of scale Delta/epsilon, and any two matrices X and X' of nuclear norm at most tau = alpha
sqrt(r d1 d2) and entries within +-alpha. X' depends on H. Entry by entry the sum is at most
2 alpha sum abs(H), about 2 alpha n Delta/epsilon; and as the spectral norm is dual to the nuclear
one, at most norm(X - X', nuclear) norm(H, spectral), which is at most 2 tau norm(H, spectral), H
being 0 where nothing is observed. That norm grows as (Delta/epsilon) sqrt(n/min(d1, d2)), so that
the second bound falls as alpha (Delta/epsilon) sqrt(r (d1 + d2)/n), like S. Corrected is the lesser
of the two, with the spectral norm of drawn noise, and the Delta of the theorem itself: the largest
over abs(x) <= alpha, not the bound that the remark below it gives.
"""

import math
from collections.abc import Iterator, Mapping
from typing import NamedTuple

import numpy as np

from dpmc.mechanisms import Laplace
from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.seeds import NOISE
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.onebit.links import Link, link_of
from dpmc_studies.studies.onebit.cells import BOTH, CLEAR, SYNTHETIC, OneBitCell
from dpmc_studies.studies.onebit.trial import make_sample

GRID = 4001
RIGHT = "right"  # among the forms of C
BOUND_COLUMNS = (
    "theorem", "mechanism", "link", "observed_fraction", "epsilon",
    "published", "corrected", "trivial",
)  # fmt: skip
CONSTANT_COLUMNS = (
    "link", "epsilon", "steepness_published", "steepness", "flatness_published", "flatness",
)  # fmt: skip


class Bounds(NamedTuple):
    """Bounds on the mean squared error, and the largest one that is possible without a theorem."""

    published: float
    corrected: float
    trivial: float


def settings(section: Section, cell: Cell | None = None) -> dict[str, object]:
    """Return the seed, the links, the synthetic data, and for which trials there are bounds.

    ``points`` are the (observed fraction, epsilon) of the experiments on synthetic data under both
    constraints, ``trials`` the most that one of these has, and ``drawn`` the (observed fraction,
    largest one of its experiment).
    """
    chosen = [
        experiment
        for experiment in section["experiments"].values()
        if (experiment["dataset"], experiment["constraint"]) == (SYNTHETIC, BOTH)
    ]
    drawn = {
        (float(fraction), float(max(experiment["observed_fractions"])))
        for experiment in chosen
        for fraction in experiment["observed_fractions"]
    }
    points = {
        (float(fraction), float(epsilon))
        for experiment in chosen
        for fraction in experiment["observed_fractions"]
        for epsilon in experiment["epsilons"]
    }
    return {
        "seed": section["seed"],
        "links": list(section["links"]),
        "points": [list(point) for point in sorted(points)],
        "drawn": [list(pair) for pair in sorted(drawn)],
        "trials": max((experiment["trials"] for experiment in chosen), default=0),
        **section["datasets"][SYNTHETIC],
    }


def run(task: Task) -> Mapping[str, list[dict]]:
    """Run the job: the tables of bounds and of the constants of links."""
    return {
        "bounds": list(bounds(task.settings)),
        "link_constants": list(link_constants(task.settings)),
    }


def steepness_and_flatness(link: Link, alpha: float, flip: float = 0.0) -> tuple[float, float]:
    """Return L and beta of the link p + (1 - 2p) h over abs(x) <= alpha, p = ``flip``."""
    # both suprema are at 0 or at the ends for the links here; the grid holds these points
    x = np.linspace(-alpha, alpha, GRID)
    chance = flip + (1 - 2 * flip) * link.cdf(x)
    slope = (1 - 2 * flip) * link.pdf(x)
    spread = chance * (1 - chance)
    return float((slope / spread).max()), float((spread / slope**2).max())


def published_steepness_and_flatness(
    link: Link, alpha: float, flip: float | None = None
) -> tuple[float, float]:
    """Return the printed bounds on L and beta (below theorem 1, appendix A; sigma = 1).

    Of the link itself, or of that with flips of probability ``flip``.
    """
    steep, flat = {
        "logistic": (1.0, math.exp(alpha)),
        "gaussian": (8 * (alpha + 1), math.pi * math.exp(alpha**2 / 2)),
    }[link.name]
    if flip is None:
        return steep, flat
    return (1 - 2 * flip) * steep, 1 / (2 * (1 - 2 * flip) ** 2) + flat / 2


def sampling_constants(users: int, items: int, observed: int) -> dict[str, float]:
    """Return C_Omega,Y in its three printed forms and, under :data:`RIGHT`, without the root.

    "theorems" is that of theorems 1, 2 and, by reference, 4; "appendix_b" that of equation 11;
    "appendix_d" that of theorem 4's proof. The last is Davenport, Plan, van den Berg and Wootters
    (2014), theorem 1.
    """
    entries, sides = users * items, users + items
    terms = {
        "theorems": entries * math.log(sides),
        "appendix_b": entries * math.log(entries),
        "appendix_d": sides * math.log(entries),
    }
    forms = {name: math.sqrt(observed + term) for name, term in terms.items()}
    return forms | {RIGHT: observed + terms["appendix_d"]}


def squared_error_bounds(
    link: Link, settings: Mapping, fraction: float, epsilon: float, norm: float = math.inf
) -> dict[tuple[int, str], Bounds]:
    """Return the bounds on the mean squared error by (theorem, mechanism), constants 1.

    The trivial bound is that of two matrices with entries within +-alpha, 4 alpha^2; output
    perturbation adds the variance of its noise, 8 alpha^2/epsilon^2. ``norm`` is the spectral norm
    of Laplace noise of scale 1 on the observed entries; without it theorem 2 does not use it.
    """
    alpha = float(settings["alpha"])
    users, items, rank = (settings[name] for name in ("users", "items", "rank"))
    observed = round(fraction * users * items)
    flip = RandomisedResponse.from_epsilon(epsilon).p_plus
    constants = sampling_constants(users, items, observed)

    def statistical(constant: float, steep: float, flat: float) -> float:
        rate = math.sqrt(rank * (users + items) / observed)
        return alpha * steep * flat * rate * math.sqrt(constant / observed)

    printed = published_steepness_and_flatness(link, alpha)
    true = steepness_and_flatness(link, alpha)
    clear = statistical(constants["theorems"], *printed), statistical(constants[RIGHT], *true)
    noise = link.published_sensitivity(alpha) / epsilon
    product = noise_product(settings, observed, norm) * link.sensitivity(alpha) / epsilon
    logs = output_term(settings, epsilon)
    largest = 4 * alpha**2
    return {
        (1, "inp"): Bounds(
            statistical(
                constants["theorems"], *published_steepness_and_flatness(link, alpha, flip)
            ),
            statistical(constants[RIGHT], *steepness_and_flatness(link, alpha, flip)),
            largest,
        ),
        (2, "objp_paper"): Bounds(
            clear[0] + 8 * math.sqrt(2) * noise * printed[1] / math.cbrt(observed),
            clear[1] + 8 * true[1] * product,
            largest,
        ),
        (4, "outp_paper"): Bounds(
            clear[0] + logs, 2 * (clear[1] + logs), largest + 8 * alpha**2 / epsilon**2
        ),
    }


def output_term(settings: Mapping, epsilon: float) -> float:
    """Return what theorem 4 adds to the bound for the noise of the output."""
    sides = settings["users"] + settings["items"]
    return float(settings["alpha"]) ** 2 * math.log(sides) ** 2 / epsilon**2


def noise_product(settings: Mapping, observed: int, norm: float) -> float:
    """Return the bound on (1/n) <H, X - X'> for noise H of scale 1, see the module.

    ``norm`` is its spectral norm; of the sizes of its entries the mean, 1, is taken.
    """
    alpha = settings["alpha"]
    tau = alpha * math.sqrt(settings["rank"] * settings["users"] * settings["items"])
    return min(2 * alpha, 2 * tau * norm / observed)


def bounds(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the bounds as average relative errors, for each link, observed fraction and epsilon."""
    means, norms = {}, {}
    for fraction, largest in settings["drawn"]:
        means[fraction], norms[fraction] = mean_square_and_norm(settings, fraction, largest)
    for name in settings["links"]:
        link = link_of(name)
        for fraction, epsilon in settings["points"]:
            found = squared_error_bounds(link, settings, fraction, epsilon, norms[fraction])
            for (theorem, mechanism), squared in found.items():
                relative = (bound / means[fraction] for bound in squared)
                row = (theorem, mechanism, name, fraction, epsilon, *relative)
                yield dict(zip(BOUND_COLUMNS, row, strict=True))


def link_constants(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield L and beta as printed and as they are: of each link, and of it with flips.

    Without flips epsilon is None.
    """
    alpha = float(settings["alpha"])
    for name in settings["links"]:
        link = link_of(name)
        for epsilon in (None, *sorted({epsilon for _, epsilon in settings["points"]})):
            flip = None if epsilon is None else RandomisedResponse.from_epsilon(epsilon).p_plus
            printed = published_steepness_and_flatness(link, alpha, flip)
            steep, flat = steepness_and_flatness(link, alpha, flip or 0.0)
            row = (name, epsilon, printed[0], steep, printed[1], flat)
            yield dict(zip(CONSTANT_COLUMNS, row, strict=True))


def mean_square_and_norm(settings: Mapping, fraction: float, largest: float) -> tuple[float, float]:
    """Return two means over the trials' instances.

    The mean square of an entry of their matrices, by which errors are divided, and the spectral
    norm of Laplace noise of scale 1 on their observed entries. ``largest`` is the largest observed
    fraction of the experiment.
    """
    sizes = {name: settings[name] for name in ("users", "items", "rank", "alpha")}
    chosen = {"seed": settings["seed"], "drawn_fraction": largest, **sizes}
    cell = OneBitCell(SYNTHETIC, "logistic", BOTH, fraction, CLEAR, None)
    noise, squares, norms = Laplace(1.0), [], []
    for trial in range(settings["trials"]):
        sample = make_sample(cell, chosen, trial)
        squares.append(np.square(sample.matrix).mean())
        drawn = np.zeros(sample.matrix.shape)
        rng = cell.stream(settings["seed"], NOISE, "dataset", "observed_fraction", trial=trial)
        seen = sample.training
        drawn[seen.users, seen.items] = noise.rvs(len(seen), rng)
        norms.append(np.linalg.norm(drawn, ord=2))
    return float(np.mean(squares)), float(np.mean(norms))


TABLES = {"bounds": BOUND_COLUMNS, "link_constants": CONSTANT_COLUMNS}
