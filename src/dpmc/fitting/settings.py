"""The method of a fit, with defaults that no rating had a part in."""

import math
from collections.abc import Callable, Mapping
from typing import Any, cast

from dpmc.errors import ParameterError
from dpmc.fitting.parameters import METHODS, PARAMETERS
from dpmc.methods import method_class
from dpmc.methods.base import check_positive
from dpmc.methods.private import PrivateMethod, check_ratings_per_user
from dpmc.privacy.recommendation import mechanism_of
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.selection import Selection
from dpmc.privacy.sensitivity import planned_releases

ROW_SHARE = 0.3
"""Default of dpals's row bound, as a share of the longest that k ratings can be, B sqrt(k)."""
FACTOR_SHARE = 0.05
"""Default of dpals's factor bound, as a share of B: users are longer, so directions count."""


def settings_of(options: Mapping[str, Any]) -> dict:
    """Return what the method is constructed with; defaults come from public constants alone.

    They did well on synthetic ratings (2,000 to 20,000 users, 300 to 500 items, rank 5, 15 %
    observed), and those of dpals on MovieLens 100K and Jester 5k as well. Options are those that
    :func:`dpmc.fitting.checks.checked` returned.
    """
    relation, method = options["relation"], method_of(options)
    settings = {name: options[name] for name in ("epsilon", "delta", "mechanism")}
    settings |= {"relation": relation} | _given(options, method)
    if method == "ease":  # to which a like is a like
        if settings["mechanism"] is None:
            settings["mechanism"] = "gaussian"
        return _of_users(settings, method, options["items_privately"])
    low, high = options["rating_range"]
    settings["rating_range"] = (low, high)
    settings.pop("item_features", None)  # are no setting, but of a fit, as its ratings
    half = (high - low) / 2
    if settings["mechanism"] is None:
        settings["mechanism"] = _mechanism(settings, method, options["items_privately"])
    if method == "bayes":
        return _of_bayes(settings, options["items_privately"])
    if method == "dpals":
        return _of_dpals(settings, half)
    if method == "bias":
        return _of_bias(settings)
    of_users = relation in USER_LEVEL
    defaults = {"rank": 3 if of_users else 1} | defaults_of(relation, method, half)
    if of_users:
        defaults["user_regularization"] = 0.1 * half
    return defaults | settings


def method_of(options: Mapping[str, Any]) -> str:
    """Return the method that was given, or else the default for what is protected."""
    method, purpose = options["method"], options["purpose"]
    if purpose is not None and method is not None and (purpose == "ranking") != (method == "ease"):
        raise ParameterError(
            "The method {chosen} does not make what {purpose} {what} asks for: leave out one of "
            "{method} and {purpose}.",
            chosen=method,
            what=purpose,
        )
    if method is not None:
        return method
    if purpose == "ranking":
        return "ease"
    return default_method(options["relation"], options["mechanism"], options["delta"])


def default_method(relation: str, mechanism: str | None, delta: float) -> str:
    """Return the method of a fit if none is given: bayes protects users, with Gaussian noise."""
    gaussian = mechanism in (None, "gaussian") and delta > 0
    return "bayes" if relation in USER_LEVEL and gaussian else "als"


def defaults_of(relation: str, method: str, half_range: float) -> dict[str, float]:
    """Return what als, irls and bias train with, and ``dpmc noise`` plans with, if not told."""
    of_users = relation in USER_LEVEL
    found: dict[str, float] = {"ratings_per_user": 50} if of_users else {}
    if method != "bias":
        found["iterations"] = 2 if of_users else 1
    if method == "irls":
        found |= {"inner_iterations": 2, "loss_parameter": 0.4 * half_range}
    return found


def _mechanism(settings: dict, method: str, share: float | None) -> str:
    """Return what ``dpmc noise`` says for as many releases; bayes, dpals and a private
    choice of items have Gaussian noise only."""
    if method in ("bayes", "dpals") or share is not None:
        return "gaussian"
    relation = settings["relation"]
    planned = defaults_of(relation, method, 1.0) | settings
    counts = {name: planned[name] for name in ("iterations", "inner_iterations") if name in planned}
    releases = planned_releases(relation, **{"iterations": 0} | counts, offset_sides=2)
    per_user = check_ratings_per_user(relation, planned.get("ratings_per_user"))
    return mechanism_of(
        relation, method, releases, settings["epsilon"], settings["delta"], per_user
    )


def _given(options: Mapping[str, Any], method: str) -> dict:
    """Return the options of some methods that were given, or refuse those of others."""
    own = {name: each.methods for name, each in PARAMETERS.items() if each.methods}
    given = {name: options[name] for name in own if options[name] is not None}
    for name in given:
        if method not in own[name]:
            raise ParameterError(
                "{0} is an option of the method {owners} only: give {method} too, or leave it out "
                "of {chosen}.",
                name,
                owners=" and ".join(own[name]),
                chosen=method,
            )
    return given


def _of_dpals(settings: dict, half: float) -> dict:
    if settings["relation"] not in USER_LEVEL:
        raise ParameterError(
            "The method dpals protects users with all of their ratings: give {relation} user or "
            "user_replace, or another {method}."
        )
    if settings["mechanism"] != "gaussian":
        raise ParameterError("The method dpals has gaussian noise only: leave out {mechanism}.")
    if "ratings_per_user" in settings:  # whose square root is taken below
        check_ratings_per_user(settings["relation"], settings["ratings_per_user"])
    defaults = {"ratings_per_user": 50, "rank": 3, "iterations": 3, "gram": "free"}
    settings = defaults | {"factor_bound": FACTOR_SHARE * half} | settings
    if settings["gram"] == "free" and "regularization" in settings:
        raise ParameterError(
            "{regularization} is of no use without Gram matrices: give {gram} noised too."
        )
    if "residual_bound" in settings:
        settings["value_bound"] = settings.pop("residual_bound")
    bound = ROW_SHARE * half * math.sqrt(settings["ratings_per_user"])
    return {"row_bound": bound} | settings


def _of_users(settings: dict, method: str, share: float | None) -> dict:
    """Return the settings of a method for users alone: all of their ratings count, unless counts
    choose the items."""
    if settings["relation"] not in USER_LEVEL:
        raise ParameterError(
            "The method {chosen} protects users with all of their ratings: give {relation} user or "
            "another {method}.",
            chosen=method,
        )
    return settings if share is None else {"ratings_per_user": 50} | settings


def _of_bayes(settings: dict, share: float | None) -> dict:
    """Return the settings of local Bayes."""
    settings = _of_users(settings, "bayes", share)
    if "report_error" in settings:
        settings["held_out"] = settings.pop("report_error")
        if not 0 < settings["held_out"] < 1:
            raise ParameterError(
                "{report_error} must be a share of each user's ratings between 0 and 1, such as "
                "0.1, got {value!r}.",
                value=settings["held_out"],
            )
    return settings


def _of_bias(settings: dict) -> dict:
    """Return the settings of biases alone; nothing but the rating range bounds what they add up."""
    settings = defaults_of(settings["relation"], "bias", 1.0) | settings
    if "shrinkage" in settings:  # users would divide by it
        check_positive("shrinkage", settings["shrinkage"])
    return settings


def selection_of(settings: dict, share: float | None) -> Selection | None:
    """Return the private choice of items that takes a share of the budget; None without one."""
    if share is None:
        return None
    if settings["mechanism"] != "gaussian":
        raise ParameterError("{items_privately} needs gaussian noise: leave out {mechanism}.")
    if settings["relation"] not in USER_LEVEL:
        raise ParameterError(
            "{items_privately} is for the relations user and user_replace; where single ratings "
            "are protected, give {items} FILE."
        )
    return Selection(
        settings["relation"],
        cast(int, check_ratings_per_user(settings["relation"], settings["ratings_per_user"])),
        settings["epsilon"],
        settings["delta"],
        share,
    )


def make_model(method: str, settings: dict, selection: Selection | None = None) -> PrivateMethod:
    """Return the method; regularizations that were not given are in units of its noise.

    Where items are chosen privately, the method gets the budget that this leaves.
    """
    if selection is not None:
        settings = settings | {"epsilon": selection.fit_epsilon, "delta": selection.fit_delta}
    make = method_class(METHODS[method])
    if method == "dpals":
        return _make_dpals(make, settings)
    if method in ("bayes", "bias", "ease"):
        return make(**settings)
    model = make(**{"regularization": 1.0, **settings})
    gram = model.bounds.gram() or model.bounds.factor_bound**2
    unit = model.calibration.noise.std() * gram
    model = make(**{"regularization": 8 * unit, "user_regularization": unit, **settings})
    largest = 2 * (settings["rating_range"][1] - settings["rating_range"][0])
    if settings.get("loss_parameter", 0) > largest:
        raise ParameterError(
            "{loss_parameter} must be at most {largest:g}, twice the range of the ratings: beyond "
            "it clips nothing; got {value:g}.",
            largest=largest,
            value=settings["loss_parameter"],
        )
    return model


def _make_dpals(make: Callable[..., Any], settings: dict) -> PrivateMethod:
    """Return DPALS, which takes the regularization of items in units of its noise itself."""
    settings = dict(settings)
    regularization = settings.pop("regularization", None)
    model = make(**{"item_regularization": 8.0, **settings})
    if regularization is None:
        return model
    part = model.plan["gram"]
    unit = model.calibration.noise.std() * part.sensitivity * part.weight
    return make(**settings, item_regularization=regularization / unit)
