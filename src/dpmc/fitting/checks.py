"""Values of the parameters of a fit, whose types nobody has checked."""

import os
from collections.abc import Mapping
from numbers import Integral, Real
from typing import Any

from dpmc.errors import InputError, ParameterError, did_you_mean
from dpmc.fitting.parameters import (
    BUDGET,
    COUNT,
    FILE,
    FLAG,
    LEVEL,
    NUMBER,
    PARAMETERS,
    RANGE,
    SEED,
    SHARE,
    Parameter,
)
from dpmc.methods.base import check_count, check_number, check_positive
from dpmc.methods.private import check_range, check_ratings_per_user
from dpmc.privacy.relations import RELATIONS, USER_LEVEL

LARGEST_COUNT, LARGEST = 10**9, 1e15
"""Products of several such, or of their inverses, are still numbers."""
SMALLEST_EPSILON = 1e-9
RELATION_ALIASES = {"user": "user_add_remove", "entry": "entry_add_remove"}


def checked(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the value of every parameter of a fit, as plain numbers and texts, or refuse it.

    None means that a value was not given; it stays if a parameter has no default of its own.
    """
    found = {name: options.get(name, each.default) for name, each in PARAMETERS.items()}
    for name, parameter in PARAMETERS.items():
        if found[name] is not None or parameter.required or parameter.default is not None:
            found[name] = _checked(parameter, found[name])
    if found["rating_range"] is None and not ranks(found):
        raise ParameterError(
            "Give {rating_range} LOWEST HIGHEST, the values that a rating can take: a range read "
            "off the data would not be covered by the guarantee."
        )
    if found["budget"] is not None and found["ledger"] is None:
        raise ParameterError("{budget} is that of a {ledger}: give its file too.")
    level, ends = found["likes_from"], found["rating_range"]
    if level is not None and ends is not None and not ends[0] <= level <= ends[1]:
        raise ParameterError(
            "{likes_from} must lie within {rating_range}, or all or none are likes; got {level:g}.",
            level=level,
        )
    return found


def ranks(options: Mapping[str, object]) -> bool:
    """Return whether these are the parameters of a ranking."""
    return options["purpose"] == "ranking" or options["method"] == "ease"


def _checked(parameter: Parameter, value: Any) -> Any:
    name, kind = parameter.name, parameter.kind
    if parameter.choices and value not in parameter.choices:
        refuse_choice(parameter, value)
    if name == "relation":
        return relation_of(value)
    if name == "delta":
        return check_positive(name, value, zero=True)
    if kind == COUNT:
        own = name == "ratings_per_user"  # which says why it must be public
        value = check_ratings_per_user(USER_LEVEL[0], value) if own else check_count(name, value)
        check_between(name, value, 1, LARGEST_COUNT)
    elif kind == NUMBER:
        value = check_positive(name, value, infinite=True)
        least = SMALLEST_EPSILON if name == "epsilon" else 1 / LARGEST
        check_between(name, value, least, LARGEST)
    elif kind == LEVEL:
        return check_number(name, value)
    elif kind == SHARE:  # of what, is known where it is used
        return float(value) if isinstance(value, Real) else check_positive(name, value)
    elif kind == RANGE:
        return _checked_range(name, value)
    elif kind == BUDGET:
        return checked_budget(value)
    elif kind == FLAG and not isinstance(value, bool):
        raise ParameterError("{0} must be True or False, got {value!r}.", name, value=value)
    elif kind == FILE and not isinstance(value, str | os.PathLike):
        raise ParameterError("{0} must be the path of a file, got {value!r}.", name, value=value)
    elif kind == SEED:
        number = isinstance(value, Integral) and not isinstance(value, bool)
        if not (number and value >= 0):
            raise ParameterError(
                "{0} must be an integer of at least 0, got {value!r}.", name, value=value
            )
    return value


def refuse_choice(parameter: Parameter, value: object) -> None:
    """Refuse a value that is not a choice of a parameter."""
    raise ParameterError(
        "{0} must be {known}, got {value!r}{hint}.",
        parameter.name,
        known=" or ".join(f"'{choice}'" for choice in parameter.choices),
        value=value,
        hint=did_you_mean(value, parameter.choices),
    )


def _checked_range(name: str, value: object) -> tuple[float, float]:
    low, high = check_range(value)
    if max(abs(low), abs(high)) > LARGEST or high - low < 1 / LARGEST:
        raise ParameterError(
            "{0} must lie between -{largest:g} and {largest:g} and be no shorter than "
            "{shortest:g}; got {low!r} {high!r}.",
            name,
            largest=LARGEST,
            shortest=1 / LARGEST,
            low=low,
            high=high,
        )
    return low, high


def checked_budget(value: Any) -> tuple[float, float]:
    """Return the epsilon and delta of a budget, a pair or a text such as "10,1e-6"."""
    try:
        epsilon, delta = value.split(",") if isinstance(value, str) else value
        epsilon, delta = float(epsilon), float(delta)
    except (TypeError, ValueError):
        epsilon = delta = -1.0
    if not (SMALLEST_EPSILON <= epsilon <= LARGEST and 0 <= delta < 1):
        raise ParameterError(
            "{budget} must be an epsilon above 0 and a delta of at least 0 and below 1, such as "
            "10,1e-6, got {value!r}.",
            value=value,
        )
    return epsilon, delta


def check_between(name: str, value: float | None, low: float, high: float) -> None:
    """Refuse a positive number so large or small that computing with it would fail half way."""
    if value is not None and value > 0 and not low <= value <= high:
        raise ParameterError(
            "{0} must lie between {low:g} and {high:g}, got {value:g}.",
            name,
            low=low,
            high=high,
            value=value,
        )


def relation_of(option: object) -> str:
    """Return the relation that a parameter names, or refuse it; hyphens do for underscores."""
    name = str(option).replace("-", "_")
    name = RELATION_ALIASES.get(name, name)
    if name not in RELATIONS:
        known = (*RELATION_ALIASES, *RELATIONS)
        raise InputError(
            f"There is no neighbouring relation {str(option)!r}{did_you_mean(option, known)}; "
            f"known are {', '.join(known)}."
        )
    return name
