"""Readers of the MovieLens formats: u.data (100K), ratings.dat (1M, 10M), ratings.csv (20M on)."""

import zipfile
import zlib
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import numpy as np

from dpmc.datasets.readers.columns import assemble
from dpmc.datasets.readers.text import Layout, expect_header, read_rows
from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError
from dpmc.ratings import Ratings

YEAR = "year"
GENRES = (
    "unknown", "action", "adventure", "animation", "children", "comedy", "crime", "documentary",
    "drama", "fantasy", "film-noir", "horror", "musical", "mystery", "romance", "sci-fi",
    "thriller", "war", "western",
)  # fmt: skip
MEMBERS = (
    "ml-100k/u.data", "ml-1m/ratings.dat", "ml-10M100K/ratings.dat",
    *(f"ml-{size}/ratings.csv" for size in ("20m", "25m", "32m", "latest", "latest-small")),
)  # fmt: skip
"""The ratings in each of the official archives."""
_FIELDS = ("userId", "movieId", "rating", "timestamp")
_TAB = Layout(
    _FIELDS,
    user="userId",
    item="movieId",
    rating="rating",
    separator="\t",
    integer_labels=True,
    quoted=False,
)
_COLONS = replace(_TAB, separator="::")
_COMMA = replace(_TAB, separator=",")


def read_tab(dataset: Dataset, path: Path) -> Ratings:
    """Read ``u.data``: user, item, rating and timestamp, separated by tabs, no header."""
    with open(path, "rb") as stream:
        rows = read_rows(stream, str(path), _TAB, dataset.rating_range)
    return assemble(dataset, str(path), *rows)


def read_dat(dataset: Dataset, path: Path) -> Ratings:
    """Read ``ratings.dat`` of 1M or 10M (``::`` between fields, no header) from within the zip."""
    with open_member(path, ["ml-1m/ratings.dat", "ml-10M100K/ratings.dat"]) as (stream, member):
        source = f"{path}:{member.filename}"
        rows = read_rows(stream, source, _COLONS, dataset.rating_range)
    return assemble(dataset, source, *rows)


def read_20m(dataset: Dataset, path: Path) -> Ratings:
    """Read ``ml-20m/ratings.csv`` (comma, header) from within the zip."""
    with open_member(path, ["ml-20m/ratings.csv"]) as (stream, member):
        source = f"{path}:{member.filename}"
        expect_header(stream, source, ",".join(_FIELDS))
        rows = read_rows(stream, source, _COMMA, dataset.rating_range, first_line=2)
    return assemble(dataset, source, *rows)


def read_films(dataset: Dataset, path: Path) -> Ratings:
    """Read ``u.item`` as a table of numbers: films as users, features as items.

    Features are the genres, 0 or 1, and the year of release where there is one.
    """
    rows = []
    for number, line in enumerate(path.read_bytes().splitlines(), start=1):
        film, date, *flags = (line.split(b"|")[field].decode() for field in dataset.fields)
        if len(flags) != len(GENRES) or not set(flags) <= {"0", "1"} or not film.isdigit():
            raise InputError(f"{path}, line {number}: expected a number, a date and genres.")
        rows += [(int(film), genre, int(flag)) for genre, flag in zip(GENRES, flags, strict=True)]
        if date:
            rows.append((int(film), YEAR, int(date[-4:])))
    films, names, values = zip(*rows, strict=True)
    films, features = (np.unique(each, return_inverse=True) for each in (films, names))
    return Ratings(
        films[1].astype(np.int32), features[1].astype(np.int32), np.array(values, dtype=float),
        films[0].size, features[0].size, dataset.name, None, films[0], features[0],
    )  # fmt: skip


@contextmanager
def open_member(path: Path, names: Collection[str]) -> Iterator[tuple[BinaryIO, zipfile.ZipInfo]]:
    """Open the file inside a zip archive that has one of these names; nothing is unpacked to disk.

    Other files of the archive are not looked at.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            there = [name for name in names if name in archive.namelist()]
            if len(there) != 1:
                raise InputError(
                    f"{path} holds {'more than one of' if there else 'no'} {_either(names)}; fetch "
                    "the official archive, or unpack this one and name the table in it."
                )
            member = archive.getinfo(there[0])
            if member.flag_bits & 1:
                raise InputError(f"{path} asks for a password; unpack it and name the table in it.")
            if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise _not_read(path, f"compression method {member.compress_type}")
            with archive.open(member) as stream:
                yield stream, member
    except NotImplementedError as error:
        raise _not_read(path, error) from error
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(
            f"{path} is not a whole zip archive ({error}); delete it and fetch it again."
        ) from error


def _not_read(path: Path, why: object) -> InputError:
    return InputError(
        f"{path} is packed in a way that is not read here ({why}); unpack it and name the table in "
        "it."
    )


def _either(names) -> str:
    *others, last = names
    return f"{', '.join(others)} or {last}" if others else last
