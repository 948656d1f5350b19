"""The ratings that ``dpmc fit`` is given: a user's own file and, optionally, a public item list."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmc.datasets import from_entry, read
from dpmc.datasets.registry import OWN_SUFFIXES
from dpmc.errors import InputError
from dpmc.ratings import Ratings

_NAME = "fit"


@dataclass(frozen=True)
class Given:
    """Ratings as read, with what was changed: for the terminal, never for a file.

    Attributes
    ----------
    ratings : Ratings
        With labels; values not yet clipped.
    outside : int
        Values outside the public range.
    unlisted : int
        Ratings of items that are not in the public list, which were left out.
    """

    ratings: Ratings
    outside: int
    unlisted: int


def read_given(
    path: str | Path,
    columns: dict[str, str | None],
    rating_range: tuple[float, float],
    items: str | Path | None,
) -> Given:
    """Read a table of ratings.

    Parameters
    ----------
    path : path
        A .csv, .tsv or .parquet file.
    columns : dict
        Names of the columns "user", "item" and "rating"; None: to be detected.
    rating_range : (float, float)
    items : path, optional
        Text file with one item label a line: exactly these items, in this order.

    Raises
    ------
    InputError
        A file that is missing, malformed or lacks a column.
    """
    ratings = read_table(Path(path), columns)
    before = len(ratings)
    if items is not None:
        ratings = restrict(ratings, read_items(items))
    outside = (ratings.values < rating_range[0]) | (ratings.values > rating_range[1])
    return Given(ratings, int(outside.sum()), before - len(ratings))


def read_table(path: Path, columns: dict[str, str | None]) -> Ratings:
    """Read a table of (user, item, rating), see :func:`read_given`."""
    if path.suffix.lower() not in OWN_SUFFIXES:
        raise InputError(
            f"--ratings must name a file that ends in {', '.join(OWN_SUFFIXES)}, got {path}."
        )
    given = {role: name for role, name in columns.items() if name is not None}
    try:
        return read(from_entry(_NAME, {"path": str(path), **given}), path)
    except InputError as error:  # names keys of a configuration, where here are options
        text = str(error).replace(f"the key data.sets.{_NAME}.", "the option --")
        raise InputError(text.replace(f"data.sets.{_NAME}.", "--")) from None


def read_items(path: str | Path) -> list[str]:
    """Return the labels of a text file, one a line.

    Raises
    ------
    InputError
        A file that cannot be read, is empty or names an item twice.
    """
    try:
        lines = Path(path).read_text(encoding="utf-8-sig").splitlines()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is not UTF-8 text.") from None
    labels = [line.strip() for line in lines if line.strip()]
    if not labels:
        raise InputError(f"{path} names no items.")
    if len(set(labels)) < len(labels):
        twice = next(label for i, label in enumerate(labels) if label in labels[:i])
        raise InputError(f"{path} names the item '{twice}' more than once.")
    return labels


def restrict(ratings: Ratings, labels: list[str]) -> Ratings:
    """Return the ratings of listed items, in a matrix with exactly the listed items."""
    place = {label: index for index, label in enumerate(labels)}
    index = np.array([place.get(str(label), -1) for label in ratings.item_labels])
    new = index[ratings.items]
    kept = new >= 0
    return Ratings(
        ratings.users[kept],
        new[kept],
        ratings.values[kept],
        ratings.n_users,
        len(labels),
        ratings.name,
        None,
        ratings.user_labels,
        np.array(labels),
    )
