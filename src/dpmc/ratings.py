"""The one data structure that everything passes on: observed ratings as triplets."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from dpmc.errors import InputError
from dpmc.files import atomic_path, reading_npz

if TYPE_CHECKING:
    from scipy.sparse import csr_array

ROWS = 1 << 10
"""Rows whose squares are summed at a time: theirs stay in a core's cache."""

BLOCK = 1 << 18
"""Ratings of a block of rows, about."""

FEW = 1 << 17
"""Ratings up to which grouping takes less time than importing scipy.sparse, 0.2 s in each job."""


@dataclass(frozen=True)
class Compressed:
    """Ratings grouped by row: row i owns ``indices[indptr[i]:indptr[i + 1]]``.

    Attributes
    ----------
    indptr : int64 array, shape (n_rows + 1,)
    indices : int32 array, shape (n_ratings,)
        The other coordinate of each rating, ascending within a row.
    values : float64 array, shape (n_ratings,)
    """

    indptr: np.ndarray
    indices: np.ndarray
    values: np.ndarray

    @property
    def n_rows(self) -> int:
        """Number of rows, those without ratings counted in."""
        return self.indptr.size - 1

    @property
    def n_users(self) -> int:
        """The same, where rows are users."""
        return self.n_rows

    def blocks(self) -> Iterator[tuple[int, "Compressed"]]:
        """Yield the number of the first row and the rows of blocks of about :data:`BLOCK` ratings.

        Nothing of ``indices`` and ``values`` is copied.
        """
        n_blocks = round(self.values.size / BLOCK)
        if n_blocks < 2:
            if self.n_rows:
                yield 0, self
            return
        ends = np.linspace(0, self.values.size, n_blocks + 1)[1:-1]
        inner = np.unique(np.searchsorted(self.indptr, ends))
        edges = np.unique(np.clip([0, *inner, self.n_rows], 0, self.n_rows)).tolist()
        for first, end in pairwise(edges):
            yield first, self.some(first, end)

    def some(self, first: int, end: int) -> "Compressed":
        """Return the rows from one to before another; of ratings nothing is copied."""
        indptr = self.indptr[first : end + 1]
        own = slice(indptr[0], indptr[-1])
        return Compressed(indptr - indptr[0], self.indices[own], self.values[own])

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of ratings of each row, shape (n_rows,)."""
        return self.indptr[1:] - self.indptr[:-1]

    def per_rating(self, of_rows: np.ndarray) -> np.ndarray:
        """Return the entry of each rating's row, shape (n_ratings,)."""
        return np.repeat(of_rows, self.sizes)

    def with_values(self, values: np.ndarray) -> "Compressed":
        """Return the same rows with other values, shape (n_ratings,)."""
        return Compressed(self.indptr, self.indices, values)

    def astype(self, dtype: type) -> "Compressed":
        """Return the same with values of this dtype; nothing that has it is copied."""
        return self.with_values(self.values.astype(dtype, copy=False))

    def clipped(self, low: float, high: float) -> "Compressed":
        """Return the same with values between two bounds."""
        return self.with_values(np.clip(self.values, low, high))

    def minus(
        self, *, rows: np.ndarray | None = None, columns: np.ndarray | None = None
    ) -> "Compressed":
        """Return the same less a number for each row, for each column, or both."""
        values = self.values
        if columns is not None:
            values = values - columns[self.indices]
        if rows is not None:
            values = values - self.per_rating(rows)
        return self.with_values(values)

    def keep(self, mask: np.ndarray) -> "Compressed":
        """Return the ratings where a mask, shape (n_ratings,), is true."""
        indptr = np.concatenate([[0], np.cumsum(mask)])[self.indptr]
        places = np.flatnonzero(mask)
        return Compressed(indptr, self.indices[places], self.values[places])

    def columns(self, chosen: np.ndarray, n_columns: int) -> "Compressed":
        """Return the ratings of some of ``n_columns`` columns, ascending and renumbered."""
        if chosen.size == n_columns:
            return self
        number = np.full(n_columns, -1, dtype=np.int32)
        number[chosen] = np.arange(chosen.size, dtype=np.int32)
        kept = self.keep(number[self.indices] >= 0)
        return Compressed(kept.indptr, number[kept.indices], kept.values)

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Return the sum of one number for each rating, by row, shape (n_rows,)."""
        sums = np.zeros(self.n_rows)
        filled = self.sizes.nonzero()[0]
        if filled.size:
            sums[filled] = np.add.reduceat(values, self.indptr[filled], dtype=float)
        return sums

    def means(self, default: float) -> np.ndarray:
        """Return the mean of each row, shape (n_rows,); ``default`` for empty ones."""
        sizes = self.sizes
        return np.where(sizes > 0, self.sums(self.values) / np.maximum(sizes, 1), default)

    def squares(self) -> np.ndarray:
        """Return the sum of squares of each row, shape (n_rows,)."""
        if self.n_rows <= ROWS:
            return self.sums(np.square(self.values, dtype=float))
        squares = np.empty(self.n_rows)
        for first in range(0, self.n_rows, ROWS):
            some = self.some(first, first + ROWS)
            squares[first : first + ROWS] = some.sums(np.square(some.values, dtype=float))
        return squares

    def norms(self) -> np.ndarray:
        """Return the l2 norm of each row, shape (n_rows,)."""
        return np.sqrt(self.squares())

    def matrix(self, n_columns: int) -> "csr_array":
        """Return the matrix with the values of the rows and zeros elsewhere."""
        from scipy.sparse import csr_array

        indptr = self.indptr
        if self.values.size < 2**31:  # of the type of the indices, which are copied otherwise
            indptr = indptr.astype(np.int32)
        return csr_array((self.values, self.indices, indptr), (self.n_rows, n_columns))


@dataclass(frozen=True, eq=False)
class Ratings:
    """Observed entries of a users x items matrix; an explicit 0 is a rating, never "missing".

    Attributes
    ----------
    users, items : int32 arrays, shape (n_ratings,)
        Coordinates, 0 <= users < n_users, 0 <= items < n_items, no pair twice.
    values : float64 array, shape (n_ratings,)
    n_users, n_items : int
        Shape of the matrix; users and items without ratings are allowed.
    name : str
        Name of the data set, for messages and tables.
    rating_range : (float, float) or None
        Lowest and highest value a rating can take, where the data set states it.
    user_labels, item_labels : array or None, shapes (n_users,), (n_items,)
        The identifiers of the raw file.

    Raises
    ------
    InputError
        Different lengths, a coordinate that is no whole number or out of bounds, a value that is
        not finite or lies outside ``rating_range``, or a (user, item) pair that occurs twice.
    """

    users: np.ndarray
    items: np.ndarray
    values: np.ndarray
    n_users: int
    n_items: int
    name: str = "ratings"
    rating_range: tuple[float, float] | None = None
    user_labels: np.ndarray | None = field(default=None, repr=False)
    item_labels: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        for attribute in ("users", "items"):
            object.__setattr__(self, attribute, _indices(getattr(self, attribute), self.name))
        values = np.ascontiguousarray(self.values, dtype=np.float64)
        object.__setattr__(self, "values", values)
        self._validate()

    def _validate(self) -> None:
        n = self.values.shape
        if self.values.ndim != 1 or self.users.shape != n or self.items.shape != n:
            raise InputError(
                f"{self.name}: users, items and values must be one-dimensional and of one length, "
                f"got {self.users.shape}, {self.items.shape} and {n}."
            )
        for what, index, labels, size in (
            ("user", self.users, self.user_labels, self.n_users),
            ("item", self.items, self.item_labels, self.n_items),
        ):
            if index.size and (index.min() < 0 or index.max() >= size):
                raise InputError(
                    f"{self.name}: {what} indices must lie in 0..{size - 1}, "
                    f"got {index.min()}..{index.max()}."
                )
            if labels is not None and len(labels) != size:
                raise InputError(f"{self.name}: {size} {what}s have {len(labels)} labels.")
        low, high = self.rating_range or (-np.inf, np.inf)
        for right, problem in (
            (np.isfinite(self.values), "not a finite number"),
            (
                (low <= self.values) & (self.values <= high),
                f"outside the stated range {low:g} to {high:g}",
            ),
        ):
            if not right.all():
                raise InputError(f"{self.name}: rating number {right.argmin() + 1} is {problem}.")
        if not self._in_order and any_pair_repeats(self.users, self.items, self.n_items):
            raise InputError(
                f"{self.name}: a (user, item) pair occurs more than once; keep one rating a pair."
            )

    def __len__(self) -> int:
        return self.values.size

    @property
    def density(self) -> float:
        """Share of the matrix that is observed."""
        return len(self) / (self.n_users * self.n_items)

    @cached_property
    def _in_order(self) -> bool:
        return ascending(self.users, self.items)

    @cached_property
    def by_user(self) -> Compressed:
        """The ratings grouped by user (compressed sparse rows).

        Ratings that are in this order already are not copied.
        """
        if self._in_order:
            indptr = np.zeros(self.n_users + 1, dtype=np.int64)
            np.cumsum(np.bincount(self.users, minlength=self.n_users), out=indptr[1:])
            return Compressed(indptr, self.items, self.values)
        return grouped(self.users, self.items, self.values, self.n_users, self.n_items)

    @cached_property
    def by_item(self) -> Compressed:
        """The ratings grouped by item (compressed sparse columns)."""
        return transposed(self.by_user, self.n_items)

    def blocks(self) -> Iterator[tuple[int, Compressed]]:
        """Yield the number of the first user and the ratings of blocks of users."""
        return self.by_user.blocks()

    @classmethod
    def from_rows(cls, rows: Compressed, n_items: int, **fields: Any) -> "Ratings":
        """Return ratings that are grouped by user already, without sorting them.

        Parameters
        ----------
        rows : Compressed
            Not copied if its values are float64.
        **fields
            Name, rating range and labels, see :class:`Ratings`.

        Raises
        ------
        InputError
            See :class:`Ratings`.
        """
        n_users = rows.n_rows
        users = rows.per_rating(np.arange(n_users, dtype=np.int32))
        made = cls(users, rows.indices, rows.values, n_users, n_items, **fields)
        if made._in_order:  # then they are by_user, and nothing has to be counted
            made.__dict__["by_user"] = Compressed(rows.indptr, made.items, made.values)
        return made

    def take(self, index: np.ndarray) -> "Ratings":
        """Return the ratings at ``index`` (integers or mask); the matrix keeps its shape."""
        users, items = self.users[index], self.items[index]
        return replace(self, users=users, items=items, values=self.values[index])

    def take_items(self, index: np.ndarray) -> "Ratings":
        """Return the ratings of some items, each once, as a matrix of these in the order given."""
        place = np.full(self.n_items, -1, dtype=np.int32)
        place[index] = np.arange(len(index), dtype=np.int32)
        kept = place[self.items] >= 0
        labels = None if self.item_labels is None else np.asarray(self.item_labels)[index]
        return replace(
            self.take(kept), items=place[self.items[kept]], n_items=len(index), item_labels=labels
        )

    def save(self, path: str | Path) -> None:
        """Write the ratings to an .npz file, whole or not at all."""
        fields: dict[str, Any] = {
            "users": self.users,
            "items": self.items,
            "values": self.values,
            "shape": (self.n_users, self.n_items),
            "name": self.name,
            "rating_range": () if self.rating_range is None else self.rating_range,
        }
        for labels in ("user_labels", "item_labels"):
            if getattr(self, labels) is not None:
                fields[labels] = getattr(self, labels)
        with atomic_path(path) as temporary, open(temporary, "wb") as stream:
            np.savez(stream, **fields)

    @classmethod
    def load(cls, path: str | Path) -> "Ratings":
        """Read what :meth:`save` wrote."""
        with reading_npz(path), np.load(path) as stored:
            limits = stored["rating_range"].tolist()
            return cls(
                stored["users"],
                stored["items"],
                stored["values"],
                n_users=int(stored["shape"][0]),
                n_items=int(stored["shape"][1]),
                name=str(stored["name"]),
                rating_range=(limits[0], limits[1]) if limits else None,
                user_labels=stored.get("user_labels"),
                item_labels=stored.get("item_labels"),
            )

    @classmethod
    def load_if_available(cls, path: str | Path) -> "Ratings | None":
        """Read ratings; None if the file is empty, which stands for data not available."""
        return cls.load(path) if Path(path).stat().st_size else None


def _indices(given: ArrayLike, name: str) -> np.ndarray:
    """Return coordinates as int32, or raise InputError: a cast alone would wrap large ones."""
    given = np.asarray(given)
    if given.dtype == np.int32:
        return np.ascontiguousarray(given)
    with np.errstate(invalid="ignore"):  # of what is not finite
        array = np.ascontiguousarray(given, dtype=np.int32)
    if (array != given).any():
        wrong = given[array != given].flat[0]
        raise InputError(
            f"{name}: users and items must be whole numbers below 2147483648, got {wrong}; number "
            "them from 0 on."
        )
    return array


def any_pair_repeats(users: np.ndarray, items: np.ndarray, n_items: int) -> bool:
    """Return whether a (user, item) pair occurs more than once."""
    if ascending(users, items):
        return False
    # sorted, not np.unique: its hash table takes 15 times as long on 10 million pairs
    key = np.sort(users.astype(np.int64) * n_items + items)
    return bool((key[1:] == key[:-1]).any())


def ascending(users: np.ndarray, items: np.ndarray) -> bool:
    """Return whether the pairs ascend by user and, within a user, by item; no pair twice."""
    later_item = (users[1:] == users[:-1]) & (items[1:] > items[:-1])
    return bool((later_item | (users[1:] > users[:-1])).all())


def grouped(
    users: np.ndarray, items: np.ndarray, values: np.ndarray, n_users: int, n_items: int
) -> Compressed:
    """Group ratings by user, and sort those of a user by item: two counting sorts.

    Values of a pair that occurs more than once stay in the order given.
    """
    # a matrix with a row per rating and one entry in it
    places = Compressed(np.arange(users.size + 1), items, values)
    listed = transposed(places, n_items)
    by_item = Compressed(listed.indptr, users[listed.indices], listed.values)
    return transposed(by_item, n_users)


def transposed(rows: Compressed, n_columns: int) -> Compressed:
    """Group by column ratings that are grouped by row, in the order of rows: a counting sort."""
    if rows.values.size <= FEW:
        # of two bytes, NumPy sorts by counting too
        columns = rows.indices.astype(np.uint16) if n_columns <= 1 << 16 else rows.indices
        order = np.argsort(columns, kind="stable")
        indptr = np.zeros(n_columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(rows.indices, minlength=n_columns), out=indptr[1:])
        owners = np.repeat(np.arange(rows.n_rows, dtype=np.int32), np.diff(rows.indptr))
        return Compressed(indptr, owners[order], rows.values[order])
    columns = rows.matrix(n_columns).tocsc()
    indptr = columns.indptr.astype(np.int64)
    return Compressed(indptr, columns.indices.astype(np.int32, copy=False), columns.data)
