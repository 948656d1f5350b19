"""Completing likes and dislikes for publication: settings, the signs, and what is odd of them."""

import math
import warnings
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from dpmc.errors import InputError, ParameterError, did_you_mean
from dpmc.fitting.book import Book
from dpmc.fitting.checks import SMALLEST_EPSILON, check_between, checked_budget
from dpmc.methods.onebit.links import link_of
from dpmc.methods.onebit.noise import NOISED
from dpmc.methods.onebit.private import Completion, Problem, complete
from dpmc.methods.onebit.randomness import Exact, Simulated
from dpmc.methods.onebit.solve import Ball, NotConverged
from dpmc.methods.released.onebit_folder import radius
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.relations import ENTRY_CHANGE
from dpmc.privacy.spending import Cost
from dpmc.ratings import Ratings

RELEASED = ("inp", "objp", "grap", "grap_gaussian", "outp", "private_item_bias")
AS_PUBLISHED = tuple(name for name in NOISED if name not in RELEASED)
"""What they guarantee is not what they claim, so they are for simulations only."""
DELTA = 1e-5
SMALLEST_ALPHA, LARGEST_ALPHA = 1e-6, 30.0
"""Between signs that are all but coins, where rounding hides how links bend, and signs that are
certain to 13 digits; further out 1 - h is no normal number."""
MOST_ENTRIES = 30_000_000
"""Of a matrix: solvers hold about six of that size, 240 MB each."""

_CODES = ((-1.0, 1.0), (0.0, 1.0))


def settings_of(options: dict, simulated: bool) -> dict[str, object]:
    """Return the checked settings: mechanism, link, constraint, budget, bounds and threshold."""
    mechanism = options["mechanism"]
    known = (*RELEASED, *AS_PUBLISHED)
    if mechanism not in known:
        raise InputError(
            f"There is no one-bit mechanism '{mechanism}'{did_you_mean(mechanism, known)}; known "
            f"are {', '.join(known)}."
        )
    if mechanism in AS_PUBLISHED and not simulated:
        raise ParameterError(
            "{chosen} does not guarantee the epsilon that it claims, so it runs with {simulate} "
            "only; release {instead} instead.",
            chosen=mechanism,
            instead=mechanism.split("_")[0],
        )
    settings = {name: options[name] for name in ("mechanism", "link", "constraint")}
    for name in ("epsilon", "alpha"):
        settings[name] = _positive(name, options[name])
    check_between("epsilon", settings["epsilon"], SMALLEST_EPSILON, math.inf)
    check_between("alpha", settings["alpha"], SMALLEST_ALPHA, LARGEST_ALPHA)
    link_of(settings["link"])
    if options["rank"] < 1:
        raise ParameterError("{rank} must be at least 1, got {value}.", value=options["rank"])
    settings["rank"] = options["rank"]
    settings["delta"] = _delta(mechanism, options["delta"])
    settings["threshold"] = _threshold(options["threshold"])
    return settings


def _positive(name: str, value: float) -> float:
    if not 0 < value < math.inf:
        sentence = "{0} must be a positive finite number, got {value!r}."
        raise ParameterError(sentence, name, value=value)
    return value


def _delta(mechanism: str, delta: float | None) -> float:
    if mechanism != "grap_gaussian":
        if delta is not None:
            raise ParameterError(
                "{delta} is an option of the mechanism grap_gaussian; {chosen} has delta = 0.",
                chosen=mechanism,
            )
        return 0.0
    if delta is None:
        return DELTA
    if not 0 <= delta < 1:
        raise ParameterError("{delta} must lie in [0, 1), got {value!r}.", value=delta)
    return delta


def _threshold(text: str | None) -> float:
    if text is None:
        return 0.0
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ParameterError(
            "{threshold} must be a number that is known without the ratings, got '{text}': their "
            "mean, for example, is not covered by the guarantee.",
            text=text,
        )
    return value


def book_of(settings: dict, ledger: str | None, budget: object) -> Book | None:
    """Return the book in which a completion is entered, for single ratings; None without one.

    What :data:`RELEASED` has is pure, or Gaussian noise calibrated for exactly this budget.
    """
    if ledger is None:
        if budget is not None:
            raise ParameterError("{budget} is that of a {ledger}: give its file too.")
        return None
    epsilon, delta = settings["epsilon"], settings["delta"]
    noise = None
    if settings["mechanism"] == "grap_gaussian":
        noise = calibrate("gaussian", releases=1, epsilon=epsilon, delta=delta).noise
    budget = None if budget is None else checked_budget(budget)
    cost = Cost(epsilon, delta, noise)
    return Book(Path(ledger), ENTRY_CHANGE, f"onebit {settings['mechanism']}", cost, budget)


def remarks_on(ratings: Ratings, signs: Ratings, settings: dict) -> list[str]:
    """Return what is odd about the signs of ratings: not private.

    To refuse it would tell one rating from another.
    """
    remarks, threshold = [], settings["threshold"]
    if threshold == 0 and not any(np.isin(ratings.values, code).all() for code in _CODES):
        remarks.append(
            "ratings are more than likes and dislikes; those above 0 are +1, unless --threshold "
            "says otherwise"
        )
    if (signs.values == signs.values[0]).all():
        remarks.append(f"all ratings lie on one side of the threshold {threshold:g}")
    return remarks


def problem_of(signs: Ratings, settings: dict) -> Problem:
    """Return the problem to solve: the nuclear norm is at most tau = alpha sqrt(d1 d2 rank).

    That bound holds for every matrix of that rank with entries in +-alpha (Davenport et al.).
    """
    users, items, rank = signs.n_users, signs.n_items, settings["rank"]
    if rank > min(users, items):
        raise ParameterError(
            "{rank} must be at most {most} for {n_users} users and {n_items} items, got {value}.",
            most=min(users, items),
            n_users=users,
            n_items=items,
            value=rank,
        )
    if users * items > MOST_ENTRIES:
        raise InputError(
            f"{users} users and {items} items are {users * items} entries, more than the "
            f"{MOST_ENTRIES} that fit; leave out users or items, without looking at the ratings."
        )
    alpha = settings["alpha"]
    tau = radius((users, items), rank, alpha)
    ball = Ball(tau, alpha if settings["constraint"] == "both" else None)
    return Problem(signs, link_of(settings["link"]), ball, alpha)


def completed(problem: Problem, settings: dict, seed: int | None) -> Completion:
    """Complete; whether the solver converged is told by :func:`remarks_on_completion`.

    The seed is that of simulated noise; None: exact noise for publication. On one thread: matrices
    are small enough for threads of OpenBLAS to spend most of their time waiting for each other, on
    a busy machine several times that of the work.
    """
    randomness = Exact() if seed is None else Simulated(np.random.default_rng(seed))
    delta = settings["delta"] or None
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):
        warnings.simplefilter("ignore", NotConverged)
        return complete(
            settings["mechanism"], problem, settings["epsilon"], randomness=randomness, delta=delta
        )


def remarks_on_completion(completion: Completion, signs: Ratings, settings: dict) -> list[str]:
    """Return what was noticed: it may depend on the ratings."""
    remarks = []
    if completion.converged is not None and not completion.converged:
        remarks.append(f"the solver stopped after {completion.iterations} iterations, unfinished")
    if settings["delta"] * len(signs) >= 1:
        remarks.append(
            f"delta {settings['delta']:g} is not below 1 / {len(signs)} ratings: such a guarantee "
            "allows to publish one of them"
        )
    return remarks
