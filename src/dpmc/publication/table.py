"""The private table of ratings: read without a word about any one row, then one rating a pair.

What one person's rows hold must change neither how the rows of others are read nor what is said.
So the refusal of a malformed row names its line and what is expected there, never what was found.
That all rows are well formed, and timestamps all of one kind, is a stated public assumption.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dpmc.datasets.readers.columns import Labelled
from dpmc.datasets.readers.table import read_names
from dpmc.datasets.readers.text import Layout, blocks, parse, rows
from dpmc.datasets.registry import OWN_SUFFIXES, REGISTRY
from dpmc.errors import InputError
from dpmc.publication import fields
from dpmc.publication.sources import GZIPPED, choose, kind_of, opened, readable
from dpmc.ratings import Ratings

WITHOUT_HEADER = ("user", "item", "rating", "timestamp")
"""Columns of a file like u.data of MovieLens 100K."""
PARQUET = ".parquet"
_MOVIELENS = ".data"
TEXT_SUFFIXES = (".csv", ".tsv", _MOVIELENS)
_EXPECTED = (fields.LABEL, fields.LABEL, "a finite number", fields.NUMBER_OR_DATE)


@dataclass(frozen=True, eq=False)
class Lines:
    """What was read: nothing resolved, nothing dropped.

    Attributes
    ----------
    users, items : Labelled
        Codes of shape (n_lines,) into ascending labels of text.
    values : float64 array, shape (n_lines,)
    times : float64 array, shape (n_lines,), or None
        Larger is later; in one unit for all lines of a file. Exact for whole numbers up to 2**53;
        nanoseconds since 1970 are rounded to a quarter of a microsecond.
    """

    users: Labelled
    items: Labelled
    values: np.ndarray
    times: np.ndarray | None


def read_lines(path: Path, columns: Mapping[str, str | None], rated: bool = True) -> Lines:
    """Read a private table, one rating a row.

    Parameters
    ----------
    path : Path
        A .csv, .tsv or .parquet file. Text is UTF-8 with a header, each row one line; the separator
        (comma, semicolon or tab) is the one that the header has most of. A .data file is in the
        format of u.data of MovieLens 100K: :data:`WITHOUT_HEADER`, separated by tabs, without
        header. Text may be packed, its name then ends in .gz too.
    columns : mapping
        Names of the columns "user", "item" and "rating", None: found by their usual names; and of
        "timestamp", None: not used. Times are numbers, ISO 8601 dates or times in text (UTC unless
        they say otherwise), or Parquet's own.
    rated : bool
        Whether there is a column of ratings; without one, each row has the value 1.

    Raises
    ------
    InputError
        A file that cannot be read, lacks a column or holds a malformed row. The message holds
        nothing of any row.
    """
    path = Path(path)
    is_parquet = path.suffix.lower() == PARQUET
    if not is_parquet and kind_of(path) not in TEXT_SUFFIXES:
        raise InputError(_no_table(path))
    with readable(path):
        read = _read_parquet if is_parquet else _read_text
        chosen, labels, numbers = read(path, columns, rated)
        bad = [np.array([not fields.is_label(t) for t in texts], bool)[at] for at, texts in labels]
        bad += [~np.isfinite(column) for column in numbers]
        if any(mask.any() for mask in bad):
            raise InputError(
                _first_bad_row(path, _expected(chosen, rated), bad)
                if is_parquet
                else _first_bad_line(path, columns, rated)
            )
    users, items = (fields.labelled(*each) for each in labels)
    if not rated:
        numbers = [np.ones(users.codes.size), *numbers]
    return Lines(users, items, numbers[0], numbers[1] if len(numbers) > 1 else None)


def _no_table(path) -> str:
    """Say what to do with the name of something else than a table."""
    kinds = f"{', '.join(OWN_SUFFIXES)} or {_MOVIELENS}, or, if it is text, in {GZIPPED} after that"
    known = REGISTRY.get(str(path))
    if known is None:
        return f"The table of ratings must be a file that ends in {kinds}, got {path}."
    text = f"{known.name} is the name of a data set, and a file is needed"
    if known.withdrawn:
        return f"{text}: that data set is no longer public, so give a file of your own."
    if kind_of(Path(known.file)) in TEXT_SUFFIXES:
        return f"{text}: `dpmc data fetch {known.name}` brings it as data/{known.file}: name that."
    return f"{text} that ends in {kinds}: write {known.title} to such a file first."


def resolve(lines: Lines, rating_range: tuple[float, float] | None) -> Ratings:
    """Make one rating of all that one user said of one item; return them sorted by user, then item.

    With times it is the latest rating (the mean of several with the same latest time), else the
    mean of all. The order of the lines does not matter, to the last bit. Values are clipped to the
    range first.
    """
    values = lines.values if rating_range is None else np.clip(lines.values, *rating_range)
    values = values + 0.0  # of -0 and 0, the order of the lines would choose one
    n_items = lines.items.labels.size
    key = lines.users.codes.astype(np.int64) * n_items + lines.items.codes
    order = np.argsort(key)
    if (np.diff(key[order]) == 0).any():
        order, values = _one_each(key, values, lines.times)
    else:
        values = values[order]
    return Ratings(
        lines.users.codes[order],
        lines.items.codes[order],
        values,
        lines.users.labels.size,
        n_items,
        user_labels=lines.users.labels,
        item_labels=lines.items.labels,
    )


def _one_each(key, values, times) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of one line for each key, keys ascending, and the value of each key."""
    if times is None:
        times = np.zeros(key.size)
    # values too: a sum of sorted numbers does not depend on the order of the lines
    order = np.lexsort((values, times, key))
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(starts, append=order.size)
    latest = np.repeat(times[order[starts + sizes - 1]], sizes)
    order = order[times[order] == latest]
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(starts, append=order.size)
    values = values[order]
    with np.errstate(over="ignore"):
        means = np.add.reduceat(values, starts) / sizes
    # neither rounding nor an overflow takes a mean out of the range of its values
    return order[starts], np.clip(means, values[starts], values[starts + sizes - 1])


def _read_text(path, columns, rated):
    """Return the names of the columns, (codes, texts) of users and items, and the numbers."""
    import pyarrow as pa

    with opened(path) as stream:
        layout, chosen = _layout(stream, path, columns, rated)
        label = pa.dictionary(pa.int32(), pa.string())
        kinds = (label, label, *[pa.float64()] * rated, pa.string())
        types = dict(zip(chosen, kinds, strict=False))
        # Arrow cuts the file itself: a quote within somebody's field must not move the cuts, and
        # with them the rows of others, as it would if quotes were merely counted
        empty, counted = pa.schema(list(types.items())).empty_table(), _Counted(stream)
        table = parse(counted, layout, types) if stream.peek(1) else empty
    # fewer rows than lines: somebody's quote was left open, in a column that is used or not, and
    # the rows of others up to the next quote went into that field
    if table is None or table.num_rows < counted.lines:
        raise InputError(_first_bad_line(path, columns, rated))
    users, items, *others = table.columns
    times = others[rated:]
    numbers = [each.to_numpy() for each in others[:rated]]
    if times:
        first = times[0][0].as_py() if table.num_rows else ""
        numbers.append(fields.parsed(times[0], fields.clock(first)))
    return chosen, [fields.distinct(users), fields.distinct(items)], numbers


class _Counted:
    """A binary file for Arrow that counts the lines, empty ones aside, as they are read."""

    closed = False

    def __init__(self, stream: BinaryIO):
        self._stream, self._ended, self._inside = stream, 0, False

    @property
    def lines(self) -> int:
        """How many were read; a last line without an end counts too."""
        return self._ended + self._inside

    def read(self, size: int) -> bytes:
        octets = np.frombuffer(content := self._stream.read(size), np.uint8)
        if octets.size:
            inside = (octets != ord("\n")) & (octets != ord("\r"))
            ends = np.count_nonzero(inside[:-1] & ~inside[1:])
            self._ended += int(ends) + (self._inside and not inside[0])
            self._inside = bool(inside[-1])
        return content


def _read_parquet(path, columns, rated):
    """Return the same as :func:`_read_text`."""
    from pyarrow import parquet

    with open(path, "rb") as stream, parquet.ParquetFile(stream) as file:
        chosen = choose(str(path), tuple(file.schema_arrow.names), columns, rated)
        table = file.read(columns=list(chosen)).select(list(chosen))
    kinds = (fields.as_text, fields.as_text, *[fields.as_numbers] * rated, fields.as_times)
    users, items, *numbers = [
        read(column, f"{path}: column '{name}'")
        for read, name, column in zip(kinds, chosen, table.columns, strict=False)
    ]
    return chosen, [fields.distinct(users), fields.distinct(items)], numbers


def _layout(stream, path, columns, rated) -> tuple[Layout, tuple[str, ...]]:
    if kind_of(path) == _MOVIELENS:
        return _movielens(path, columns, rated)
    names, separator = read_names(stream, str(path))
    chosen = choose(f"{path}, line 1", names, columns, rated)
    return Layout(names, *chosen[:2], chosen[2] if rated else "", separator), chosen


def _movielens(path, columns, rated) -> tuple[Layout, tuple[str, ...]]:
    """Return the layout of a file without header, whose columns are known by their places."""
    chosen = choose(str(path), WITHOUT_HEADER, columns, rated)
    return Layout(WITHOUT_HEADER, *chosen[:3], "\t", quoted=False), chosen


def _first_bad_row(path, expected, bad) -> str:
    """Return what is wrong with the first bad row of a Parquet file."""
    row, column = min((int(mask.argmax()), k) for k, mask in enumerate(bad) if mask.any())
    return f"{path}, row {row + 1}: {expected[column]}."


def _first_bad_line(path, columns, rated) -> str:
    """Return what is wrong with the first bad line of a text file, which is read again."""
    with opened(path) as stream:
        layout, chosen = _layout(stream, path, columns, rated)
        places = [layout.fields.index(name) for name in chosen]
        clock = None
        begin = 1 if kind_of(path) == _MOVIELENS else 2
        for first, block in blocks(stream, str(path), False, begin):  # a row is one line
            for line, row in rows(block.decode("utf-8", "surrogateescape"), first, layout):
                where = f"{path}, line {line}"
                if isinstance(row, str):
                    return f"{where}: {row}."
                if any(end in text for text in row for end in "\r\n"):
                    advice = "each row must be one line: close it, or leave that column out"
                    return f"{where}: a quote is left open, and {advice}."
                if len(row) != len(layout.fields):
                    header = ", as in the header" if begin > 1 else ""
                    expected = f"{len(layout.fields)} fields are expected{header}"
                    return f"{where}: {expected}; {len(row)} were found."
                texts = [row[place] for place in places]
                clock = clock or fields.clock(texts[-1])
                sound = [fields.is_label(fields.bare(text)) for text in texts[:2]]
                sound += [isfinite(fields.to_number(text)) for text in texts[2:3] * rated]
                sound += [isfinite(clock(text)) for text in texts[2 + rated :]]
                if not all(sound):
                    return f"{where}: {_expected(chosen, rated)[sound.index(False)]}."
    return f"{path}: a line cannot be read as a row of {len(layout.fields)} fields."


def _expected(chosen, rated: bool) -> list[str]:
    """Return what is expected in each of the columns."""
    kinds = _EXPECTED if rated else (*_EXPECTED[:2], _EXPECTED[3])
    return [
        f"{kind} is expected in the column '{name}'"
        for kind, name in zip(kinds, chosen, strict=False)
    ]
