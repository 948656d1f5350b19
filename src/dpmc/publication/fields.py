"""Reads columns of private tables and public lists as labels, numbers and times, value by value.

The content of one row never changes how another is read: each label (:mod:`dpmc.labels`), number or
time depends on its own value only. If a program has already lost information, as NumPy does when it
turns numbers into text, the column is refused.
"""

import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmc import labels
from dpmc.errors import InputError
from dpmc.numerals import BLANK, to_number
from dpmc.publication.reading import NO_CODES, Codes

if TYPE_CHECKING:
    import pyarrow as pa

FINITE = "a finite number"
NUMBER_OR_DATE = "a number or an ISO 8601 date or time"
_START = datetime(1970, 1, 1, tzinfo=UTC)


def to_time(value: object) -> float:
    """Return a time as a number: a number as it is, a date or time as microseconds from 1970.

    Text is a number, or an ISO 8601 date or time, in UTC unless it names a zone; anything else
    gives NaN. A table may mix both kinds, because only times of one user and item are compared.
    Times are exact from 1685 to 2255.
    """
    number = to_number(value)
    if not math.isnan(number):
        return number
    try:
        moment = (
            value if isinstance(value, datetime) else datetime.fromisoformat(str(value).strip())
        )
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return float((moment - _START) // timedelta(microseconds=1))
    except (ValueError, TypeError):
        return math.nan


def spelled_column(values: Any, where: str, *, listed: bool = False) -> "pa.ChunkedArray":
    """Return labels as an Arrow column of text, which :func:`dpmc.labels.cleaned` makes labels of.

    Parameters
    ----------
    values : Arrow column or anything with one, array, or sequence
    where : str
        The column, for messages.
    listed : bool
        They are a public list, which may be an array of text.

    Raises
    ------
    InputError
        Labels of which something was lost before they came here, or bytes that are not UTF-8.
    """
    import pyarrow as pa

    values = typed(values, where, allow_text=listed)
    if not isinstance(values, pa.ChunkedArray):
        return _spelled_each(values)
    column, types = _decoded(values), pa.types
    if _is_text(column.type):
        return column.cast(pa.large_string())
    if types.is_floating(column.type):
        _check_digits(column, where)
    if types.is_timestamp(column.type):
        column = column.cast(pa.timestamp("us", column.type.tz), safe=False)
    try:
        column = column.dictionary_encode("encode").unify_dictionaries().combine_chunks()
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid):
        return _spelled_each(column.to_pylist())
    # each value is spelled once, however many rows it has
    if types.is_integer(column.type.value_type):
        spelled = column.dictionary.cast(pa.large_string()).fill_null("")
    else:
        each = [labels.spelled(value) for value in column.dictionary.to_pylist()]
        spelled = pa.array(each, pa.large_string())
    return pa.chunked_array([pa.DictionaryArray.from_arrays(column.indices, spelled)])


def number_column(
    values: Any, where: str, missing: Codes = NO_CODES, read: Callable = to_number
) -> tuple[np.ndarray, np.ndarray | None]:
    """Return numbers as float64, NaN for what is none, and which rows stand for "not rated".

    The second result is None if no row does. ``read`` makes a number of one value:
    :func:`to_number` or :func:`to_time`. For the other parameters see :func:`spelled_column`.
    """
    import pyarrow as pa

    values = typed(values, where)
    if isinstance(values, pa.ChunkedArray):
        column = _decoded(values)
        if _is_text(column.type) or pa.types.is_binary(column.type):
            return _parsed(column.cast(pa.large_string(), safe=False), missing, read)
        numbers = _cast(column, read)
        if numbers is not None:
            empty = np.isnan(numbers) if "" in missing.texts else None
            return numbers, _either(numbers, missing, empty)
        values = column.to_pylist()
    numbers, empty = np.array([read(each) for each in values], dtype=np.float64), None
    if missing.texts:
        each = zip(values, np.isnan(numbers).tolist(), strict=True)
        empty = np.array([_code(*one) in missing.texts for one in each], dtype=bool)
    return numbers, _either(numbers, missing, empty)


def _code(value: object, no_number: bool) -> str | None:
    """Return what is compared with codes of text: "" of None and NaN, None of other values."""
    if isinstance(value, bytes | bytearray):
        value = value.decode("utf-8", "replace")
    if isinstance(value, str):
        return value.strip()
    return "" if no_number and labels.spelled(value) == "" else None


def _either(numbers: np.ndarray, missing: Codes, empty: np.ndarray | None) -> np.ndarray | None:
    if not missing:
        return None
    found = np.isin(numbers, list(missing.numbers))
    return found if empty is None else found | empty


def _parsed(column: "pa.ChunkedArray", missing: Codes, read: Callable) -> tuple:
    """Return what :func:`number_column` does, of an Arrow column of text."""
    import pyarrow as pa
    from pyarrow import compute

    try:
        trimmed = compute.utf8_trim_whitespace(column.fill_null(""))
    except pa.ArrowInvalid:  # Parquet's text may be no UTF-8
        octets = column.cast(pa.large_binary()).fill_null(b"").to_pylist()
        texts = pa.array([each.decode("utf-8", "replace") for each in octets], pa.large_string())
        column = trimmed = pa.chunked_array([texts])
    empty = None
    if missing.texts:
        codes = pa.array(sorted(missing.texts), pa.large_string())
        empty = compute.is_in(trimmed, codes).to_numpy()
    numbers = None
    if read is to_number and (empty is None or not empty.any()):
        numbers = _cast(compute.utf8_trim(column, BLANK), read)  # 20 times as fast
    if numbers is None:  # some text is no number
        column = column.fill_null("").dictionary_encode().unify_dictionaries().combine_chunks()
        each = [read(text) for text in column.dictionary.to_pylist()]
        numbers = np.array(each, dtype=np.float64)[column.indices.to_numpy(zero_copy_only=False)]
    return numbers, _either(numbers, missing, empty)


def _cast(column: "pa.ChunkedArray", read: Callable) -> np.ndarray | None:
    """Return numbers and truth values as float64, where times are read dates, too; None of others.

    A date is no rating: the number that it is stored as depends on its unit.
    """
    import pyarrow as pa

    kind, types = column.type, pa.types
    if types.is_temporal(kind) and read is not to_time:
        return None
    if types.is_timestamp(kind):
        column = column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
    elif types.is_date(kind):
        column = column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())
    try:
        return np.array(column.cast(pa.float64(), safe=False).to_numpy(), dtype=np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def typed(values: Any, where: str, *, allow_text: bool = False) -> Any:
    """Return an Arrow column, or a list whose values have types of their own.

    The type of one value must not depend on others, so Arrow never infers types of Python objects.
    """
    import pyarrow as pa

    if isinstance(values, pa.ChunkedArray | pa.Array):
        return pa.chunked_array([values]) if isinstance(values, pa.Array) else values
    kind = getattr(values, "dtype", None)
    if str(kind) == "object" or (kind is None and not hasattr(values, "__arrow_c_stream__")):
        return list(values)
    if isinstance(kind, np.dtype):  # of a column of pandas, too: one complex number makes all so
        check_kind(values, where, allow_text=allow_text)
    if isinstance(values, np.ndarray):
        if kind.kind in "US":
            return values.tolist()
        if kind.kind == "f" and kind.itemsize > 8:
            values = values.astype(np.float64)
    try:
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values)
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return list(values)
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def check_kind(values: np.ndarray, where: str, *, allow_text: bool = False) -> None:
    """Refuse an array in which one entry may have changed how all others are written."""
    if values.dtype.kind not in ("biufmMOUS" if allow_text else "biufmMO"):
        raise InputError(
            f"{where} is a NumPy array of {'text' if values.dtype.kind in 'US' else values.dtype}, "
            "in which one odd entry may have changed all others, as 1 becomes 1.0: give a list of "
            "rows, a data frame, or an array whose dtype was object from the start."
        )


def are_integers(values: Any) -> bool:
    """Return whether a column holds integers by its type, or by that of each value."""
    import pyarrow as pa

    values = typed(values, "The list", allow_text=True)
    if isinstance(values, pa.ChunkedArray):
        return pa.types.is_integer(values.type) and not values.null_count
    return bool(values) and all(isinstance(v, Integral) and type(v) is not bool for v in values)


def _spelled_each(values: Sequence) -> "pa.ChunkedArray":
    import pyarrow as pa

    try:  # all are text already
        column = pa.array(values, pa.large_string(), from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        each = [v if isinstance(v, str) else labels.spelled(v) for v in values]
        try:
            column = pa.array(each, pa.large_string())
        except (pa.ArrowException, UnicodeEncodeError):  # halves of characters
            column = pa.array(map(labels.cleaned, each), pa.large_string())
    return pa.chunked_array([column])


def _check_digits(column: "pa.ChunkedArray", where: str) -> None:
    """Refuse floats so large that integers next to each other became one of them."""
    import pyarrow as pa
    from pyarrow import compute

    exact = 2.0 ** {16: 11, 32: 24, 64: 53}[column.type.bit_width]
    size = compute.abs(column.cast(pa.float64()))
    lost = compute.and_(compute.greater_equal(size, exact), compute.is_finite(size))
    if compute.any(lost).as_py():
        raise InputError(
            f"{where} holds labels as floating-point numbers of {exact:.0f} or more, where several "
            "integers are one number: give them as integers or as text."
        )


def _decoded(column: "pa.ChunkedArray") -> "pa.ChunkedArray":
    """Return a column that is not dictionary-encoded; text if it has no type, as pandas' empty."""
    import pyarrow as pa

    kind = column.type
    if pa.types.is_dictionary(kind):
        views = {pa.string_view(): pa.large_string(), pa.binary_view(): pa.large_binary()}
        plain = views.get(kind.value_type, kind.value_type)  # Arrow cannot take from views
        chunks = [chunk.dictionary.cast(plain).take(chunk.indices) for chunk in column.chunks]
        column = pa.chunked_array(chunks, plain)
    return column.cast(pa.large_string()) if pa.types.is_null(column.type) else column


def _is_text(kind: "pa.DataType") -> bool:
    import pyarrow as pa

    types = pa.types
    return types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind)
