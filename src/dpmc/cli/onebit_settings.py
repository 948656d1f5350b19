"""What ``dpmc onebit`` completes: settings that no rating had a part in, and the signs."""

import math

import numpy as np

from dpmc.cli.options import check_between
from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms.base import positive, probability
from dpmc.methods.onebit.links import link_of
from dpmc.methods.onebit.noise import NOISED
from dpmc.methods.onebit.private import Problem
from dpmc.methods.onebit.solve import Ball
from dpmc.methods.published.onebit_folder import radius
from dpmc.ratings import Ratings

RELEASED = ("inp", "objp", "grap", "grap_gaussian", "outp", "private_item_bias")
AS_PUBLISHED = tuple(name for name in NOISED if name not in RELEASED)
"""What they guarantee is not what they claim, so they are for simulations only."""
DELTA = 1e-5
SMALLEST_ALPHA, LARGEST_ALPHA = 1e-6, 30.0
"""Between signs that are all but coins, where rounding hides how links bend, and signs that are
certain to 13 digits; further out 1 - h is no normal number."""
SMALLEST_EPSILON = 1e-9
MOST_ENTRIES = 30_000_000
"""Of a matrix: solvers hold about six of that size, 240 MB each."""

_CODES = ((-1.0, 1.0), (0.0, 1.0))


def settings_of(options: dict, simulated: bool) -> dict[str, object]:
    """Return the checked settings: mechanism, link, constraint, budget, bounds and threshold.

    Raises
    ------
    InputError
        A setting that is unknown, out of range or of no use, or a mechanism whose guarantee does
        not hold, if it is not simulated.
    """
    mechanism = options["mechanism"]
    known = (*RELEASED, *AS_PUBLISHED)
    if mechanism not in known:
        raise InputError(
            f"There is no one-bit mechanism '{mechanism}'{did_you_mean(mechanism, known)}; known "
            f"are {', '.join(known)}."
        )
    if mechanism in AS_PUBLISHED and not simulated:
        raise InputError(
            f"{mechanism} does not guarantee the epsilon that it claims, so it runs with "
            f"--simulate only; release {mechanism.split('_')[0]} instead."
        )
    settings = {name: options[name] for name in ("mechanism", "link", "constraint")}
    settings["epsilon"] = positive("--epsilon", options["epsilon"])
    check_between("epsilon", settings["epsilon"], SMALLEST_EPSILON, math.inf)
    settings["alpha"] = positive("--alpha", options["alpha"])
    if not SMALLEST_ALPHA <= settings["alpha"] <= LARGEST_ALPHA:
        raise InputError(
            f"--alpha must lie between {SMALLEST_ALPHA:g} and {LARGEST_ALPHA:g}, got "
            f"{settings['alpha']:g}."
        )
    link_of(settings["link"])
    if options["rank"] < 1:
        raise InputError(f"--rank must be at least 1, got {options['rank']}.")
    settings["rank"] = options["rank"]
    settings["delta"] = _delta(mechanism, options["delta"])
    settings["threshold"] = _threshold(options["threshold"])
    return settings


def _delta(mechanism: str, delta: float | None) -> float:
    if mechanism != "grap_gaussian":
        if delta is not None:
            raise InputError(
                f"--delta is an option of the mechanism grap_gaussian; {mechanism} has delta = 0."
            )
        return 0.0
    return probability("--delta", DELTA if delta is None else delta)


def _threshold(text: str | None) -> float:
    if text is None:
        return 0.0
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise InputError(
            f"--threshold must be a number that is known without the ratings, got '{text}': their "
            "mean, for example, is not covered by the guarantee."
        )
    return value


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

    Raises
    ------
    InputError
        A rank above that of any such matrix, or a matrix too large to complete.
    """
    users, items, rank = signs.n_users, signs.n_items, settings["rank"]
    if rank > min(users, items):
        raise InputError(
            f"--rank must be at most {min(users, items)} for {users} users and {items} items, got "
            f"{rank}."
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
