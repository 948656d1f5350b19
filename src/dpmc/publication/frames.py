"""Tables of ratings that a program holds, read as strictly as files: frames, arrays, matrices.

A frame is anything with named columns that Arrow can read, such as those of pandas, polars, DuckDB
and Arrow itself; none of these is imported here. As in files, labels are text, whatever they look
like, and the refusal of a malformed row names the row and what is expected there, never what was
found.
"""

from collections.abc import Iterable, Mapping
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from dpmc.datasets.readers.columns import Labelled
from dpmc.errors import InputError, ParameterError
from dpmc.publication import fields
from dpmc.publication.columns import (
    column_of,
    columns_of,
    entries_of,
    matrix_of,
    named,
    names_in,
)
from dpmc.publication.lists import in_column, listed_once, read_list
from dpmc.publication.sources import ROLES, check_unrated
from dpmc.publication.store import Store
from dpmc.publication.table import Lines, read_lines

if TYPE_CHECKING:
    import pyarrow as pa


def labels_of(column: "pa.ChunkedArray", name: str) -> Labelled:
    """Return the labels in an Arrow column of text or integers, as text."""
    codes, texts = fields.distinct(fields.as_text(column, f"The column '{name}'"))
    bad = np.array([not fields.is_label(text) for text in texts], dtype=bool)
    _check(bad[codes], name, fields.LABEL)
    return fields.labelled(codes, texts)


def lines_in(table: object, ratings: object, names: Mapping[str, str], rated: bool = True) -> Lines:
    """Return what stands in a table, one rating a row.

    It is a file (of a store see :mod:`dpmc.fitting.ratings`); a frame, whose columns of users,
    items and ratings are found as :func:`dpmc.publication.columns.columns_of` finds them, or an
    array of shape (n, 3); where n ratings are given beside it, without theirs, or of shape (n, 2);
    or where it is not ``rated``, and each row has the value 1. Of a sparse matrix rows are users,
    columns items and what is stored ratings; where it is not ``rated``, it must be one of truth
    values.
    """
    if isinstance(table, str | PathLike | Store):
        if ratings is not None:
            raise InputError("A file or a store holds its ratings: give none beside it.")
        return _lines_at(table, names, rated)
    matrix = matrix_of(table)
    if matrix is not None:
        if ratings is not None:
            raise InputError("A sparse matrix holds its ratings: give none beside it.")
        users, *others = _entries(matrix, rated)
    elif not rated:
        found = named(names_in(table) or (), "rating", names.get("rating"))
        check_unrated("The table", found[0] if found else "y" if ratings is not None else None)
        users, *others = columns_of(table, ROLES[:2], names)
    elif ratings is None:
        users, *others = columns_of(table, ROLES[:3], names)
    else:
        users, *others = columns_of(table, ROLES[:2], names)
        others.append((column_of(ratings, "rating"), "rating"))
    return Lines(labels_of(*users), *_rated(*others[: 1 + rated]), None)


def _lines_at(table: Any, names: Mapping[str, str], rated: bool) -> Lines:
    try:
        return read_lines(Path(table), names, rated)
    except ParameterError as error:  # a program names all columns by one parameter
        sentence = error.spelled(lambda name: "columns" if name in ROLES else name)
        raise InputError(sentence) from None


def _entries(matrix: csr_array, rated: bool) -> list[tuple]:
    """Return the users, items and values of a matrix, named; of truth values those that are true.

    These it must have where it is not ``rated``.
    """
    if not rated:
        if matrix.dtype != bool:
            raise ParameterError(
                "A sparse matrix holds ratings, and each entry would be a like, the worst rating "
                "too: say at the fit with {likes_from} from which rating on one is a like, or give "
                "a matrix of truth values, matrix.astype(bool)."
            )
        matrix.eliminate_zeros()
    return list(zip(entries_of(matrix), ROLES, strict=False))


def pairs_in(table: object, names: Mapping[str, str]) -> tuple[Labelled, Labelled]:
    """Return the users and items of a frame, an array of shape (n, 2), or a sparse matrix."""
    matrix = matrix_of(table)
    if matrix is None:
        users, items = columns_of(table, ROLES[:2], names)
    else:
        users, items = zip(entries_of(matrix)[:2], ROLES, strict=False)
    return labels_of(*users), labels_of(*items)


def lines_of_one(ratings: object, names: Mapping[str, str], rated: bool = True) -> Lines:
    """Return the ratings of one user, who has no label here.

    They are a mapping from items to ratings, a frame, whose columns are found as those of
    :func:`lines_in`, or a row of a sparse matrix. Where they are not ``rated``, a list of items
    will do, and what is said of one beside it does not count.
    """
    there, matrix = names_in(ratings), matrix_of(ratings)
    if matrix is not None:
        if matrix.shape[0] != 1:
            raise InputError("One user's ratings must be one row of a matrix.")
        columns = _entries(matrix, rated)[1:]
    elif there is not None:
        columns = columns_of(ratings, ROLES[1 : 2 + rated], names)
        if rated and named(there, "user", names.get("user")):
            (users,) = columns_of(ratings, ROLES[:1], names)
            if len(labels_of(*users).labels) > 1:
                raise InputError("These are ratings of several users; give those of one.")
    elif not rated:
        columns = [(column_of(_listed(ratings), "item"), "item")]
    elif isinstance(ratings, Mapping):
        both = zip((ratings, ratings.values()), ROLES[1:3], strict=True)
        columns = [(column_of(list(each), role), role) for each, role in both]
    else:
        raise InputError(
            "One user's ratings must be a mapping from items to ratings, a frame, or a row of a "
            "sparse matrix."
        )
    items, values = _rated(*columns[: 1 + rated])
    nobody = Labelled(np.zeros(values.size, dtype=np.int32), np.array([""], dtype=object))
    return Lines(nobody, items, values, None)


def public_list(labels: object, what: str) -> list[str]:
    """Return a public list of labels as text, in its order; ``what`` is "items" or "users".

    A path is that of a file, see :func:`dpmc.publication.lists.read_list`; else labels are
    iterable, such as a list, an array or a column of a frame.
    """
    if isinstance(labels, str | PathLike):
        return read_list(labels, what.removesuffix("s"))
    if names_in(labels) is not None or not isinstance(labels, Iterable):
        raise InputError(f"{what} must be a list of labels, one column of a frame, or a file.")
    if not hasattr(labels, "__arrow_c_stream__") and not isinstance(labels, np.ndarray):
        labels = list(labels)
    where = f"The list of {what}"
    return listed_once(in_column(column_of(labels, what), where), where, what.removesuffix("s"))


def _listed(items: object) -> object:
    """Return items that are listed in some way as a sequence, or refuse them."""
    if hasattr(items, "__arrow_c_stream__") or isinstance(items, np.ndarray):
        return items
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InputError(
            "One user's likes must be a list of items, a mapping from them, or a frame."
        )
    return list(items)


def _rated(items: tuple, values: tuple | None = None) -> tuple[Labelled, np.ndarray]:
    """Return items and ratings, 1 if there are none, from named Arrow columns of one length."""
    labels = labels_of(*items)
    if values is None:
        return labels, np.ones(labels.codes.size)
    column, name = values
    if labels.codes.size != len(column):
        raise InputError(
            f"There are {labels.codes.size} items and {len(column)} ratings, not as many."
        )
    numbers = fields.as_numbers(column, f"The column '{name}'")
    _check(~np.isfinite(numbers), name, "a finite number")
    return labels, numbers


def _check(bad: np.ndarray, name: str, expected: str) -> None:
    if bad.any():
        raise InputError(f"Row {bad.argmax() + 1}: {expected} is expected in the column '{name}'.")
