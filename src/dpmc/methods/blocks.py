"""Users in blocks: what they send is added up block by block, in threads; nobody sees the whole.

A statistic is a function ``add(sums, rows, first)`` that adds what the users of a block send to
:class:`dpmc.privacy.sums.Sums`; ``rows`` are their ratings and ``first`` is the number of the first
of them. It must look at one user at a time: what a user sends hangs on the own ratings and on
public numbers alone, whichever block the user is in. As sums are exact, blocks may be of any size
and be added in any order.

A source of blocks has ``n_users`` and ``blocks()``, which yields (first, rows) for every block of
whole users, each user once, as often as it is asked: :class:`dpmc.ratings.Ratings` in memory, and
whatever else keeps to that. Items are numbered alike in all blocks and ascend within a user, so
that a user's own sums have one order.
"""

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol

import numpy as np

from dpmc.privacy.sums import Sums
from dpmc.ratings import Compressed


class Source(Protocol):
    """Where blocks of users come from."""

    n_users: int

    def blocks(self) -> Iterator[tuple[int, Compressed]]:
        """Yield the number of the first user and the ratings of each block, users numbered on."""


Change = Callable[[int, Compressed], Compressed]
"""What is made of the ratings of a block, user by user: (first, rows) -> rows."""


class Blocks:
    """The ratings of a source as a statistic takes them, changed block by block.

    Parameters
    ----------
    source : Source
    threads : int
        That work on blocks at the same time. The result is the same for any number.
    changes : functions
        Made of each block, in this order, whenever it is looked at.
    """

    def __init__(self, source: Source, threads: int = 1, changes: tuple[Change, ...] = ()):
        self.source = source
        self.threads = threads
        self.changes = changes
        self.n_users = source.n_users

    def then(self, change: Change) -> "Blocks":
        """Return the same with one change more."""
        return Blocks(self.source, self.threads, (*self.changes, change))

    def blocks(self) -> Iterator[tuple[int, Compressed]]:
        """Yield the first user's number and the ratings of each block."""
        for first, rows in self.source.blocks():
            yield first, self._changed(first, rows)

    def each(self, work: Callable[[int, Compressed], object]) -> None:
        """Call work(first, rows) for each block, in threads."""
        waiting, lock = self.source.blocks(), threading.Lock()

        def take():
            while True:
                with lock:
                    block = next(waiting, None)
                if block is None:
                    return
                first, rows = block
                work(first, self._changed(first, rows))

        if self.threads == 1:
            take()
            return
        with ThreadPoolExecutor(self.threads) as pool:
            for each in [pool.submit(take) for _ in range(self.threads)]:
                each.result()

    def _changed(self, first, rows):
        for change in self.changes:
            rows = change(first, rows)
        return rows


def total(add, rows: Source, sums: Sums) -> Sums:
    """Return ``sums`` with what ``add(sums, rows, first)`` adds of each block of users.

    Parameters
    ----------
    add : callable
        See the module's text.
    rows : Source
        :class:`Blocks` have threads.
    sums : Sums
    """
    blocks = rows if isinstance(rows, Blocks) else Blocks(rows)
    own, made = threading.local(), []

    def work(first, rows):
        if not hasattr(own, "sums"):
            own.sums = sums.empty()
            made.append(own.sums)
        add(own.sums, rows, first)

    blocks.each(work)
    for each in made:
        sums.include(each)
    return sums


def of_users(make, rows: Source, shape: tuple[int, ...]) -> np.ndarray:
    """Return what ``make(rows, first)`` returns of each block of users, beside each other.

    ``shape`` is that for one user; float64 array, shape (n_users, *shape).
    """
    blocks = rows if isinstance(rows, Blocks) else Blocks(rows)
    made = np.empty((blocks.n_users, *shape))

    def work(first, rows):
        made[first : first + rows.n_rows] = make(rows, first)

    blocks.each(work)
    return made


def joined(rows: Source) -> Compressed:
    """Return the ratings of all blocks in one piece: for studies, of what fits in memory."""
    if isinstance(rows, Compressed):
        return rows
    blocks = [some for _, some in rows.blocks()]
    sizes = [each.sizes for each in blocks]
    indptr = np.concatenate([[0], np.cumsum(np.concatenate([[], *sizes]))]).astype(np.int64)
    indices = np.concatenate([np.empty(0, np.int32), *(each.indices for each in blocks)])
    return Compressed(indptr, indices, np.concatenate([[], *(each.values for each in blocks)]))


def cores() -> int:
    """Return how many cores this process may use."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on every system
    return len(affinity(0)) if affinity else os.cpu_count() or 1
