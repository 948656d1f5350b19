"""Rows of separated text, block by block: a fast path, and a slow one that names the bad line."""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import BinaryIO

import numpy as np

from dpmc.datasets.readers.columns import Labelled, encode
from dpmc.errors import InputError
from dpmc.numerals import NUMBER

_BLOCK = 1 << 24
_LONGEST_LINE = 1 << 20
# what Arrow's parser takes for an integer (ASCII digits only)
_INTEGER = re.compile(r"-?[0-9]{1,19}")

# stands in for a separator of two characters; does not occur in text
_UNIT_SEPARATOR = "\x1f"


@dataclass(frozen=True)
class Layout:
    """What a row of a text file holds.

    Attributes
    ----------
    fields : tuple of str
        Names of all fields, in order.
    user, item, rating : str
        Which of them are the user, the item and the rating.
    separator : str
        One character, or "::".
    integer_labels : bool
        User and item must be integers.
    quoted : bool
        Fields may stand in double quotes.
    """

    fields: tuple[str, ...]
    user: str
    item: str
    rating: str
    separator: str = ","
    integer_labels: bool = False
    quoted: bool = True


def read_header(stream: BinaryIO, source: str) -> str:
    """Return the first line of a stream as text, without line end and byte order mark."""
    line = stream.readline(_LONGEST_LINE)
    try:
        text = line.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError(f"{source}, line 1: this is not UTF-8 text.") from None
    if not text.strip():
        raise InputError(f"{source}, line 1: the names of the columns are expected here.")
    return text.rstrip("\r\n")


def expect_header(stream: BinaryIO, source: str, expected: str) -> None:
    """Read the first line and refuse it unless it is the expected one (quotes do not matter)."""
    found = read_header(stream, source)
    if found.replace('"', "") != expected:
        raise InputError(f"{source}, line 1: expected the header '{expected}', found '{found}'.")


def read_rows(
    stream: BinaryIO,
    source: str,
    layout: Layout,
    rating_range: tuple[float, float] | None,
    first_line: int = 1,
) -> tuple[Labelled, Labelled, np.ndarray]:
    """Return the users, items and values of all rows that are left in a stream of UTF-8 text.

    It is read in blocks, so that only labels' codes and values stay in memory. ``source`` is the
    file's name, for messages, and ``first_line`` the number of the stream's next line.
    """
    import pyarrow as pa

    label = pa.dictionary(pa.int32(), pa.int64() if layout.integer_labels else pa.string())
    types = {layout.user: label, layout.item: label, layout.rating: pa.float64()}
    tables = []
    for line, block in blocks(stream, source, layout.quoted, first_line):
        table = parse(block, layout, types)
        if table is None or not _sound(table, layout, rating_range):
            raise InputError(_first_fault(block, line, source, layout, rating_range))
        tables.append(table)
    if not sum(table.num_rows for table in tables):
        raise InputError(f"{source} holds no ratings.")
    users, items, values = pa.concat_tables(tables).columns
    return encode(users), encode(items), values.to_numpy()


def blocks(stream: BinaryIO, source: str, quoted: bool, line: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number of the first line, whole rows); ``line`` is the stream's next line."""
    rest = b""
    while chunk := stream.read(_BLOCK):
        rest += chunk
        cut = _end_of_rows(rest, quoted)
        if len(rest) - cut > _LONGEST_LINE:
            line += rest.count(b"\n", 0, cut)
            raise InputError(
                f"{source}, line {line}: this row is far too long; is a quote left open?"
            )
        if cut:
            yield line, rest[:cut]
            line += rest.count(b"\n", 0, cut)
            rest = rest[cut:]
    if rest:
        yield line, rest


def _end_of_rows(content: bytes, quoted: bool) -> int:
    """Return the position after the last line end that ends a row, 0 if there is none."""
    if not quoted or b'"' not in content:
        return content.rfind(b"\n") + 1
    octets = np.frombuffer(content, np.uint8)
    # a line end after an odd number of quotes belongs to a field
    odd = np.cumsum(octets == ord('"'), dtype=np.uint8) & 1
    ends = np.flatnonzero((octets == ord("\n")) & (odd == 0))
    return int(ends[-1]) + 1 if ends.size else 0


def parse(content: bytes, layout: Layout, types: Mapping):
    """Return an Arrow table of the columns in ``types``, or None if a line is malformed.

    ``content`` is whole rows; ``types`` maps names, in the order of the table, to Arrow types.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    separator = layout.separator
    if len(separator) > 1:
        content = content.replace(separator.encode(), _UNIT_SEPARATOR.encode())
        separator = _UNIT_SEPARATOR
    options = _options(layout, separator, types, len(content))
    try:
        return arrow_csv.read_csv(pa.BufferReader(content), **options)
    except pa.ArrowInvalid:
        return None


def _options(layout: Layout, separator: str, types: Mapping, block: int) -> dict[str, object]:
    from pyarrow import csv as arrow_csv

    return {
        "read_options": arrow_csv.ReadOptions(
            column_names=layout.fields, use_threads=False, block_size=block
        ),
        "parse_options": arrow_csv.ParseOptions(
            delimiter=separator,
            quote_char='"' if layout.quoted else False,
            newlines_in_values=layout.quoted,
        ),
        "convert_options": arrow_csv.ConvertOptions(
            column_types=dict(types), include_columns=list(types), null_values=[]
        ),
    }


def _sound(table, layout: Layout, rating_range) -> bool:
    """Check what the parser lets pass: empty labels, values not finite or out of range."""
    if not layout.integer_labels:
        for chunk in (chunk for column in table.columns[:2] for chunk in column.chunks):
            if "" in chunk.dictionary.to_pylist():
                return False
    values = table.column(2).to_numpy()
    low, high = rating_range or (-math.inf, math.inf)
    return bool((np.isfinite(values) & (values >= low) & (values <= high)).all())


def _first_fault(block: bytes, line: int, source: str, layout: Layout, rating_range) -> str:
    """Return one sentence about the first bad line of a block."""
    for number, row in rows(block.decode("utf-8", "surrogateescape"), line, layout):
        fault = _row_fault(row, layout, rating_range) if isinstance(row, list) else row
        if fault:
            return f"{source}, line {number}: {fault}."
    return f"{source}: the lines from {line} on cannot be read as {', '.join(layout.fields)}."


def rows(text: str, line: int, layout: Layout) -> Iterator[tuple[int, list[str] | str]]:
    """Yield (line number, fields, or what is wrong with the line); empty lines are skipped."""
    if not layout.quoted:
        for number, row in enumerate(text.split("\n"), line):
            if row.rstrip("\r"):
                yield number, row.rstrip("\r").split(layout.separator)
        return
    reader = csv.reader(io.StringIO(text), delimiter=layout.separator)
    while True:
        number = line + reader.line_num
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error:
            yield number, "this line is malformed (a stray carriage return, or far too long)"
            return
        if row:
            yield number, row


def _is_integer(label: str) -> bool:
    return bool(_INTEGER.fullmatch(label.strip(" \t"))) and -(2**63) <= int(label) < 2**63


def _row_fault(row: list[str], layout: Layout, rating_range) -> str | None:
    if len(row) != len(layout.fields):
        return (
            f"expected {len(layout.fields)} fields ({', '.join(layout.fields)}), found {len(row)}"
        )
    fields = dict(zip(layout.fields, row, strict=True))
    for name in (layout.user, layout.item):
        label = fields[name]
        if not label:
            return f"{name} is empty"
        if layout.integer_labels and not _is_integer(label):
            return f"{name} must be an integer, found '{label}'"
        if any("\udc80" <= character <= "\udcff" for character in label):
            return f"{name} is not UTF-8 text"
    rating = fields[layout.rating]
    if not NUMBER.fullmatch(rating.strip(" \t")) or not math.isfinite(float(rating)):
        return f"{layout.rating} must be a number, found '{rating}'"
    low, high = rating_range or (-math.inf, math.inf)
    if not low <= float(rating) <= high:
        return f"{layout.rating} {rating} is outside the range {low:g} to {high:g}"
    return None
