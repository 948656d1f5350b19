"""Private tables of ratings, read piece by piece without a word about any one row.

What one person's rows hold must change neither how the rows of others are read nor what is said.
So the refusal of a malformed row names its line and what is expected there, never what was found.
That all rows are well formed, and timestamps all of one kind, is a stated public assumption.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from math import isfinite
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dpmc.datasets.readers.table import read_names
from dpmc.datasets.readers.text import Layout, blocks, parse_pieces, rows
from dpmc.datasets.registry import OWN_SUFFIXES, REGISTRY
from dpmc.errors import InputError
from dpmc.publication import fields
from dpmc.publication.numbering import Numbering
from dpmc.publication.sources import GZIPPED, ZIPPED, choose, kind_of, opened, readable

WITHOUT_HEADER = ("user", "item", "rating", "timestamp")
"""Columns of a file like u.data and ratings.dat of MovieLens."""
PARQUET = ".parquet"
ROWS = 1 << 17
"""Of a Parquet file, that are read at a time."""
_SEPARATORS = {".data": "\t", ".dat": "::"}
_RECBOLE = ".inter"
TEXT_SUFFIXES = (".csv", ".tsv", *_SEPARATORS, _RECBOLE, ZIPPED)
_EXPECTED = (fields.LABEL, fields.LABEL, "a finite number", fields.NUMBER_OR_DATE)


@dataclass(frozen=True, eq=False)
class Piece:
    """Some rows of a table.

    Attributes
    ----------
    users, items : int32 arrays, shape (n_rows,)
        Numbers of spellings.
    values : float64 array, shape (n_rows,)
    times : float64 array, shape (n_rows,), or None
        Larger is later; in one unit for all rows of a table. Exact for whole numbers up to 2**53;
        nanoseconds since 1970 are rounded to a quarter of a microsecond.
    share : float
        How much of the table has been read with it, about.
    """

    users: np.ndarray
    items: np.ndarray
    values: np.ndarray
    times: np.ndarray | None
    share: float


def read_pieces(
    path: Path,
    columns: Mapping[str, str | None],
    rated: bool,
    users: Numbering,
    items: Numbering,
) -> Iterator[Piece]:
    """Yield a private table, one rating a row, whose labels are numbered on the way.

    Parameters
    ----------
    path : Path
        A .csv, .tsv or .parquet file, or a folder with .parquet files in it or below it. Text is
        UTF-8 with a header, each row one line; the separator (comma, semicolon or tab) is the one
        that the header has most of. An .inter file is RecBole's: "user_id:token" in its header is
        the column "user_id". A .data file is in the format of u.data of MovieLens 100K:
        :data:`WITHOUT_HEADER`, separated by tabs, without header; a .dat file in that of
        ratings.dat of MovieLens 1M and 10M, separated by "::". Text may be packed, its name then
        ends in .gz too; of a .zip file, an archive of MovieLens, its file of ratings is read.
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
    files = files_of(path)
    is_parquet = files[0].suffix.lower() == PARQUET
    with readable(path):
        read = _parquet(files, columns, rated) if is_parquet else _text(path, columns, rated)
        for file, first, labels, numbers, share in read:
            sides = (users, items)
            codes = [side.codes(column) for side, column in zip(sides, labels, strict=True)]
            bad = [np.isin(*each) for each in zip(codes, (users.bad, items.bad), strict=True)]
            bad += [~np.isfinite(column) for column in numbers]
            if any(mask.any() for mask in bad):
                raise InputError(
                    _first_bad_row(file, columns, rated, first, bad)
                    if is_parquet
                    else _first_bad_line(path, columns, rated)
                )
            if not rated:
                numbers = [np.ones(codes[0].size), *numbers]
            yield Piece(*codes, numbers[0], numbers[1] if len(numbers) > 1 else None, share)


def files_of(path: Path) -> list[Path]:
    """Return the files that a table is in; refuse what can be none by its name."""
    if path.is_dir():  # of whatever name: Spark's ends in .parquet itself
        files = sorted(each for each in path.rglob(f"*{PARQUET}") if each.is_file())
        if files:
            return files
    if path.is_dir() or (path.suffix.lower() != PARQUET and kind_of(path) not in TEXT_SUFFIXES):
        raise InputError(_no_table(path))
    return [path]


def _no_table(path) -> str:
    """Say what to do with the name of something else than a table."""
    kinds = (
        f"{', '.join([*OWN_SUFFIXES, _RECBOLE, *_SEPARATORS])} or {ZIPPED} (of MovieLens), or, if "
        f"it is text, in {GZIPPED} after that"
    )
    known = REGISTRY.get(str(path))
    if known is None:
        problem = f"has no {PARQUET} files in it" if path.is_dir() else "is none"
        return (
            f"The table of ratings must be a file that ends in {kinds}, or a folder with {PARQUET} "
            f"files; {path} {problem}."
        )
    text = f"{known.name} is the name of a data set, and a file is needed"
    if known.withdrawn:
        return f"{text}: that data set is no longer public, so give a file of your own."
    if kind_of(Path(known.file)) in TEXT_SUFFIXES:
        return f"{text}: `dpmc data fetch {known.name}` brings it as data/{known.file}: name that."
    return f"{text} that ends in {kinds}: write {known.title} to such a file first."


def _text(path, columns, rated):
    """Yield of some rows: the file, the number of the first, Arrow columns of users and items,
    numbers, and the share of the table that has been read."""
    import pyarrow as pa

    with opened(path) as text:
        stream = text.stream
        layout, chosen = _layout(text, path, columns, rated)
        kinds = (pa.string(), pa.string(), *[pa.float64()] * rated, pa.string())
        # Arrow cuts the file itself: a quote within somebody's field must not move the cuts, and
        # with them the rows of others, as it would if quotes were merely counted
        counted, n_rows, clock = _Counted(stream), 0, None
        tables = parse_pieces(counted, layout, dict(zip(chosen, kinds, strict=False)))
        for table in tables if stream.peek(1) else ():
            if table is None:
                raise InputError(_first_bad_line(path, columns, rated))
            if not table.num_rows:
                continue
            users, items, *others = table.columns
            numbers = [each.to_numpy() for each in others[:rated]]
            for times in others[rated:]:
                clock = clock or fields.clock(times[0].as_py())
                numbers.append(fields.parsed(times, clock))
            yield path, n_rows, (users, items), numbers, text.share()
            n_rows += table.num_rows
        # fewer rows than lines: somebody's quote was left open, in a column that is used or not,
        # and the rows of others up to the next quote went into that field
        if n_rows < counted.lines:
            raise InputError(_first_bad_line(path, columns, rated))


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


def _parquet(files, columns, rated):
    """Yield the same as :func:`_text`."""
    import pyarrow as pa
    from pyarrow import parquet

    clock, kinds = None, None
    for place, path in enumerate(files):
        with open(path, "rb") as stream, parquet.ParquetFile(stream) as file:
            chosen = choose(str(path), tuple(file.schema_arrow.names), columns, rated)
            schema = pa.schema([file.schema_arrow.field(name) for name in chosen])
            kinds = kinds or schema.types
            if schema.types != kinds:
                raise InputError(f"{path} has columns of other types than {files[0]}.")
            wheres = [f"{path}: column '{name}'" for name in chosen]
            first, n_rows = 0, file.metadata.num_rows
            # group by group: Arrow keeps what it read of all groups that it was asked for
            batches = chain.from_iterable(
                file.iter_batches(ROWS, row_groups=[group], columns=list(chosen))
                for group in range(file.num_row_groups)
            )
            for batch in batches if n_rows else [pa.RecordBatch.from_pylist([], schema=schema)]:
                every = [pa.chunked_array([column]) for column in batch.select(chosen).columns]
                labels = [fields.as_text(*each) for each in zip(every[:2], wheres, strict=False)]
                numbers = [fields.as_numbers(each, wheres[2]) for each in every[2 : 2 + rated]]
                for times in every[2 + rated :]:
                    clock = clock or fields.clock_of(times)
                    numbers.append(fields.as_times(times, wheres[-1], clock))
                share = (place + (first + batch.num_rows) / max(1, n_rows)) / len(files)
                yield path, first, labels, numbers, share
                first += batch.num_rows


def _layout(text, path, columns, rated) -> tuple[Layout, tuple[str, ...]]:
    if text.kind in _SEPARATORS:  # columns are known by their places
        chosen = choose(str(path), WITHOUT_HEADER, columns, rated)
        separator = _SEPARATORS[text.kind]
        return Layout(WITHOUT_HEADER, *chosen[:3], separator, quoted=False), chosen
    names, separator = read_names(text.stream, str(path))
    if text.kind == _RECBOLE:
        names = tuple(name.partition(":")[0] for name in names)
    chosen = choose(f"{path}, line 1", names, columns, rated)
    return Layout(names, *chosen[:2], chosen[2] if rated else "", separator), chosen


def _first_bad_row(path, columns, rated, first, bad) -> str:
    """Return what is wrong with the first bad row of a piece of a Parquet file."""
    from pyarrow import parquet

    chosen = choose(str(path), tuple(parquet.read_schema(path).names), columns, rated)
    row, column = min((int(mask.argmax()), k) for k, mask in enumerate(bad) if mask.any())
    return f"{path}, row {first + row + 1}: {_expected(chosen, rated)[column]}."


def _first_bad_line(path, columns, rated) -> str:
    """Return what is wrong with the first bad line of a text file, which is read again."""
    with opened(path) as text:
        layout, chosen = _layout(text, path, columns, rated)
        places = [layout.fields.index(name) for name in chosen]
        clock = None
        begin = 1 if text.kind in _SEPARATORS else 2
        for first, block in blocks(text.stream, str(path), False, begin):  # a row is one line
            for line, row in rows(block.decode("utf-8", "surrogateescape"), first, layout):
                where = f"{path}, line {line}"
                if isinstance(row, str):
                    return f"{where}: {row}."
                if any(end in field for field in row for end in "\r\n"):
                    advice = "each row must be one line: close it, or leave that column out"
                    return f"{where}: a quote is left open, and {advice}."
                if len(row) != len(layout.fields):
                    header = ", as in the header" if begin > 1 else ""
                    expected = f"{len(layout.fields)} fields are expected{header}"
                    return f"{where}: {expected}; {len(row)} were found."
                own = [row[place] for place in places]
                clock = clock or fields.clock(own[-1])
                sound = [fields.is_label(fields.bare(each)) for each in own[:2]]
                sound += [isfinite(fields.to_number(each)) for each in own[2:3] * rated]
                sound += [isfinite(clock(each)) for each in own[2 + rated :]]
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
