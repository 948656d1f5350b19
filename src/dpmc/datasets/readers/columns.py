"""Labelled columns of users and items, and a column of values, made into Ratings."""

import logging
from dataclasses import dataclass

import numpy as np

from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError
from dpmc.ratings import Ratings, any_pair_repeats

_log = logging.getLogger("dpmc.datasets")


@dataclass(frozen=True, eq=False)
class Labelled:
    """One label for each rating, as a code into the ascending labels.

    Attributes
    ----------
    codes : int32 array, shape (n_ratings,)
    labels : int64 or str array, shape (n_labels,)
    """

    codes: np.ndarray
    labels: np.ndarray


def encode(column) -> Labelled:
    """Number the labels of a dictionary-encoded Arrow column (ChunkedArray) in ascending order.

    Text labels that are all plain integers ("7", not "07") become integers.
    """
    column = column.unify_dictionaries().combine_chunks()
    labels = np.array(column.dictionary.to_pylist())
    if labels.dtype.kind == "U":
        labels = _integers(labels)
    order = np.argsort(labels, kind="stable")
    rank = np.empty(order.size, dtype=np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return Labelled(rank[column.indices.to_numpy(zero_copy_only=False)], labels[order])


def _integers(labels: np.ndarray) -> np.ndarray:
    try:
        numbers = labels.astype(np.int64)
    except (ValueError, OverflowError):
        return labels
    return numbers if (numbers.astype(labels.dtype) == labels).all() else labels


def assemble(
    dataset: Dataset, source: str, users: Labelled, items: Labelled, values: np.ndarray
) -> Ratings:
    """Build Ratings, dropping rows that repeat a pair with the same value."""
    kept = _first_of_each_pair(source, users, items, values)
    if kept is not None:
        _log.warning(
            "%s: %d of %d rows repeat a (user, item) pair with the same rating; they are dropped, "
            "%d ratings remain.",
            source,
            values.size - kept.size,
            values.size,
            kept.size,
        )
    kept = slice(None) if kept is None else kept
    return Ratings(
        users.codes[kept],
        items.codes[kept],
        values[kept],
        users.labels.size,
        items.labels.size,
        dataset.name,
        dataset.rating_range,
        users.labels,
        items.labels,
    )


def _first_of_each_pair(source, users, items, values) -> np.ndarray | None:
    """Return the ascending positions of the first row of each pair, None if no pair repeats."""
    if not any_pair_repeats(users.codes, items.codes, items.labels.size):
        return None
    key = users.codes.astype(np.int64) * items.labels.size + items.codes
    _, first, group = np.unique(key, return_index=True, return_inverse=True)
    differs = np.flatnonzero(values != values[first[group]])
    if differs.size:
        row = differs[0]  # no label and no rating: whoever reads logs need not see the data
        raise InputError(
            f"{source}: ratings {first[group[row]] + 1} and {row + 1}, in the order of the file, "
            "are of one user and item, and differ; keep one rating a pair."
        )
    return np.sort(first)
