"""Reads tables of ratings in memory by the same rules as files; see :mod:`dpmc.labels`.

A frame is any object with named columns that Arrow can read, such as those of pandas, polars,
DuckDB and Arrow; this module imports none of them. The error for a malformed row names the row and
what is expected there, never its content.
"""

from collections.abc import Iterable, Mapping
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dpmc.errors import InputError, ParameterError
from dpmc.publication import fields
from dpmc.publication.columns import columns_of, entries_of, matrix_of, names_in
from dpmc.publication.lists import in_column, listed_once, read_list
from dpmc.publication.numbering import Labelled, Numbering, labelled
from dpmc.publication.pieces import Part, Source, first_bad_row, numbers_in, piece_of
from dpmc.publication.reading import ROLES, Reading
from dpmc.publication.sources import Columns, usual_columns
from dpmc.publication.store import Store
from dpmc.publication.table import Lines, lines_of, read_lines


def lines_in(table: object, ratings: object, reading: Reading) -> Lines:
    """Return the lines of a table, one rating per row.

    The table is a file (for a store see :mod:`dpmc.fitting.ratings`), a frame (see
    :func:`dpmc.publication.columns.columns_of`), rows, an array of shape (n, 3), or a sparse
    matrix. It has no column of ratings if n ``ratings`` are given separately, or if it is not
    ``rated`` and each row has the value 1. Rows of a sparse matrix are users, columns items, and
    stored entries ratings; if it is not ``rated``, it must be boolean.
    """
    if isinstance(table, str | PathLike | Store):
        if ratings is not None:
            raise InputError("A file or a store holds its ratings: give none beside it.")
        return _lines_at(table, reading)
    if ratings is not None and not reading.rated:
        raise ParameterError(
            "Ratings were given, and each row would be a like, the worst rating too: say with "
            "{likes_from} from which rating on one is a like, or leave them out."
        )
    matrix = matrix_of(table)
    columns: Mapping[str, Any]
    if matrix is not None:
        if ratings is not None:
            raise InputError("A sparse matrix holds its ratings: give none beside it.")
        columns, chosen = _entries(matrix, reading), Columns({}, ())
    elif ratings is not None:
        columns, chosen = columns_of(table, reading, ROLES[:2])
        columns = {**columns, "rating": ratings}
    else:
        columns, chosen = columns_of(table, reading)
    return _lines(columns, chosen.used, reading, Source(type(table).__name__, chosen))


def _lines(columns: Mapping[str, Any], names: dict, reading: Reading, source: Source) -> Lines:
    """Return columns as lines, without the rows that stand for "not rated"."""
    names = dict(zip(ROLES, ROLES, strict=True)) | names
    columns = {role: columns[role] for role in reading.roles}
    texts = [fields.spelled_column(columns[role], _column(names[role])) for role in ROLES[:2]]
    numbers = numbers_in(columns, names, reading)
    sizes = [len(text) for text in texts] + [len(values) for values, _ in numbers.values()]
    if len(set(sizes)) > 1:
        raise InputError(f"There are {sizes[1]} items and {sizes[-1]} ratings, not as many.")
    refused = partial(first_bad_row, "Row {}".format, range(1, sizes[0] + 1), numbers, names)
    users, items = Numbering(), Numbering()
    piece = piece_of(Part(texts, numbers, refused, 1.0), reading, users, items, source)
    return lines_of([piece], users, items, source, timed=False)


def _column(name: str) -> str:
    return f"The column '{name}'"


def _lines_at(table: Any, reading: Reading) -> Lines:
    try:
        return read_lines(Path(table), reading)
    except ParameterError as error:  # a program names all columns by one parameter
        raise InputError(error.spelled(_of_program)) from None


def _of_program(name: str) -> str:
    """Return what a program calls an option of files."""
    if name in ROLES:
        return "columns"
    return (
        f"file_options {name}" if name in ("format", "separator", "encoding", "columns") else name
    )


def _entries(matrix: Any, reading: Reading) -> dict[str, np.ndarray]:
    """Return the users, items and values of a matrix; of truth values those that are true.

    These it must have where it is not ``rated``.
    """
    if not reading.rated:
        if matrix.dtype != bool:
            raise ParameterError(
                "A sparse matrix holds ratings, and each entry would be a like, the worst rating "
                "too: say at the fit with {likes_from} from which rating on one is a like, or give "
                "a matrix of truth values, matrix.astype(bool)."
            )
        matrix.eliminate_zeros()
    return entries_of(matrix)


def pairs_in(table: object, reading: Reading) -> tuple[Labelled, Labelled]:
    """Return the users and items of a frame, rows or an array of shape (n, 2), or a matrix."""
    matrix = matrix_of(table)
    if matrix is not None:
        columns, names = entries_of(matrix), dict(zip(ROLES, ROLES, strict=True))
    else:
        columns, chosen = columns_of(table, reading, ROLES[:2])
        names = chosen.used
    users, items = (labelled(columns[role], _column(names[role])) for role in ROLES[:2])
    return users, items


def lines_of_one(ratings: Any, reading: Reading) -> Lines:
    """Return the ratings of one user, who has no label here.

    The ratings are a mapping from items to ratings, a series with items as index, a frame with
    columns as in :func:`lines_in`, or a row of a sparse matrix. If they are not ``rated``, a list
    of items is enough, and any values are ignored.
    """
    matrix = matrix_of(ratings)
    names: dict[str, str] = {}
    if matrix is not None:
        if matrix.shape[0] != 1:
            raise InputError("One user's ratings must be one row of a matrix.")
        columns: Mapping[str, Any] = _entries(matrix, reading)
    elif names_in(ratings) is not None:
        columns, names = _columns_of_one(ratings, reading)
    elif hasattr(ratings, "index") and hasattr(ratings, "to_dict"):  # a series of pandas
        columns = {"item": ratings.index, "rating": ratings}
    elif isinstance(ratings, Mapping):
        columns = {"item": list(ratings), "rating": list(ratings.values())}
    elif not reading.rated and isinstance(ratings, Iterable) and not isinstance(ratings, str):
        columns = {"item": ratings if hasattr(ratings, "dtype") else list(ratings)}
    else:
        raise InputError(
            "One user's ratings must be a mapping from items to ratings, a series, a frame, or a "
            "row of a sparse matrix"
            + ("." if reading.rated else "; likes may be a list of items, too.")
        )
    columns = {**columns, "user": [""] * len(columns["item"])}
    return _lines(columns, names, reading, Source())


def _columns_of_one(frame: Any, reading: Reading) -> tuple[Mapping[str, Any], dict[str, str]]:
    """Return the items and ratings in a frame; refuse one of several users."""
    names = [name for name in names_in(frame) or () if isinstance(name, str)]
    users = [reading.user] if reading.user in names else usual_columns(names, "user")
    if len(users) == 1:
        found = frame[users[0]]
        if reading.rated and labelled(found, _column(users[0])).labels.size > 1:
            raise InputError("These are ratings of several users; give those of one.")
    columns, chosen = columns_of(frame, reading, ROLES[1 : 2 + reading.rated])
    return columns, chosen.used


def public_list(labels: Any, what: str, column: str | None = None) -> tuple[list[str], bool]:
    """Return a public list of labels, in its order, and whether they were integers.

    A path names a file; ``column`` selects its column of labels if it is a table (see
    :func:`dpmc.publication.lists.read_list`). Other labels are iterable, such as a list, an array
    or a column of a frame. ``what`` is "items" or "users".
    """
    if isinstance(labels, str | PathLike):
        return read_list(labels, what.removesuffix("s"), column)
    no_list = isinstance(labels, bytes | set | frozenset) or not isinstance(labels, Iterable)
    if names_in(labels) is not None or no_list:  # a set has another order each time
        raise InputError(f"{what} must be a list of labels, one column of a frame, or a file.")
    if not hasattr(labels, "__arrow_c_stream__") and not isinstance(labels, np.ndarray):
        labels = list(labels)
    where = f"The list of {what}"
    found = listed_once(in_column(labels, where), where, what.removesuffix("s"))
    return found, fields.are_integers(labels)
