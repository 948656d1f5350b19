"""Readers of InstEval, bfi, FilmTrust and Last.fm: small text tables, each of a form of its own.

Where a pair of user and item has several rows, as one lecturer in several semesters, the last one
counts.
"""

import csv
import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from dpmc.datasets.readers.columns import assemble, encode
from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError
from dpmc.ratings import Ratings

LECTURES = ["rownames", "s", "d", "studage", "lectage", "service", "dept", "y"]
BACKGROUND = ["gender", "education", "age"]  # of the people who filled in the personality items
Row = tuple[int, str, str, str]


def read_inst_eval(dataset: Dataset, path: Path) -> Ratings:
    """Read InstEval: student s, lecturer d, mark y from 1 to 5."""
    return _ratings(dataset, path, _lectures(path))


def read_bfi(dataset: Dataset, path: Path) -> Ratings:
    """Read bfi: a row for each person, a column for each of 25 items; an empty field is none."""
    return _ratings(dataset, path, _answers(path))


def read_filmtrust(dataset: Dataset, path: Path) -> Ratings:
    """Read FilmTrust: user, film and rating, with blanks between them."""
    return _ratings(dataset, path, _fields(path, None))


def read_lastfm(dataset: Dataset, path: Path) -> Ratings:
    """Read Last.fm: user, artist and plays, of which the rating is log10, at most 5."""
    return _ratings(dataset, path, _fields(path, "\t"), of_counts=True)


def _lectures(path: Path) -> Iterator[Row]:
    header, *rows = _table(path)
    if header != LECTURES:
        raise InputError(f"{path}, line 1: expected the header '{','.join(LECTURES)}'.")
    for line, row in enumerate(rows, start=2):
        if len(row) != len(LECTURES):
            raise InputError(f"{path}, line {line}: expected {len(LECTURES)} fields.")
        yield line, row[1], row[2], row[-1]


def _answers(path: Path) -> Iterator[Row]:
    header, *rows = _table(path)
    items = header[1 : -len(BACKGROUND)]
    if header[:1] != ["rownames"] or header[-len(BACKGROUND) :] != BACKGROUND or not items:
        raise InputError(
            f"{path}, line 1: expected rownames, the items, then {', '.join(BACKGROUND)}."
        )
    for line, row in enumerate(rows, start=2):
        if len(row) != len(header):
            raise InputError(f"{path}, line {line}: expected {len(header)} fields.")
        for item, answer in zip(items, row[1:], strict=False):
            if answer not in ("", "NA"):
                yield line, row[0], item, answer


def _fields(path: Path, separator: str | None) -> Iterator[Row]:
    for line, text in enumerate(_text(path).splitlines(), start=1):
        row = text.split(separator)
        if row and len(row) != 3:
            raise InputError(f"{path}, line {line}: expected a user, an item and a number.")
        if row:
            user, item, value = row
            yield line, user, item, value


def _table(path: Path) -> list[list[str]]:
    rows = list(csv.reader(_text(path).splitlines()))
    if not rows:
        raise InputError(f"{path}, line 1: the names of the columns are expected here.")
    return rows


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text.") from None


def _ratings(
    dataset: Dataset, path: Path, rows: Iterator[Row], *, of_counts: bool = False
) -> Ratings:
    import pyarrow as pa

    low, high = dataset.rating_range
    last = {}
    for line, user, item, text in rows:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if of_counts and value >= 1:
            value = min(math.log10(value), high)
        if not low <= value <= high or not (user and item):
            raise InputError(f"{path}, line {line}: {text!r} is no rating of a user and an item.")
        last[user, item] = value
    if not last:
        raise InputError(f"{path} has no ratings.")
    users, items = zip(*last, strict=True)
    labelled = [
        encode(pa.chunked_array([pa.array(each).dictionary_encode()])) for each in (users, items)
    ]
    return assemble(dataset, str(path), *labelled, np.array(list(last.values())))
