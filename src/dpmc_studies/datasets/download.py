"""Copy or download the raw file of a data set to the data folder, and verify it.

The sources, in this order, are a copy in the data folder, a mirror folder with the same layout (an
argument, or the environment variable DPMC_DATA_MIRROR), and the official address.
"""

import contextlib
import hashlib
import os
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError
from dpmc.files import ADVICE, atomic_path, naming, refusal
from dpmc_studies.datasets.transfer import TransferFailed, transfer

MIRROR_VARIABLE = "DPMC_DATA_MIRROR"


class DataNotAvailable(InputError):
    """The data is in neither the data folder nor a mirror and cannot be downloaded.

    A file that is present but wrong raises a plain InputError instead.
    """


def obtain(
    dataset: Dataset,
    directory: str | Path,
    *,
    mirror: str | Path | None = None,
    offline: bool = False,
    progress: bool = True,
    timeout: float = 30.0,
    attempts: int = 3,
    pause: float = 1.0,
) -> Path:
    """Return the path of the verified raw file, copying or downloading it if it is not there.

    A user's own data set is verified and used in place. Without ``mirror``, the environment
    variable DPMC_DATA_MIRROR names the mirror folder. ``offline`` disables the network, and the
    other options are those of :func:`dpmc_studies.datasets.transfer.transfer`. If there is no copy,
    mirror or download, or the data are withdrawn, :class:`DataNotAvailable` is raised. A wrong
    checksum raises InputError. A copy is never replaced or deleted.
    """
    _refuse_withdrawn(dataset)
    target = dataset.location(directory)
    if dataset.is_own or target.exists():
        verify(dataset, target)
        return target
    original = _in_mirror(dataset, mirror)
    with _file_errors(target):
        if original is not None:
            _copy(dataset, original, target)
        elif offline:
            raise _unavailable(dataset, target, mirror, "downloads are switched off")
        else:
            options = {"timeout": timeout, "attempts": attempts, "pause": pause}
            try:
                _download(dataset, target, progress=progress, **options)
            except TransferFailed as error:
                raise _unavailable(dataset, target, mirror, f"{dataset.url} {error}") from error
    return target


def locate(
    dataset: Dataset, directory: str | Path, mirror: str | Path | None = None
) -> Path | None:
    """Return the raw file in the data folder, else in the mirror, else None; not verified."""
    local = dataset.location(directory)
    return local if local.is_file() else _in_mirror(dataset, mirror)


def available(dataset: Dataset, directory: str | Path, mirror: str | Path | None = None) -> bool:
    """Return whether the raw file is in the data folder or in the mirror, verified or not."""
    return locate(dataset, directory, mirror) is not None


def verify(dataset: Dataset, path: str | Path) -> None:
    """Check that a file is the raw file of a data set; an InputError says what is wrong."""
    _refuse_withdrawn(dataset)
    path = Path(path)
    if not path.is_file():
        advice = f"correct data.sets.{dataset.name}.path" if dataset.is_own else "fetch it first"
        raise InputError(f"{dataset.title}: there is no file {path}; {advice}.")
    with _file_errors(path):
        fault = _fault(dataset, path)
    if fault:
        advice = (
            f"correct the file or data.sets.{dataset.name}.sha256"
            if dataset.is_own
            else "move it away or delete it, then fetch it again"
        )
        raise InputError(f"{path} {fault}; {advice}.")


def _refuse_withdrawn(dataset: Dataset) -> None:
    if dataset.withdrawn:
        raise DataNotAvailable(dataset.withdrawn)


@contextlib.contextmanager
def _file_errors(path: Path) -> Iterator[None]:
    """Turn what the file system refuses (rights, a full disk) into one sentence."""
    try:
        with naming(path):
            yield
    except OSError as error:
        if error.errno in ADVICE:
            raise InputError(refusal(error)) from error
        raise InputError(
            f"{error.filename or path} cannot be read or written: {error.strerror or error}."
        ) from error


def _fault(dataset: Dataset, path: Path) -> str | None:
    """Say what is wrong with a file, or return None if its checksum is right (or not known)."""
    if dataset.sha256 is None:
        return None
    with open(path, "rb") as stream:
        if dataset.fields:
            found = _digest_of_fields(stream, dataset.fields)
        elif dataset.line_ends_vary:
            text = stream.read().replace(b"\r\n", b"\n").rstrip(b"\n")
            found = hashlib.sha256(text).hexdigest()
        else:
            found = hashlib.file_digest(stream, "sha256").hexdigest()
    if found == dataset.sha256:
        return None
    size = path.stat().st_size
    short = dataset.size is not None and size < dataset.size
    extent = f" and is cut short ({size:,} of {dataset.size:,} bytes)" if short else ""
    return f"has SHA-256 {found} instead of {dataset.sha256}{extent}"


def _digest_of_fields(stream: BinaryIO, fields: Iterable[int]) -> str:
    """Return the SHA-256 of some fields of lines with bars between them; "" of other lines."""
    digest = hashlib.sha256()
    for line in stream.read().splitlines():
        parts = line.split(b"|")
        if max(fields) >= len(parts):
            return ""
        digest.update(b"|".join(parts[field] for field in fields) + b"\n")
    return digest.hexdigest()


def _mirror_folder(mirror: str | Path | None) -> Path | None:
    folder = mirror or os.environ.get(MIRROR_VARIABLE)
    if not folder:
        return None
    folder = Path(folder).expanduser()
    if not folder.is_dir():
        raise InputError(
            f"The mirror folder {folder} does not exist; correct the path (configuration, --mirror "
            f"or {MIRROR_VARIABLE}) or leave it out."
        )
    return folder


def _in_mirror(dataset: Dataset, mirror: str | Path | None) -> Path | None:
    folder = None if dataset.is_own else _mirror_folder(mirror)
    return folder / dataset.file if folder and (folder / dataset.file).is_file() else None


def _copy(dataset: Dataset, original: Path, target: Path) -> None:
    with atomic_path(target) as temporary:
        shutil.copyfile(original, temporary)
        fault = _fault(dataset, temporary)
        if fault:
            raise InputError(
                f"{original} in the mirror {fault}; repair the mirror or run without it."
            )


def _unavailable(dataset: Dataset, target: Path, mirror, why: str) -> DataNotAvailable:
    folder = _mirror_folder(mirror)
    searched = f"it is not in the mirror {folder}" if folder else "no mirror folder is set"
    return DataNotAvailable(
        f"{dataset.title} is not available: there is no {target}, {searched}, and {why}; put the "
        f"file there, or set {MIRROR_VARIABLE} to a folder that holds {dataset.file}."
    )


def _download(dataset: Dataset, target: Path, **options) -> None:
    """Download a file, check it, and only then put it in its place."""
    with atomic_path(target) as temporary:
        if dataset.member is None:
            transfer(dataset.url, temporary, title=dataset.title, size=dataset.size, **options)
            fault = _fault(dataset, temporary)
        else:
            with tempfile.TemporaryDirectory() as folder:
                archive = Path(folder, "archive.zip")
                transfer(dataset.url, archive, title=dataset.title, **options)
                fault = _extract(archive, dataset.member, temporary)
            found = None if fault else _fault(dataset, temporary)
            fault = fault or (found and f"holds a member that {found}")
        if fault:
            raise InputError(
                f"{dataset.url} delivered a file that {fault}; it was not kept: try again later, "
                f"or put the right file at {target}."
            )


def _extract(archive: Path, member: str, destination: Path) -> str | None:
    """Write a member of a zip archive, or of one within it, to a file; or say what is wrong."""
    try:
        with contextlib.ExitStack() as stack:
            stream = _find(stack, archive, member)
            if stream is None:
                return f"holds no {member}"
            with open(destination, "wb") as output:
                shutil.copyfileobj(stream, output)
    except zipfile.BadZipFile as error:
        return f"is not a whole zip archive ({error})"
    return None


def _find(stack: contextlib.ExitStack, archive, member: str):
    bundle = stack.enter_context(zipfile.ZipFile(archive))
    names = bundle.namelist()
    for name in names:
        if PurePosixPath(name).name == member:
            return stack.enter_context(bundle.open(name))
    for name in names:
        if name.lower().endswith(".zip"):
            found = _find(stack, stack.enter_context(bundle.open(name)), member)
            if found is not None:
                return found
    return None
