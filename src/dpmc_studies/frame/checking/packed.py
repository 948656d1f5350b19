"""The complete tables of a full run, compressed, from which all verdicts can be computed again.

They are in ``tables`` in a study's reference, one file for each table that its jobs make. Claims,
tables for readers and figures follow from them.
"""

import lzma
from collections.abc import Iterator
from pathlib import Path

from dpmc.errors import InputError
from dpmc.files import atomic_path
from dpmc_studies.frame.api import Study

FOLDER, SUFFIX = "tables", ".csv.xz"


def pack(study: Study, results: Path, reference: Path) -> Iterator[Path]:
    """Write each table of a study's jobs that a run has into its reference; yield the files.

    A file that already holds the same table is not rewritten, because another version of liblzma
    may compress it to other bytes.
    """
    for name in dict.fromkeys(table for job in study.jobs for table in job.tables):
        source, target = results / f"{name}.csv", reference / FOLDER / f"{name}{SUFFIX}"
        if source.is_file():
            table = source.read_bytes()
            if not (target.is_file() and lzma.decompress(target.read_bytes()) == table):
                _write(target, lzma.compress(table, preset=9))
            yield target


def unpack(reference: Path, results: Path) -> list[Path]:
    """Write the tables of a reference into a folder of results, as a full run had them."""
    packed = sorted((reference / FOLDER).rglob(f"*{SUFFIX}"))
    if not packed:
        raise InputError(
            f"{reference} holds no complete tables; `dpmc reference update` writes them from a "
            "full run."
        )
    written = []
    for path in packed:
        name = path.relative_to(reference / FOLDER).as_posix().removesuffix(SUFFIX)
        written.append(results / f"{name}.csv")
        _write(written[-1], lzma.decompress(path.read_bytes()))
    return written


def _write(path: Path, content: bytes) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(content)
