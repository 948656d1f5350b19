"""The private table of ratings in memory, and one rating a pair made of it."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from dpmc.publication.numbering import Labelled, Numbering
from dpmc.publication.pieces import Piece, Source, read_pieces
from dpmc.publication.reading import Reading
from dpmc.ratings import Ratings, ascending, grouped


@dataclass(frozen=True, eq=False)
class Lines:
    """The rows that were read: nothing resolved, only those for "not rated" dropped.

    Attributes
    ----------
    users, items : Labelled
        Codes of shape (n_lines,) into ascending labels of text.
    values : float64 array, shape (n_lines,)
    times : float64 array, shape (n_lines,), or None
        Larger is later, see :class:`dpmc.publication.pieces.Piece`.
    source : Source
    """

    users: Labelled
    items: Labelled
    values: np.ndarray
    times: np.ndarray | None
    source: Source = field(default_factory=Source)


def read_lines(path: Path, reading: Reading) -> Lines:
    """Read a private table, one rating a row, see :func:`dpmc.publication.pieces.read_pieces`."""
    users, items, source = Numbering(), Numbering(), Source()
    pieces = list(read_pieces(Path(path), reading, users, items, source))
    return lines_of(pieces, users, items, source, timed=reading.timestamp is not None)


def lines_of(
    pieces: list[Piece], users: Numbering, items: Numbering, source: Source, *, timed: bool
) -> Lines:
    """Return pieces of a table, whose labels were numbered, as one."""
    times = None
    if timed:
        times = _joined([piece.times for piece in pieces if piece.times is not None], np.float64)
    return Lines(
        users.labelled(_joined([piece.users for piece in pieces], np.int32)),
        items.labelled(_joined([piece.items for piece in pieces], np.int32)),
        _joined([piece.values for piece in pieces], np.float64),
        times,
        source,
    )


def _joined(parts: list[np.ndarray], kind: type) -> np.ndarray:
    return np.concatenate([np.empty(0, dtype=kind), *parts])


def resolve(lines: Lines, rating_range: tuple[float, float] | None) -> Ratings:
    """Return one rating for each user and item, sorted by user, then item.

    With times this is the latest rating (the mean if several have the latest time), else the mean
    of all. Values are clipped to the range first. The result does not depend on the order of the
    lines, to the last bit.
    """
    values = lines.values if rating_range is None else np.clip(lines.values, *rating_range)
    values = values + 0.0  # of -0 and 0, the order of the lines would choose one
    users, items = lines.users.codes, lines.items.codes
    n_users, n_items = lines.users.labels.size, lines.items.labels.size
    labels: dict[str, Any] = {
        "user_labels": lines.users.labels,
        "item_labels": lines.items.labels,
    }
    rows = grouped(users, items, values, n_users, n_items)
    if ascending(rows.per_rating(np.arange(n_users, dtype=np.int32)), rows.indices):
        return Ratings.from_rows(rows, n_items, **labels)
    order, values = _one_each(users.astype(np.int64) * n_items + items, values, lines.times)
    return Ratings(users[order], items[order], values, n_users, n_items, **labels)


def _one_each(
    key: np.ndarray, values: np.ndarray, times: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray]:
    """Return the position of one line for each key, keys ascending, and the value of each key."""
    if times is None:
        times = np.zeros(key.size)
    # values too: a sum of sorted numbers does not depend on the order of the lines
    order = np.lexsort((values, times, key))
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    sizes = np.diff(starts, append=order.size)
    latest = np.repeat(times[order[starts + sizes - 1]], sizes)
    order = order[times[order] == latest]
    starts = np.flatnonzero(np.diff(key[order], prepend=-1))
    return order[starts], means_of(values[order], starts)


def means_of(values: np.ndarray, starts: np.ndarray) -> np.ndarray:
    """Return the mean of the ascending values from each start to the next."""
    sizes = np.diff(starts, append=values.size)
    with np.errstate(over="ignore"):
        means = np.add.reduceat(values, starts) / sizes
    # neither rounding nor an overflow takes a mean out of the range of its values
    return np.clip(means, values[starts], values[starts + sizes - 1])
