"""The method of a fit, with defaults that do not depend on any rating."""

from collections.abc import Mapping
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


def settings_of(options: Mapping[str, Any]) -> dict:
    """Return the constructor arguments of the method; defaults come from public constants alone.

    The defaults did well on synthetic ratings (2,000 to 20,000 users, 300 to 500 items, rank 5, 15
    % observed). Options are the result of :func:`dpmc.fitting.checks.checked`.
    """
    relation, method = options["relation"], method_of(options)
    settings = {name: options[name] for name in ("epsilon", "delta", "mechanism")}
    settings |= {"relation": relation} | _given(options, method)
    if method in ("bayes", "ease") and relation not in USER_LEVEL:
        raise ParameterError(
            "The method {chosen} protects users with all of their ratings: give {relation} user or "
            "another {method}.",
            chosen=method,
        )
    settings["mechanism"] = _mechanism(settings, method)
    if method in ("bayes", "ease") and options["items_privately"] is not None:  # else all count
        settings = {"ratings_per_user": 50} | settings
    if method == "ease":  # to which a like is a like
        return settings
    low, high = options["rating_range"]
    settings["rating_range"] = (low, high)
    settings.pop("item_features", None)  # are no setting, but of a fit, as its ratings
    if method == "bayes":
        if "report_error" in settings:
            settings["held_out"] = settings.pop("report_error")
            if not 0 < settings["held_out"] < 1:
                raise ParameterError(
                    "{report_error} must be a share of each user's ratings between 0 and 1, such "
                    "as 0.1, got {value!r}.",
                    value=settings["held_out"],
                )
        return settings
    if method == "bias":  # where nothing but the rating range bounds what is added up
        if "shrinkage" in settings:  # users would divide by it
            check_positive("shrinkage", settings["shrinkage"])
        return defaults_of(relation, method) | settings
    of_users = relation in USER_LEVEL
    defaults = {"rank": 3 if of_users else 1} | defaults_of(relation, method)
    if of_users:
        defaults["user_regularization"] = 0.1 * (high - low) / 2
    return defaults | settings


def method_of(options: Mapping[str, Any]) -> str:
    """Return the method that was given, or the default for the relation."""
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
    return default_method(options["relation"])


def default_method(relation: str) -> str:
    """Return the method of a fit for ratings if none is given: bayes protects users only."""
    return "bayes" if relation in USER_LEVEL else "als"


def defaults_of(relation: str, method: str) -> dict[str, int]:
    """Return the default settings of als and bias, for training and for ``dpmc noise``."""
    of_users = relation in USER_LEVEL
    found = {"ratings_per_user": 50} if of_users else {}
    return found if method == "bias" else found | {"iterations": 2 if of_users else 1}


def _mechanism(settings: dict, method: str) -> str:
    """Return the noise that was asked for, or what ``dpmc noise`` says for as many releases."""
    relation, asked = settings["relation"], settings["mechanism"]
    if asked == "laplace" and relation in USER_LEVEL:
        raise ParameterError(
            "Laplace noise is for the relations of single ratings, entry and entry_change: where "
            "users are protected leave out {mechanism}, and the noise is gaussian."
        )
    if asked is not None:
        return asked
    iterations = (defaults_of(relation, method) | settings).get("iterations", 0)
    releases = planned_releases(relation, iterations=iterations, offset_sides=2)
    return mechanism_of(relation, releases, settings["epsilon"], settings["delta"])


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


def selection_of(settings: dict, share: float | None) -> Selection | None:
    """Return the private choice of items that takes a share of the budget; None without one."""
    if share is None:
        return None
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
    if method in ("bayes", "bias", "ease"):
        return make(**settings)
    model = make(**{"regularization": 1.0, **settings})
    # where counts are public Gram matrices have no noise: their own size is the unit
    gram = model.bounds.gram() or model.bounds.factor_bound**2
    unit = model.calibration.noise.std() * gram
    return make(**{"regularization": 8 * unit, "user_regularization": unit, **settings})
