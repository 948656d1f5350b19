"""Readers of the MovieLens formats: u.data (100K), ratings.dat (10M) and ratings.csv (20M)."""

import zipfile
import zlib
from collections.abc import Iterator
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


def read_10m(dataset: Dataset, path: Path) -> Ratings:
    """Read ``ml-10M100K/ratings.dat`` (``::`` between fields, no header) from within the zip."""
    with _member(path, "ml-10M100K/ratings.dat") as (stream, source):
        rows = read_rows(stream, source, _COLONS, dataset.rating_range)
    return assemble(dataset, source, *rows)


def read_20m(dataset: Dataset, path: Path) -> Ratings:
    """Read ``ml-20m/ratings.csv`` (comma, header) from within the zip."""
    with _member(path, "ml-20m/ratings.csv") as (stream, source):
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
def _member(path: Path, member: str) -> Iterator[tuple[BinaryIO, str]]:
    """Open a file inside a zip archive; nothing is unpacked to disk."""
    try:
        with zipfile.ZipFile(path) as archive:
            if member not in archive.namelist():
                raise InputError(f"{path} holds no {member}; fetch the official archive.")
            with archive.open(member) as stream:
                yield stream, f"{path}:{member}"
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        raise InputError(
            f"{path} is not a whole zip archive ({error}); delete it and fetch it again."
        ) from error
