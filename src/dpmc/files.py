"""Writing files whole or not at all, and finding out beforehand whether they can be written."""

import os
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpmc.errors import InputError


def check_writable(path: str | Path) -> None:
    """Refuse a place where neither a file nor a folder can be made, and leave nothing there.

    A folder is made beside it and removed, because permissions do not tell it for every file
    system. A disk that fills up later is not foreseen.

    Parameters
    ----------
    path : path
        Folders above it need not exist yet.

    Raises
    ------
    InputError
        It cannot be written.
    """
    place = Path(os.path.abspath(path))
    above = place.parent
    while not os.path.lexists(above):
        above = above.parent
    # at least as long as the names that are given to what is not whole yet
    probe = above / f".{place.name}.{secrets.token_hex(4)}{place.suffix}.old"
    try:
        probe.mkdir()
        probe.rmdir()
    except OSError as error:
        raise InputError(
            f"{path} cannot be written ({error.strerror or error}); name another --output."
        ) from None


@contextmanager
def atomic_path(path: str | Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that replaces it when the block ends well.

    If the block raises, the temporary file is removed and ``path`` stays as it was. A process that
    is killed in the block leaves the temporary file, see :mod:`dpmc.recovery`.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=path.suffix)
    os.close(handle)
    temporary = Path(name)
    try:
        yield temporary
        os.chmod(temporary, 0o666 & ~_umask())
        _flush(temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: str | Path, text: str) -> None:
    """Write ``text`` to ``path`` as UTF-8, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _flush(path: Path) -> None:
    """Put a file on the disk: else a power loss can leave the new name without the content."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
