"""The two passes of building a store (:mod:`dpmc.publication.store_building`), and their files.

The first pass reads the table in pieces, numbers labels as they come and writes the rows, as
numbers, to one file. Then all labels are known, with how many rows each user has: users are put in
the order of their labels and cut into blocks of about so many rows. The second pass deals these
rows out to a file for each block, and sorts one block at a time. So memory holds the labels, eight
bytes for each user, and one block or piece; and the bytes of a store depend neither on the order of
the rows nor on how they were cut into pieces.
"""

import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from itertools import pairwise
from pathlib import Path

import numpy as np

from dpmc.compiled import njit
from dpmc.files import file_digest, flush
from dpmc.publication.numbering import Numbering
from dpmc.publication.pieces import Source, read_pieces
from dpmc.publication.store import ARRAYS, FIRST_USERS, ITEMS, USERS

BLOCK = 1 << 22
"""Rows after which the next user begins a block."""
MOST_ROWS = 1 << 24
"""Of one user, that count: those of the items that come first, and of an item the latest first."""
_ROW = [("user", np.int32), ("item", np.int32), ("value", np.float64)]
Progress = Callable[[str], AbstractContextManager[Callable[[float], None]]]


def read(work, path, reading, block, progress) -> None:
    """Do the first pass: rows as numbers in one file, and what there is to know of all labels."""
    users, items = Numbering(), Numbering()
    n_rows, low, high, single, counts = 0, np.inf, -np.inf, True, np.zeros(0, dtype=np.int64)
    kind = _ROW + [("time", np.float64)] * (reading.timestamp is not None)
    with progress("rows read") as report, open_own(work / "rows") as stream:
        for piece in read_pieces(path, reading, users, items, Source()):
            rows = np.empty(piece.values.size, dtype=kind)
            rows["user"], rows["item"] = piece.users, piece.items
            rows["value"] = piece.values + 0.0  # of -0 and 0, the order of the rows would choose
            if piece.times is not None:
                rows["time"] = piece.times
            stream.write(rows.view(np.uint8))
            n_rows += rows.size
            counts = np.concatenate([counts, np.zeros(users.size - counts.size, np.int64)])
            np.add.at(counts, piece.users, 1)
            if rows.size:
                low, high = min(low, rows["value"].min()), max(high, rows["value"].max())
                with np.errstate(over="ignore"):
                    single &= bool((rows["value"].astype(np.float32) == rows["value"]).all())
            report(piece.share)
    places, labels = users.labels()
    of_users = np.zeros(len(labels), dtype=np.int64)
    np.add.at(of_users, places, counts)
    starts = _starts(of_users, block)
    sizes = np.diff(np.append(0, np.cumsum(of_users))[starts])
    item_places, item_labels = items.labels()
    store = work / "store"
    write_labels(store / ITEMS, item_labels)
    write_labels(store / FIRST_USERS, labels.take(starts[:-1]))
    for number, (first, end) in enumerate(pairwise(starts.tolist())):
        (store / f"{number:05}").mkdir(mode=0o700, exist_ok=True)
        write_labels(store / f"{number:05}" / USERS, labels[first:end])
    arrays = {"users": places, "items": item_places, "starts": starts, "sizes": sizes}
    for name, array in arrays.items():
        write_array(work / f"{name}.npy", array)
    facts = {
        "users": len(labels),
        "items": len(item_labels),
        "rows": n_rows,
        "rated": reading.rated,
        "timed": len(kind) > len(_ROW),
        "lowest": float(low) if n_rows else None,
        "highest": float(high) if n_rows else None,
        "values": "float32" if single else "float64",
        "blocks": starts.size - 1,
    }
    write_json(work / "read.json", facts)


def _starts(of_users: np.ndarray, block: int) -> np.ndarray:
    """Return the first user of each block, and the number of users, from numbers of rows."""
    window = (np.cumsum(of_users) - of_users) // block
    alone = of_users > block
    begins = np.ones(of_users.size, dtype=bool)
    begins[1:] = (window[1:] != window[:-1]) | alone[1:] | alone[:-1]
    return np.append(np.flatnonzero(begins), of_users.size)


def deal(work: Path, progress: Progress) -> None:
    """Begin the second pass: a file of rows for each block, users and items in their order."""
    for each in (*work.glob("*.rows"), *work.glob("[0-9]*.json")):  # of a process that was killed
        each.unlink()
    users, items, starts = (np.load(work / f"{name}.npy") for name in ("users", "items", "starts"))
    short = np.uint16 if starts.size <= 2**16 else np.int32  # sorted in a quarter of the time
    block_of = (np.searchsorted(starts, users, "right") - 1).astype(short)
    kind = kind_of_rows(found(work / "read.json"))
    with progress("rows dealt out") as report, open(work / "rows", "rb") as stream:
        size = max(1, os.fstat(stream.fileno()).st_size)
        while (rows := np.fromfile(stream, kind, BLOCK)).size:
            blocks = block_of[rows["user"]]
            order = np.argsort(blocks, kind="stable")
            rows["user"], rows["item"] = users[rows["user"]], items[rows["item"]]
            rows, ends = rows[order], np.cumsum(np.bincount(blocks, minlength=starts.size - 1))
            for number in np.unique(blocks).tolist():
                first = ends[number - 1] if number else 0
                with open_own(work / f"{number:05}.rows", more=True) as own:
                    own.write(rows[first : ends[number]].view(np.uint8))
            report(stream.tell() / size)
    for each in (*work.glob("*.rows"), work):
        flush(each)
    with open_own(work / "dealt"):
        pass
    (work / "rows").unlink()


def sort(work: Path, number: int, stated: Mapping) -> None:
    """Write a block of the store, and then what there is to say of it."""
    kind, starts = kind_of_rows(stated), np.load(work / "starts.npy")
    (work / "rows").unlink(missing_ok=True)
    with open(work / f"{number:05}.rows", "rb") as stream:
        rows = _at_most(stream, kind)
    first, n_users = starts[number], starts[number + 1] - starts[number]
    times = np.ascontiguousarray(rows["time"]) if stated["timed"] else np.empty(0)
    columns = [np.ascontiguousarray(rows[name]) for name in ("user", "item", "value")]
    columns[0] -= np.int32(first)
    del rows
    indptr, indices, values, repeated = _grouped(*columns, times, n_users, stated["items"])
    place = work / "store" / f"{number:05}"
    for name, array in zip(ARRAYS, (indptr, indices, values.astype(stated["values"])), strict=True):
        write_array(place / f"{name}.npy", array)
    files = [f"{name}.npy" for name in ARRAYS] + [USERS]
    of_block = {"users": int(n_users), "ratings": int(indices.size), "repeated": int(repeated)}
    of_block["files"] = {f"{number:05}/{name}": described(place / name) for name in files}
    write_json(work / f"{number:05}.json", of_block)
    (work / f"{number:05}.rows").unlink()


def _at_most(stream, kind) -> np.ndarray:
    """Return the rows of a block; of a user who has too many, and a block alone, those that count.

    Whatever the order of the rows, they are the same.
    """
    rows = np.fromfile(stream, kind, MOST_ROWS)
    while (more := np.fromfile(stream, kind, MOST_ROWS)).size:
        rows = np.concatenate([rows, more])
        keys = [rows["value"], rows["item"]]
        if "time" in rows.dtype.names:
            keys.insert(1, -rows["time"])
        rows = rows[np.lexsort(keys)[:MOST_ROWS]]
    return rows


def kind_of_rows(stated: Mapping) -> list:
    return _ROW + [("time", np.float64)] * stated["timed"]


@contextmanager
def open_own(path: Path, more: bool = False) -> Iterator:
    """Yield a file to write that only its owner may read, and put it on the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | (os.O_APPEND if more else os.O_TRUNC)
    with open(os.open(path, flags, 0o600), "wb") as stream:
        yield stream
        stream.flush()
        if not more:
            os.fsync(stream.fileno())


def write_array(path: Path, array: np.ndarray) -> None:
    """Write an .npy file; np.save does not say when the disk is full."""
    with open_own(path) as stream:
        header = np.lib.format.header_data_from_array_1_0(array)
        np.lib.format.write_array_header_1_0(stream, header)
        stream.write(np.ascontiguousarray(array).view(np.uint8))


def write_labels(path: Path, labels) -> None:
    with open_own(path) as stream:
        stream.write("".join(f"{label}\n" for label in labels.to_pylist()).encode())


def write_json(path: Path, content: Mapping) -> None:
    """Write a file whole or not at all: that it is there says that what it is about is done."""
    temporary = path.with_name(f"{path.name}.new")
    with open_own(temporary) as stream:
        stream.write(f"{json.dumps(content, indent=1)}\n".encode())
    os.replace(temporary, path)


def found(path: Path) -> object:
    try:
        return json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):  # or it is damaged
        return None


def described(path: Path) -> dict[str, object]:
    return {"size": path.stat().st_size, "sha256": file_digest(path)}


@njit(nogil=True, cache=True)
def _grouped(users, items, values, times, n_users, n_items):
    """Return rows of users, and how many ratings are of the pair before them.

    Of a pair the latest ratings stay, where there are times, in ascending order.
    """
    order = _ordered(users, n_users, _ordered(items, n_items, np.arange(users.size)))
    indptr = np.zeros(n_users + 1, dtype=np.int64)
    kept_items, kept_values = np.empty(users.size, dtype=np.int32), np.empty(users.size)
    kept, repeated, i = 0, 0, 0
    while i < order.size:
        user, item, first = users[order[i]], items[order[i]], kept
        end, latest = i, -np.inf
        while end < order.size and users[order[end]] == user and items[order[end]] == item:
            if times.size:
                latest = max(latest, times[order[end]])
            end += 1
        for k in range(i, end):
            if times.size == 0 or times[order[k]] == latest:
                kept_items[kept], kept_values[kept] = item, values[order[k]]
                kept += 1
        if kept > first + 1:
            kept_values[first:kept].sort()
            repeated += kept - first - 1
        indptr[user + 1] += kept - first
        i = end
    return np.cumsum(indptr), kept_items[:kept], kept_values[:kept], repeated


@njit(nogil=True, cache=True)
def _ordered(keys, n_keys, order):
    """Sort positions by their keys, 0, ..., n_keys - 1; those of one key stay as they are."""
    ends = np.zeros(n_keys + 1, dtype=np.int64)
    for key in keys:
        ends[key + 1] += 1
    ends = np.cumsum(ends)
    new = np.empty_like(order)
    for position in order:
        new[ends[keys[position]]] = position
        ends[keys[position]] += 1
    return new
