"""From a raw file to :class:`dpmc.ratings.Ratings`: one reader for each file format."""

from collections.abc import Callable, Mapping
from pathlib import Path

from dpmc.datasets.readers.delimited import read_restaurant, read_sweetrs
from dpmc.datasets.readers.evaluations import (
    read_bfi,
    read_filmtrust,
    read_inst_eval,
    read_lastfm,
)
from dpmc.datasets.readers.jester import read_jester
from dpmc.datasets.readers.movielens import read_20m, read_dat, read_films, read_tab
from dpmc.datasets.readers.table import read_table
from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError
from dpmc.ratings import Ratings

READERS: Mapping[str, Callable[[Dataset, Path], Ratings]] = {
    "movielens-tab": read_tab,
    "movielens-dat": read_dat,
    "movielens-20m": read_20m,
    "movielens-films": read_films,
    "sweetrs": read_sweetrs,
    "restaurant": read_restaurant,
    "jester": read_jester,
    "inst-eval": read_inst_eval,
    "bfi": read_bfi,
    "filmtrust": read_filmtrust,
    "lastfm": read_lastfm,
    "table": read_table,
}


def read(dataset: Dataset, path: str | Path) -> Ratings:
    """Read the raw file of a data set.

    Users and items are numbered from 0 in the order of their labels (of Jester, in the order of
    the file); ratings keep the order of the file. Rows that repeat a (user, item) pair with the
    same rating are dropped, and a warning of the logger ``dpmc.datasets`` says how many.

    Raises
    ------
    InputError
        Data that are withdrawn, no such file, not in its format, a malformed line, a rating outside
        ``dataset.rating_range``, or two different ratings of one (user, item) pair.
    """
    path = Path(path)
    if dataset.withdrawn:
        raise InputError(dataset.withdrawn)
    try:
        return READERS[dataset.reader](dataset, path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}.") from error
