"""Public lists of items and users, which do not come from the ratings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmc.errors import InputError, ParameterError
from dpmc.labels import cleaned
from dpmc.publication import fields
from dpmc.publication.lines import TextLines, header_of
from dpmc.publication.numbering import labelled
from dpmc.publication.reading import USUAL, form_of, readable
from dpmc.publication.sources import choose_one
from dpmc.ratings import Ratings, ascending

if TYPE_CHECKING:
    import pyarrow as pa

SUFFIXES = (".csv", ".tsv", ".parquet")
"""Of public tables."""
_INSTEAD = ", or give one label a line in a .txt file"


def read_list(
    path: str | PathLike[str], what: str, column: str | None = None
) -> tuple[list[str], bool]:
    """Return the labels of a public list, in its order, and whether the file has them as integers.

    The file is a table (.csv, .tsv, .parquet) with a column of labels under the given name or a
    usual one, or UTF-8 text with one label per line, where blank lines are ignored. ``what`` is
    "item" or "user".
    """
    path = Path(path)
    if path.suffix.lower() not in SUFFIXES:
        with readable(path):
            return listed_once(_in_lines(path), str(path), what), False
    table = read_public(path, {what: column}, advice=_INSTEAD)
    names = tuple(table.column_names)
    chosen = table[choose_one(str(path), names, what, column, advice=_INSTEAD)]
    labels = listed_once(in_column(chosen, f"{path}: column '{column}'"), str(path), what)
    return labels, fields.are_integers(chosen)


def read_public(path: Path, given: Mapping[str, str | None], advice: str = "") -> "pa.Table":
    """Return a public table as an Arrow table; of a text file some columns as text.

    ``given`` maps roles, such as "item", to names of these columns; None means a usual name.
    """
    from pyarrow import csv, parquet

    with readable(path), open(path, "rb") as stream:
        if path.suffix.lower() == ".parquet":
            return parquet.read_table(stream)
        form = form_of(path, USUAL)
        try:
            names, form = header_of(TextLines(stream, str(path), form).header(), form)
        except ParameterError:  # whose advice is for tables of ratings
            raise InputError(f"{path}, line 1: this is not UTF-8 text.") from None
    where = f"{path}, line 1"
    texts = [choose_one(where, names, role, name, advice=advice) for role, name in given.items()]
    options = csv.ParseOptions(delimiter=form.separator, newlines_in_values=True)
    types = dict.fromkeys(texts, "string")
    convert = csv.ConvertOptions(column_types=types, strings_can_be_null=False)
    try:
        return csv.read_csv(path, parse_options=options, convert_options=convert)
    except (OSError, ValueError) as error:  # Arrow's own are among these
        first = str(error).splitlines()[0].rstrip(".")
        raise InputError(f"{path} is not a table with a header: {first}.") from None


def listed_once(labels: Iterable[tuple[str, str]], where: str, what: str) -> list[str]:
    """Return the labels of a list, given as (place in the list, label), or refuse it.

    ``where`` is the list, for the message.
    """
    places: dict[str, str] = {}
    for place, label in labels:
        if not label:
            raise InputError(f"{where}, {place}: a label is expected for the {what}.")
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
    for number, octets in enumerate(path.read_bytes().split(b"\n"), 1):
        try:
            found = cleaned(octets.decode("utf-8"))
        except UnicodeDecodeError:
            raise InputError(f"{path}, line {number}: this is not UTF-8 text.") from None
        if found:
            yield f"line {number}", found


def in_column(column: Any, where: str) -> Iterator[tuple[str, str]]:
    """Yield (place in the list, label) of a column; ``where`` is its name, for messages."""
    try:
        found = labelled(column, where, listed=True)
    except InputError as error:
        raise InputError(f"{where}: {error}") from None
    for number, label in enumerate(found.labels[found.codes].tolist(), 1):
        yield f"row {number}", label


def restrict(ratings: Ratings, items: Sequence[str] | None, users: Sequence[str] | None) -> Ratings:
    """Return the ratings of listed items by listed users, in a matrix of exactly the lists.

    Labels are unique texts in the order that the matrix is to have; None keeps the present labels.
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
