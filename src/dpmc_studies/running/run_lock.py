"""A lock that allows one `make reproduce` per folder; the kernel releases it with the process.

The lock is an flock on ``.snakemake/dpmc.lock``. `make reproduce` first takes it exclusively, which
succeeds only if no run is active in the folder; leftovers then belong to dead runs and can be
cleaned up (:mod:`dpmc_studies.running.recovery`). After that the run shares the lock, so that
Snakemake may also be called by hand. Snakemake's own locks protect the files in use.

Python opens every file descriptor with close-on-exec, so jobs do not inherit the lock, and it ends
with the process that runs Snakemake. The file only records which process began last, for the error
message if the lock is taken. Jobs that outlived their run are found by the folder's name in their
environment.
"""

import errno
import fcntl
import json
import os
import platform
import sys
import time
from pathlib import Path

from dpmc.errors import InputError
from dpmc.files import ADVICE, naming

LOCK = Path(".snakemake") / "dpmc.lock"

# in the environment of every job: the folder of its run
RUN_VARIABLE = "DPMC_RUN"

_NO_LOCKS_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)
_held: set[str] = set()  # folders whose lock this process has


class LocksUnsupported(Exception):
    """The file system of the folder has no locks."""


def name_of(folder: str | Path) -> str:
    """Return the name of a folder in the environment of its jobs.

    Not its path: in a container another folder may have the same one.
    """
    status = os.stat(folder)
    return f"{status.st_dev}-{status.st_ino}"


def take(folder: str | Path) -> int:
    """Take the lock on a folder, exclusively; an InputError names the run that holds it.

    Return the file descriptor that holds it.
    """
    path = Path(folder) / LOCK
    while True:
        descriptor = _opened(path)
        try:
            _flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sentence = _holder(descriptor)
            os.close(descriptor)
            raise InputError(sentence) from None
        # `make clean` may have deleted the file between opening and locking it
        if _is_still(descriptor, path):
            return descriptor
        os.close(descriptor)


def begin(descriptor: int, folder: str | Path) -> None:
    """Share the lock that was taken from now on, and record which run has it."""
    _record(descriptor, folder)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        # another run got in between
        raise InputError(_holder(descriptor)) from None


def join(folder: str | Path) -> None:
    """Share the lock on a folder, as Snakemake called by hand does, unless this process has it.

    It waits while another process cleans up the folder. If the file system has no locks, only
    Snakemake's own locks protect the folder.
    """
    if name_of(folder) in _held:
        return
    try:
        descriptor = _opened(Path(folder) / LOCK)
        _flock(descriptor, fcntl.LOCK_SH)
        _record(descriptor, folder)
    except (InputError, LocksUnsupported, OSError):
        return


def _record(descriptor: int, folder: str | Path) -> None:
    since = time.strftime("%Y-%m-%d %H:%M:%S")
    record = {"pid": os.getpid(), "host": platform.node(), "since": since}
    text = json.dumps(record).encode()
    with naming(LOCK):
        os.ftruncate(descriptor, 0)
        if os.pwrite(descriptor, text, 0) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    _held.add(name_of(folder))
    os.environ[RUN_VARIABLE] = name_of(folder)


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    except OSError as error:
        why = ADVICE.get(error.errno, f"{error.strerror}; run this in a folder of your own")
        raise InputError(f"{path} cannot be written: {why}.") from None


def _flock(descriptor: int, kind: int) -> None:
    try:
        fcntl.flock(descriptor, kind)
    except BlockingIOError:
        raise
    except OSError as error:
        os.close(descriptor)
        if error.errno in _NO_LOCKS_HERE:
            raise LocksUnsupported(error.strerror) from None
        raise


def _is_still(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(path))
    except FileNotFoundError:
        return False


def _holder(descriptor: int) -> str:
    """Say who holds the lock: the process that began last, if it may be alive."""
    import psutil  # a requirement of Snakemake; not loaded by jobs

    try:
        last = json.loads(os.pread(descriptor, 1000, 0))
        pid, elsewhere = last["pid"], last["host"] != platform.node()
        alive = elsewhere or psutil.pid_exists(pid)
    except (ValueError, KeyError, TypeError):  # what a power loss leaves
        alive = False
    if not alive:
        return "Another run holds this folder; wait until it has ended, then run this again."
    where = f" on {last['host']}" if elsewhere else ""
    return (
        f"Another run holds this folder: process {pid}{where}, since {last['since']}; "
        f"wait until it has ended, or end it{where} (kill {pid}), then run this again."
    )


def refuse_held() -> None:
    """End with a sentence and exit status 2 if a live run holds the current folder."""
    try:
        take(Path.cwd())
    except InputError as error:
        print(f"dpmc: {error}", file=sys.stderr)
        sys.exit(2)
    except LocksUnsupported:
        pass


if __name__ == "__main__":
    refuse_held()
