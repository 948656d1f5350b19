"""A store: private ratings on disk in blocks of whole users, of which one is in memory at a time.

A store is a folder that :mod:`dpmc.publication.store_building` makes. Users are in the order of
their labels, and a block holds those from one label up to the next block's first: so each block
shows by itself that its users are in no other. ``store.json`` has the size and the SHA-256 of every
file, and of its own content. That content and sizes are checked when a store is opened; digests of
files, and that the rows are in order, when a block is first read by a process, which takes about a
second for each gigabyte. There is no key: who rewrites a block and ``store.json`` with it is not
found out.
"""

import json
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np
from numba import njit

from dpmc.datasets.readers.columns import Labelled
from dpmc.errors import InputError, ParameterError
from dpmc.files import content_digest, file_digest
from dpmc.publication.sources import check_unrated, readable
from dpmc.publication.table import Lines, read_lines, resolve
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
        Of ratings, one for each row that counts: more than one of a pair if neither is later.
    rated : bool
        Whether there are ratings; without them all values are 1.
    n_blocks : int
    """

    def __init__(self, path: Path, stated: Mapping):
        self.path, self._stated = path, stated
        self._seen: set[int | str] = set()  # blocks and files that were checked
        self.n_users, self.n_items = stated["users"], stated["items"]
        self.n_ratings, self.rated = stated["ratings"], stated["rated"]
        self.n_blocks = len(stated["blocks"])

    @classmethod
    def open(cls, path: str | Path) -> "Store":
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

    def user_labels(self, number: int) -> np.ndarray:
        """Return the labels of the users of a block, ascending: an object array."""
        labels = self._labels(number, f"{number:05}/{USERS}")
        first, *next_one = self.first_users[number : number + 2].tolist()
        ascend = all(low < high for low, high in pairwise([*labels.tolist(), *next_one]))
        if not labels.size or labels[0] != first or not ascend:
            raise InputError(f"{self.path}: block {number} has users that are not its own.")
        return labels

    def block(self, number: int, rating_range: tuple[float, float] | None = None) -> Compressed:
        """Return the ratings of a block, one row a user and one rating a pair.

        Values, as float64, are clipped to the range; of several ratings of a pair it is then the
        mean, as :func:`dpmc.publication.table.resolve` has it. Items are mapped from the file.

        Raises
        ------
        InputError
            The block is not as it was built; the message names it and no user.
        """
        rows, stated = self._rows(number), self._stated["blocks"][number]
        if stated["repeated"]:
            nobody = np.zeros(rows.n_rows, dtype=object)
            lines = self._lines(rows, nobody)
            return resolve(lines, rating_range).by_user
        rows = rows.astype(np.float64)
        return rows if rating_range is None else rows.clipped(*rating_range)

    def blocks(
        self, rating_range: tuple[float, float] | None = None
    ) -> Iterator[tuple[int, Compressed]]:
        """Yield the number of the first user and the ratings of each block, see :meth:`block`."""
        first = 0
        for number in range(self.n_blocks):
            rows = self.block(number, rating_range)
            yield first, rows
            first += rows.n_rows

    def part(self, number: int, rating_range: tuple[float, float] | None = None) -> Ratings:
        """Return a block as ratings with labels, of all items."""
        labels = {"user_labels": self.user_labels(number), "item_labels": self.item_labels}
        return Ratings.from_rows(self.block(number, rating_range), self.n_items, **labels)

    def lines(self, rated: bool = True) -> Lines:
        """Return all that is in the store, in memory, as a table that was read.

        Raises
        ------
        InputError
            See :meth:`block`; or ratings are asked for that are not there, or the reverse.
        """
        self.check_rated(rated)
        parts = [
            self._lines(self._rows(number), self.user_labels(number))
            for number in range(self.n_blocks)
        ]
        firsts = np.cumsum([0, *(part.users.labels.size for part in parts)], dtype=np.int32)
        nobody = np.empty(0, dtype=object)
        users, items, values = np.empty(0, np.int32), np.empty(0, np.int32), np.empty(0)
        users = np.concatenate(
            [users, *(part.users.codes + f for part, f in zip(parts, firsts, strict=False))]
        )
        return Lines(
            Labelled(users, np.concatenate([nobody, *(part.users.labels for part in parts)])),
            Labelled(np.concatenate([items, *(p.items.codes for p in parts)]), self.item_labels),
            np.concatenate([values, *(part.values for part in parts)]),
            None,
        )

    def verify(self, report: Callable[[float], None] = lambda share: None) -> None:
        """Read everything, and refuse what is not as it was built.

        Raises
        ------
        InputError
            The message names the block.
        """
        found = 0
        for number in range(self.n_blocks):
            rows = self._rows(number)
            if self.user_labels(number).size != rows.n_rows:
                raise self._changed(number)
            found += rows.indices.size
            report((number + 1) / self.n_blocks)
        if found != self.n_ratings or self.item_labels.size != self.n_items:
            raise self._changed(None)
        for name in self._stated["files"]:
            self._check(None, name)

    def check_rated(self, rated: bool) -> None:
        """Refuse to be read as a table with ratings, or without, if it is not one."""
        if not rated:
            check_unrated(str(self.path), "rating" if self.rated else None)
        elif not self.rated:
            raise ParameterError(
                "{path} is a store without ratings, of which each row is a like: it is for a "
                "ranking, without {likes_from}.",
                path=self.path,
            )

    def _lines(self, rows: Compressed, user_labels: np.ndarray) -> Lines:
        users = rows.per_rating(np.arange(rows.n_rows, dtype=np.int32))
        items = Labelled(np.array(rows.indices), self.item_labels)
        return Lines(Labelled(users, user_labels), items, rows.values.astype(np.float64), None)

    def _rows(self, number: int) -> Compressed:
        """Return a block as it is on disk, where several ratings may be of one pair."""
        stated = self._stated["blocks"][number]
        files = [f"{number:05}/{name}.npy" for name in ARRAYS]
        for name in files:
            self._check(number, name)
        with readable(self.path):
            # plain arrays over what is mapped, which compiled functions take
            indptr, indices, values = (
                np.asarray(np.load(self.path / name, mmap_mode="r")) for name in files
            )
        rows = Compressed(np.array(indptr), indices, values)
        if number not in self._seen:
            repeats = _repeats(indptr, indices, values, self.n_items)
            if repeats != stated["repeated"] or rows.n_rows != stated["users"]:
                raise self._changed(number)
            self._seen.add(number)
        return rows

    def _labels(self, number: int | None, name: str) -> np.ndarray:
        self._check(number, name)
        with readable(self.path):
            labels = (self.path / name).read_text(encoding="utf-8").split("\n")[:-1]
        return np.array([*labels, None], dtype=object)[:-1]

    def _check(self, number: int | None, name: str) -> None:
        """Refuse a file with another digest than it had, the first time that it is read."""
        if name in self._seen:
            return
        stated = self._stated if number is None else self._stated["blocks"][number]
        with readable(self.path):
            digest = file_digest(self.path / name)
        if digest != stated["files"][name]["sha256"]:
            raise self._changed(number)
        self._seen.add(name)

    def _changed(self, number: int | None) -> InputError:
        what = "it" if number is None else f"block {number}"
        return InputError(
            f"{self.path}: {what} is not as it was built; build the store again from the table."
        )


def is_store(path: str | Path) -> bool:
    """Return whether there is a store in a folder, whole or not."""
    return (Path(path) / MANIFEST).is_file()


def lines_at(path: str | Path, columns: Mapping[str, str | None], rated: bool = True) -> Lines:
    """Return what is in a store, or in a table as :func:`dpmc.publication.table.read_lines` does.

    The columns of a store were named when it was built.
    """
    if not is_store(path):
        return read_lines(Path(path), columns, rated)
    return _opened(path, columns).lines(rated)


def parts_at(
    path: str | Path,
    columns: Mapping[str, str | None],
    rated: bool,
    rating_range: tuple[float, float] | None,
    user: str | None = None,
) -> tuple[np.ndarray, Iterator[Ratings]]:
    """Return the items that are rated, and the ratings of some users after others, resolved.

    Those of a table at once, those of a store by blocks; if a user is named, of one block.
    """
    if not is_store(path):
        every = resolve(read_lines(Path(path), columns, rated), rating_range)
        return np.asarray(every.item_labels), iter([every])
    store = _opened(path, columns)
    store.check_rated(rated)
    numbers = range(store.n_blocks)
    if user is not None:
        end = bisect_right(store.first_users, user)  # the only one that can have this user
        numbers = numbers[max(0, end - 1) : end]
    return store.item_labels, (store.part(number, rating_range) for number in numbers)


def _opened(path: str | Path, columns: Mapping[str, str | None]) -> Store:
    for role in ("rating", "timestamp"):
        if columns.get(role) is not None:
            raise ParameterError(
                "{path} is a store, whose columns were named when it was built: leave {0} out.",
                role,
                path=path,
            )
    return Store.open(path)


@njit(cache=True)
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
