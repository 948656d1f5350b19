"""Finds the columns of a table that hold users, items and ratings, and those that hold none.

Messages show only names of columns, and only if the first line cannot be somebody's rating, which
it would be in a file without header.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from dpmc.errors import InputError, ParameterError, did_you_mean
from dpmc.publication.reading import SKIPPED, Form, Reading

# in lower case and without anything but letters and digits; "Id" and a plural may follow
_USUAL = {
    "user": {"user", "u", "customer", "member", "reader", "reviewer", "consumer", "username"},
    "item": {
        *("item", "i", "movie", "film", "product", "book", "song", "track", "artist"),
        *("joke", "place", "restaurant", "business", "game", "anime", "asin", "parentasin", "isbn"),
    },
    "rating": {"rating", "value", "score", "star", "preference", "overall", "bookrating"},
    "title": {"title", "name"},
}
_LESS_USUAL = {"rating": {"weight", "play", "count", "hour", "listen"}}
"""What counts if there is none of the above."""


@dataclass(frozen=True)
class Columns:
    """The columns of a table.

    Attributes
    ----------
    used : dict
        Role -> name, in the order of the roles.
    ignored : tuple of str
        Names of those that are not read.
    """

    used: dict[str, str]
    ignored: tuple[str, ...]


def choose(
    where: str,
    names: Sequence[str],
    reading: Reading,
    form: Form | None = None,
    roles: Sequence[str] | None = None,
) -> Columns:
    """Return which columns of a table are read, or refuse the table.

    ``where`` is the file (with the line, if it has lines) or the frame, and ``names`` are its
    columns. ``form`` is how a file is read, for advice. ``roles`` are the roles to look for if the
    table is not used to learn from.
    """
    wanted = reading.roles if roles is None else roles
    given = {role: getattr(reading, role) for role in wanted}
    given = {role: name for role, name in given.items() if name is not None}
    if len(set(given.values())) < len(given):
        named = ", ".join(f"{{{role}}}" for role in given)
        raise ParameterError(f"{named} must name different columns.")
    known = [name for name in names if name != SKIPPED]
    if len(set(known)) < len(known):
        raise InputError(f"{where}: two columns have the same name; {_listed(names, form)}.")
    used = {
        role: choose_one(where, names, role, given.get(role), given.values(), form)
        for role in wanted
    }
    ignored = tuple(name for name in names if name not in used.values())
    if roles is None and not reading.rated:
        _check_no_ratings(where, ignored, reading.not_ratings, _shown(names, form))
    return Columns(used, ignored)


def _check_no_ratings(
    where: str, ignored: Sequence[str], not_ratings: Collection[str], shown: bool
) -> None:
    """Refuse a table of which each row is to be a like if a column might hold ratings.

    Any further column might: what ratings are called is not known.
    """
    doubtful = [name for name in ignored if name not in not_ratings]
    if not doubtful:
        return
    which = ", ".join(f"'{name}'" for name in doubtful[:5]) + ", ..." * (len(doubtful) > 5)
    raise ParameterError(
        "{where} has further columns{which}, and each row would be a like, the worst rating too: "
        "if ratings are among them, say with {likes_from} from which on one is a like; name each "
        "column that holds no ratings with {not_ratings}.",
        where=where,
        which=f" ({which})" if shown else "",
    )


def choose_one(
    where: str,
    names: Sequence[str],
    role: str,
    given: str | None,
    taken: Collection[str | None] = (),
    form: Form | None = None,
    advice: str = "",
) -> str:
    """Return the name of the column for one role.

    The result is the given name or else the only column with a usual name. ``taken`` are columns
    that are named for some role; ``advice`` is what else can be done if no column is found.
    """
    if given is not None:
        if names.count(given) == 1:
            return given
        hint = did_you_mean(given, names) if _shown(names, form) else ""
        problem = "there is no column" if given not in names else "more than one column is named"
        raise ParameterError(
            "{where}: {problem} '{given}' ({0}){hint}; {listed}.",
            role,
            where=where,
            problem=problem,
            given=given,
            hint=hint,
            listed=_listed(names, form),
        )
    found = [name for name in usual_columns(names, role) if name not in taken]
    if len(found) == 1:
        return found[0]
    problem = "several columns look" if found else "no column looks"
    sentence = "{where}: {problem} like the {role}; {listed}; name one with {0}{advice}."
    if form is not None and form.kind == "text" and not found:
        sentence += (
            " The file was read as {form}, because {because}; {separator}, {encoding} and {columns}"
            " (for a file without a header) change that."
        )
    raise ParameterError(
        sentence,
        role,
        where=where,
        problem=problem,
        role=role,
        listed=_listed(names, form),
        advice=advice,
        form=form,
        because=form and form.because,
    )


def _shown(names: Sequence[str], form: Form | None) -> bool:
    """Return whether names may be shown: of a private text file, only if they are no row of data.

    A row has digits, those of its rating, even where the separator is another one, so that all of
    it is taken for a name. A row without a rating need have none: then one of the names must be a
    usual one.
    """
    if form is None or form.names is not None:
        return True
    if any(char.isnumeric() for name in names for char in name):
        return False
    return form.rated or any(
        is_usual(word) for name in names for word in [name, *re.split(r"[^A-Za-z_]+", name)]
    )


def _listed(names: Sequence[str], form: Form | None) -> str:
    if _shown(names, form):
        return f"the columns are {', '.join(names)}"
    return (
        "the first line must hold the names of the columns (it is not shown, since it may be "
        "somebody's rating)"
    )


def usual_columns(names: Iterable[str], role: str) -> list[str]:
    """Return the names that are usual for a role: "user", "item", "rating" or "title"."""
    names = list(names)
    found = [name for name in names if _bare(name) & _USUAL[role]]
    return found or [name for name in names if _bare(name) & _LESS_USUAL.get(role, set())]


def is_usual(name: str) -> bool:
    """Return whether a name is usual for some column of ratings."""
    return any(usual_columns([name], role) for role in _USUAL)


def _bare(name: str) -> set[str]:
    """Return a name in each way that it can be read: with and without an ending."""
    letters = re.sub(r"[^a-z0-9]", "", name.lower())
    found = {letters, letters.removesuffix("id"), letters.removesuffix("s")}
    return {each for each in found if each} | {letters.removesuffix("ids")}
