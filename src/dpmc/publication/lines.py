"""Text files as blocks of whole lines, and blocks as rows: one line is one row, read by itself."""

import codecs
import csv
import io
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from dpmc.errors import InputError, ParameterError
from dpmc.publication.reading import BLANKS, Form

if TYPE_CHECKING:
    import pyarrow as pa

BLOCK = 1 << 24
"""Bytes that are read at a time."""
LONGEST_LINE = 1 << 24
_MARK = "\ufeff".encode()
_UNIT = b"\x1f"
"""Stands in for a separator of several characters."""


class TextLines:
    """The lines of a text file in UTF-8, each ended by a line feed.

    Attributes
    ----------
    line : int
        Number of the next one.
    """

    def __init__(self, stream: IO[bytes], where: str, form: Form):
        self.line, self._where, self._form = 1, where, form
        self._chunks = self._read(stream)
        self._begun = b""

    def header(self) -> str:
        """Return the first line, which holds the names of the columns."""
        self._begun = next(self._chunks, b"")
        line, _, self._begun = self._begun.partition(b"\n")
        try:
            text = line.decode("utf-8")
        except UnicodeDecodeError:
            raise self._undecoded(1) from None
        if not text.strip():
            raise InputError(f"{self._where}, line 1: the names of the columns are expected here.")
        self.line = 2
        return text

    def blocks(self) -> Iterator[tuple[int, bytes]]:
        """Yield the number of the first line of some whole lines, and these."""
        if self._begun:
            yield self.line, self._begun
            self.line += self._begun.count(b"\n")
        for chunk in self._chunks:
            yield self.line, chunk
            self.line += chunk.count(b"\n")

    def _read(self, stream: IO[bytes]) -> Iterator[bytes]:
        """Yield whole lines in UTF-8: of any encoding, and however lines end in the file."""
        decode, rest, done = None, b"", 0
        if self._form.encoding != "utf-8":
            decode = codecs.getincrementaldecoder(self._form.encoding)().decode
        chunk: bytes | None = b""
        while chunk is not None:
            octets = stream.read(BLOCK)
            chunk = octets or None
            if decode:
                try:
                    octets = decode(octets, not octets).encode("utf-8", "surrogatepass")
                except UnicodeDecodeError:
                    raise self._undecoded(done + rest.count(b"\n"), "after line") from None
            rest += octets
            if not done and rest.startswith(_MARK):
                rest = rest[len(_MARK) :]
            held = b""
            if chunk is not None and rest.endswith(b"\r"):  # a line feed may follow
                rest, held = rest[:-1], b"\r"
            if b"\r" in rest:
                rest = rest.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            if chunk is None and rest and not rest.endswith(b"\n"):
                rest += b"\n"
            cut = rest.rfind(b"\n") + 1
            if len(rest) - cut > LONGEST_LINE:
                line = done + rest.count(b"\n") + 1
                raise InputError(
                    f"{self._where}, line {line}: a line of at most 16 MiB is expected."
                )
            if cut:
                yield rest[:cut]
                done += rest.count(b"\n", 0, cut)
                rest = rest[cut:]
            rest += held

    def _undecoded(self, line: int, place: str = "line") -> InputError:
        return ParameterError(
            "{where}, {place} {line}: bytes that are not {assumed} text; {encoding} names another "
            "encoding, such as utf-16 or latin-1.",
            where=self._where,
            place=place,
            line=line,
            assumed=self._form.encoding,
        )


def parsed(
    block: bytes, form: Form, names: Sequence[str], types: dict[str, "pa.DataType"]
) -> "pa.Table | None":
    """Return the columns of some lines that ``types`` names, in its order, a row for each line.

    The result is None if a line is malformed or a quote is left open, because the field would then
    swallow rows up to the next quote. A line of zeros is appended to detect an open quote in the
    last line, and removed again.
    """
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    n_rows = _filled_lines(block)
    if not n_rows:
        return pa.table({name: pa.array([], kind) for name, kind in types.items()})
    block, separator = _one_character(block, form)
    block += separator.join([b"0"] * len(names)) + b"\n"
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(block),
            read_options=arrow_csv.ReadOptions(
                column_names=[str(place) for place in range(len(names))],
                use_threads=False,
                block_size=len(block) + 1,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=separator.decode(),
                quote_char='"' if form.quoted else False,
                newlines_in_values=form.quoted,
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={str(names.index(name)): kind for name, kind in types.items()},
                include_columns=[str(names.index(name)) for name in types],
                null_values=[],
            ),
        )
    except pa.ArrowInvalid:
        return None
    if table.num_rows != n_rows + 1:
        return None
    return table.slice(0, n_rows).rename_columns(list(types))


def _filled_lines(block: bytes) -> int:
    """Return how many lines there are that are not empty."""
    ends = np.frombuffer(block, np.uint8) == ord("\n")
    return int(np.count_nonzero(ends[1:] & ~ends[:-1])) if ends.size else 0


def _one_character(block: bytes, form: Form) -> tuple[bytes, bytes]:
    """Return lines with a separator of one character, and that."""
    separator = (form.separator or ",").encode()
    if form.separator == BLANKS:
        block = re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", block.replace(_UNIT, b"\0"))
        return re.sub(rb"[ \t]+", _UNIT, block), _UNIT
    if len(separator) > 1:
        return block.replace(_UNIT, b"\0").replace(separator, _UNIT), _UNIT
    return block, separator


def fields_in(line: str, form: Form) -> list[str] | None:
    """Return the fields of one line; None if a quote is left open."""
    text, separator = _one_character(line.encode("utf-8", "surrogateescape"), form)
    text, sign = text.decode("utf-8", "surrogateescape"), separator.decode()
    if not form.quoted:
        return text.split(sign)
    before = csv.field_size_limit(2 * LONGEST_LINE)
    try:
        reader = csv.reader(io.StringIO(f"{text}\n0\n"), delimiter=sign)
        row = next(reader)
        return row if reader.line_num == 1 else None
    except csv.Error:
        return None
    finally:
        csv.field_size_limit(before)


def header_of(line: str, form: Form) -> tuple[tuple[str, ...], Form]:
    """Return the names in a header, and the form with the separator that it has most of."""
    if form.separator is None:
        form = replace(form, separator=max(",;\t|", key=line.count))
    names = fields_in(line, form) or [line]
    if form.recbole:
        names = [name.partition(":")[0] for name in names]
    return tuple(name.strip() for name in names), form


def objects_in(block: bytes, line: int, where: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the number and the JSON object of each line that is not empty."""
    for number, text in enumerate(block.split(b"\n"), line):
        if not text.strip():
            continue
        try:
            found = json.loads(text, object_pairs_hook=_once)
        except (ValueError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise InputError(
                f"{where}, line {number}: one JSON object is expected on each line, with each key "
                "once."
            )
        yield number, found


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):  # readers differ in which of two they take
        raise ValueError
    return found
