"""Columns of what a program holds: of data frames by name, of arrays by place."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from dpmc.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def columns_of(table: Any, names: Sequence[str]) -> list:
    """Return Arrow columns: of a frame those of these names, of an array all, in this order.

    The array has shape (n, len(names)).
    """
    there = names_in(table)
    if there is None:
        array = _array(table)
        if array.ndim != 2 or array.shape[1] != len(names):
            raise InputError(
                f"A table of ratings must be a data frame or an array with the columns "
                f"{', '.join(names)}, got shape {array.shape}."
            )
        return [column_of(array[:, place], name) for place, name in enumerate(names)]
    for name in names:
        if there.count(name) != 1:
            found = "no column" if name not in there else "more than one column"
            raise InputError(f"The frame has {found} '{name}': name its columns with columns=.")
    return [column_of(table[name], name) for name in names]


def names_in(table: object) -> list[str] | None:
    """Return the names of a frame's columns; None of what is no frame."""
    for attribute in ("column_names", "columns"):  # of Arrow; of pandas and polars
        if hasattr(table, attribute):
            return list(getattr(table, attribute))
    return None


def column_of(values: object, name: str) -> "pa.ChunkedArray":
    """Return a sequence as an Arrow column (ChunkedArray)."""
    import pyarrow as pa

    try:
        if hasattr(values, "__arrow_c_stream__"):
            return pa.chunked_array(values)
        column = pa.array(values, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        raise InputError(f"The column '{name}' must hold values of one kind.") from None
    return column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])


def _array(table: object) -> np.ndarray:
    try:
        return np.asarray(table)
    except ValueError:  # lists of several lengths
        return np.empty(0)
