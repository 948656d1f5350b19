"""Readers of SweetRS and of Restaurant & consumer: quoted CSV with a fixed header."""

from pathlib import Path

from dpmc.datasets.readers.columns import assemble
from dpmc.datasets.readers.text import Layout, expect_header, read_rows
from dpmc.datasets.registry import Dataset
from dpmc.ratings import Ratings

_SWEETRS = Layout(("product", "user", "value"), user="user", item="product", rating="value")
_RESTAURANT = Layout(
    ("userID", "placeID", "rating", "food_rating", "service_rating"),
    user="userID",
    item="placeID",
    rating="rating",
)


def read_sweetrs(dataset: Dataset, path: Path) -> Ratings:
    """Read SweetRS: product, user, value 0..5, where 0 is a rating.

    The published file has 44,543 rows, of which 50 repeat a (user, product) pair with the same
    value; 44,493 ratings of 1,476 users and 77 products remain.
    """
    return _read(dataset, path, _SWEETRS)


def read_restaurant(dataset: Dataset, path: Path) -> Ratings:
    """Read Restaurant & consumer: the overall rating 0..2; the other two ratings are left out."""
    return _read(dataset, path, _RESTAURANT)


def _read(dataset: Dataset, path: Path, layout: Layout) -> Ratings:
    with open(path, "rb") as stream:
        expect_header(stream, str(path), ",".join(layout.fields))
        rows = read_rows(stream, str(path), layout, dataset.rating_range, first_line=2)
    return assemble(dataset, str(path), *rows)
