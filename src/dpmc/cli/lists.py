"""Where the lists of items and users are from, as options of ``dpmc fit`` and ``dpmc onebit``."""

from collections.abc import Mapping
from dataclasses import dataclass

import click

OPTIONS = ("items", "items_are_public", "items_privately", "users", "users_are_public")


@dataclass(frozen=True)
class Lists:
    """Public lists, and where they are from.

    Attributes
    ----------
    items, users : list of str or None
        None: taken from the ratings, because they are said to be public or are chosen privately.
    origins : dict
        "items", "users" -> :data:`dpmc.publication.folder.FROM_FILE` or ``SAID_PUBLIC``.
    """

    items: list[str] | None
    users: list[str] | None
    origins: dict[str, str]


def list_options(command):
    """Add --items, --items-are-public, --users and --users-are-public."""
    for what in ("users", "items"):
        command = click.option(
            f"--{what}-are-public",
            is_flag=True,
            help=f"Take the list of {what} from the ratings, because everybody knows it anyway.",
        )(command)
        command = click.option(
            f"--{what}",
            type=click.Path(),
            metavar="FILE",
            help=f"File with all {what}, known without the ratings: one label per line, or a "
            "column of a .csv or .parquet file. Ratings of others are left out.",
        )(command)
    return command


def lists_of(
    path: str, options: Mapping[str, object], columns: Mapping[str, str | None], *, users: bool
):
    """Return the lists that were given, or refuse a fit whose lists would be private data.

    Parameters
    ----------
    path : path
        The table of ratings, which holds no list that is known without it.
    options : mapping
        Values of :data:`OPTIONS`; those that a command lacks may be missing.
    columns : mapping
        "item" and "user" -> name of the column, if it was given.
    users : bool
        Whether what is published names users.

    Raises
    ------
    InputError
        No list, several, the ratings themselves, or one that cannot be read.
    """
    from dpmc.publication.folder import FROM_FILE, SAID_PUBLIC
    from dpmc.publication.lists import read_list

    given = {name: options.get(name) for name in OPTIONS}
    _check(given, users)
    _check_apart(path, given)
    origins = {}
    for what in ("items", "users"):
        if given[what] is not None or given[f"{what}_are_public"]:
            origins[what] = SAID_PUBLIC if given[what] is None else FROM_FILE
    return Lists(
        None if given["items"] is None else read_list(given["items"], "item", columns["item"]),
        None if given["users"] is None else read_list(given["users"], "user", columns["user"]),
        origins,
    )


def _check_apart(path: str, given: dict) -> None:
    import os

    from dpmc.errors import InputError

    for what in ("items", "users"):
        if given[what] is None or not (os.path.exists(path) and os.path.exists(given[what])):
            continue  # what is not there is refused where it is read
        if os.path.samefile(path, given[what]):
            raise InputError(
                f"--{what} names the table of ratings: give a list that is known without them, or "
                f"--{what}-are-public if everybody knows which there are."
            )


def _check(given: dict, users: bool) -> None:
    from dpmc.errors import InputError

    ways = [name for name in OPTIONS[:3] if given[name] not in (None, False)]
    if len(ways) > 1:
        raise InputError("Give one of --items, --items-are-public and --items-privately alone.")
    if not ways:
        privately = "" if users else ", or --items-privately SHARE to choose them within the budget"
        raise InputError(
            "Say where the list of items is from, because a list taken from the ratings would give "
            "away an item that one user alone rated: --items FILE for a list that is known without "
            f"the ratings, --items-are-public if everybody knows which there are{privately}."
        )
    named = [name for name in OPTIONS[3:] if given[name] not in (None, False)]
    if named and not users:
        raise InputError(
            f"--{named[0].replace('_', '-')} is of no use where users are protected: nothing that "
            "is published names them."
        )
    if len(named) > 1:
        raise InputError("Give one of --users and --users-are-public alone.")
    if users and not named:
        raise InputError(
            "Say where the list of users is from, because a list taken from the ratings would give "
            "away a user with a single rating: --users FILE for a list that is known without the "
            "ratings, or --users-are-public if everybody knows who is in it."
        )
