"""Choice of the ratings of each user that count, where a guarantee limits their number.

A limit k on the ratings per user bounds a user's effect only if other users' choices do not change
with that user. For publication the choice is therefore a keyed hash of the user's own label and the
item's (:class:`Keyed`). When a user joins, leaves or renumbers the others, all other choices stay
the same, for every key. The guarantee thus holds even if the key is known. Each fit nevertheless
has a new key and stores it nowhere; a simulated fit derives it from its seed. In studies the choice
is a hash of a seed and the *number* of the row (:class:`Seeded`). It is repeatable, and it is valid
only for neighbours that keep their numbers.
"""

import secrets
from collections.abc import Callable
from functools import cached_property, partial

import numpy as np

from dpmc.compiled import njit
from dpmc.errors import InputError
from dpmc.methods.blocks import Change, LabelledBlocks
from dpmc.methods.kernels.blake2b import Texts, digests
from dpmc.ratings import Compressed, Ratings

Part = Callable[[int, Compressed], np.ndarray]


class Seeded:
    """Starts, choices and groups from one generator: for simulations."""

    def __init__(self, rng: np.random.Generator):
        self.rng = rng

    def choose(self, rows: Compressed, most: int, columns: np.ndarray | None = None) -> Compressed:
        """Keep at most ``most`` ratings of each row, see :func:`choose_ratings`."""
        return self.choices(most)(0, rows)

    def choices(self, most: int) -> Change:
        """Return what does :meth:`choose` block by block: (first row's number, rows) -> rows."""
        seed = int(self.rng.integers(2**63))
        return _choosing(most, partial(_seeded, seed))

    def parts(self, share: float) -> Part:
        """Return (first row's number, rows) -> which ratings are in a random part.

        It is about this share of each row.
        """
        seed, below = int(self.rng.integers(2**63)), np.uint64(share * 2**64)
        return _Remembered(partial(_seeded_part, seed, below))

    def of(self, ratings: Ratings) -> "Seeded":
        """Return the same for ratings of other items."""
        return self

    def groups(self, number: int, n_users: int) -> np.ndarray:
        """Return a random group 0, ..., number - 1 of each user."""
        return self.rng.integers(number, size=n_users)


class Keyed:
    """Choices and groups by a keyed hash of labels, and a start from bits that these never see.

    Ratings need labels of users, because users' numbers change when another user joins; InputError
    refuses others. They need labels of items if an item's number depends on other users' ratings.
    The key has 16 to 64 bytes; ``rng`` draws the start of a fit.
    """

    def __init__(self, ratings: Ratings | LabelledBlocks, key: bytes, rng: np.random.Generator):
        if ratings.user_labels is None:
            raise InputError(
                "For publication ratings need user_labels: which ratings of a user count must "
                "depend on nobody else, and the numbers of users change when another one joins."
            )
        self.rng = rng
        self._key = key
        self._users = ratings.user_labels
        self._items = ratings.item_labels

    def __getstate__(self):
        return {**vars(self), "rng": None}  # what hashes elsewhere has no part in the start

    @classmethod
    def fresh(cls, ratings: Ratings) -> "Keyed":
        """Return one with a new key and another start, from the operating system's random bits."""
        return cls(ratings, secrets.token_bytes(32), secret_generator())

    def choose(self, rows: Compressed, most: int, columns: np.ndarray | None = None) -> Compressed:
        """Keep at most ``most`` ratings of each row: those with the smallest hashes.

        ``columns`` has the item of each column, where columns were renumbered.
        """
        return self._choosing(most, columns)(0, rows)

    def choices(self, most: int) -> Change:
        """Return what does :meth:`choose` block by block: (first user's number, rows) -> rows."""
        return self._choosing(most, None)

    def _choosing(self, most, columns):
        return _choosing(most, partial(self._keys, most, columns))

    def _keys(self, most, columns, first, rows):
        # of users with fewer ratings all count, whatever their hashes
        long = np.flatnonzero(rows.sizes > most)
        return self._hashes(b"choice", first, rows, long, columns)

    def parts(self, share: float) -> Part:
        """Return (first user's number, rows) -> which ratings are in a part, shape (n_ratings,).

        It is about this share, from 0 to 1, of each row; items go by number.
        """
        return _Remembered(partial(self._part, np.uint64(share * 2**64)))

    def _part(self, below, first, rows):
        return self._hashes(b"part", first, rows, np.arange(rows.n_rows), None) < below

    def _hashes(self, purpose, first, rows, chosen, columns) -> np.ndarray:
        """Return a hash of each rating's user and item in the chosen rows, 0 elsewhere."""
        users, items = self._user_texts(first, rows.n_rows), self._item_texts(rows, columns)
        return digests(self._key, purpose, users, items, rows.indptr, rows.indices, chosen)

    def of(self, ratings: Ratings) -> "Keyed":
        """Return the same for ratings of other items, which are numbered otherwise."""
        return Keyed(ratings, self._key, self.rng)

    def groups(self, number: int, n_users: int) -> np.ndarray:
        """Return a group 0, ..., number - 1 of each user, by a hash of the user's own label."""
        users, every = self._user_texts(0, n_users), np.arange(n_users + 1)
        nothing, all_of_it = Texts.of([""]), np.zeros(n_users, dtype=np.int32)
        found = digests(self._key, b"groups", users, nothing, every, all_of_it, every[:-1])
        return (found.byteswap() % np.uint64(number)).astype(np.int64)

    def _user_texts(self, first: int, number: int) -> Texts:
        return Texts.of(self._users[first : first + number])

    def _item_texts(self, rows, columns) -> Texts:
        if columns is None and self._items is not None:
            return self._every_item
        n_columns = int(rows.indices.max(initial=-1)) + 1
        items = np.arange(n_columns) if columns is None else columns[:n_columns]
        return Texts.of(items if self._items is None else np.asarray(self._items)[items])

    @cached_property
    def _every_item(self) -> Texts:
        return Texts.of(self._items)


def secret_generator() -> np.random.Generator:
    """Return a generator with a seed that nobody knows, for starts, which nothing rests on."""
    return np.random.default_rng(secrets.randbits(256))


def _choosing(most: int, keys: Callable[[int, Compressed], np.ndarray]) -> Change:
    """Return what keeps at most ``most`` ratings of each row of a block: with the smallest keys."""
    return partial(_choose, most, _Remembered(partial(_among_smallest, most, keys)))


def _choose(most, kept, first, rows):
    return rows.keep(kept(first, rows)) if (rows.sizes > most).any() else rows


def _among_smallest(most, keys, first, rows):
    return _smallest(rows.indptr, keys(first, rows), most)


class _Remembered:
    """The same part of a block whenever it is asked for, found once: a bit a rating."""

    def __init__(self, part: Part):
        self._part, self._known = part, {}

    def __call__(self, first, rows):
        block = first, rows.n_rows, rows.values.size
        if block not in self._known:
            self._known[block] = np.packbits(self._part(first, rows))
        return np.unpackbits(self._known[block], count=rows.values.size).astype(bool)

    def __getstate__(self):
        return {"_part": self._part, "_known": {}}  # another process finds it itself


def within(part: Part, first: int, rows: Compressed) -> Compressed:
    """Return the ratings of a block that are in a part."""
    return rows.keep(part(first, rows))


def without(part: Part, first: int, rows: Compressed) -> Compressed:
    """Return the others."""
    return rows.keep(~part(first, rows))


def choose_ratings(rows: Compressed, most: int, seed: int) -> Compressed:
    """Keep at most ``most`` >= 1 ratings of each row, chosen at random; 0 <= seed < 2^64.

    The ratings with the smallest keys stay; a key is a hash of the seed, the number of the row and
    the column. For every seed, the choice of one row depends neither on values nor on other rows; a
    user who leaves is a row that becomes empty. Renumbering the others changes their choices, but
    not their distribution, if hashes behave like random numbers.
    """
    return _choosing(most, partial(_seeded, seed))(0, rows)


def _seeded(seed, first, rows):
    """Return a hash of a seed and each rating's row and column."""
    row = rows.per_rating(np.arange(first, first + rows.n_rows, dtype=np.uint64))
    pairs = (row << np.uint64(32)) + rows.indices.astype(np.uint64)
    return _mix(_mix(pairs) ^ np.uint64(seed))


def _seeded_part(seed, below, first, rows):
    return _seeded(seed, first, rows) < below


def choose_part(rows: Compressed, parts: int, seed: int) -> Compressed:
    """Keep each rating with probability 1/parts, by the keys of :func:`choose_ratings`."""
    return rows.keep(_seeded(seed, 0, rows) % np.uint64(parts) == 0)


def keep_smallest(rows: Compressed, most: int, keys: np.ndarray) -> Compressed:
    """Keep at most ``most`` >= 1 ratings of each row: those with the smallest keys.

    Of equal keys the first one stays; ``keys`` has shape (n_ratings,).
    """
    return rows.keep(_smallest(rows.indptr, keys, most))


@njit(cache=True, nogil=True)
def _smallest(indptr, keys, most):
    kept = np.ones(keys.size, dtype=np.bool_)
    for row in range(indptr.size - 1):
        begin, end = indptr[row], indptr[row + 1]
        if end - begin > most:
            # ties at the last key are broken by place, so that exactly ``most`` stay
            last = np.partition(keys[begin:end], most - 1)[most - 1]
            left = most
            for i in range(begin, end):
                left -= keys[i] < last
            for i in range(begin, end):
                if keys[i] == last and left > 0:
                    left -= 1
                elif keys[i] >= last:
                    kept[i] = False
    return kept


def _mix(x: np.ndarray) -> np.ndarray:
    """Scramble 64-bit integers: the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
