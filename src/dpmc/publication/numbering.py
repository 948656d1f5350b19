"""Labels numbered piece by piece: memory grows with how many there are, not with the rows."""

import secrets

import numpy as np

from dpmc import labels
from dpmc.compiled import njit
from dpmc.datasets.readers.columns import Labelled
from dpmc.errors import InputError
from dpmc.publication import fields

_PLAIN = np.zeros(256, dtype=bool)  # bytes that a label keeps, blanks at the ends aside
_PLAIN[0x20:0x7F] = True
_LONGEST = 1000


class Numbering:
    """Numbers texts in the order in which they first come, each spelling once.

    Attributes
    ----------
    size : int
        How many spellings there were.
    """

    def __init__(self) -> None:
        self.size = 0
        self._cleaned = {}  # number -> label, where that is not what was spelled
        self._slots = np.zeros((2**10, 2), dtype=np.uint64)
        self._ends = np.zeros(2**9 + 1, dtype=np.int64)
        self._octets = np.empty(2**14, dtype=np.uint8)
        self._key = np.uint64(secrets.randbits(64))  # so that nobody can choose labels that clash

    def codes(self, column) -> np.ndarray:
        """Return the number of each text in an Arrow column, dictionary-encoded or not."""
        import pyarrow as pa

        if pa.types.is_dictionary(column.type):
            column = column.unify_dictionaries().combine_chunks()
            indices = column.indices.to_numpy(zero_copy_only=False)
            return self._numbered(column.dictionary)[indices]
        return self._numbered(column.fill_null("").combine_chunks())

    def _numbered(self, texts) -> np.ndarray:
        import pyarrow as pa

        octets, offsets = _buffers(texts.cast(pa.large_string()).fill_null(""))
        if offsets.size > 1 and np.diff(offsets).max() >= labels.LONGEST:
            raise InputError("A label must have less than 16 MiB.")
        codes = np.empty(offsets.size - 1, dtype=np.int32)
        done, before = 0, self.size
        while done < codes.size:
            done, self.size = _number(
                octets, offsets, codes, done, self._key,
                self._slots, self._ends, self._octets, self.size,
            )  # fmt: skip
            if done < codes.size:
                self._grow(int(offsets[done + 1] - offsets[done]))
        for code in (before + np.flatnonzero(~self._plain(before))).tolist():
            self._look_at(code)
        return codes

    def _grow(self, length: int) -> None:
        """Make room for one more text of some length, and as much again as there is."""
        n, end = self.size, int(self._ends[self.size])
        if n + 1 == self._ends.size:
            self._ends = np.concatenate([self._ends, np.empty(n, dtype=np.int64)])
            self._slots = _moved(self._slots, np.zeros((2 * len(self._slots), 2), np.uint64))
        if end + length > self._octets.size:
            more = np.empty(end + length, dtype=np.uint8)
            self._octets = np.concatenate([self._octets[:end], more])

    def _plain(self, first: int) -> np.ndarray:
        """Return which texts, from a number on, are labels at a glance."""
        return _are_plain(self._octets, self._ends[first : self.size + 1], _PLAIN, _LONGEST)

    def _look_at(self, code: int) -> None:
        own = slice(self._ends[code], self._ends[code + 1])
        spelled = self._octets[own].tobytes()
        text = labels.cleaned(labels.decoded(spelled))
        if text.encode() != spelled:
            self._cleaned[code] = text

    def labelled(self, codes: np.ndarray) -> Labelled:
        """Return numbers as codes into the labels, which are objects.

        An array of text would be as wide for all as the longest of them.
        """
        places, texts = self.labels()
        return Labelled(places[codes], np.array([*texts.to_pylist(), None], dtype=object)[:-1])

    def labels(self) -> tuple[np.ndarray, object]:
        """Return the place of each number among the labels, and these, ascending by code points.

        Returns
        -------
        places : int32 array, shape (size,)
            The same of spellings that are one label.
        texts : pyarrow.LargeStringArray
        """
        import pyarrow as pa
        from pyarrow import compute

        ends = pa.py_buffer(self._ends[: self.size + 1])
        octets = pa.py_buffer(self._octets[: self._ends[self.size]])
        texts = pa.LargeStringArray.from_buffers(self.size, ends, octets)
        if self._cleaned:
            texts = texts.to_pylist()
            for code, text in self._cleaned.items():
                texts[code] = text
            texts = pa.array(texts, pa.large_string())
        order = compute.sort_indices(texts)  # of UTF-8, which is that of code points
        texts = texts.take(order)
        new = np.ones(self.size, dtype=bool)
        if self.size:
            new[1:] = compute.not_equal(texts[1:], texts[:-1]).to_numpy(zero_copy_only=False)
        places = np.empty(self.size, dtype=np.int32)
        places[order.to_numpy()] = np.cumsum(new, dtype=np.int32) - 1
        return places, texts.filter(pa.array(new))


def labelled(values, where: str, *, listed: bool = False) -> Labelled:
    """Return the labels of a column, see :func:`dpmc.publication.fields.spelled_column`."""
    numbering = Numbering()
    return numbering.labelled(numbering.codes(fields.spelled_column(values, where, listed=listed)))


def _buffers(texts) -> tuple[np.ndarray, np.ndarray]:
    """Return the bytes of Arrow text, and where in them each begins and the last ends."""
    _, offsets, octets = texts.buffers()
    if not len(texts):
        return np.frombuffer(b"", np.uint8), np.zeros(1, dtype=np.int64)
    offsets = np.frombuffer(offsets, np.int64)[texts.offset : texts.offset + len(texts) + 1]
    return np.frombuffer(octets or b"", np.uint8), offsets.copy()


# A slot is two words, next to each other in memory: half of a hash and a number, then where the
# text begins and its length. All zero: the slot is free, numbers are kept plus one.
_HALF = np.uint64(2**32 - 1)
_LENGTH = np.uint64(24)  # bits, enough for labels.LONGEST
_WORD = np.uint64(32)


@njit(nogil=True, cache=True)
def _number(octets, offsets, codes, first, key, slots, ends, kept, size):
    """Number texts from ``first`` on; return the first that there is no room for, and the size."""
    mask = np.uint64(slots.shape[0] - 1)
    for i in range(first, codes.size):
        begin, length = offsets[i], offsets[i + 1] - offsets[i]
        hashed = key
        for place in range(begin, begin + length):
            hashed = (hashed ^ np.uint64(octets[place])) * np.uint64(0x100000001B3)
            hashed ^= hashed >> np.uint64(29)
        half = hashed & _HALF
        slot = half & mask
        found = -1
        while slots[slot, 0]:
            if slots[slot, 0] >> _WORD == half:
                there = np.int64(slots[slot, 1] >> _LENGTH)
                same = slots[slot, 1] == (np.uint64(there) << _LENGTH) + np.uint64(length)
                k = 0
                while same and k < length:
                    same = kept[there + k] == octets[begin + k]
                    k += 1
                if same:
                    found = np.int64(slots[slot, 0] & _HALF) - 1
                    break
            slot = (slot + np.uint64(1)) & mask
        if found < 0:
            end = ends[size]
            if size + 1 == ends.size or end + length > kept.size:
                return i, size
            for k in range(length):
                kept[end + k] = octets[begin + k]
            ends[size + 1] = end + length
            slots[slot, 0] = (half << _WORD) + np.uint64(size + 1)
            slots[slot, 1] = (np.uint64(end) << _LENGTH) + np.uint64(length)
            found = size
            size += 1
        codes[i] = found
    return codes.size, size


@njit(cache=True)
def _moved(slots, new):
    """Put what is in some slots into others, which are empty and more."""
    mask = np.uint64(new.shape[0] - 1)
    for old in range(slots.shape[0]):
        if slots[old, 0]:
            slot = (slots[old, 0] >> _WORD) & mask
            while new[slot, 0]:
                slot = (slot + np.uint64(1)) & mask
            new[slot] = slots[old]
    return new


@njit(cache=True)
def _are_plain(octets, ends, plain, longest):
    found = np.zeros(ends.size - 1, dtype=np.bool_)
    for i in range(found.size):
        begin, end = ends[i], ends[i + 1]
        if 0 < end - begin <= longest:
            found[i] = octets[begin] != 0x20 and octets[end - 1] != 0x20
            for place in range(begin, end):
                found[i] &= plain[octets[place]]
    return found
