"""Where the lists of items and users of a fit are from: never from the ratings unseen."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dpmc.errors import ParameterError
from dpmc.origins import FROM_FILE, FROM_PROGRAM, FROM_RATINGS
from dpmc.publication.frames import public_list
from dpmc.publication.lists import read_list
from dpmc.publication.reading import Reading

OPTIONS = ("items", "items_are_public", "items_privately", "users", "users_are_public")
"""What says it of a table in a file."""
_PATH = str | os.PathLike
_OF_NO_USE = "{0} is of no use where users are protected: nothing that is published names them."


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


def lists_of_file(
    path: str | os.PathLike,
    options: Mapping[str, Any],
    reading: Reading,
    *,
    names_users: bool,
) -> Lists:
    """Return the lists for a table in a file, or refuse a fit whose lists would be private data.

    Options are values of :data:`OPTIONS`; ``reading`` names the columns of items and users, if they
    were given. ``names_users`` says whether what is published names users.
    """
    given = {name: options.get(name) for name in OPTIONS}
    _check_ways(given, names_users)
    _check_apart(path, given, ", or {1} if everybody knows which there are")
    origins = {}
    for what in ("items", "users"):
        if given[what] is not None or given[f"{what}_are_public"]:
            origins[what] = FROM_RATINGS if given[what] is None else FROM_FILE
    items, users, integers = None, None, False
    if given["items"] is not None:
        items, integers = read_list(given["items"], "item", reading.item)
    if given["users"] is not None:
        users, _ = read_list(given["users"], "user", reading.user)
    return Lists(items, users, origins, integers)


def _check_ways(given: Mapping[str, Any], names_users: bool) -> None:
    ways = [name for name in OPTIONS[:3] if given[name] not in (None, False)]
    if len(ways) > 1:
        raise ParameterError("Give one of {items}, {items_are_public} and {items_privately} alone.")
    if not ways:
        privately = (
            "" if names_users else ", or {items_privately} SHARE to choose them within the budget"
        )
        raise ParameterError(
            "Say where the list of items is from, because a list taken from the ratings would give "
            "away an item that one user alone rated: {items} FILE for a list that is known without "
            f"the ratings, {{items_are_public}} if everybody knows which there are{privately}."
        )
    named = [name for name in OPTIONS[3:] if given[name] not in (None, False)]
    if named and not names_users:
        raise ParameterError(_OF_NO_USE, named[0])
    if len(named) > 1:
        raise ParameterError("Give one of {users} and {users_are_public} alone.")
    if names_users and not named:
        raise ParameterError(
            "Say where the list of users is from, because a list taken from the ratings would give "
            "away a user with a single rating: {users} FILE for a list that is known without the "
            "ratings, or {users_are_public} if everybody knows who is in it."
        )


def _check_apart(path: str | os.PathLike, given: Mapping[str, Any], otherwise: str = "") -> None:
    for what in ("items", "users"):
        if not all(
            isinstance(each, _PATH) and os.path.exists(each) for each in (path, given[what])
        ):
            continue  # what is not there is refused where it is read
        if os.path.samefile(path, given[what]):
            raise ParameterError(
                "{0} names the table of ratings: give a list that is known without them"
                f"{otherwise}.",
                what,
                f"{what}_are_public",
            )


def lists_of_program(
    items: object, items_privately: object, users: object, *, names_users: bool, table: Any
) -> Lists:
    """Return the lists that a program gives, or refuse a fit whose lists would be private data.

    For lists see :func:`dpmc.publication.frames.public_list`; ``items_privately`` is the share of
    the budget for a private choice, ``names_users`` whether what is published names users, and
    ``table`` the ratings, which may be a path.
    """
    if items is not None and items_privately is not None:
        raise ParameterError("Give one of {items} and {items_privately} alone.")
    if items is None and items_privately is None:
        privately = "; or {items_privately}, the share of the budget for a private choice of them"
        raise ParameterError(
            "Give {items}, a list known without the ratings (of labels, or a file), because a list "
            "taken from the ratings would give away an item that one user alone rated"
            f"{'' if names_users else privately}."
        )
    if users is not None and not names_users:
        raise ParameterError(_OF_NO_USE, "users")
    if users is None and names_users:
        raise ParameterError(
            "Give {users}, a list known without the ratings (of labels, or a file), because a list "
            "taken from the ratings would give away a user with a single rating."
        )
    given = {"items": items, "users": users}
    _check_apart(table, given)
    given = {what: labels for what, labels in given.items() if labels is not None}
    lists = {what: public_list(labels, what) for what, labels in given.items()}
    origins = {
        what: FROM_FILE if isinstance(labels, _PATH) else FROM_PROGRAM
        for what, labels in given.items()
    }
    items, integers = lists.get("items", (None, False))
    return Lists(items, lists.get("users", (None, False))[0], origins, integers)
