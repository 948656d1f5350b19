"""Reader of a user's own file: CSV or Parquet with one rating a row."""

import csv
import re
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dpmc.datasets.readers.columns import assemble, encode
from dpmc.datasets.readers.text import Layout, read_header, read_rows
from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError, did_you_mean
from dpmc.ratings import Ratings

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


def read_table(dataset: Dataset, path: Path) -> Ratings:
    """Read a user's own .csv, .tsv or .parquet file.

    Text files are UTF-8 with a header; the separator (comma, semicolon or tab) is the one that
    the header has most of. Further columns are left out.
    """
    if path.suffix.lower() == ".parquet":
        return _read_parquet(dataset, path)
    with open(path, "rb") as stream:
        names, separator = read_names(stream, str(path))
        user, item, rating = find_columns(dataset, path, names)
        layout = Layout(names, user, item, rating, separator)
        rows = read_rows(stream, str(path), layout, dataset.rating_range, first_line=2)
    return assemble(dataset, str(path), *rows)


def read_names(stream: BinaryIO, source: str) -> tuple[tuple[str, ...], str]:
    """Return the names of the columns and the separator: the one that the header has most of."""
    header = read_header(stream, source)
    separator = max(",;\t", key=header.count)
    try:
        return tuple(next(csv.reader([header], delimiter=separator))), separator
    except csv.Error:
        raise InputError(
            f"{source}, line 1: this line is malformed (a stray carriage return, or far too long)."
        ) from None


def find_columns(dataset: Dataset, path: Path, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of the user, item and rating columns: as configured, or by usual names."""
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise InputError(f"{path} has more than one column '{min(twice)}'; rename one of them.")
    return tuple(
        _find_column(dataset, path, names, role, given)
        for role, given in zip(("user", "item", "rating"), dataset.columns, strict=True)
    )


def _find_column(dataset, path, names, role: str, given: str | None) -> str:
    key = f"data.sets.{dataset.name}.{role}"
    if given is not None:
        if given not in names:
            raise InputError(
                f"{path} has no column '{given}' ({key}){did_you_mean(given, names)}; its columns "
                f"are {', '.join(names)}."
            )
        return given
    taken = set(dataset.columns)
    found = [name for name in usual_columns(names, role) if name not in taken]
    if len(found) == 1:
        return found[0]
    problem = (
        f"several columns could be the {role}" if found else f"no column looks like the {role}"
    )
    raise InputError(
        f"{path}: {problem} ({', '.join(found or names)}); name it with the key {key}."
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


def _read_parquet(dataset: Dataset, path: Path) -> Ratings:
    import pyarrow as pa
    from pyarrow import parquet

    try:
        with parquet.ParquetFile(path) as file:
            names = find_columns(dataset, path, tuple(file.schema_arrow.names))
            table = file.read(columns=list(names)).select(names)
    except pa.ArrowInvalid as error:
        raise InputError(f"{path} is not a whole Parquet file ({error}).") from error
    if not table.num_rows:
        raise InputError(f"{path} holds no ratings.")
    for name, column in zip(names, table.columns, strict=True):
        if column.null_count:
            row = np.flatnonzero(column.is_null().to_numpy())[0]
            raise InputError(f"{path}, row {row + 1}: {name} is empty.")
    users, items = (_label_column(path, name, table.column(name)) for name in names[:2])
    values = _value_column(dataset, path, names[2], table.column(names[2]))
    return assemble(dataset, str(path), encode(users), encode(items), values)


def _label_column(path: Path, name: str, column):
    """Return a dictionary-encoded column of text or int64 labels."""
    import pyarrow as pa
    from pyarrow import compute

    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    text = pa.types.is_string(kind) or pa.types.is_large_string(kind)
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind)
    try:
        if not (text or number):
            raise pa.ArrowInvalid
        # a cast that would cut a fraction off or overflow fails
        column = column.cast(kind).cast(pa.string() if text else pa.int64())
    except pa.ArrowInvalid:
        raise InputError(f"{path}: column {name} must hold text or integers, not {kind}.") from None
    empty = compute.index(column, "").as_py() if text else -1
    if empty >= 0:
        raise InputError(f"{path}, row {empty + 1}: {name} is empty.")
    return column.dictionary_encode()


def _value_column(dataset: Dataset, path: Path, name: str, column) -> np.ndarray:
    import pyarrow as pa

    try:
        values = column.cast(pa.float64()).to_numpy()
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        raise InputError(f"{path}: column {name} must hold numbers, not {column.type}.") from None
    low, high = dataset.rating_range or (-np.inf, np.inf)
    bad = ~(np.isfinite(values) & (values >= low) & (values <= high))
    if bad.any():
        row = np.flatnonzero(bad)[0]
        allowed = (
            f"outside the range {low:g} to {high:g}"
            if np.isfinite(values[row])
            else ("not a finite number")
        )
        raise InputError(f"{path}, row {row + 1}: {name} {values[row]:g} is {allowed}.")
    return values
