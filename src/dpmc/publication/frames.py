"""Tables of ratings that a program holds, read as strictly as files: data frames and arrays.

A frame is anything with named columns that Arrow can read, such as those of pandas, polars and
Arrow itself; none of these is imported here. As in files, labels are text, whatever they look like,
and the refusal of a malformed row names the row and what is expected there, never what was found.
"""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike

import numpy as np

from dpmc.datasets.readers.columns import Labelled
from dpmc.errors import InputError
from dpmc.publication import fields
from dpmc.publication.columns import column_of, columns_of, names_in
from dpmc.publication.lists import in_column, listed_once, read_list
from dpmc.publication.sources import check_unrated
from dpmc.publication.store import Store
from dpmc.publication.table import Lines


def labels_of(column, name: str) -> Labelled:
    """Return the labels in an Arrow column of text or integers, as text."""
    codes, texts = fields.distinct(fields.as_text(column, f"The column '{name}'"))
    bad = np.array([not fields.is_label(text) for text in texts], dtype=bool)
    _check(bad[codes], name, fields.LABEL)
    return fields.labelled(codes, texts)


def lines_in(table: object, ratings: object, names: Sequence[str], rated: bool = True) -> Lines:
    """Return what stands in a table, one rating a row.

    It is a frame with columns of these three names, or an array of shape (n, 3); where n ratings
    are given beside it, without theirs, or of shape (n, 2); or where it is not ``rated``, and each
    row has the value 1. A store is none of these, see :mod:`dpmc.fitting.given`.
    """
    if isinstance(table, Store):
        raise InputError("A store holds its ratings: give none beside it.")
    if not rated:
        rating = names[2] if names[2] in (names_in(table) or ()) else None
        check_unrated("The table", "y" if rating is None and ratings is not None else rating)
        users, items = columns_of(table, names[:2])
        return Lines(labels_of(users, names[0]), *_rated(items, None, names), None)
    if ratings is None:
        users, items, values = columns_of(table, names)
    else:
        users, items = columns_of(table, names[:2])
        values = column_of(ratings, names[2])
    return Lines(labels_of(users, names[0]), *_rated(items, values, names), None)


def lines_of_one(ratings: object, names: Sequence[str], rated: bool = True) -> Lines:
    """Return the ratings of one user, who has no label here.

    They are a mapping from items to ratings, or a frame; names are those of the columns of users,
    items and ratings. Where they are not ``rated``, a list of items will do, and what is said of
    one beside it does not count.
    """
    there = names_in(ratings)
    if not rated:
        if there is not None:
            ratings = columns_of(ratings, names[1:2])[0]
        items, values = column_of(_listed(ratings), names[1]), None
    elif there is not None:
        items, values = columns_of(ratings, names[1:])
        if names[0] in there and len(labels_of(*_users(ratings, names)).labels) > 1:
            raise InputError("These are ratings of several users; give those of one.")
    elif isinstance(ratings, Mapping):
        items, values = (
            column_of(list(each), name)
            for each, name in zip((ratings, ratings.values()), names[1:], strict=True)
        )
    else:
        raise InputError("One user's ratings must be a mapping from items to ratings, or a frame.")
    items, values = _rated(items, values, names)
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


def _users(ratings, names):
    return columns_of(ratings, names[:1])[0], names[0]


def _listed(items: object) -> object:
    """Return items that are listed in some way as a sequence, or refuse them."""
    if hasattr(items, "__arrow_c_stream__") or isinstance(items, np.ndarray):
        return items
    if isinstance(items, str) or not isinstance(items, Iterable):
        raise InputError(
            "One user's likes must be a list of items, a mapping from them, or a frame."
        )
    return list(items)


def _rated(items, values, names) -> tuple[Labelled, np.ndarray]:
    """Return items and ratings, 1 if there are none, from Arrow columns of one length."""
    if values is None:
        return labels_of(items, names[1]), np.ones(len(items))
    if len(items) != len(values):
        raise InputError(f"There are {len(items)} items and {len(values)} ratings, not as many.")
    labels = labels_of(items, names[1])
    numbers = fields.as_numbers(values, f"The column '{names[2]}'")
    _check(~np.isfinite(numbers), names[2], "a finite number")
    return labels, numbers


def _check(bad: np.ndarray, name: str, expected: str) -> None:
    if bad.any():
        raise InputError(f"Row {bad.argmax() + 1}: {expected} is expected in the column '{name}'.")
