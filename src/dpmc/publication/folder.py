"""Folders that a command writes for publication: whole or not at all, and never over other work."""

import hashlib
import json
import math
import os
import platform
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from dpmc import __version__
from dpmc.errors import InputError, ParameterError
from dpmc.files import check_writable, file_digest, naming
from dpmc.mechanisms import Mechanism
from dpmc.released import GUARANTEE, SIMULATED

TABLE = (
    "the table can be read: its form, its columns and what means 'not rated' are known without the "
    "rows; each row has as many fields as there are columns, text that can be decoded, a finite "
    "rating and, if times are read, a number or a date; a row of a text file is one line of at "
    "most 16 MiB, in which quotes are closed; each person has one label, written alike to the last "
    "character, and all that is said of one item under it is one rating"
)
"""What is assumed of the table of ratings."""
SPENT = "once: whatever else is published about the same ratings adds to it"
UNSEEN = "messages, running time and memory are for whoever holds the ratings"
EQUAL = 1e-11
"""Relative, of numbers that are recomputed, on another machine too: those of a fit differ by
less, and more digits could say what nothing covers."""


def check_output(
    path: Path,
    force: bool,
    files: Collection[str],
    command: str,
    ledger: str | os.PathLike | None = None,
) -> None:
    """Refuse a place that something is in or that cannot be written, before anything is computed.

    ``force`` replaces earlier output of the same command: a guarantee and ``files``, which are all
    the files that the command may write. A ledger in the folder is refused: it would be lost.
    """
    place = Path(os.path.realpath(path))
    if ledger is not None and Path(os.path.realpath(ledger)).is_relative_to(place):
        raise ParameterError(
            "{ledger} must be kept outside of {output}, which is published and replaced as a whole."
        )
    check_writable(path)
    if not os.path.lexists(path):
        return
    if not force:
        raise ParameterError(
            "{path} exists; name another {output}, or give {force} to replace it.", path=path
        )
    own = {prefix + name for prefix in ("", SIMULATED) for name in (GUARANTEE, *files)}
    if path.is_symlink() or not path.is_dir() or {each.name for each in path.iterdir()} - own:
        raise ParameterError(
            "{path} holds something else than an earlier {command}, and {force} does not replace "
            "that; name another {output}.",
            path=path,
            command=command,
        )


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes ``path`` when the block ends well, and only then."""
    path = Path(os.path.abspath(path))
    with naming(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
        temporary.mkdir()
        try:
            yield temporary
            if path.exists():
                old = temporary.with_name(temporary.name + ".old")
                os.replace(path, old)
                os.replace(temporary, path)
                shutil.rmtree(old)
            else:
                os.replace(temporary, path)
        finally:
            shutil.rmtree(temporary, ignore_errors=True)


def write_guarantee(folder: Path, name: str, content: Mapping[str, object]) -> None:
    """Write the guarantee as JSON, with the digests of all files in the folder.

    All other files must exist already. The content is plain values without infinite or NaN numbers,
    which JSON cannot represent.
    """
    text = guarantee_text(content, digests(folder), versions_here())
    (folder / name).write_text(text, encoding="utf-8")


def guarantee_text(
    content: Mapping[str, object], files: Mapping[str, str], versions: Mapping[str, str]
) -> str:
    """Return the one way in which a guarantee is written."""
    content = {**content, "spent": SPENT, "unseen": UNSEEN, "files": files, "versions": versions}
    return json.dumps(content, indent=2, allow_nan=False) + "\n"


@cache
def versions_here() -> dict[str, str]:
    """Return the versions of the software that a fit uses here.

    Looked up once: that takes longer than writing a small folder.
    """
    found = {"dpmc": __version__, "python": platform.python_version()}
    found |= {name: version(name) for name in ("numpy", "scipy", "dp-accounting")}
    return {name: text.partition("+")[0] for name, text in found.items()}


def digests(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of every file of a folder, by name."""
    return {path.name: file_digest(path) for path in sorted(folder.iterdir())}


def describe_list(labels: np.ndarray, origin: str) -> dict[str, object]:
    """Return where a list is from, how long it is, and the SHA-256 of its lines."""
    text = "".join(f"{label}\n" for label in labels.tolist())
    return {
        "origin": origin,
        "count": len(labels),
        "sha256": hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest(),
    }


def describe_law(noise: Mechanism) -> dict[str, object]:
    """Return the law of the noise on a release of sensitivity 1: its name and parameters."""
    return {"law": type(noise).__name__.lower()} | asdict(noise)


def describe_noise(simulated: bool) -> str:
    """Return in words how additive noise was made."""
    if simulated:
        return "simulated: floating point, seeded generator"
    return (
        "exact: integers on a grid, drawn with random bits of the operating system; larger by "
        "1/1024 than stated, for the grid and for rounding errors"
    )


def check_list(path: Path, what: str, labels: Sequence[str], lists: Mapping) -> None:
    """Refuse labels in a file that are not the list of ``what`` ("items", "users") that is stated.

    ``lists`` has the results of :func:`describe_list`; ``path`` is the folder, for the message.
    """
    found = describe_list(np.array(labels, dtype=object), lists[what]["origin"])
    if any(lists[what][name] != value for name, value in found.items()):
        raise InputError(f"{path}: the {what} with factors are not the list that is stated.")
    if len(set(labels)) < len(labels):
        raise InputError(f"{path}: the list of {what} names one of them twice.")


def check_stated(path: Path, stated: Mapping, expected: Mapping, within: str = "") -> None:
    """Refuse stated values, of which there may be more, that are not those expected.

    ``within`` is the name of the object that holds them, with a dot, for the message.
    """
    for name, value in expected.items():
        found = stated[name]
        both = isinstance(found, Mapping) and isinstance(value, Mapping)
        if both and found.keys() == value.keys():
            check_stated(path, found, value, f"{within}{name}.")
        elif not is_same(found, value):
            raise InputError(
                f"{path}: {within}{name} is stated as {found!r}, and from the other settings "
                f"follows {value!r}."
            )


def is_same(stated: Any, expected: Any) -> bool:
    """Return whether two plain values are the same and of one kind, numbers to :data:`EQUAL`."""
    if isinstance(expected, Mapping):
        return (
            isinstance(stated, Mapping)
            and stated.keys() == expected.keys()
            and all(is_same(stated[name], expected[name]) for name in expected)
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(stated, list)
            and len(stated) == len(expected)
            and all(is_same(*pair) for pair in zip(stated, expected, strict=True))
        )
    if type(stated) is not type(expected):  # whole numbers are no floats, and no truth values
        return False
    if isinstance(expected, float):
        return math.isclose(stated, expected, rel_tol=EQUAL)
    return stated == expected


def in_order(stated: Any, expected: Any) -> Any:
    """Return stated values that :func:`is_same` as those expected, with keys in their order."""
    if isinstance(expected, Mapping):
        return {name: in_order(stated[name], value) for name, value in expected.items()}
    if isinstance(expected, list | tuple):
        return [in_order(*pair) for pair in zip(stated, expected, strict=True)]
    return stated
