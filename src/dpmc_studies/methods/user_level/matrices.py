"""Singular vectors of the matrix of ratings."""

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.linalg import svds

_DENSE = 64
"""Matrices with no more rows or columns than this are decomposed as a whole."""


def top_singular(matrix: csr_array, rank: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the top left and right singular vectors of a sparse matrix, and values, descending.

    Of (n, m) they are (n, r), (m, r) and (r,) with r = min(rank, n, m). Rows and columns without
    entries have zeros in the vectors.
    """
    rank, smaller = min(rank, *matrix.shape), min(matrix.shape)
    if smaller <= max(_DENSE, 2 * rank):
        left, values, right = np.linalg.svd(matrix.toarray(), full_matrices=False)
        left, values, right = left[:, :rank], values[:rank], right[:rank].T
    else:
        start = np.ones(smaller)
        left, values, right = svds(matrix, k=rank, v0=start)
        left, values, right = left[:, ::-1], values[::-1], right[::-1].T
    return *without_empty(matrix, left, right), values


def without_empty(matrix: csr_array, left: np.ndarray, right: np.ndarray) -> tuple:
    """Return factors with zeros for rows and columns without entries, as but for rounding."""
    rows = np.diff(matrix.indptr) > 0
    columns = np.bincount(matrix.indices, minlength=len(right)) > 0
    return left * rows[:, None], right * columns[:, None]
