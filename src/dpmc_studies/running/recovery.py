"""Cleanup of what a killed run left behind, before the next run starts.

Holding the folder's lock exclusively (:mod:`dpmc_studies.running.run_lock`) proves that no other
run is active, so leftovers can be cleaned up.

Jobs that outlived their run are ended. They write whole files or none, and with the current
settings the same bytes. But a job that started before an edit of the configuration could overwrite
the new run's numbers with old ones, which Snakemake would take for new. Such jobs have the name of
the folder in their environment, which no other process has. Jobs in another container or on the
nodes of a cluster are not visible here and must be ended there (docs/cluster.md).
"""

import contextlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from dpmc.errors import InputError
from dpmc.files import ADVICE, naming, probe
from dpmc_studies.running.run_lock import RUN_VARIABLE, name_of

STATE = Path(".snakemake")

# what dpmc.files.atomic_path calls its temporary files: .NAME.RANDOM.SUFFIX beside NAME
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[a-z0-9_]{8}(?P<suffix>\.[^.]+)")

# nobody but the workflow writes below results/; in data/ `dpmc data fetch` may be at work
STRAYS = {"results": 0.0, "data": 3600.0}

# bytes without which there is no use in starting a job
ROOM = 2**20

PATIENCE = 10.0


def recover(folder: str | Path) -> None:
    """Prepare a folder for the next run, and end jobs left by other runs."""
    folder = Path(folder)
    end_orphans(folder)
    try:
        if any((folder / STATE / "locks").glob("*")):  # Snakemake removes its own at the end
            print("dpmc: the last run was interrupted; going on from there", file=sys.stderr)
        remove_locks(folder)
        remove_strays(folder)
    except OSError as error:
        if error.errno in ADVICE:
            raise
        raise InputError(
            f"{error.filename} is left from a run that was killed and cannot be removed: "
            f"{error.strerror}; remove it, then run this again."
        ) from None


def check_room(folder: str | Path) -> None:
    """Raise OSError if results, or Snakemake's records of them, cannot be written."""
    for place in (Path("results"), STATE):
        with naming(place):
            probe(Path(folder, place, "room"), ROOM)


def end_orphans(folder: Path) -> int:
    """End the jobs of dead runs (kill -9) and wait until they are gone; return their number."""
    import psutil

    name, ended = name_of(folder), set()
    end = time.monotonic() + PATIENCE
    # again and again: what is ended may just have started another process
    while orphans := list(_orphans(name)):
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
    """Remove the temporary files of interrupted atomic writes; return the removed files."""
    removed = []
    for top, idle in STRAYS.items():
        for path in _files(folder / top):
            if is_stray(path.name) and time.time() - path.stat().st_mtime >= idle:
                path.unlink()
                removed.append(path)
    return removed


def is_stray(name: str) -> bool:
    """Return whether a file has a name that :func:`dpmc.files.atomic_path` gives temporary files.

    Temporary files for a file without a suffix are not recognised; no rule writes such a file.
    """
    match = _TEMPORARY.fullmatch(name)
    return match is not None and Path(match["name"]).suffix == match["suffix"]


def _orphans(name: str) -> Iterator:
    # a requirement of Snakemake; not loaded by jobs
    import psutil

    # this process may itself have been started by a job
    own = {os.getpid(), *(parent.pid for parent in psutil.Process().parents())}
    for process in psutil.process_iter():
        if process.pid in own:
            continue
        try:
            dead = process.status() == psutil.STATUS_ZOMBIE
            if not dead and process.environ().get(RUN_VARIABLE) == name:
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
