"""Numbers that are publicly known of items, such as years and genres, from a file or a frame."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from dpmc.errors import InputError
from dpmc.origins import FROM_FILE, FROM_PROGRAM
from dpmc.publication import fields
from dpmc.publication.columns import names_in
from dpmc.publication.lists import SUFFIXES, in_column, listed_once, read_public
from dpmc.publication.sources import choose_one

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, eq=False)
class Features:
    """Numbers that are publicly known of items.

    Attributes
    ----------
    names : tuple of str
        Names of the features.
    labels : sequence of str
        Labels of the items, each once.
    table : float64 array, shape (n_labels, n_features)
        NaN for what is not known.
    origin : str
        :data:`dpmc.origins.FROM_FILE` or ``FROM_PROGRAM``.

    Raises
    ------
    InputError
        Shapes that do not agree, an item twice, or an infinite number.
    """

    names: tuple[str, ...]
    labels: Sequence[str]
    table: np.ndarray
    origin: str = FROM_PROGRAM

    def __post_init__(self) -> None:
        shape = (len(self.labels), len(self.names))
        if np.shape(self.table) != shape or 0 in shape:
            raise InputError(
                f"{shape[0]} items with {shape[1]} features need a table of that shape with rows "
                f"and columns, got {np.shape(self.table)}."
            )
        if len(set(self.labels)) < len(self.labels):
            raise InputError("An item has two rows of features: give it one.")
        if np.isinf(self.table).any():
            raise InputError("A feature must be a finite number, or empty where it is not known.")

    def rows(self, labels: Sequence[str]) -> np.ndarray:
        """Return the features of items, shape (n_labels, n_features); NaN where there are none."""
        place = {label: number for number, label in enumerate(self.labels)}
        found = np.full((len(labels), len(self.names)), np.nan)
        known = [(n, place[label]) for n, label in enumerate(labels) if label in place]
        if known:
            here, there = np.array(known).T
            found[here] = self.table[there]
        return found

    def described(self) -> dict[str, object]:
        """Return where the features are from, which there are, and the SHA-256 of them all."""
        lines = (
            "\t".join([label, *map(repr, row)]) + "\n"
            for label, row in zip(self.labels, np.asarray(self.table).tolist(), strict=True)
        )
        text = "".join(lines).encode("utf-8", "surrogatepass")
        return {
            "origin": self.origin,
            "names": list(self.names),
            "count": len(self.labels),
            "sha256": hashlib.sha256(text).hexdigest(),
        }


def features_of(source: object, item: str | None = None) -> Features | None:
    """Return the features in a .csv, .tsv or .parquet file, or in a frame; of None there are none.

    One column has the items, under the given name or a usual one; all others have numbers.

    Raises
    ------
    InputError
        What cannot be read, or a column that holds something else than numbers.
    """
    if source is None:
        return None
    if isinstance(source, str | PathLike):
        where, origin, table = str(source), FROM_FILE, read_items(Path(source), item=item)
    else:
        where, origin, table = "The features of items", FROM_PROGRAM, source
    names = names_in(table)
    if names is None:
        raise InputError("Features of items must be a data frame, or a file.")
    if len(set(names)) < len(names):
        raise InputError(f"{where}: two columns have the same name; rename one.")
    chosen = choose_one(where, tuple(names), "item", item)
    others = tuple(name for name in names if name != chosen)
    if not others:
        raise InputError(f"{where}: there is no column of numbers beside '{chosen}'.")
    labels = listed_once(in_column(table[chosen], f"{where}: column '{chosen}'"), where, "item")
    numbers = [_numbers(table[name], f"{where}: the column '{name}'") for name in others]
    return Features(others, labels, np.column_stack(numbers), origin)


def read_items(path: Path, **given: str | None) -> "pa.Table":
    """Return a file about items, see :func:`dpmc.publication.lists.read_public`."""
    if path.suffix.lower() not in SUFFIXES:
        raise InputError(f"{path}: what is known of items is read from {', '.join(SUFFIXES)}.")
    return read_public(path, given)


def _numbers(values: object, where: str) -> np.ndarray:
    """Return numbers and truth values as float64, NaN for what is missing."""
    import pyarrow as pa

    column, kind = fields.typed(values, where), None
    try:
        if not isinstance(column, pa.ChunkedArray):
            column = pa.array(column, from_pandas=True)
        kind, types = column.type, pa.types
        if any(
            is_one(kind)
            for is_one in (types.is_boolean, types.is_integer, types.is_floating, types.is_null)
        ):
            return np.array(column.cast(pa.float64()).to_numpy(), dtype=float)
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    raise InputError(
        f"{where} must hold numbers, and holds {kind or 'values of several types'}: make a column "
        "of 0 and 1 of each value, or leave it out."
    )
