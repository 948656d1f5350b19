"""The ratings of a fit: those of a table or store that count, and what was changed."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from dpmc.errors import ParameterError
from dpmc.fitting.lists import Lists
from dpmc.fitting.looks import MOST_COMPARED, Look, frequent
from dpmc.methods.blocks import Blocks, LabelledBlocks, cores, counted, renumbered
from dpmc.methods.cluster import over
from dpmc.publication.lists import places_in, restrict
from dpmc.publication.reading import Reading
from dpmc.publication.store import Resolved, Store, is_store, opened
from dpmc.publication.table import Lines, read_lines, resolve
from dpmc.ratings import Compressed, Ratings

MOST_VALUES = 10_000
"""Different ratings outside of the range of a store that are told apart."""


@dataclass(frozen=True)
class PreparedRatings:
    """Ratings as read, and the remarks about them: for their owner, never for a file.

    Attributes
    ----------
    ratings : Ratings or LabelledBlocks
        With labels, one of a user and an item, of what is listed; within the range, if there is
        one.
    look : Look
    """

    ratings: Ratings | LabelledBlocks
    look: Look


def load_ratings(
    path: str | Path,
    reading: Reading,
    rating_range: tuple[float, float] | None,
    lists: Lists,
    by_blocks: bool = False,
    client: Any = None,
    report: Callable[[float], None] = lambda share: None,
) -> PreparedRatings:
    """Return the ratings of a file or a store that count.

    The options for reading a store are fixed when it is built. See also :func:`prepare_store`.
    """
    if is_store(path):
        store = opened(path, reading)
        return prepare_store(store, rating_range, lists, reading.rated, by_blocks, client, report)
    check_no_cluster(client)
    return prepare_ratings(read_lines(Path(path), reading), rating_range, lists)


def prepare_ratings(
    lines: Lines, rating_range: tuple[float, float] | None, lists: Lists
) -> PreparedRatings:
    """Return the ratings of a table that count."""
    every, look = resolve(lines, rating_range), Look()
    ratings = restrict(every, lists.items, lists.users)
    look.source(lines.source)
    look.size(every.n_users, every.n_items)
    users, items = (np.asarray(each).tolist() for each in (every.user_labels, every.item_labels))
    look.labels("user", users)
    look.labels("item", items)
    look.repeated(len(lines.values) - len(every), lines.times is not None)
    if lists.items is not None or lists.users is not None:
        _see_lists(look, lists, items, len(every) - len(ratings), len(every))
    if rating_range is not None:
        look.values(lines.values)
        outside = lines.values[_outside(rating_range, lines.values)]
        look.outside(outside.size, len(lines.values), rating_range, frequent(outside))
    return PreparedRatings(ratings, look)


def _see_lists(look: Look, lists: Lists, there: list[str], unlisted: int, total: int) -> None:
    listed = there if lists.items is None else lists.items
    known = set(listed)
    look.unlisted(unlisted, total, [each for each in there if each not in known], listed)
    if lists.items is not None:
        look.listed(lists.items, there)


def prepare_store(
    store: Store,
    rating_range: tuple[float, float] | None,
    lists: Lists,
    rated: bool,
    by_blocks: bool,
    client: Any = None,
    report: Callable[[float], None] = lambda share: None,
) -> PreparedRatings:
    """Return the ratings of a store that count; the whole store is read once and checked.

    With ``by_blocks``, blocks are read whenever they are needed; otherwise the result is in memory.
    Workers of a Dask ``client`` read and check the blocks, see :mod:`dpmc.methods.cluster`. Without
    one, ``report`` gets the share of blocks that have been checked.
    """
    if not by_blocks:
        check_no_cluster(client)
        return prepare_ratings(store.lines(rated), rating_range, lists)
    store.check_rated(rated)
    if client is None:
        store.check(cores(), report)
    ratings, look = blocks_of(store, rating_range, lists.items, client), Look()
    look.facts["read as"] = f"a store of {store.n_blocks} blocks"
    look.size(store.n_users, store.n_items)
    for what, number, labels in (
        ("user", store.n_users, store.users), ("item", store.n_items, store.item_labels),
    ):  # fmt: skip
        if number <= MOST_COMPARED:
            look.labels(what, list(labels))
    look.repeated(store.n_repeated, False)
    left = store.n_ratings - store.n_repeated
    if lists.items is not None:
        items, unlisted = store.item_labels.tolist(), 0
        if not set(items) <= set(lists.items):
            place = places_in(lists.items, store.item_labels)
            every = blocks_of(store, rating_range, None, client)
            unlisted = int(counted(partial(_unlisted, place), every))
        _see_lists(look, lists, items, unlisted, left)
    if rating_range is not None:
        outside = n_outside(store, rating_range, client)
        most: Counter[float] = Counter()
        if outside and client is None:
            most = _frequent_outside(store, rating_range)
        look.outside(outside, store.n_ratings, rating_range, most)
    return PreparedRatings(ratings, look)


def n_outside(store: Store, rating_range: tuple[float, float], client: Any = None) -> int:
    """Return how many ratings of a store are outside of a range."""
    stored = Blocks(store, cores(), elsewhere=over(client))
    return int(counted(partial(_outside_in, rating_range), stored))


def _frequent_outside(store: Store, rating_range: tuple[float, float]) -> Counter:
    """Return how often values outside of a range occur; of very many, the most frequent ones."""
    found: Counter = Counter()
    for _, rows in store.blocks():
        values = rows.values.astype(np.float64)
        found += frequent(values[_outside(rating_range, values)])
        if len(found) > MOST_VALUES:
            found = Counter(dict(found.most_common(MOST_VALUES // 2)))
    return found


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
    """Refuse a cluster for ratings in memory."""
    if client is not None:
        raise ParameterError(
            "A cluster goes over a store by blocks, for the methods bayes and ease and, where "
            "users are protected, bias: leave {dask} out, or see `dpmc store build`."
        )


def _unlisted(place: np.ndarray, first: int, rows: Compressed) -> int:
    return int(np.count_nonzero(place[rows.indices] < 0))


def _outside_in(rating_range: tuple[float, float], first: int, rows: Compressed) -> int:
    return int(np.count_nonzero(_outside(rating_range, rows.values.astype(np.float64))))


def _outside(rating_range: tuple[float, float], values: np.ndarray) -> np.ndarray:
    low, high = rating_range
    return (values < low) | (values > high)
