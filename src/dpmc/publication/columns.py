"""Columns of tables in memory: frames by name, rows and arrays by position, sparse matrices."""

from collections.abc import Mapping, Sequence, Set
from typing import Any

import numpy as np
from scipy.sparse import csr_array, issparse

from dpmc.errors import InputError
from dpmc.publication.fields import check_kind
from dpmc.publication.reading import Reading
from dpmc.publication.sources import Columns, choose


def columns_of(
    table: Any, reading: Reading, roles: Sequence[str] | None = None
) -> tuple[dict[str, Any], Columns]:
    """Return the columns of a table by role, and their names; by default for all roles read.

    In a frame, :func:`dpmc.publication.sources.choose` finds the columns. Rows, or an array of
    shape (n, number of roles), have one column per role, in that order. A lazy frame is collected.
    """
    names = names_in(table)
    if names is None:
        found = _by_place(table, roles or reading.roles)
        return found, Columns({role: role for role in found}, ())
    if not all(isinstance(name, str) for name in names):
        names = [name if isinstance(name, str) else f"column {name!r}" for name in names]
    chosen = choose("The frame", names, reading, roles=roles)
    there = dict(zip(names, names_in(table) or (), strict=True))
    wanted = [there[name] for name in chosen.used.values()]
    table = _collected(table, wanted)
    return {role: table[name] for role, name in zip(chosen.used, wanted, strict=True)}, chosen


def _by_place(table: Any, roles: Sequence[str]) -> dict[str, Any]:
    """Return the columns of an array of two dimensions or of a list of rows.

    Rows are taken apart, so that each value keeps its own type.
    """
    what = f"rows with the fields {', '.join(roles)}"
    if isinstance(table, np.ndarray):
        if table.ndim != 2 or table.shape[1] != len(roles):
            raise InputError(
                f"A table of ratings must be a data frame, {what}, or a sparse matrix, got an "
                f"array of shape {table.shape}."
            )
        check_kind(table, "The table")
        return {role: table[:, place] for place, role in enumerate(roles)}
    if isinstance(table, str | bytes | Mapping) or not hasattr(table, "__iter__"):
        raise InputError(
            f"A table of ratings must be a data frame, {what}, or a sparse matrix, got "
            f"{type(table).__name__}."
        )
    rows = list(table)
    for number, row in enumerate(rows, 1):
        if isinstance(row, np.ndarray):
            check_kind(row, f"Row {number}")
        # the fields of a mapping would be its keys, and those of a set in any order
        fit = hasattr(row, "__len__") and not isinstance(row, str | bytes | Mapping | Set)
        if not fit or len(row) != len(roles):
            raise InputError(
                f"Row {number}: {len(roles)} fields are expected, in a list or a tuple: "
                f"{', '.join(roles)}."
            )
    columns = zip(*rows, strict=True) if rows else [()] * len(roles)
    return dict(zip(roles, map(list, columns), strict=True))


def names_in(table: Any) -> list | None:
    """Return the names of a frame's columns; None if it is not a frame."""
    if hasattr(table, "collect_schema"):  # of polars, lazy or not
        return table.collect_schema().names()
    for attribute in ("column_names", "columns"):  # of Arrow; of pandas and DuckDB
        if hasattr(table, attribute):
            return list(getattr(table, attribute))
    fields = getattr(getattr(table, "dtype", None), "names", None)  # of a structured array
    return list(fields) if fields else None


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
    """Return a sparse matrix or array with each of its entries once; None if it is not one.

    All stored entries count, explicit zeros too. Duplicate entries are added up, as in SciPy.
    """
    if not issparse(table):
        return None
    if table.format in ("bsr", "dia"):
        raise InputError(
            f"A sparse matrix in the format {table.format} cannot tell a rating of 0 from what is "
            "not rated: convert it with tocsr(), and call eliminate_zeros() if 0 is no rating."
        )
    try:
        table = table.tocoo()
        if table.ndim == 1:
            table = table.reshape((1, -1))
        return csr_array(table)
    except (ValueError, IndexError):
        raise InputError(
            "A sparse matrix must have two dimensions, and its entries must lie within them."
        ) from None


def entries_of(matrix: csr_array) -> dict[str, np.ndarray]:
    """Return the numbers of rows and of columns, and the values, row by row."""
    matrix = matrix.tocoo()
    return {"user": matrix.row, "item": matrix.col, "rating": matrix.data}
