"""Titles of items, for people: a public table of labels and titles."""

from pathlib import Path

from dpmc.errors import InputError
from dpmc.publication.features import read_items
from dpmc.publication.lists import in_column, listed_once
from dpmc.publication.numbering import labelled
from dpmc.publication.sources import choose_one

_MOVIELENS = ".item"


def read_titles(path: str | Path, item: str | None = None, title: str | None = None) -> dict:
    """Return label -> title of the items in a table, in its order.

    Parameters
    ----------
    path : path
        A .csv, .tsv or .parquet file with a column of items and one of titles, or u.item of
        MovieLens 100K: a label, a title and others between bars, without header.
    item, title : str, optional
        Names of these columns; found by their usual names if not given.

    Raises
    ------
    InputError
        What cannot be read, or an item that is listed twice.
    """
    path = Path(path)
    if path.suffix.lower() == _MOVIELENS:
        return _of_films(path)
    table = read_items(path, item=item, title=title)
    names = tuple(table.column_names)
    item, title = (
        choose_one(str(path), names, role, given)
        for role, given in (("item", item), ("title", title))
    )
    labels = listed_once(in_column(table[item], f"{path}: column '{item}'"), str(path), "item")
    titles = labelled(table[title], f"{path}: column '{title}'")
    return dict(zip(labels, titles.labels[titles.codes].tolist(), strict=True))


def _of_films(path: Path) -> dict[str, str]:
    try:
        octets = path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from None
    try:
        text = octets.decode("utf-8")
    except UnicodeDecodeError:
        text = octets.decode("latin-1")  # GroupLens's own
    rows = [line.split("|") for line in text.splitlines() if line]
    if any(len(row) < 2 for row in rows):
        raise InputError(f"{path} is not in the form of u.item of MovieLens 100K.")
    places = ((f"line {number}", row[0]) for number, row in enumerate(rows, 1))
    labels = listed_once(places, str(path), "item")
    return dict(zip(labels, (row[1].strip() for row in rows), strict=True))
