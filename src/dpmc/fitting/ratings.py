"""The ratings of a fit: what counts of a table or of a store, and what was changed."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpmc.errors import ParameterError
from dpmc.fitting.lists import Lists
from dpmc.methods.blocks import Blocks, LabelledBlocks, cores, counted, renumbered
from dpmc.methods.cluster import over
from dpmc.publication.lists import places_in, restrict
from dpmc.publication.store import Resolved, Store, is_store, opened
from dpmc.publication.table import Lines, read_lines, resolve
from dpmc.ratings import Compressed, Ratings


@dataclass(frozen=True)
class PreparedRatings:
    """Ratings as read, with what was changed: for the terminal, never for a file.

    Attributes
    ----------
    ratings : Ratings or LabelledBlocks
        With labels, one of a user and an item, of what is listed; within the range, if there is
        one.
    remarks : list of str
        What was left out, merged or clipped. Not private.
    """

    ratings: Ratings | LabelledBlocks
    remarks: list[str]


def load_ratings(
    path: str | Path,
    columns: Mapping[str, str | None],
    rating_range: tuple[float, float] | None,
    lists: Lists,
    rated: bool = True,
    by_blocks: bool = False,
    client: Any = None,
    report: Callable[[float], None] = lambda share: None,
) -> PreparedRatings:
    """Return what counts of a file or a store.

    Columns and ``rated`` are as for :func:`dpmc.publication.table.read_lines`; the columns of a
    store were named when it was built. For what follows see :func:`prepare_store`.
    """
    if is_store(path):
        store = opened(path, columns)
        return prepare_store(store, rating_range, lists, rated, by_blocks, client, report)
    check_no_cluster(client)
    return prepare_ratings(read_lines(Path(path), columns, rated), rating_range, lists)


def prepare_ratings(
    lines: Lines, rating_range: tuple[float, float] | None, lists: Lists
) -> PreparedRatings:
    """Return what counts of a table that was read."""
    every = resolve(lines, rating_range)
    ratings = restrict(every, lists.items, lists.users)
    outside = _outside(rating_range, lines.values)
    latest = lines.times is not None
    merged, unlisted = len(lines.values) - len(every), len(every) - len(ratings)
    remarks = _remarks(merged, latest, unlisted, len(ratings), outside, rating_range)
    return PreparedRatings(ratings, remarks)


def prepare_store(
    store: Store,
    rating_range: tuple[float, float] | None,
    lists: Lists,
    rated: bool,
    by_blocks: bool,
    client: Any = None,
    report: Callable[[float], None] = lambda share: None,
) -> PreparedRatings:
    """Return what counts of a store, all of which is read once and checked.

    ``by_blocks``: in blocks that are read whenever they are looked at; else in memory. With a
    ``client`` of Dask workers read and check them, see :mod:`dpmc.methods.cluster`; else ``report``
    is told the share of the blocks that have been checked.
    """
    if not by_blocks:
        check_no_cluster(client)
        return prepare_ratings(store.lines(rated), rating_range, lists)
    store.check_rated(rated)
    if client is None:
        store.check(cores(), report)
    ratings, unlisted, outside = blocks_of(store, rating_range, lists.items, client), 0, 0
    if lists.items is not None and not set(store.item_labels.tolist()) <= set(lists.items):
        place = places_in(lists.items, store.item_labels)
        every = blocks_of(store, rating_range, None, client)
        unlisted = int(counted(partial(_unlisted, place), every))
    if rating_range is not None and store.exceeds(*rating_range):
        stored = Blocks(store, cores(), elsewhere=over(client))
        outside = int(counted(partial(_outside_in, rating_range), stored))
    merged, left = store.n_repeated, store.n_ratings - store.n_repeated - unlisted
    return PreparedRatings(ratings, _remarks(merged, False, unlisted, left, outside, rating_range))


def blocks_of(
    store: Store,
    rating_range: tuple[float, float] | None,
    items: Sequence[str] | None,
    client: Any = None,
) -> LabelledBlocks:
    """Return the ratings of a store by blocks, of listed items in their order, or of all."""
    facts = (store.n_items, store.item_labels, store.users)
    every = LabelledBlocks(store, cores(), (Resolved(rating_range),), over(client), *facts)
    if items is None or list(items) == store.item_labels.tolist():
        return every
    labels, place = np.array(items, dtype=object), places_in(items, store.item_labels)
    listed = replace(every, n_items=labels.size, item_labels=labels)
    return listed.then(partial(renumbered, place))


def check_no_cluster(client: Any) -> None:
    """Refuse a cluster for what is in memory."""
    if client is not None:
        raise ParameterError(
            "A cluster goes over a store by blocks, for the methods bayes and ease and, where "
            "users are protected, bias: leave {dask} out, or see `dpmc store build`."
        )


def _unlisted(place: np.ndarray, first: int, rows: Compressed) -> int:
    return int(np.count_nonzero(place[rows.indices] < 0))


def _outside_in(rating_range: tuple[float, float], first: int, rows: Compressed) -> int:
    return _outside(rating_range, rows.values.astype(np.float64))


def _outside(rating_range: tuple[float, float] | None, values: np.ndarray) -> int:
    if rating_range is None:
        return 0
    low, high = rating_range
    return int(np.count_nonzero((values < low) | (values > high)))


def _remarks(
    merged: int,
    latest: bool,
    unlisted: int,
    left: int,
    outside: int,
    rating_range: tuple[float, float] | None,
) -> list[str]:
    remarks = []
    if merged:
        kept = "the latest" if latest else "their mean"
        lines = "1 line rates" if merged == 1 else f"{merged} lines rate"
        remarks.append(f"{lines} an item again; of such, {kept} counts")
    if unlisted:
        remarks.append(f"{_were(unlisted, 'of what is not listed ')} left out")
        if not left:
            remarks.append("not one rating is of what is listed: is it the list of these ratings?")
    if outside and rating_range is not None:
        low, high = rating_range
        remarks.append(f"{_were(outside)} clipped to the range {low:g} to {high:g}")
    return remarks


def _were(count: int, which: str = "") -> str:
    return f"1 rating {which}was" if count == 1 else f"{count} ratings {which}were"
