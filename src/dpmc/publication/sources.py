"""Files of tables and lists: what cannot be read, and which of their columns are meant.

Nothing of a file is shown but the names of its columns, and these only if the first line cannot be
somebody's rating, as it is where a header lacks.
"""

import gzip
import os
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import IO

from dpmc.datasets.readers.movielens import MEMBERS, open_member
from dpmc.datasets.readers.table import usual_columns
from dpmc.errors import InputError, ParameterError, did_you_mean

ROLES = ("user", "item", "rating", "timestamp")
GZIPPED, ZIPPED = ".gz", ".zip"


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Turn what the file system and Arrow refuse into one sentence; Arrow's own quote values."""
    import pyarrow as pa

    try:
        yield
    except (OSError, EOFError, zlib.error) as error:
        problem = getattr(error, "strerror", None) or "it is damaged"
        raise InputError(f"{path} cannot be read: {problem}.") from None
    except pa.ArrowException:
        raise InputError(f"{path} is not a whole Parquet file.") from None


def kind_of(path: PurePath) -> str:
    """Return what the name of a file ends in, in lower case, without the .gz of a packed one."""
    *_, before, last = ("", "", *(suffix.lower() for suffix in path.suffixes))
    return before if last == GZIPPED else last


@dataclass(frozen=True)
class OpenText:
    """A text file that is open: its bytes, unpacked, what its name ends in, and the share read."""

    stream: IO[bytes] | gzip.GzipFile
    kind: str
    share: Callable[[], float]


@contextmanager
def opened(path: Path) -> Iterator[OpenText]:
    """Open a text file: unpacked if its name ends in .gz; in a MovieLens archive, its ratings."""
    if kind_of(path) == ZIPPED:
        with open_member(path, MEMBERS) as (stream, member):
            size = max(1, member.file_size)
            yield OpenText(stream, kind_of(PurePath(member.filename)), lambda: stream.tell() / size)
        return
    with open(path, "rb") as file:
        size = max(1, os.fstat(file.fileno()).st_size)
        packed = path.suffix.lower() == GZIPPED
        with gzip.open(file) if packed else nullcontext(file) as stream:
            yield OpenText(stream, kind_of(path), lambda: file.tell() / size)


def check_unrated(where: str, found: str | None) -> None:
    """Refuse a column of ratings, by name, in a table of which each row is to be a like."""
    if found is not None:
        raise ParameterError(
            "{where} has a column of ratings, '{found}', and each row would be a like, the worst "
            "rating too: say at the fit with {likes_from} from which rating on one is a like, or "
            "leave that column out.",
            where=where,
            found=found,
        )


def choose(
    where: str, names: tuple[str, ...], given: Mapping[str, str | None], rated: bool = True
) -> tuple[str, ...]:
    """Return the names of the user, item, rating and, if it is given, timestamp columns.

    ``given`` has names by role, None where they are found by usual names. A table that is not
    ``rated`` has no column of ratings, or it is refused. A refusal starts with ``where``: the file,
    and the line if it has lines.
    """
    if not rated:
        check_unrated(
            where, given.get("rating") or next(iter(usual_columns(names, "rating")), None)
        )
    given = {role: given[role] for role in ROLES if given.get(role) is not None}
    if len(set(given.values())) < len(given):
        named = ", ".join(f"{{{role}}}" for role in given)
        raise ParameterError(f"{named} must name different columns.")
    if len(set(names)) < len(names):
        raise InputError(f"{where}: two columns have the same name; {_listed(names)}.")
    return tuple(
        choose_one(where, names, role, given.get(role), given.values())
        for role in ROLES
        if (role != "timestamp" or role in given) and (role != "rating" or rated)
    )


def choose_one(
    where: str,
    names: tuple[str, ...],
    role: str,
    given: str | None,
    taken: Collection[str | None] = (),
    advice: str = "",
) -> str:
    """Return the name of the column for one role, as :func:`choose` does.

    ``taken`` are columns that are named for some role; ``advice`` is what else can be done where no
    column is found, starting with ", or".
    """
    if given is not None:
        if names.count(given) == 1:
            return given
        hint = did_you_mean(given, names) if _is_header(names) else ""
        problem = "there is no column" if given not in names else "more than one column is named"
        raise ParameterError(
            "{where}: {problem} '{given}' ({0}){hint}; {listed}.",
            role,
            where=where,
            problem=problem,
            given=given,
            hint=hint,
            listed=_listed(names),
        )
    found = [name for name in usual_columns(names, role) if name not in taken]
    if len(found) == 1:
        return found[0]
    problem = "several columns look" if found else "no column looks"
    raise ParameterError(
        "{where}: {problem} like the {role}; {listed}; name one with {0}{advice}.",
        role,
        where=where,
        problem=problem,
        role=role,
        listed=_listed(names),
        advice=advice,
    )


def _listed(names: Sequence[str]) -> str:
    if _is_header(names):
        return f"the columns are {', '.join(names)}"
    return (
        "the file seems to have no header: the first line must hold the names of the columns (it "
        "is not shown, since it has digits and may be data)"
    )


def _is_header(names: Sequence[str]) -> bool:
    """Return whether the names cannot be a row of data, which has digits: those of its rating.

    That holds even where the separator is another one, so that a whole row is taken for a name.
    """
    return not any(character.isnumeric() for name in names for character in name)
