"""Building a store of any number of ratings in two passes, with bounded memory.

The first pass reads the table in pieces, numbers labels as they come and writes the rows, as
numbers, to a file. All labels and the number of rows of each user are then known. Users are put in
the order of their labels and cut into blocks of about the requested number of rows. The second pass
distributes the rows to the blocks, within one file, and sorts one block at a time. Memory holds the
labels, eight bytes per user, and one block or piece. The bytes of a store depend neither on the
order of the rows nor on the pieces.

The store is built in a hidden folder next to its place and renamed when it is complete. If a
process is killed, the next build of the same store removes its folder.
"""

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import pairwise
from pathlib import Path

import numpy as np

from dpmc.compiled import njit
from dpmc.errors import InputError, ParameterError
from dpmc.files import check_writable, content_digest, file_digest, flush, naming
from dpmc.publication.numbering import Numbering
from dpmc.publication.pieces import Source, read_pieces
from dpmc.publication.reading import USUAL, Reading
from dpmc.publication.store import ARRAYS, FIRST_USERS, FORMAT, ITEMS, MANIFEST, NOTE, USERS, Store

BLOCK = 1 << 22
"""Rows after which the next user begins a block, and rows that are dealt out at a time."""
Progress = Callable[[str], AbstractContextManager[Callable[[float], None]]]
_ROW = [("user", np.int32), ("item", np.int32), ("value", np.float64)]
_PRIVATE = (
    "This folder holds people's ratings, with their labels and without any protection. It is\n"
    "private: do not publish it, nor its sizes and digests, and give it to nobody. What dpmc fit\n"
    "writes may be published, and nothing here is a part of that.\n"
)


def build(
    path: str | Path,
    output: str | Path,
    reading: Reading = USUAL,
    *,
    force: bool = False,
    block: int = BLOCK,
    progress: Progress = lambda stage: nullcontext(lambda share: None),
) -> Store:
    """Build a store of a table of any size, and return it.

    Parameters
    ----------
    path, reading
        See :func:`dpmc.publication.pieces.read_pieces`.
    output : path
        Folder to make; files in it are for their owner alone to read.
    force : bool
        Replace an earlier store.
    block : int
        Rows of a block, about; a user who has more has one alone.
    progress : callable
        Called with the name of a stage, as a context that yields what is told the share done.

    Raises
    ------
    InputError
        See :func:`dpmc.publication.pieces.read_pieces`; or the output exists, is being made by
        another process, or cannot be written; or the folder of work is not the caller's alone.
    """
    output = Path(os.path.abspath(output))
    work = output.with_name(f".{output.name}.building")
    check_writable(output)
    with naming(output), _held(work, output):
        _check_taken(output, force)
        store = work / "store"
        store.mkdir(mode=0o700)
        facts, kind, places, starts = _read(work, Path(path), reading, block, progress)
        _deal(work, kind, places, starts, progress)
        blocks = []
        with progress("blocks sorted") as report, open(work / "dealt", "rb") as stream:
            for number, (first, end) in enumerate(pairwise(starts.tolist())):
                rows = np.fromfile(stream, kind, int(places["counts"][first:end].sum()))
                rows["user"] -= np.int32(first)
                blocks.append(_sorted(store / f"{number:05}", rows, end - first, facts))
                report((number + 1) / (starts.size - 1))
        _check_taken(output, force)
        _finish(store, facts, blocks)
        if output.exists():
            os.replace(output, work / "old")
        os.replace(store, output)
        flush(output.parent)  # or a power cut takes the name, after what was left is removed
    return Store.open(output)


def _check_taken(output: Path, force: bool) -> None:
    """Refuse what is there already, before the build and again before the store gets its name."""
    if not os.path.lexists(output):
        return
    if not force:
        raise ParameterError(
            "{path} exists; name another {output}, or give {force} to replace it.", path=output
        )
    if not (output / MANIFEST).is_file():
        raise ParameterError(
            "{path} holds something else than a store; {force} leaves it.", path=output
        )


@contextmanager
def _held(work: Path, output: Path) -> Iterator[None]:
    """Hold an empty folder of work, which a process that is killed lets go, and remove it."""
    work.parent.mkdir(parents=True, exist_ok=True)
    try:
        work.mkdir(mode=0o700)
    except FileExistsError:
        _check_own(work)
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW
    with open(os.open(work / "lock", flags, 0o600), "wb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InputError(f"{output} is being built by another process: wait for it.") from None
        _clear(work)
        try:
            yield
        finally:
            _clear(work)
            shutil.rmtree(work)


def _check_own(work: Path) -> None:
    """Refuse a folder where others may have put or read something, or that no build has made."""
    about = work.lstat()
    if not stat.S_ISDIR(about.st_mode) or about.st_uid != os.geteuid() or about.st_mode & 0o077:
        raise InputError(
            f"{work}, where the store would be built, is not a folder of yours alone: remove it."
        )
    names = os.listdir(work)
    if names and "lock" not in names:
        raise InputError(f"{work} holds something else than a store that is being built: move it.")


def _clear(work: Path) -> None:
    """Remove all but the lock, which shows whose the folder is."""
    for each in work.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        elif each.name != "lock":
            each.unlink()


def _read(work: Path, path: Path, reading: Reading, block: int, progress: Progress) -> tuple:
    """Write the rows as numbers to one file, and all labels to the store.

    Returned are what the store states of all ratings, the type of a row, where each user and item
    comes in the order of the labels with the rows of each user, and the first user of each block.
    """
    users, items = Numbering(), Numbering()
    single, counts = True, np.zeros(0, dtype=np.int64)
    kind = _ROW + [("time", np.float64)] * (reading.timestamp is not None)
    with progress("rows read") as report, _own_file(work / "rows") as stream:
        for piece in read_pieces(path, reading, users, items, Source()):
            rows = np.empty(piece.values.size, dtype=kind)
            rows["user"], rows["item"] = piece.users, piece.items
            rows["value"] = piece.values + 0.0  # of -0 and 0, the order of the rows would choose
            if piece.times is not None:
                rows["time"] = piece.times
            stream.write(rows.view(np.uint8))
            counts = np.concatenate([counts, np.zeros(users.size - counts.size, np.int64)])
            np.add.at(counts, piece.users, 1)
            with np.errstate(over="ignore"):
                single &= bool((rows["value"].astype(np.float32) == rows["value"]).all())
            report(piece.share)
    user_places, labels = users.labels()
    of_users = np.zeros(len(labels), dtype=np.int64)
    np.add.at(of_users, user_places, counts)
    starts = _starts(of_users, block)
    item_places, item_labels = items.labels()
    store = work / "store"
    _write_labels(store / ITEMS, item_labels)
    _write_labels(store / FIRST_USERS, labels.take(starts[:-1]))
    for number, (first, end) in enumerate(pairwise(starts.tolist())):
        (store / f"{number:05}").mkdir(mode=0o700)
        _write_labels(store / f"{number:05}" / USERS, labels[first:end])
    facts = {
        "users": len(labels),
        "items": len(item_labels),
        "rated": reading.rated,
        "values": "float32" if single else "float64",
    }
    return facts, kind, {"user": user_places, "item": item_places, "counts": of_users}, starts


def _starts(of_users: np.ndarray, block: int) -> np.ndarray:
    """Return the first user of each block, and the number of users, from numbers of rows."""
    window = (np.cumsum(of_users) - of_users) // block
    alone = of_users > block
    begins = np.ones(of_users.size, dtype=bool)
    begins[1:] = (window[1:] != window[:-1]) | alone[1:] | alone[:-1]
    return np.append(np.flatnonzero(begins), of_users.size)


def _deal(work: Path, kind: list, places: dict, starts: np.ndarray, progress: Progress) -> None:
    """Put the rows of each block together, with users and items by their places."""
    short = np.uint16 if starts.size <= 2**16 else np.int32  # sorted in a quarter of the time
    block_of = (np.searchsorted(starts, places["user"], "right") - 1).astype(short)
    width = np.dtype(kind).itemsize
    # where the next row of each block goes
    ends = np.append(0, np.cumsum(places["counts"]))[starts[:-1]] * width
    with (
        progress("rows dealt out") as report,
        open(work / "rows", "rb") as stream,
        _own_file(work / "dealt") as dealt,
    ):
        size = max(1, os.fstat(stream.fileno()).st_size)
        while (rows := np.fromfile(stream, kind, BLOCK)).size:
            blocks = block_of[rows["user"]]
            order = np.argsort(blocks, kind="stable")
            for name in ("user", "item"):
                rows[name] = places[name][rows[name]]
            rows, first = rows[order], 0
            numbers, sizes = np.unique(blocks, return_counts=True)
            for number, count in zip(numbers.tolist(), sizes.tolist(), strict=True):
                dealt.seek(ends[number])
                dealt.write(rows[first : first + count].view(np.uint8))
                ends[number] += count * width
                first += count
            report(stream.tell() / size)
    (work / "rows").unlink()


def _sorted(place: Path, rows: np.ndarray, n_users: int, facts: dict) -> dict[str, object]:
    """Write the arrays of a block, and return what there is to say of it."""
    times = np.ascontiguousarray(rows["time"]) if "time" in rows.dtype.names else np.empty(0)
    columns = [np.ascontiguousarray(rows[name]) for name in ("user", "item", "value")]
    del rows
    indptr, indices, values, repeated = _grouped(*columns, times, n_users, facts["items"])
    for name, array in zip(ARRAYS, (indptr, indices, values.astype(facts["values"])), strict=True):
        with _own_file(place / f"{name}.npy") as stream:
            # np.save does not say when the disk is full
            header = np.lib.format.header_data_from_array_1_0(array)
            np.lib.format.write_array_header_1_0(stream, header)
            stream.write(np.ascontiguousarray(array).view(np.uint8))
    files = [f"{name}.npy" for name in ARRAYS] + [USERS]
    return {
        "users": n_users,
        "ratings": int(indices.size),
        "repeated": int(repeated),
        "files": {f"{place.name}/{name}": described(place / name) for name in files},
    }


def _finish(store: Path, facts: dict, blocks: list[dict]) -> None:
    """Write what says what is in the store, and that it is private."""
    with _own_file(store / NOTE) as stream:
        stream.write(_PRIVATE.encode())
    facts = {
        "format": FORMAT,
        "private": "This store holds people's ratings: see PRIVATE.txt.",
        **facts,
        "ratings": sum(each["ratings"] for each in blocks),
        "repeated": sum(each["repeated"] for each in blocks),
        "files": {name: described(store / name) for name in (ITEMS, FIRST_USERS, NOTE)},
        "blocks": blocks,
    }
    with _own_file(store / MANIFEST) as stream:
        text = json.dumps({**facts, "sha256": content_digest(facts)}, indent=1)
        stream.write(f"{text}\n".encode())


@contextmanager
def _own_file(path: Path) -> Iterator:
    """Yield a file to write that only its owner may read, and put it on the disk."""
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_TRUNC
    with open(os.open(path, flags, 0o600), "wb") as stream:
        yield stream
        stream.flush()
        os.fsync(stream.fileno())


def _write_labels(path: Path, labels) -> None:
    with _own_file(path) as stream:
        stream.write("".join(f"{label}\n" for label in labels.to_pylist()).encode())


def described(path: Path) -> dict[str, object]:
    """Return what a store states of one of its files."""
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
