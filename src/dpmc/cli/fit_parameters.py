"""The options of ``dpmc fit`` as parameters of a program, of types that nobody has checked."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from numbers import Integral
from os import PathLike

from dpmc.cli.fit_settings import BOUNDS, COUNTS, METHODS, SHARES, method_of
from dpmc.cli.lists import Lists
from dpmc.errors import InputError
from dpmc.methods.base import check_choice, check_count, check_positive
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.release import SAMPLERS
from dpmc.publication.folder import FROM_FILE, SAID_PUBLIC
from dpmc.publication.frames import public_list


@contextmanager
def options_as_parameters() -> Iterator[None]:
    """Let refusals speak of parameters where the command line has options of the same names."""
    try:
        yield
    except InputError as error:
        sentence = re.sub(r"--([a-z][a-z-]*)", lambda m: m[1].replace("-", "_"), str(error))
        raise InputError(sentence) from None


def options_of(parameters: Mapping[str, object]) -> dict[str, object]:
    """Return what :func:`dpmc.cli.fit_settings.settings_of` takes, of the right types.

    Parameters
    ----------
    parameters : mapping
        All options of methods, "relation", "epsilon", "delta", "sampler" and "simulate"; a
        "method" that is None becomes the default.

    Raises
    ------
    InputError
        A value of another type or out of its range.
    """
    options = dict(parameters) | {"relation": str(parameters["relation"])}
    if options["method"] is not None:
        check_choice("method", options["method"], tuple(METHODS))
    for names, check in ((COUNTS, check_count), (BOUNDS + SHARES, check_positive)):
        for name in names:
            if options[name] is not None:
                options[name] = check(name, options[name])
    check_positive("epsilon", options["epsilon"])
    check_positive("delta", options["delta"], zero=True)
    options["method"] = method_of(options)
    check_choice("sampler", options["sampler"], tuple(SAMPLERS))
    seed = options["simulate"]
    number = isinstance(seed, Integral) and not isinstance(seed, bool)
    if seed is not None and not (number and seed >= 0):
        raise InputError(f"simulate must be an integer of at least 0, got {seed!r}.")
    return options


def lists_given(items: object, items_privately: object, users: object, relation: str) -> Lists:
    """Return the public lists, or refuse a fit whose lists would be private data.

    Parameters
    ----------
    items, users : path, iterable of labels, or None
        See :func:`dpmc.publication.frames.public_list`.
    items_privately : float or None
        The share of the budget for a private choice of items.
    relation : str
        One of :data:`dpmc.privacy.relations.RELATIONS`.

    Raises
    ------
    InputError
        A list that is missing, of no use, or not as it must be.
    """
    if items is not None and items_privately is not None:
        raise InputError("Give one of items and items_privately alone.")
    if items is None and items_privately is None:
        privately = "; or items_privately, the share of the budget for a private choice of them"
        raise InputError(
            "Give items, a list known without the ratings (of labels, or a file), because a list "
            "taken from the ratings would give away an item that one user alone rated"
            f"{privately if relation in USER_LEVEL else ''}."
        )
    if relation in USER_LEVEL and users is not None:
        raise InputError(
            "users is of no use where users are protected: nothing that is published names them."
        )
    if relation not in USER_LEVEL and users is None:
        raise InputError(
            "Give users, a list known without the ratings (of labels, or a file), because a list "
            "taken from the ratings would give away a user with a single rating."
        )
    given = {"items": items, "users": users}
    given = {what: labels for what, labels in given.items() if labels is not None}
    lists = {what: public_list(labels, what) for what, labels in given.items()}
    origins = {
        what: FROM_FILE if isinstance(labels, str | PathLike) else SAID_PUBLIC
        for what, labels in given.items()
    }
    return Lists(lists.get("items"), lists.get("users"), origins)
