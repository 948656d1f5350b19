"""Columns of what a program holds: data frames by name, arrays by place, sparse matrices."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array, issparse

from dpmc.datasets.readers.table import usual_columns
from dpmc.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def columns_of(table: Any, roles: Sequence[str], names: Mapping[str, str]) -> list[tuple]:
    """Return the Arrow columns that have these roles, each with its name.

    Of a frame they are those of these names, by role, or else of usual names, as in a file; of an
    array of shape (n, len(roles)) all, in this order. A frame that is lazy is collected.
    """
    there = names_in(table)
    if there is None:
        array = _array(table)
        if array.ndim != 2 or array.shape[1] != len(roles):
            raise InputError(
                f"A table of ratings must be a data frame, an array with the columns "
                f"{', '.join(roles)} or a sparse matrix, got shape {array.shape}."
            )
        return [(column_of(array[:, place], role), role) for place, role in enumerate(roles)]
    chosen = [_chosen(there, role, names.get(role)) for role in roles]
    table = _collected(table, chosen)
    return [(column_of(table[name], name), name) for name in chosen]


def _chosen(there: list, role: str, given: object) -> Any:
    found = named(there, role, given)
    if len(found) != 1:
        which = f"that looks like the {role}" if given is None else f"'{given}'"
        many = "more than one" if found else "no"
        raise InputError(f"The frame has {many} column {which}: name its columns with columns=.")
    return found[0]


def named(there: Sequence, role: str, given: object = None) -> list:
    """Return the names of columns that are the given one or, without one, usual for a role."""
    if given is not None:
        return [name for name in there if name == given]
    return usual_columns((name for name in there if isinstance(name, str)), role)


def names_in(table: Any) -> list | None:
    """Return the names of a frame's columns; None of what is no frame."""
    if hasattr(table, "collect_schema"):  # of polars, lazy or not
        return table.collect_schema().names()
    for attribute in ("column_names", "columns"):  # of Arrow; of pandas and DuckDB
        if hasattr(table, attribute):
            return list(getattr(table, attribute))
    return None


def _collected(table: Any, names: list) -> Any:
    """Return these columns of a lazy frame of polars or a relation of DuckDB; a frame as it is.

    At once: a query that is run twice may give its rows in two orders.
    """
    if hasattr(table, "collect_schema") and hasattr(table, "collect"):
        return table.select(names).collect()
    if hasattr(table, "to_arrow_table"):
        return table.select(*names).to_arrow_table()
    return table


def matrix_of(table: Any) -> csr_array | None:
    """Return a sparse matrix or array with each of its entries once; None of what is none.

    Entries are what is stored, explicit zeros too; what is stored twice is added up, as SciPy does.
    """
    if not issparse(table):
        return None
    table = table.tocoo()
    if table.ndim == 1:
        table = table.reshape((1, -1))
    return csr_array(table)


def entries_of(matrix: csr_array) -> tuple:
    """Return the numbers of rows and of columns, and the values, as Arrow columns, row by row."""
    matrix = matrix.tocoo()
    parts = zip((matrix.row, matrix.col, matrix.data), ("row", "column", "value"), strict=True)
    return tuple(column_of(*part) for part in parts)


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
