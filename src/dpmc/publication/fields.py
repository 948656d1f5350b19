"""Fields of private tables and public lists: labels, numbers and times, each read by itself.

What one field holds never changes how another is read. So labels are text, whatever they look
like, and numbers are float64, whole or not.
"""

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import numpy as np

from dpmc.datasets.readers.columns import Labelled
from dpmc.datasets.readers.text import NUMBER
from dpmc.errors import InputError

LABEL = "a label (1 to 1,000 characters of UTF-8 text, none of them a control character)"
NUMBER_OR_DATE = "a number or an ISO 8601 date or time, of the same kind as in the first row,"
_LABEL = re.compile(r"[^\x00-\x1f\x7f\ud800-\udfff]{1,1000}")
_MARK = "\ufeff"
_START = datetime(1970, 1, 1, tzinfo=UTC)


def is_label(text: str) -> bool:
    """Return whether a text, stripped of white space around it, can be a label.

    Control characters are refused because line ends among them would make two labels of one in a
    list, and surrogates because they stand for what is not UTF-8.
    """
    return bool(_LABEL.fullmatch(text))


def to_number(text: str) -> float:
    """Return the number that a text spells; NaN if it spells none."""
    text = text.strip(" \t")
    return float(text) if NUMBER.fullmatch(text) else math.nan


def to_microseconds(text: str) -> float:
    """Return the microseconds from 1970 to an ISO 8601 date or time, UTC if it names no zone.

    NaN if the text is no such date, or spells a number as well, such as 20200102: what is a date in
    one file must be none in another. Exact in this unit from 1685 to 2255.
    """
    if NUMBER.fullmatch(text.strip(" \t")):
        return math.nan
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return math.nan
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return float((moment - _START) // timedelta(microseconds=1))


def clock(first: str) -> Callable[[str], float]:
    """Return how a column of timestamps is read whose first field is this text."""
    return to_number if NUMBER.fullmatch(first.strip(" \t")) else to_microseconds


def distinct(column) -> tuple[np.ndarray, list[str]]:
    """Return the codes and the texts, stripped, of an Arrow column (ChunkedArray) of text.

    Some texts may be the same once they are stripped. Empty: the field is. Bytes that are not
    UTF-8 become surrogates. Byte-order marks go, too: Arrow takes off one that begins a file, so
    whether a label keeps it would depend on where it stands.
    """
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        column = column.fill_null("").dictionary_encode()
    column = column.unify_dictionaries().combine_chunks()
    octets = column.dictionary.cast(pa.large_binary()).to_pylist()
    texts = [bare(each.decode("utf-8", "surrogateescape")) for each in octets]
    return column.indices.to_numpy(zero_copy_only=False), texts


def bare(text: str) -> str:
    """Return a label without white space around it and byte-order marks before it."""
    return text.strip().lstrip(_MARK).strip()


def labelled(codes: np.ndarray, texts: list[str]) -> Labelled:
    """Number labels in the order of their code points, so that one more reorders no others.

    They are objects, as an array of text would be as wide for all as the longest of them.
    """
    labels = sorted(set(texts))
    place = {label: index for index, label in enumerate(labels)}
    new = np.array([place[text] for text in texts], dtype=np.int32)
    return Labelled(new[codes], np.array(labels, dtype=object))


def as_text(column, where: str):
    """Return a Parquet column of labels as an Arrow column of text, encoded as a dictionary or not.

    Integers are spelled in decimals.
    """
    import pyarrow as pa
    from pyarrow import compute

    column = _decoded(column)
    if _is_text(column.type):
        return column.cast(pa.large_string())
    if pa.types.is_floating(column.type):  # pandas' integers, where a row above lacked one
        column = column.cast(pa.float64())
        whole = compute.equal(compute.floor(column), column)
        whole = compute.and_(whole, compute.less(compute.abs(column), 2.0**53))
        column = compute.if_else(whole, column, None).cast(pa.int64())
    if not pa.types.is_integer(column.type):
        raise InputError(f"{where} must hold text or integers, not {column.type}.")
    # each integer is spelled once, however many rows it has
    column = column.dictionary_encode("encode").unify_dictionaries().combine_chunks()
    labels = column.dictionary.cast(pa.large_string()).fill_null("")
    return pa.chunked_array([pa.DictionaryArray.from_arrays(column.indices, labels)])


def as_numbers(column, where: str) -> np.ndarray:
    """Return a Parquet column of numbers, or of text that spells them, as float64.

    NaN where a field is empty or spells no number.
    """
    import pyarrow as pa

    column, types = _decoded(column), pa.types
    if _is_text(column.type):
        return parsed(column, to_number)
    number = (types.is_integer, types.is_floating, types.is_decimal, types.is_boolean)
    if not any(test(column.type) for test in number):
        raise InputError(f"{where} must hold numbers, not {column.type}.")
    return column.cast(pa.float64(), safe=False).to_numpy()


def clock_of(column) -> Callable[[str], float]:
    """Return how a Parquet column of timestamps is read, by its first row, where it is text."""
    column = _decoded(column).slice(0, 1)
    codes, texts = distinct(column) if _is_text(column.type) else (None, ())
    return clock(texts[codes[0]]) if texts else to_number


def as_times(column, where: str, read: Callable[[str], float]) -> np.ndarray:
    """Return a Parquet column of numbers, dates, timestamps or text that spells them, as float64.

    Dates and timestamps are numbers in the unit that the column has; text is ``read``. NaN and
    errors: see :func:`as_numbers`.
    """
    import pyarrow as pa

    column = _decoded(column)
    if _is_text(column.type):
        return parsed(column, read)
    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        column = column.cast(pa.int32() if column.type.bit_width == 32 else pa.int64())
    return as_numbers(column, where)


def parsed(column, read: Callable[[str], float]) -> np.ndarray:
    """Return what the texts of an Arrow column stand for, read by :func:`to_number` or others."""
    import pyarrow as pa
    from pyarrow import compute

    if read is to_number:
        try:  # 20 times as fast
            return compute.utf8_trim(column, " \t").cast(pa.float64()).to_numpy()
        except pa.ArrowInvalid:
            pass  # some field is no number; the slow way says which
    codes, texts = distinct(column)
    return np.array([read(text) for text in texts], dtype=np.float64)[codes]


def _decoded(column):
    """Return a column that is not dictionary-encoded; text if it has no type, as pandas' empty."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    return column.cast(pa.large_string()) if pa.types.is_null(column.type) else column


def _is_text(kind) -> bool:
    import pyarrow as pa

    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
