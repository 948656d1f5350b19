"""Public lists of items and users, which come from elsewhere than the ratings."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dpmc.datasets.readers.table import read_names
from dpmc.datasets.readers.text import Layout, rows
from dpmc.datasets.registry import OWN_SUFFIXES
from dpmc.errors import InputError
from dpmc.publication import fields
from dpmc.publication.sources import choose_one, readable
from dpmc.ratings import Ratings, ascending

if TYPE_CHECKING:
    import pyarrow as pa

_INSTEAD = ", or give one label a line in a .txt file"


def read_list(path: str | PathLike[str], what: str, column: str | None = None) -> list[str]:
    """Return the labels of a public list, in its order, stripped of white space around them.

    The file is a table (.csv, .tsv, .parquet) with a column of labels, by this name or the usual
    ones, or else UTF-8 text with one label a line, where blank lines do not count. ``what`` is
    "item" or "user".
    """
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix not in OWN_SUFFIXES:
        labels = _in_lines(path)
    elif suffix == ".parquet":
        labels = _in_parquet(path, what, column)
    else:
        labels = _in_csv(path, what, column)
    with readable(path):
        return listed_once(labels, str(path), what)


def listed_once(labels: Iterable[tuple[str, str]], where: str, what: str) -> list[str]:
    """Return the labels of a list, given as (place in the list, label); refuse what is no list.

    ``where`` is the list, for the message.
    """
    places: dict[str, str] = {}
    for place, label in labels:
        if not fields.is_label(label):
            raise InputError(f"{where}, {place}: {fields.LABEL} is expected for the {what}.")
        if label in places:
            raise InputError(
                f"{where}, {place}: the {what} '{label}' is on {places[label]} already; list it "
                "once."
            )
        places[label] = place
    if not places:
        raise InputError(f"{where} names no {what}s; a list must have at least one.")
    return list(places)


def _in_lines(path: Path) -> Iterator[tuple[str, str]]:
    """Yield (place in the list, label), as all of these."""
    with open(path, encoding="utf-8-sig", errors="surrogateescape") as stream:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield f"line {number}", fields.bare(line)


def _in_csv(path: Path, what: str, column: str | None) -> Iterator[tuple[str, str]]:
    with open(path, "rb") as stream:
        names, separator = read_names(stream, str(path))
        text = stream.read().decode("utf-8", "surrogateescape")
    chosen = choose_one(f"{path}, line 1", names, what, column, advice=_INSTEAD)
    place = names.index(chosen)
    for line, row in rows(text, 2, Layout(names, chosen, chosen, chosen, separator)):
        if isinstance(row, str):
            raise InputError(f"{path}, line {line}: {row}.")
        if len(row) != len(names):
            raise InputError(
                f"{path}, line {line}: expected {len(names)} fields, as in the header, found "
                f"{len(row)}; are quotes missing?"
            )
        yield f"line {line}", fields.bare(row[place])


def _in_parquet(path: Path, what: str, column: str | None) -> Iterator[tuple[str, str]]:
    from pyarrow import parquet

    with open(path, "rb") as stream, parquet.ParquetFile(stream) as file:
        chosen = choose_one(
            str(path), tuple(file.schema_arrow.names), what, column, advice=_INSTEAD
        )
        column = file.read(columns=[chosen]).column(0)
    yield from in_column(column, f"{path}: column '{chosen}'")


def in_column(column: "pa.ChunkedArray", where: str) -> Iterator[tuple[str, str]]:
    """Yield (place in the list, label) of an Arrow column; ``where`` is its name, for messages."""
    codes, texts = fields.distinct(fields.as_text(column, where))
    for number, code in enumerate(codes.tolist(), 1):
        yield f"row {number}", texts[code]


def restrict(ratings: Ratings, items: Sequence[str] | None, users: Sequence[str] | None) -> Ratings:
    """Return the ratings of listed items by listed users, in a matrix of exactly the lists.

    Labels, of text and each once, are in the order that they are to have; None: as they are.
    Ratings are sorted by user, then item.
    """
    if items is users is None and ascending(ratings.users, ratings.items):
        return ratings
    rows, user_labels = _renumbered(ratings.users, np.asarray(ratings.user_labels), users)
    columns, item_labels = _renumbered(ratings.items, np.asarray(ratings.item_labels), items)
    kept = np.flatnonzero((rows >= 0) & (columns >= 0))
    if not ascending(rows[kept], columns[kept]):
        kept = kept[np.argsort(rows[kept].astype(np.int64) * item_labels.size + columns[kept])]
    return replace(
        ratings,
        users=rows[kept],
        items=columns[kept],
        values=ratings.values[kept],
        n_users=user_labels.size,
        n_items=item_labels.size,
        user_labels=user_labels,
        item_labels=item_labels,
    )


def _renumbered(
    codes: np.ndarray, labels: np.ndarray, listed: Sequence[str] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return places in a list, -1 for what is not in it, and the list as an array."""
    if listed is None:
        return codes, labels
    return places_in(listed, labels)[codes], np.array(listed, dtype=object)


def places_in(listed: Sequence[str], labels: np.ndarray) -> np.ndarray:
    """Return the place of each label in a list, -1 for those that are not in it, as int32."""
    place = {label: index for index, label in enumerate(listed)}
    return np.array([place.get(label, -1) for label in labels.tolist()], dtype=np.int32)
