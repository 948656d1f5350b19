"""One `make reproduce` per folder: a lock that the kernel takes back when its process dies.

The lock is an flock on ``.snakemake/dpmc.lock``. `make reproduce` takes it exclusively, which
succeeds only if no run is alive in the folder; whatever lies about then is of dead runs and may be
mended (:mod:`dpmc_studies.running.recovery`). For the rest of its life a run shares the lock, so
that Snakemake may be called by hand beside it, where Snakemake's own locks say which files are in
use.

The file descriptor is closed on exec (every one that Python opens is), so jobs do not inherit the
lock and it ends with the process that runs Snakemake. What is written in the file is only a record,
one JSON object a line: which runs began and which of them ended, for the message to whoever finds
the lock taken, and so that jobs that outlived their run can be found by their environment.
"""

import contextlib
import errno
import fcntl
import json
import os
import platform
import sys
import time
import uuid
from pathlib import Path

from dpmc.errors import InputError
from dpmc.files import ADVICE, naming

LOCK = Path(".snakemake") / "dpmc.lock"

# in the environment of every job: which run it belongs to
RUN_VARIABLE = "DPMC_RUN"

_NO_LOCKS_HERE = (errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP)


class LocksUnsupported(Exception):
    """The file system of the folder has no locks."""


class RunLock:
    """The lock on a folder, held by this process."""

    def __init__(self, descriptor: int):
        self._descriptor = descriptor
        # the runs that died without a word; known to be dead only while the lock is exclusive
        self.former = [line["run"] for line in _unended(descriptor)]
        self._run = None

    def begin(self) -> str:
        """Write down that a run begins, and share the lock from now on; return the run's name."""
        os.ftruncate(self._descriptor, 0)
        self.share()
        try:
            fcntl.flock(self._descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            # another run got in between
            raise InputError(_held(self._descriptor)) from None
        return self._run

    def share(self) -> None:
        """Write down that a run begins that shares the lock with others."""
        # the process first: whether a name is ours must be seen without the file
        self._run = f"{os.getpid()}-{uuid.uuid4().hex}"
        since = time.strftime("%Y-%m-%d %H:%M:%S")
        line = {"run": self._run, "pid": os.getpid(), "host": platform.node(), "since": since}
        _append(self._descriptor, line)
        os.fsync(self._descriptor)
        os.environ[RUN_VARIABLE] = self._run

    def end(self) -> None:
        """Write down that the run ended, and give the lock back."""
        # unsaid on a full disk, the next run looks for jobs of this one, and finds none
        with contextlib.suppress(OSError):
            _append(self._descriptor, {"ended": self._run})
        os.close(self._descriptor)


def take(folder: str | Path) -> RunLock:
    """Take the lock on a folder, exclusively; an InputError names the run that holds it."""
    path = Path(folder) / LOCK
    while True:
        descriptor = _opened(path)
        try:
            _flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sentence = _held(descriptor)
            os.close(descriptor)
            raise InputError(sentence) from None
        # `make clean` may have deleted the file between opening and locking it
        if _is_still(descriptor, path):
            return RunLock(descriptor)
        os.close(descriptor)


def join(folder: str | Path) -> RunLock | None:
    """Share the lock on a folder, as Snakemake called by hand does; None if this process has it.

    Waits while another process mends the folder. Where there can be no lock there is none:
    Snakemake has its own.
    """
    if os.environ.get(RUN_VARIABLE, "").partition("-")[0] == str(os.getpid()):
        return None
    try:
        descriptor = _opened(Path(folder) / LOCK)
        _flock(descriptor, fcntl.LOCK_SH)
    except (InputError, LocksUnsupported, OSError):
        return None
    lock = RunLock(descriptor)
    lock.share()
    return lock


def _opened(path: Path) -> int:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # appending: runs that share the file add whole lines
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
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


def _append(descriptor: int, line: dict) -> None:
    text = (json.dumps(line) + "\n").encode()
    with naming(LOCK):
        if os.write(descriptor, text) < len(text):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def _unended(descriptor: int) -> list[dict]:
    """Return what was written down of runs that began and did not say that they ended."""
    content = os.pread(descriptor, os.fstat(descriptor).st_size, 0)
    lines = [line for line in map(_line, content.splitlines()) if line is not None]
    ended = {line.get("ended") for line in lines}
    return [line for line in lines if "run" in line and line["run"] not in ended]


def _line(line: bytes) -> dict | None:
    try:
        content = json.loads(line)
    except ValueError:
        # what a power loss leaves
        return None
    return content if isinstance(content, dict) else None


def _held(descriptor: int) -> str:
    """Say who holds the lock."""
    holders = [line for line in _unended(descriptor) if _may_live(line)]
    if not holders:
        return "Another run holds this folder; wait until it has ended, then run this again."
    holder = holders[-1]
    elsewhere = holder["host"] != platform.node()
    where = f" on {holder['host']}" if elsewhere else ""
    return (
        f"Another run holds this folder: process {holder['pid']}{where}, since {holder['since']}; "
        f"wait until it has ended, or end it{where} (kill {holder['pid']}), then run this again."
    )


def _may_live(line: dict) -> bool:
    # a requirement of Snakemake; not loaded by jobs
    import psutil

    return line.get("host") != platform.node() or psutil.pid_exists(line["pid"])


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
