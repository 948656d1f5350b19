"""Writing files whole or not at all, and finding out beforehand whether they can be written."""

import errno
import hashlib
import json
import os
import secrets
import shutil
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dpmc.errors import InputError, ParameterError

ADVICE = {
    errno.ENOSPC: "the disk is full; make room there, then run this again",
    errno.EDQUOT: "your quota of this disk is used up; make room there, then run this again",
    errno.EFBIG: "it is larger than a file may be; raise that limit, or work in another folder",
    errno.EROFS: "the file system is read-only; make it writable, or work in another folder",
}
"""What a file system refuses when something is written, and never when it is read."""


def refusal(error: OSError) -> str:
    """Return one sentence on an error of the file system and, where it is known, on what to do."""
    if error.errno in ADVICE:
        # of a copy and of a new name the second file is the one that is written
        written = error.filename2 or error.filename or "A file"
        return f"{written} cannot be written: {ADVICE[error.errno]}."
    where = "" if error.filename is None else f"{error.filename}: "
    return f"{where}{error.strerror or error}."


def refusal_in(text: str) -> str | None:
    """Return the sentence of :func:`refusal` for a message of another program, None if it has none.

    The text is read for the operating system's words for a full disk and the like.
    """
    for number in ADVICE:
        if os.strerror(number) in text:
            return refusal(OSError(number, os.strerror(number)))
    return None


def check_writable(path: str | Path) -> None:
    """Refuse a place where neither a file nor a folder can be made, and leave nothing there.

    Parent folders need not exist. The check makes a folder and removes it, because permissions
    alone are not reliable on some file systems. It does not foresee a disk that fills up later.
    """
    try:
        probe(path)
    except OSError as error:
        raise ParameterError(
            "{path} cannot be written ({problem}); name another {output}.",
            path=path,
            problem=error.strerror or error,
        ) from None


def check_outside(output: Path, folder: Path) -> None:
    """Refuse a file in a folder for publication, which must contain nothing else."""
    if folder.resolve() in output.resolve().parents:
        raise ParameterError(
            "{path} would be in {folder}, which may be published with its own files only; name "
            "another {output}.",
            path=output,
            folder=folder,
        )


def check_file(
    output: Path, force: bool, folder: Path | None = None, endings: tuple[str, ...] = ()
) -> None:
    """Refuse a file that has another ending, is there, cannot be written, or would be published.

    ``folder`` is one of :func:`check_outside`.
    """
    if endings and output.suffix.lower() not in endings:
        raise ParameterError(
            "{output} must name a file that ends in {known}, got {path}.",
            known=", ".join(endings),
            path=output,
        )
    if folder is not None:
        check_outside(output, folder)
    check_writable(output)
    if output.is_dir():
        raise ParameterError("{path} is a folder; name a file for {output}.", path=output)
    if output.exists() and not force:
        raise ParameterError(
            "{path} exists; name another {output}, or give {force} to replace it.", path=output
        )


def probe(path: str | Path, room: int = 0) -> None:
    """Make a folder next to a path with a file of ``room`` bytes in it, and remove both.

    Folders above the path need not exist yet.
    """
    place = Path(os.path.abspath(path))
    above = place.parent
    while not os.path.lexists(above):
        above = above.parent
    with naming(path):
        # at least as long as the names that are given to what is not whole yet
        folder = above / f".{place.name}.{secrets.token_hex(4)}{place.suffix}.old"
        folder.mkdir()
        file = folder / "room"
        try:
            file.write_bytes(bytes(room))
            flush(file)
        finally:
            file.unlink(missing_ok=True)
            folder.rmdir()


@contextmanager
def naming(path: str | Path) -> Iterator[None]:
    """Let an error of writing name ``path`` rather than nothing, or what is not whole yet."""
    try:
        yield
    except OSError as error:
        if error.errno in ADVICE:
            error.filename, error.filename2 = str(path), None
        raise


@contextmanager
def reading_npz(path: str | Path) -> Iterator[None]:
    """Refuse an .npz file of ours that is cut short or otherwise broken, in one sentence."""
    try:
        yield
    except InputError:
        raise
    except (zipfile.BadZipFile, zlib.error, EOFError, ValueError) as error:
        raise InputError(
            f"{path} is broken ({error}); delete it, then run this again: it is made again."
        ) from None


@contextmanager
def atomic_path(path: str | Path, *, private: bool = False, replace: bool = True) -> Iterator[Path]:
    """Yield a temporary path next to ``path`` that replaces it when the block ends well.

    Without ``replace``, an existing file stays as it is (FileExistsError). Only the owner may read
    a private file; for others the umask decides.

    If the block raises, the temporary file is removed and ``path`` stays as it was. A process that
    is killed leaves the temporary file; a later run of the workflow removes it.
    """
    path = Path(path)
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        shape = {"prefix": f".{path.name}.", "suffix": path.suffix}
        handle, name = tempfile.mkstemp(dir=path.parent, **shape)
        os.close(handle)
        temporary = Path(name)
        try:
            yield temporary
            if not private:  # as it was made
                os.chmod(temporary, 0o666 & ~_umask())
            flush(temporary)
            (os.replace if replace else os.link)(temporary, path)
        finally:
            temporary.unlink(missing_ok=True)


def copy(source: str | Path, path: str | Path) -> None:
    """Copy the content of a file to ``path``, whole or not at all."""
    with atomic_path(path) as temporary:
        shutil.copyfile(source, temporary)


def write_text(path: str | Path, text: str) -> None:
    """Write ``text`` to ``path`` as UTF-8, whole or not at all."""
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def file_digest(path: str | Path) -> str:
    """Return the SHA-256 of a file."""
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def content_digest(content: object) -> str:
    """Return the SHA-256 of a JSON value, whatever the order of its keys."""
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def flush(path: Path) -> None:
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
