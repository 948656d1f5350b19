"""A store keeps private ratings on disk in blocks of whole users, one block in memory at a time.

A store is a folder made by :mod:`dpmc.publication.store_building`. Users are in the order of their
labels. A block holds the users from one label up to the first of the next block, so its users are
in no other block. ``store.json`` has the size and the SHA-256 of every file, and of its own
content. Opening a store checks this content and the sizes. The first time a process reads a block,
it checks the digests of its files and the order of its rows, which takes about a second per
gigabyte. It checks again if size, inode or times show that the files were written since. Digests
have no key: the checks cannot detect a block that was rewritten together with ``store.json``, or
one written while it is read, because files are mapped.
"""

import json
import os
import stat
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from dpmc.compiled import njit
from dpmc.errors import InputError, ParameterError
from dpmc.files import content_digest, file_digest
from dpmc.publication.numbering import Labelled
from dpmc.publication.reading import Reading, readable
from dpmc.publication.table import Lines, means_of, resolve
from dpmc.ratings import Compressed, Ratings

FORMAT = "dpmc-store-1"
MANIFEST, NOTE = "store.json", "PRIVATE.txt"
ITEMS, FIRST_USERS, USERS = "items.txt", "first_users.txt", "users.txt"
ARRAYS = ("indptr", "indices", "values")


class Store:
    """Ratings in blocks of whole users; made by :meth:`open`.

    Attributes
    ----------
    path : Path
    n_users, n_items, n_ratings : int
        Numbers of users, items and ratings; a pair has several ratings if none of them is later.
    rated : bool
        Whether there are ratings; without them all values are 1.
    n_repeated : int
        Rows of a pair beyond the first, of which the mean counts.
    n_blocks : int
    """

    def __init__(self, path: Path, stated: Mapping):
        self.path, self._stated = path, stated
        # files and blocks that were checked, as they were then
        self._seen: dict[int | str, tuple] = {}
        self.n_users, self.n_items = stated["users"], stated["items"]
        self.n_ratings, self.rated = stated["ratings"], stated["rated"]
        self.n_repeated, self.n_blocks = stated["repeated"], len(stated["blocks"])

    @classmethod
    def open(cls, path: str | PathLike[str]) -> "Store":
        """Return the store in a folder.

        Raises
        ------
        InputError
            There is none, or one of another version, or one of its files has another size.
        """
        path = Path(path)
        with readable(path):
            if not is_store(path):
                raise InputError(f"{path} is no store: `dpmc store build` makes one.")
            content = (path / MANIFEST).read_bytes()
        try:
            stated = json.loads(content)
            if stated["format"] != FORMAT:
                raise InputError(
                    f"{path} is a store of another version of dpmc: build it again from the table."
                )
            if stated.pop("sha256") != content_digest(stated):
                raise ValueError
            store = cls(path, stated)
            for number, block in [(None, stated), *enumerate(stated["blocks"])]:
                for name, facts in block["files"].items():
                    file = path / name
                    if not file.is_file() or file.stat().st_size != facts["size"]:
                        raise store._changed(number)
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            if isinstance(error, InputError):
                raise
            raise InputError(f"{path / MANIFEST} is damaged: build the store again.") from None
        return store

    @cached_property
    def item_labels(self) -> np.ndarray:
        """Labels of the items, ascending: an object array of shape (n_items,)."""
        return self._labels(None, ITEMS)

    @cached_property
    def first_users(self) -> np.ndarray:
        """Label of the first user of each block, ascending: an object array."""
        return self._labels(None, FIRST_USERS)

    @property
    def users(self) -> "StoredUsers":
        """The labels of all users, read when they are looked at."""
        return StoredUsers(self)

    def user_labels(self, number: int) -> np.ndarray:
        """Return the labels of the users of a block, ascending: an object array."""
        labels = self._labels(number, f"{number:05}/{USERS}")
        first, *next_one = self.first_users[number : number + 2].tolist()
        ascend = all(low < high for low, high in pairwise([*labels.tolist(), *next_one]))
        if not labels.size or labels[0] != first or not ascend:
            raise InputError(f"{self.path}: block {number} has users that are not its own.")
        return labels

    @cached_property
    def firsts(self) -> np.ndarray:
        """Number of the first user of each block, and of all users: shape (n_blocks + 1,)."""
        return np.cumsum([0, *(block["users"] for block in self._stated["blocks"])])

    def __reduce__(self) -> tuple[Callable, tuple[str, str]]:
        """Send another process where the store is and its digest: it opens the same, or refuses."""
        return _same, (os.path.abspath(self.path), content_digest(self._stated))

    def blocks(self, numbers: Iterable[int] | None = None) -> Iterator[tuple[int, Compressed]]:
        """Yield the number of the first user and the rows of small parts of the blocks, or of some.

        The rows are as on disk, and mapped from there; :class:`Resolved` makes ratings of them.
        """
        for number in range(self.n_blocks) if numbers is None else numbers:
            for first, rows in self._rows(number).blocks():
                yield int(self.firsts[number]) + first, rows

    def ratings_of(
        self, users: Iterable[str], rating_range: tuple[float, float] | None = None
    ) -> Ratings:
        """Return the ratings of some users, of whom those that are not here are left out."""
        return resolve(self._lines(set(users)), rating_range)

    def lines(self, rated: bool = True) -> Lines:
        """Return all that is in the store, in memory, as a table that was read.

        Raises
        ------
        InputError
            A block is not as it was built; the message names it and no user. Or ratings are asked
            for that are not there, or the reverse.
        """
        self.check_rated(rated)
        return self._lines(None)

    def _lines(self, asked: Set[str] | None) -> Lines:
        """Return what is there of the users that are asked for, or of all."""
        numbers: Iterable[int] = range(self.n_blocks)
        if asked is not None:
            ends = {bisect_right(self.first_users, user) for user in asked}
            numbers = sorted(end - 1 for end in ends if end)
        first, labels = 0, [np.empty(0, dtype=object)]
        codes, items, values = [np.empty(0, np.int32)], [np.empty(0, np.int32)], [np.empty(0)]
        for number in numbers:
            rows, here = self._rows(number), self.user_labels(number)
            chosen = np.ones(here.size, dtype=bool)
            if asked is not None:
                chosen = np.array([label in asked for label in here.tolist()], dtype=bool)
                rows = rows.keep(rows.per_rating(chosen))
            codes.append(rows.per_rating((first - 1 + np.cumsum(chosen)).astype(np.int32)))
            items.append(rows.indices)
            values.append(rows.values.astype(np.float64))
            labels.append(here[chosen])
            first += labels[-1].size
        users = Labelled(np.concatenate(codes), np.concatenate(labels))
        every = Labelled(np.concatenate(items), self.item_labels)
        return Lines(users, every, np.concatenate(values), None)

    def check(self, threads: int = 1, report: Callable[[float], None] = lambda share: None) -> None:
        """Read all blocks, in threads, and refuse one that is not as it was built.

        Raises
        ------
        InputError
            The message names the block.
        """
        with ThreadPoolExecutor(threads) as pool:
            for number, _ in enumerate(pool.map(self.check_block, range(self.n_blocks)), 1):
                report(number / self.n_blocks)

    def check_block(self, number: int) -> None:
        """Refuse a block that is not as it was built; this process reads it once as it is."""
        self._rows(number)

    def verify(self, report: Callable[[float], None] = lambda share: None) -> None:
        """Read everything, and refuse what is not as it was built, see :meth:`check`.

        Raises
        ------
        InputError
            A block is not, or what is said of all of them; or the folder holds something else, a
            link, or what others may read.
        """
        self._check_place()
        self.check(report=report)
        if self.item_labels.size != self.n_items:
            raise self._changed(None)
        for name in self._stated["files"]:
            self._check(None, name)

    def _check_place(self) -> None:
        """Refuse a folder with other files than a store has, or with rights for others."""
        groups = [self._stated, *self._stated["blocks"]]
        own = {MANIFEST, *(name for group in groups for name in group["files"])}
        folders = {f"{number:05}" for number in range(self.n_blocks)}
        with readable(self.path):
            found = [self.path, *sorted(self.path.rglob("*"))]
            modes = {path: os.lstat(path).st_mode for path in found[1:]}
            modes[self.path] = os.stat(self.path).st_mode
        for path in found:
            name = path.relative_to(self.path).as_posix()
            if stat.S_ISLNK(modes[path]):
                raise InputError(f"{path} is a link: a store holds its files itself.")
            if name not in own | folders | {"."}:
                raise InputError(f"{path} is no file of a store: take it out.")
        if os.name == "posix":
            for path in found:
                if modes[path] & 0o077:
                    raise InputError(
                        f"{path} is open to others on this machine, and private: "
                        f"`chmod -R go= {self.path}` closes it."
                    )

    def check_rated(self, rated: bool) -> None:
        """Refuse to be read as a table with ratings, or without, if it is not one."""
        if self.rated and not rated:
            raise ParameterError(
                "{path} is a store with ratings, and each would be a like, the worst rating too: "
                "say with {likes_from} from which rating on one is a like.",
                path=self.path,
            )
        if rated and not self.rated:
            raise ParameterError(
                "{path} is a store without ratings, of which each row is a like: it is for a "
                "ranking, without {likes_from}.",
                path=self.path,
            )

    def _rows(self, number: int) -> Compressed:
        """Return a block as it is on disk, where several ratings may be of one pair."""
        stated = self._stated["blocks"][number]
        files = [f"{number:05}/{name}.npy" for name in ARRAYS]
        state = tuple(self._check(number, name) for name in stated["files"])
        with readable(self.path):
            # plain arrays over what is mapped, which compiled functions take
            indptr, indices, values = (
                np.asarray(np.load(self.path / name, mmap_mode="r")) for name in files
            )
        kinds = [(each.dtype, each.ndim) for each in (indptr, indices, values)]
        if kinds != [(np.int64, 1), (np.int32, 1), (self._stated["values"], 1)]:
            raise self._changed(number)
        rows = Compressed(np.array(indptr), indices, values)
        if self._seen.get(number) != state:
            if not self.rated and (values != 1).any():
                raise self._changed(number)
            repeats = _repeats(indptr, indices, values, self.n_items)
            sizes = (stated["users"], stated["ratings"], stated["repeated"])
            found = self.user_labels(number).size, rows.indices.size, repeats
            if sizes != found or rows.n_rows != found[0]:
                raise self._changed(number)
            self._seen[number] = state
        return rows

    def _labels(self, number: int | None, name: str) -> np.ndarray:
        self._check(number, name)
        with readable(self.path):
            labels = (self.path / name).read_text(encoding="utf-8").split("\n")[:-1]
        return np.array([*labels, None], dtype=object)[:-1]

    def _check(self, number: int | None, name: str) -> tuple:
        """Refuse a file with another digest than it had; return what changes if it is written.

        It is read again after that alone.
        """
        stated = self._stated if number is None else self._stated["blocks"][number]
        with readable(self.path):
            facts = os.stat(self.path / name)
            state = (facts.st_ino, facts.st_size, facts.st_mtime_ns, facts.st_ctime_ns)
            if self._seen.get(name) == state:
                return state
            digest = file_digest(self.path / name)
        if digest != stated["files"][name]["sha256"]:
            raise self._changed(number)
        self._seen[name] = state
        return state

    def _changed(self, number: int | None) -> InputError:
        what = "it" if number is None else f"block {number}"
        return InputError(
            f"{self.path}: {what} is not as it was built; build the store again from the table."
        )


@dataclass(frozen=True)
class Resolved:
    """Turns the rows of a store into ratings: one for each pair, with values as float64.

    Values are clipped to the range. Several ratings of a pair are then replaced by their mean, as
    in :func:`dpmc.publication.table.resolve`.
    """

    rating_range: tuple[float, float] | None = None

    def __call__(self, first: int, rows: Compressed) -> Compressed:
        indptr, indices = np.array(rows.indptr), np.array(rows.indices)  # not on disk any more
        values = rows.values.astype(np.float64)
        if self.rating_range is not None:
            np.clip(values, *self.rating_range, out=values)
        begins = _begins(indptr, indices)
        if not begins.all():
            starts = np.flatnonzero(begins)
            indptr = np.concatenate([[0], np.cumsum(begins)])[indptr]
            indices, values = indices[starts], means_of(values, starts)
        return Compressed(indptr, indices, values)


@njit(cache=True, nogil=True)
def _begins(indptr: np.ndarray, indices: np.ndarray) -> np.ndarray:
    """Return which ratings are of another pair than the one before them."""
    begins = np.ones(indices.size, dtype=np.bool_)
    for row in range(indptr.size - 1):
        for i in range(indptr[row] + 1, indptr[row + 1]):
            begins[i] = indices[i] != indices[i - 1]
    return begins


class StoredUsers(Sequence):
    """The labels of the users of a store, in order, of which a few blocks are in memory."""

    def __init__(self, store: Store):
        self._store = store

    def __len__(self) -> int:
        return int(self._store.n_users)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(place, slice):
            return self[place : place + 1][0]
        begin, end, _ = place.indices(len(self))
        firsts, found = self._store.firsts, []
        for number in range(bisect_right(firsts, begin) - 1, self._store.n_blocks):
            if firsts[number] >= end:
                break
            own = slice(max(begin - firsts[number], 0), end - firsts[number])
            found.append(_labels_of(self._store, number)[own])
        return np.concatenate([np.empty(0, dtype=object), *found])


@lru_cache(maxsize=8)
def _labels_of(store: Store, number: int) -> np.ndarray:
    return store.user_labels(number)


def _same(path: str, digest: str) -> Store:
    """Return the store of another process, if it is still that: each time the same object."""
    if content_digest(Store.open(path)._stated) != digest:
        raise InputError(f"{path} is not the same store on all machines, or was built again.")
    return _kept(path, digest)


@lru_cache(maxsize=4)
def _kept(path: str, digest: str) -> Store:
    return Store.open(path)


def is_store(path: str | PathLike[str]) -> bool:
    """Return whether there is a store in a folder, whole or not."""
    return (Path(path) / MANIFEST).is_file()


def opened(path: str | PathLike[str], reading: Reading) -> Store:
    """Return the store at a place; how its table is read was said when it was built."""
    names = ("rating", "timestamp", "format", "separator", "encoding", "columns", "missing")
    for name in names:
        if getattr(reading, name):
            raise ParameterError(
                "{path} is a store, and how its table is read was said when it was built: leave "
                "{0} out.",
                name,
                path=path,
            )
    return Store.open(path)


@njit(cache=True, nogil=True)
def _repeats(indptr: np.ndarray, indices: np.ndarray, values: np.ndarray, n_items: int) -> int:
    """Return how many ratings are of the pair before them; -1 if the rows are not in order."""
    if indptr[0] != 0 or indptr[-1] != indices.size or values.size != indices.size:
        return -1
    repeats = 0
    for row in range(indptr.size - 1):
        if indptr[row] >= indptr[row + 1] or indptr[row + 1] > indices.size:
            return -1
        for i in range(indptr[row], indptr[row + 1]):
            if not (0 <= indices[i] < n_items and np.isfinite(values[i])):
                return -1
            if i > indptr[row] and indices[i] <= indices[i - 1]:
                if indices[i] < indices[i - 1] or values[i] < values[i - 1]:
                    return -1
                repeats += 1
    return repeats
