"""Folders that a command writes for publication: whole or not at all, and never over other work."""

import json
import os
import platform
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path

import numpy as np

from dpmc import __version__
from dpmc.errors import InputError
from dpmc.ratings import Ratings

GUARANTEE = "guarantee.json"
SIMULATED = "simulated_"
"""How the names of files start whose noise was simulated, lest anybody publish them."""

_ROWS = 2**20  # of a table of pairs, written at a time


def check_output(path: Path, force: bool, files: Collection[str], command: str) -> None:
    """Refuse a place that something is in, before anything is computed.

    Parameters
    ----------
    path : Path
    force : bool
        Whether an earlier output may be replaced.
    files : collection of str
        Names of the files that the command may write beside the guarantee.
    command : str
        Its name, for messages.

    Raises
    ------
    InputError
        ``path`` exists and is not to be replaced, or is not a folder that the command wrote.
    """
    if not path.exists() and not path.is_symlink():
        return
    if not force:
        raise InputError(f"{path} exists; name another --output, or give --force to replace it.")
    own = {prefix + name for prefix in ("", SIMULATED) for name in (GUARANTEE, *files)}
    if path.is_symlink() or not path.is_dir() or {each.name for each in path.iterdir()} - own:
        raise InputError(
            f"{path} holds something else than an earlier {command}; --force leaves it."
        )


@contextmanager
def whole_folder(path: Path) -> Iterator[Path]:
    """Yield a temporary folder that becomes ``path`` when the block ends well, and only then."""
    path = Path(os.path.abspath(path))
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


def write_pairs(
    path: Path,
    ratings: Ratings,
    columns: Mapping[str, str],
    values: Callable[[np.ndarray, np.ndarray], list[np.ndarray]],
) -> None:
    """Write one row for each user and item, user by user.

    Parameters
    ----------
    path : Path
        A .csv or .parquet file.
    ratings : Ratings
        For its labels only.
    columns : mapping
        Names of the columns beside "user" and "item", and the Arrow type of each.
    values : callable
        From indices of users and items, two arrays of one length, to one array for each column.
    """
    import pyarrow as pa
    from pyarrow import csv, parquet

    users, items = (
        pa.array(labels.tolist()) for labels in (ratings.user_labels, ratings.item_labels)
    )
    types = {"user": users.type, "item": items.type} | dict(columns)
    schema = pa.schema(list(types.items()))
    step = max(1, _ROWS // ratings.n_items)
    with open(path, "wb") as stream:
        if path.suffix == ".csv":
            stream.write((",".join(types) + "\n").encode())  # Arrow would quote the header
            options = csv.WriteOptions(include_header=False)
            writer = csv.CSVWriter(stream, schema, write_options=options)
        else:
            writer = parquet.ParquetWriter(stream, schema)
        with writer:
            for first in range(0, ratings.n_users, step):
                chunk = np.arange(first, min(first + step, ratings.n_users))
                rows = np.repeat(chunk, ratings.n_items)
                tiled = np.tile(np.arange(ratings.n_items), chunk.size)
                table = [users.take(pa.array(rows)), items.take(pa.array(tiled))]
                writer.write_table(pa.table(table + values(rows, tiled), schema))


def write_guarantee(path: Path, content: Mapping[str, object]) -> None:
    """Write what is guaranteed as JSON, and what holds of every release.

    Parameters
    ----------
    path : Path
    content : mapping
        Plain values; no number may be infinite or NaN, for which JSON has no words.
    """
    versions = {name: version(name) for name in ("numpy", "scipy", "dp-accounting")}
    content = {
        **content,
        "spent": "once: whatever else is published about the same ratings adds to it",
        "versions": {"dpmc": __version__, "python": platform.python_version()} | versions,
    }
    text = json.dumps(content, indent=2, allow_nan=False) + "\n"
    path.write_text(text, encoding="utf-8")


def describe_noise(simulated: bool, sampler: str = "dpmc") -> str:
    """Return in words what additive noise was made of."""
    if simulated:
        return "simulated: floating point, seeded generator"
    return (
        f"exact: integers on a grid, sampler {sampler}, random bits of the operating system; "
        "larger by 1/1024 than stated, for the grid and for rounding errors"
    )
