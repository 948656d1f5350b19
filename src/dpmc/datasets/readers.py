"""Reads the raw file of a data set into :class:`dpmc.ratings.Ratings`.

Most are tables, which are read as ``dpmc fit`` reads them. A few have a form of their own.
"""

import csv
import io
import logging
import math
import warnings
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError, ParameterError
from dpmc.publication.numbering import Labelled
from dpmc.publication.table import read_lines
from dpmc.ratings import Ratings, any_pair_repeats

_log = logging.getLogger("dpmc.datasets")
YEAR = "year"
GENRES = (
    "unknown", "action", "adventure", "animation", "children", "comedy", "crime", "documentary",
    "drama", "fantasy", "film-noir", "horror", "musical", "mystery", "romance", "sci-fi",
    "thriller", "war", "western",
)  # fmt: skip
BACKGROUND = ["gender", "education", "age"]  # of the people who filled in the personality items


def read(dataset: Dataset, path: str | Path) -> Ratings:
    """Read the raw file of a data set.

    Users and items are numbered from 0 in the order of their labels, which are integers if all are
    written so (for Jester, in the order of the file). Ratings keep the order of the file. Rows that
    repeat a (user, item) pair with the same rating are dropped, and a warning of the logger
    ``dpmc.datasets`` gives their number.

    Raises
    ------
    InputError
        Data that are withdrawn, no such file, not in its format, a malformed line, an empty label,
        a rating outside ``dataset.rating_range``, or two different ratings of one (user, item) pair
        where it is not the last one that counts.
    """
    path = Path(path)
    if dataset.withdrawn:
        raise InputError(dataset.withdrawn)
    try:
        return READERS[dataset.reader](dataset, path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
    except ParameterError as error:
        key = f"data.sets.{dataset.name}.{{}}" if dataset.is_own else "{}"
        raise InputError(error.spelled(key.format)) from None


def read_table(dataset: Dataset, path: Path) -> Ratings:
    """Read a table with one rating a row: see :func:`dpmc.publication.pieces.read_pieces`."""
    lines = read_lines(path, dataset.reading)
    users, items = (_in_order(each) for each in (lines.users, lines.items))
    return _assembled(dataset, path, users, items, lines.values)


def read_lastfm(dataset: Dataset, path: Path) -> Ratings:
    """Read Last.fm: user, artist and plays, of which the rating is log10, at most 5."""
    plays = read_table(replace(dataset, rating_range=(1, math.inf)), path)
    values = [min(math.log10(number), 5.0) for number in plays.values.tolist()]
    return replace(plays, values=np.array(values), rating_range=dataset.rating_range)


def read_bfi(dataset: Dataset, path: Path) -> Ratings:
    """Read bfi: one row per person, one column for each of 25 items; empty means no rating."""
    try:
        header, *rows = csv.reader(io.StringIO(path.read_text("utf-8")))
        items = header[1 : -len(BACKGROUND)]
        if header != ["rownames", *items, *BACKGROUND]:
            raise ValueError("its header is another one")
        answers = [
            (int(row[0]), place, float(answer))
            for row in rows
            for place, answer in enumerate(row[1 : -len(BACKGROUND)])
            if answer not in ("", "NA")
        ]
        users, places, values = (np.array(each) for each in zip(*answers, strict=True))
    except (ValueError, IndexError) as error:
        raise InputError(f"{path} is not in the form of bfi ({error}).") from None
    labels, codes = np.unique(users, return_inverse=True)
    order = np.argsort(items)
    people = Labelled(codes.astype(np.int32), labels)
    named = Labelled(np.argsort(order)[places].astype(np.int32), np.array(items)[order])
    return _assembled(dataset, path, people, named, values)


def read_films(dataset: Dataset, path: Path) -> Ratings:
    """Read ``u.item`` as a table of numbers: films as users, features as items.

    Features are the genres, 0 or 1, and the year of release where there is one.
    """
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        film, date, *flags = (line.split(b"|")[field].decode() for field in dataset.fields)
        if len(flags) != len(GENRES) or not set(flags) <= {"0", "1"} or not film.isdigit():
            raise InputError(f"{path}, line {number}: expected a number, a date and genres.")
        rows += [(int(film), genre, int(flag)) for genre, flag in zip(GENRES, flags, strict=True)]
        if date:
            rows.append((int(film), YEAR, int(date[-4:])))
    films, names, values = zip(*rows, strict=True)
    films, features = (np.unique(each, return_inverse=True) for each in (films, names))
    return Ratings(
        films[1].astype(np.int32), features[1].astype(np.int32), np.array(values, dtype=float),
        films[0].size, features[0].size, dataset.name, None, films[0], features[0],
    )  # fmt: skip


def read_jester(dataset: Dataset, path: Path) -> Ratings:
    """Read the sparse matrix of Jester 5k (columns are jokes); stored zeros are ratings."""
    from rdata import read_rda  # 0.7 s to import: here, not at the top
    from scipy.sparse import csc_array

    try:
        with warnings.catch_warnings():
            # rdata does not know recommenderlab's classes: it warns and gives their slots
            warnings.simplefilter("ignore", UserWarning)
            found = read_rda(path)["Jester5k"]
        slots = found.data
        matrix = csc_array((slots.x, slots.i, slots.p), shape=tuple(map(int, slots.Dim)))
        matrix.check_format(full_check=True)
        users, items = (np.asarray(names) for names in slots.Dimnames)
    except OSError:
        raise
    except Exception as error:  # the parser fails in many ways on what is not an R data file
        raise InputError(f"{path} is not a whole file of Jester 5k ({error}).") from error
    entries = matrix.tocoo()
    codes = (each.astype(np.int32) for each in (entries.row, entries.col))
    labelled: Any = map(Labelled, codes, (users, items))
    return _assembled(dataset, path, *labelled, entries.data.astype(float))


READERS: Mapping[str, Callable[[Dataset, Path], Ratings]] = {
    "table": read_table,
    "lastfm": read_lastfm,
    "bfi": read_bfi,
    "movielens-films": read_films,
    "jester": read_jester,
}


def _in_order(column: Labelled) -> Labelled:
    """Return labels that are all plain integers ("7", not "07") as such, in their order."""
    labels = np.array(column.labels.tolist(), dtype=str)
    try:
        numbers = labels.astype(np.int64)
    except (ValueError, OverflowError):
        return Labelled(column.codes, labels)
    if (numbers.astype(labels.dtype) != labels).any():
        return Labelled(column.codes, labels)
    order = np.argsort(numbers)
    return Labelled(np.argsort(order).astype(np.int32)[column.codes], numbers[order])


def _assembled(
    dataset: Dataset, path: Path, users: Labelled, items: Labelled, values: np.ndarray
) -> Ratings:
    """Return the rows of a file as ratings: one of each pair, the first, or the last if it counts.

    Refusals show no label and no rating: whoever reads logs need not see the data.
    """
    if not values.size:
        raise InputError(f"{path} holds no ratings.")
    for what, column in (("user", users), ("item", items)):
        empty = (column.labels == "")[column.codes]
        if empty.any():
            raise InputError(f"{path}, rating number {empty.argmax() + 1}: the {what} is empty.")
    low, high = dataset.rating_range or (-math.inf, math.inf)
    outside = (values < low) | (values > high)
    if outside.any():
        raise InputError(
            f"{path}: rating number {outside.argmax() + 1} is outside the stated range {low:g} to "
            f"{high:g}; correct the file or the range."
        )
    keys = users.codes.astype(np.int64) * items.labels.size + items.codes
    kept = np.arange(keys.size)
    if any_pair_repeats(users.codes, items.codes, items.labels.size):
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        kept = np.sort(first)
        if dataset.last_counts:
            last = np.zeros(first.size)
            np.maximum.at(last, group, np.arange(keys.size))
            values = values[last.astype(int)[group]]
        else:
            _check_same(path, values, first[group])
    return Ratings(
        users.codes[kept], items.codes[kept], values[kept], users.labels.size, items.labels.size,
        dataset.name, dataset.rating_range, users.labels, items.labels,
    )  # fmt: skip


def _check_same(path: Path, values: np.ndarray, first: np.ndarray) -> None:
    """Refuse rows whose rating is not that of the first row of their pair, and count the others."""
    differs = np.flatnonzero(values != values[first])
    if differs.size:
        row = differs[0]
        raise InputError(
            f"{path}: ratings {first[row] + 1} and {row + 1}, in the order of the file, are of one "
            "user and item, and differ; keep one rating a pair."
        )
    remain = np.unique(first).size
    _log.warning(
        f"{path}: {values.size - remain} of {values.size} rows repeat a (user, item) pair with the "
        f"same rating; they are dropped, {remain} ratings remain."
    )
