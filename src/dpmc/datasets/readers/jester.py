"""Reader of Jester 5k, an R data file with a ``realRatingMatrix`` of recommenderlab."""

import warnings
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from dpmc.datasets.readers.columns import Labelled, assemble
from dpmc.datasets.registry import Dataset
from dpmc.errors import InputError
from dpmc.ratings import Ratings


def read_jester(dataset: Dataset, path: Path) -> Ratings:
    """Read the sparse matrix (``dgCMatrix``: columns are jokes); stored zeros are ratings."""
    matrix = _rating_matrix(path)
    try:
        pointers, rows, values = (np.asarray(getattr(matrix, name)) for name in "pix")
        n_users, n_items = (int(size) for size in matrix.Dim)
        counts = np.diff(pointers)
        whole = (
            pointers.size == n_items + 1
            and (counts >= 0).all()
            and pointers[0] == 0
            and pointers[-1] == rows.size == values.size
            and (rows.size == 0 or (rows.min() >= 0 and rows.max() < n_users))
        )
        user_labels, item_labels = (np.asarray(names) for names in matrix.Dimnames)
        whole = whole and user_labels.size == n_users and item_labels.size == n_items
    except (AttributeError, TypeError, ValueError) as error:
        raise InputError(f"{path}: the rating matrix is malformed ({error}).") from error
    if not whole:
        raise InputError(f"{path}: the parts of the rating matrix do not fit together.")
    items = np.repeat(np.arange(n_items, dtype=np.int32), counts)
    return assemble(
        dataset,
        str(path),
        Labelled(rows.astype(np.int32), user_labels),
        Labelled(items, item_labels),
        values.astype(np.float64),
    )


def _rating_matrix(path: Path) -> SimpleNamespace:
    """Return the slots of the ``dgCMatrix`` inside the first ``realRatingMatrix`` of the file."""
    # 0.7 s to import: here, not at the top
    from rdata import read_rda

    try:
        with warnings.catch_warnings():
            # rdata does not know recommenderlab's classes: it warns and gives their slots
            warnings.simplefilter("ignore", UserWarning)
            objects = read_rda(path)
    except OSError:
        raise
    except Exception as error:  # the parser fails in many ways on what is not an R data file
        raise InputError(f"{path} is not a whole R data file ({error}).") from error
    for value in objects.values():
        if "realRatingMatrix" in getattr(value, "class", ()):
            return value.data
    raise InputError(f"{path} holds no realRatingMatrix, only {', '.join(objects)}.")
