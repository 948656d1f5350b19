"""Building a store of any number of ratings in two passes, with bounded memory.

All is done in a hidden folder of work beside the store (:mod:`dpmc.publication.store_passes` says
what), and what is done there is not done again: after a kill or on a full disk the same command
goes on from the end of the first pass, or with the first block that is missing. The store gets its
name when it is whole.
"""

import fcntl
import json
import os
import shutil
import stat
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import asdict
from pathlib import Path

import numpy as np

from dpmc.errors import InputError, ParameterError
from dpmc.files import check_writable, content_digest, flush, naming
from dpmc.publication import store_passes as passes
from dpmc.publication.reading import USUAL, Reading, files_of
from dpmc.publication.store import FIRST_USERS, FORMAT, ITEMS, MANIFEST, NOTE, USERS, Store

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
    block: int = passes.BLOCK,
    progress: passes.Progress = lambda stage: nullcontext(lambda share: None),
) -> Store:
    """Build a store of a table of any size, or go on with it, and return it.

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
    path, output = Path(path), Path(os.path.abspath(output))
    work = output.with_name(f".{output.name}.building")
    check_writable(output)
    if os.path.lexists(output) and os.path.lexists(work):
        _remove_finished(work, output)
    _check_taken(output, force)
    asked = _asked(path, reading, block)
    with naming(output), _held(work, output):
        if not _can_go_on(work, asked):
            _emptied(work)
            passes.write_json(work / "asked.json", asked)
            try:
                passes.read(work, path, reading, block, progress)
                if _asked(path, reading, block) != asked:
                    raise InputError(f"{path} was changed while it was read: build again.")
            except InputError:
                _remove(work)
                raise
        stated = passes.found(work / "read.json")
        if not (work / "dealt").exists():
            passes.deal(work, progress)
        with progress("blocks sorted") as report:
            for number in range(stated["blocks"]):
                if not (work / f"{number:05}.json").exists():
                    passes.sort(work, number, stated)
                report((number + 1) / stated["blocks"])
        _check_taken(output, force)
        _finish(work, output, stated)
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
    """Hold the folder of work, which a process that is killed lets go."""
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
        yield


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


def _remove(work: Path) -> None:
    """Remove the folder of work; the lock, which shows whose it is, goes last."""
    _clear(work)
    shutil.rmtree(work)


def _remove_finished(work: Path, output: Path) -> None:
    """Remove what a build leaves that is killed after its store got its name."""
    with _held(work, output):
        if not (work / "store").exists():
            _remove(work)


def _asked(path, reading, block) -> dict[str, object]:
    """Return what a store is made of: what is left of another one is of no use."""
    files = [(str(each.resolve()), each) for each in files_of(path, reading)]
    try:
        stats = [(name, each.stat()) for name, each in files]
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    return {
        "format": FORMAT,
        "files": [[name, about.st_size, about.st_mtime_ns] for name, about in stats],
        "reading": json.loads(json.dumps({**asdict(reading), "missing": str(reading.missing)})),
        "rows": [block, passes.MOST_ROWS],
    }


def _can_go_on(work: Path, asked: Mapping) -> bool:
    """Return whether the first pass is done and no rows are lost, as a power cut can lose some.

    Blocks that are not whole are dealt out again if the rows of all are still there.
    """
    try:
        if passes.found(work / "asked.json") != asked:
            return False
        stated = passes.found(work / "read.json")
        width, sizes = np.dtype(passes.kind_of_rows(stated)).itemsize, np.load(work / "sizes.npy")
        for name in ("users", "items", "starts"):
            np.load(work / f"{name}.npy", mmap_mode="r")
        labels = [ITEMS, FIRST_USERS, *(f"{number:05}/{USERS}" for number in range(sizes.size))]
        if not all((work / "store" / name).exists() for name in labels):
            return False
        if (work / "dealt").exists() and all(
            _is_whole(work, number, rows * width) for number, rows in enumerate(sizes.tolist())
        ):
            return True
        (work / "dealt").unlink(missing_ok=True)
        return (work / "rows").stat().st_size == stated["rows"] * width
    except (FileNotFoundError, EOFError, ValueError, KeyError, TypeError):
        return False


def _is_whole(work: Path, number: int, size: int) -> bool:
    """Return whether a block is sorted, or its rows are all there."""
    store, of_block = work / "store", passes.found(work / f"{number:05}.json")
    if of_block is None:
        own = work / f"{number:05}.rows"
        return own.exists() and own.stat().st_size == size
    return all(
        (store / name).exists() and (store / name).stat().st_size == facts["size"]
        for name, facts in of_block["files"].items()
    )


def _emptied(work: Path) -> None:
    _clear(work)
    (work / "store").mkdir(mode=0o700)


def _clear(work: Path) -> None:
    for each in work.iterdir():
        if each.is_dir():
            shutil.rmtree(each)
        elif each.name != "lock":
            each.unlink()


def _finish(work: Path, output: Path, stated: Mapping) -> None:
    """Write the rest of the store and give it its name."""
    store = work / "store"
    with passes.open_own(store / NOTE) as stream:
        stream.write(_PRIVATE.encode())
    blocks = [passes.found(work / f"{number:05}.json") for number in range(stated["blocks"])]
    facts = {
        "format": FORMAT,
        "private": "This store holds people's ratings: see PRIVATE.txt.",
        **stated,
        "ratings": sum(each["ratings"] for each in blocks),
        "repeated": sum(each["repeated"] for each in blocks),
        "files": {name: passes.described(store / name) for name in (ITEMS, FIRST_USERS, NOTE)},
        "blocks": blocks,
    }
    passes.write_json(store / MANIFEST, {**facts, "sha256": content_digest(facts)})
    if output.exists():
        os.replace(output, work / "old")
    os.replace(store, output)
    flush(output.parent)  # or a power cut takes the name, after what was left is removed
    _remove(work)
