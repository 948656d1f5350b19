"""Mending a folder whose run was killed or lost power, before the next run starts.

Holding the folder's lock exclusively (:mod:`dpmc.running.run_lock`) proves that no other run is
active, so leftovers can be cleaned up.

Why jobs that outlived their run are ended, rather than left alone: they write files whole or not at
all, and with the settings of today the same bytes; but one that started before an edit of the
configuration could put old numbers over the new run's, which Snakemake would then take for new.
They are recognised by the name of their run in their environment, which no other process has. Those
in another container or on the nodes of a cluster cannot be seen from here: whoever runs them there
ends them (docs/cluster.md).

Why dates are looked at: Snakemake takes an output for current that is not older than its inputs. A
clock that was set back breaks that rule, in silence or with an error in every job.
"""

import contextlib
import json
import os
import re
import shutil
import time
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from dpmc.errors import InputError
from dpmc.files import ADVICE, file_digest, naming, probe
from dpmc.running.run_lock import RUN_VARIABLE

STATE = Path(".snakemake")

# what dpmc.files.atomic_path calls its temporary files: .NAME.RANDOM.SUFFIX beside NAME
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[a-z0-9_]{8}(?P<suffix>\.[^.]+)")

# nobody but the workflow writes below results/; in data/ `dpmc data fetch` may be at work
STRAYS = {"results": 0.0, "data": 3600.0}

# bytes without which there is no use in starting a job
ROOM = 2**20

PATIENCE = 10.0

# nanoseconds, as the dates of files
DAY = 86400 * 10**9
STEP = 1000


def recover(folder: str | Path, runs: Iterable[str]) -> None:
    """Make a folder ready for the next run, and end the jobs of the runs of these names."""
    folder = Path(folder)
    end_orphans(runs)
    try:
        remove_locks(folder)
        remove_strays(folder)
        # whatever the last run said: a power loss may come after its end
        mend_records(folder)
        remove_broken_archives(folder)
        mend_dates(folder)
        mark_stale(folder)
        remove_broken_kernels(Path(__file__).parents[1])
    except OSError as error:
        if error.errno in ADVICE:
            raise
        raise InputError(
            f"{error.filename} is left from a run that was killed and cannot be removed: "
            f"{error.strerror}; remove it, then run this again."
        ) from None


def check_room(folder: str | Path) -> None:
    """Raise the OSError with which results, or Snakemake's records of them, cannot be written."""
    for place in (Path("results"), STATE):
        with naming(place):
            probe(Path(folder, place, "room"), ROOM)


def end_orphans(runs: Iterable[str]) -> int:
    """End the jobs of dead runs (kill -9), and wait for it; return how many there were."""
    import psutil

    runs = set(runs)
    if not runs:
        return 0
    ended = set()
    end = time.monotonic() + PATIENCE
    # again and again: what is ended may just have started another process
    while orphans := list(_orphans(runs)):
        for orphan in orphans:
            with contextlib.suppress(psutil.Error):
                orphan.kill()
            ended.add(orphan.pid)
        if time.monotonic() > end:
            raise InputError(
                f"Process {orphans[0].pid}, a job of a run that was killed, cannot be ended; "
                "end it, then run this again."
            )
        time.sleep(0.02)
    return len(ended)


def remove_locks(folder: Path) -> None:
    """Remove Snakemake's locks, as ``snakemake --unlock`` does, and the copies of its scripts."""
    for name in ("locks", "scripts"):
        path = folder / STATE / name
        if path.is_dir():
            shutil.rmtree(path)


def remove_strays(folder: Path) -> list[Path]:
    """Remove the temporary files of interrupted atomic writes; return which."""
    removed = []
    for top, idle in STRAYS.items():
        for path in _files(folder / top):
            if is_stray(path.name) and time.time() - path.stat().st_mtime >= idle:
                path.unlink()
                removed.append(path)
    return removed


def is_stray(name: str) -> bool:
    """Return whether a file is called as :func:`dpmc.files.atomic_path` calls temporary files.

    Those of a file without a suffix are not told from others' hidden files; no rule writes one.
    """
    match = _TEMPORARY.fullmatch(name)
    return match is not None and Path(match["name"]).suffix == match["suffix"]


def mend_records(folder: Path) -> list[Path]:
    """Mark the outputs whose record a power loss left unreadable as incomplete; return the records.

    Without a record Snakemake takes an output for current, whatever its settings were.
    """
    metadata, incomplete = folder / STATE / "metadata", folder / STATE / "incomplete"
    broken = [path for path in _files(metadata) if _record(path) is None]
    for path in broken:
        _mark(incomplete / path.relative_to(metadata))
        path.unlink()
    for path in _files(incomplete):
        if _record(path) is None:
            _mark(path)
    return broken


def remove_broken_archives(folder: Path) -> list[Path]:
    """Remove .npz files of results that were cut short, so that they are made anew; return which.

    Empty ones stand for data that are not available.
    """
    removed = []
    for path in _files(folder / "results"):
        if path.suffix == ".npz" and path.stat().st_size and not zipfile.is_zipfile(path):
            path.unlink()
            removed.append(path)
    return removed


def mend_dates(folder: Path) -> list[Path]:
    """Date results from the future as early as their order allows; return which.

    A clock that was set back leaves such. They come right after the newest of the other results, or
    a day before now if there are none: so what was edited since, scripts and the user's own data,
    is newer, and Snakemake makes anew what depends on it.
    """
    now = time.time_ns()
    reference = folder / "results" / "reference"
    own = [path for path in _files(folder / "results") if reference not in path.parents]
    dates = {path: path.stat().st_mtime_ns for path in own}
    ahead = sorted({date for date in dates.values() if date > now})
    newest = max((date for date in dates.values() if date <= now), default=now - DAY)
    new = {date: newest + STEP * number for number, date in enumerate(ahead, 1)}
    mended = [path for path, date in dates.items() if date in new]
    for path in mended:
        os.utime(path, ns=(new[dates[path]],) * 2)
    return mended


def mark_stale(folder: Path) -> list[Path]:
    """Mark outputs as incomplete that were made of other inputs; return the records.

    Snakemake records the content of inputs but compares it only where the input is the newer file:
    not if it was made anew after the clock was set back, in a run that then died.
    """
    metadata, stale = folder / STATE / "metadata", []
    found: dict[str, str | None] = {}
    for path in _files(metadata):
        for name, recorded in (_record(path).get("input_checksums") or {}).items():
            if name not in found:
                found[name] = _checksum(folder / name)
            if found[name] not in (None, recorded.removeprefix("sha256:")):
                _mark(folder / STATE / "incomplete" / path.relative_to(metadata))
                stale.append(path)
                break
    return stale


def remove_broken_kernels(package: Path) -> list[Path]:
    """Remove compiled kernels that a power loss left empty or full of zeros; return which.

    numba reads its cache without a check, and every job would fail.
    """
    removed = []
    for path in _files(package):
        # an index and its data both begin as a pickle does
        if path.suffix in (".nbi", ".nbc") and not _begins_with(path, b"\x80"):
            path.unlink()
            removed.append(path)
    return removed


def _orphans(runs: set[str]) -> Iterator:
    # a requirement of Snakemake; not loaded by jobs
    import psutil

    # this process may itself have been started by a job
    own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    for process in psutil.process_iter():
        if process.pid in own:
            continue
        try:
            dead = process.status() == psutil.STATUS_ZOMBIE
            if not dead and process.environ().get(RUN_VARIABLE) in runs:
                yield process
        except (psutil.Error, OSError):
            # gone meanwhile, or somebody else's
            continue


def _files(top: Path) -> Iterator[Path]:
    for folder, _, names in os.walk(top):
        for name in names:
            path = Path(folder, name)
            if path.is_file() and not path.is_symlink():
                yield path


def _record(path: Path) -> dict | None:
    try:
        content = json.loads(path.read_bytes())
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _checksum(path: Path) -> str | None:
    """Return the SHA-256 of a file, which Snakemake records; None if there is no such file."""
    if not path.is_file():
        return None
    return file_digest(path)


def _mark(path: Path) -> None:
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text('{"external_jobid": null}', encoding="utf-8")


def _begins_with(path: Path, start: bytes) -> bool:
    with open(path, "rb") as stream:
        return stream.read(len(start)) == start
