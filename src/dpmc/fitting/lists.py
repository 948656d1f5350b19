"""Finds the lists of items and users of a fit, which must not silently come from the ratings."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpmc.errors import ParameterError
from dpmc.origins import FROM_FILE, FROM_PROGRAM, FROM_RATINGS
from dpmc.publication.frames import public_list
from dpmc.publication.reading import USUAL, Reading

OPTIONS = ("items", "items_are_public", "items_privately", "users", "users_are_public")
"""What says it. The command line alone takes a list from the ratings because it is public; a
program has to give it.
"""
_PATH = str | os.PathLike


@dataclass(frozen=True)
class Lists:
    """Public lists, and where they are from.

    Attributes
    ----------
    items, users : list of str or None
        None: taken from the ratings, because they are said to be public or are chosen privately.
    origins : dict
        "items", "users" -> :data:`dpmc.origins.FROM_FILE` or one beside it.
    integers : bool
        Whether the list of items had integers, which then come back as such.
    """

    items: list[str] | None
    users: list[str] | None
    origins: dict[str, str]
    integers: bool = False


def lists_of(
    table: Any, options: Mapping[str, Any], reading: Reading = USUAL, *, names_users: bool
) -> Lists:
    """Return the lists for a table of ratings, or refuse a fit whose lists would be private data.

    ``options`` are values of :data:`OPTIONS`: a list is an iterable of labels or the path of a
    file, see :func:`dpmc.publication.frames.public_list`. ``reading`` gives the columns of items
    and users in files, if they were named. ``names_users``: whether users are named.
    """
    given = {name: None if options.get(name) is False else options.get(name) for name in OPTIONS}
    _check_ways(given, names_users, declared="items_are_public" in options)
    origins, integers = {}, False
    found: dict[str, list[str] | None] = {"items": None, "users": None}
    for what in found:
        labels = given[what]
        if given[f"{what}_are_public"]:
            origins[what] = FROM_RATINGS
        elif labels is not None:
            _check_apart(table, what, labels, declared="items_are_public" in options)
            origins[what] = FROM_FILE if isinstance(labels, _PATH) else FROM_PROGRAM
            column = getattr(reading, what.removesuffix("s"))
            found[what], whole = public_list(labels, what, column)
            integers |= what == "items" and whole
    return Lists(found["items"], found["users"], origins, integers)


def _check_ways(given: Mapping[str, Any], names_users: bool, declared: bool) -> None:
    ways = [name for name in OPTIONS[:3] if given[name] is not None]
    public = ", {%s_are_public} if everybody knows which there are" if declared else ""
    if len(ways) > 1:
        others = "{items}, {items_are_public}" if declared else "{items}"
        raise ParameterError(f"Give one of {others} and {{items_privately}} alone.")
    if not ways:
        privately = ", or {items_privately} SHARE to choose them within the budget"
        raise ParameterError(
            "Say where the list of items is from, because a list taken from the ratings would give "
            "away an item that one user alone rated: {items} for a list that is known without the "
            f"ratings{public and public % 'items'}{'' if names_users else privately}."
        )
    named = [name for name in OPTIONS[3:] if given[name] is not None]
    if named and not names_users:
        raise ParameterError(
            "{0} is of no use where users are protected: nothing that is published names them.",
            named[0],
        )
    if len(named) > 1:
        raise ParameterError("Give one of {users} and {users_are_public} alone.")
    if names_users and not named:
        raise ParameterError(
            "Say where the list of users is from, because a list taken from the ratings would give "
            "away a user with a single rating: {users} for a list that is known without the "
            f"ratings{public and public % 'users'}."
        )


def _check_apart(table: Any, what: str, labels: Any, declared: bool) -> None:
    paths = table, labels
    if not all(isinstance(each, _PATH) and os.path.exists(each) for each in paths):
        return  # what is not there is refused where it is read
    if os.path.samefile(*paths):
        raise ParameterError(
            "{0} names the table of ratings: give a list that is known without them"
            f"{', or {1} if everybody knows which there are' if declared else ''}.",
            what,
            f"{what}_are_public",
        )
