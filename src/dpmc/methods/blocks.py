"""Sums over users, computed block by block in threads, so that no part needs all users at once.

A statistic is a function ``add(sums, rows, first)`` that adds what the users of a block send to
:class:`dpmc.privacy.sums.Sums`. ``rows`` are their ratings and ``first`` is the number of the first
user. The function must look at one user at a time: what a user sends depends only on that user's
ratings and on public numbers, in every block. Sums are exact, so blocks can have any size and be
added in any order.

A source of blocks has ``n_users`` and a repeatable ``blocks()``, which yields (first, rows) for
every block of whole users, each user once. Sources are :class:`dpmc.ratings.Ratings` in memory,
:class:`dpmc.publication.store.Store` on disk, and any object with these two. Items have the same
numbers in all blocks and ascend within a user, so that a user's own sums have a fixed order. Slow
work belongs in changes of the rows, not into ``blocks()``, for which threads wait. Statistics and
changes are plain data, functions of modules and ``functools.partial`` of these, so that they can be
sent to another process.
"""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol, Self

import numpy as np

from dpmc.compiled import njit
from dpmc.ratings import Compressed


class Source(Protocol):
    """Where blocks of users come from."""

    @property
    def n_users(self) -> int: ...

    def blocks(self) -> Iterator[tuple[int, Compressed]]:
        """Yield the number of the first user and the ratings of each block, users numbered on."""


Change = Callable[[int, Compressed], Compressed]
"""What is made of the ratings of a block, user by user: (first, rows) -> rows."""


@dataclass(frozen=True)
class Blocks:
    """The ratings of a source as a statistic takes them, changed block by block.

    Parameters
    ----------
    source : Source
    threads : int
        Number of threads that work on blocks at the same time; it does not change the result.
    changes : functions
        Made of each block, in this order, whenever it is looked at.
    elsewhere : callable, optional
        ``elsewhere(blocks, add, sums)`` adds up in place of threads of this process, as
        :func:`dpmc.methods.cluster.total` does.
    """

    source: Source
    threads: int = 1
    changes: tuple[Change, ...] = ()
    elsewhere: Callable | None = None

    @property
    def n_users(self) -> int:
        return self.source.n_users

    def then(self, change: Change) -> Self:
        """Return the same with one change more."""
        return replace(self, changes=(*self.changes, change))

    def blocks(self) -> Iterator[tuple[int, Compressed]]:
        """Yield the first user's number and the ratings of each block."""
        for first, rows in self.source.blocks():
            yield first, self.changed(first, rows)

    def each(self, work: Callable[[int, Compressed], object]) -> None:
        """Call work(first, rows) for each block, in threads; none is begun after a failure."""
        if self.threads == 1:
            for first, rows in self.source.blocks():
                self._worked(work, first, rows)
            return
        waiting, lock, failed = self.source.blocks(), threading.Lock(), threading.Event()

        def take() -> None:
            while not failed.is_set():
                with lock:
                    block = next(waiting, None)
                if block is None:
                    return
                with _noting(failed):
                    self._worked(work, *block)

        with ThreadPoolExecutor(self.threads) as pool, _noting(failed):  # Ctrl-C, too
            for each in [pool.submit(take) for _ in range(self.threads)]:
                each.result()

    def map(self, work: Callable[[int, Compressed], object]) -> Iterator:
        """Yield work(first, rows) of each block, in their order, made in threads."""
        with ThreadPoolExecutor(self.threads) as pool:
            ahead: deque = deque()
            for first, rows in self.source.blocks():
                ahead.append(pool.submit(self._worked, work, first, rows))
                if len(ahead) > 2 * self.threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()

    def _worked(
        self, work: Callable[[int, Compressed], object], first: int, rows: Compressed
    ) -> object:
        return work(first, self.changed(first, rows))

    def changed(self, first: int, rows: Compressed) -> Compressed:
        """Return a block of the source after all changes."""
        for change in self.changes:
            rows = change(first, rows)
        return rows


@contextmanager
def _noting(failed: threading.Event) -> Iterator[None]:
    try:
        yield
    except BaseException:
        failed.set()
        raise


@dataclass(frozen=True)
class LabelledBlocks(Blocks):
    """Blocks with the labels and numbers of users and items that a fit needs.

    Attributes
    ----------
    n_items : int
    item_labels : array, shape (n_items,)
    user_labels : sequence
        Labels of all users; only slices of it are read.
    """

    n_items: int = 0
    item_labels: np.ndarray | None = None
    user_labels: Sequence[str] | None = None

    def take_items(self, index: np.ndarray) -> Self:
        """Return the ratings of some items, each once, numbered in the order given."""
        place = np.full(self.n_items, -1, dtype=np.int32)
        place[index] = np.arange(len(index), dtype=np.int32)
        labels = None if self.item_labels is None else self.item_labels[index]
        taken = replace(self, n_items=len(index), item_labels=labels)
        return taken.then(partial(renumbered, place))


def renumbered(place: np.ndarray, first: int, rows: Compressed) -> Compressed:
    """Return the ratings of a block whose items have a place, -1 for none, ascending by it."""
    indices = place[rows.indices]
    if indices.size and indices.min() < 0:
        rows = rows.keep(indices >= 0)
        indices = place[rows.indices]
    values = rows.values
    if not _ascend(rows.indptr, indices):
        indices, values = _sorted(rows.indptr, indices, values, int(indices.max()) + 1)
    return Compressed(rows.indptr, indices, values)


@njit(cache=True, nogil=True)
def _ascend(indptr: np.ndarray, indices: np.ndarray) -> bool:
    for row in range(indptr.size - 1):
        for i in range(indptr[row] + 1, indptr[row + 1]):
            if indices[i] < indices[i - 1]:
                return False
    return True


@njit(cache=True, nogil=True)
def _sorted(
    indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, n_columns: int
) -> tuple[np.ndarray, np.ndarray]:
    """Sort each row by column: ratings are dealt out by column first, and then by row."""
    ends = np.zeros(n_columns + 1, dtype=np.int64)
    for column in indices:
        ends[column + 1] += 1
    ends = np.cumsum(ends)
    rows, by_column = np.empty(indices.size, np.int64), np.empty_like(values)
    following, begin = indptr[:-1].copy(), 0
    for row in range(following.size):
        for i in range(indptr[row], indptr[row + 1]):
            place = ends[indices[i]]
            rows[place], by_column[place] = row, values[i]
            ends[indices[i]] += 1
    found, found_values = np.empty_like(indices), np.empty_like(values)
    for column in range(n_columns):
        for i in range(begin, ends[column]):
            place = following[rows[i]]
            found[place], found_values[place] = column, by_column[i]
            following[rows[i]] += 1
        begin = ends[column]
    return found, found_values


def in_blocks(source: Source, threads: int | None = None) -> Blocks:
    """Return a source as blocks with this number of threads, by default as before."""
    if not isinstance(source, Blocks):
        return Blocks(source, threads or 1)
    return source if threads is None else replace(source, threads=threads)


def total(add: Callable, rows: Source, sums: Any) -> Any:
    """Return ``sums`` after ``add(sums, rows, first)`` for each block of users.

    ``sums`` are :class:`dpmc.privacy.sums.Sums`, or an object with the same interface.
    """
    blocks = in_blocks(rows)
    if blocks.elsewhere is not None:
        blocks.elsewhere(blocks, add, sums)
        return sums
    if blocks.threads == 1:
        blocks.each(lambda first, rows: add(sums, rows, first))
        return sums
    own, made = threading.local(), []

    def work(first: int, rows: Compressed) -> None:
        if not hasattr(own, "sums"):
            own.sums = sums.empty()
            made.append(own.sums)
        add(own.sums, rows, first)

    blocks.each(work)
    for each in made:
        sums.include(each)
    return sums


def of_users(make: Callable, rows: Source, shape: tuple[int, ...]) -> np.ndarray:
    """Return the results of ``make(rows, first)`` for all blocks of users, joined.

    ``shape`` is that for one user; float64 array, shape (n_users, *shape).
    """
    blocks = in_blocks(rows)
    made = np.empty((blocks.n_users, *shape))

    def work(first: int, rows: Compressed) -> None:
        made[first : first + rows.n_rows] = make(rows, first)

    blocks.each(work)
    return made


def counted(count: Callable[[int, Compressed], object], rows: Source) -> np.ndarray:
    """Return the sum over all blocks of whole numbers ``count(first, rows)``."""
    nobody = Compressed(np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0))
    counts = _Counts(np.asarray(count(0, nobody), dtype=np.int64))
    return total(partial(_count, count), rows, counts).numbers


@dataclass
class _Counts:
    """Whole numbers that are added up as sums are."""

    numbers: np.ndarray

    def empty(self) -> "_Counts":
        return self.like()

    @property
    def like(self) -> "partial[_Counts]":
        return partial(_Counts, np.zeros_like(self.numbers))

    def include(self, others: "_Counts") -> None:
        self.numbers = self.numbers + others.numbers


def _count(count: Callable, counts: _Counts, rows: Compressed, first: int) -> None:
    counts.numbers = counts.numbers + np.asarray(count(first, rows), dtype=np.int64)


def joined(rows: Source) -> Compressed:
    """Return the ratings of all blocks in one piece: for studies with data that fit in memory."""
    if isinstance(rows, Compressed):
        return rows
    blocks = [some for _, some in rows.blocks()]
    sizes = [each.sizes for each in blocks]
    indptr = np.concatenate([[0], np.cumsum(np.concatenate([[], *sizes]))]).astype(np.int64)
    indices = np.concatenate([np.empty(0, np.int32), *(each.indices for each in blocks)])
    return Compressed(indptr, indices, np.concatenate([[], *(each.values for each in blocks)]))


def in_pieces(work: Callable[[int, int], object], edges: Sequence[int]) -> None:
    """Call work(start, stop) for each pair of neighbouring edges, in a thread of its own."""
    if len(edges) == 2:
        work(*edges)
        return
    with ThreadPoolExecutor(len(edges) - 1) as pool:
        list(pool.map(work, edges[:-1], edges[1:]))


def cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1
