"""Inner products of pairs of rows, compiled: what a factor model predicts for given pairs."""

import numpy as np
from numba import njit


def pair_products(
    left: np.ndarray, right: np.ndarray, rows: np.ndarray, columns: np.ndarray
) -> np.ndarray:
    """Return left[rows[k]] . right[columns[k]] for every k.

    Parameters
    ----------
    left, right : float64 arrays, shapes (n_rows, r) and (n_columns, r)
    rows, columns : integer arrays of one shape (n,)
        Not checked: they must lie in the bounds of ``left`` and ``right``.

    Returns
    -------
    float64 array, shape (n,)
    """
    products = np.empty(rows.size)
    _fill(left, right, rows, columns, products)
    return products


@njit(cache=True)
def _fill(left, right, rows, columns, products):
    for k in range(products.size):
        row, column, total = rows[k], columns[k], 0.0
        for f in range(left.shape[1]):
            total += left[row, f] * right[column, f]
        products[k] = total


@njit(cache=True)
def rows_less_products(indptr, indices, values, left, right):
    """Return values[k] - left[row] . right[indices[k]] for every k of every row.

    Parameters
    ----------
    indptr, indices, values : arrays
        Of :class:`dpmc.ratings.Compressed`; they must lie in the bounds of ``left`` and ``right``.
    left, right : float64 arrays, shapes (n_rows, r) and (n_columns, r)

    Returns
    -------
    float64 array, shape (n,)
    """
    rest = np.empty(values.size)
    for row in range(indptr.size - 1):
        for k in range(indptr[row], indptr[row + 1]):
            column, total = indices[k], 0.0
            for f in range(left.shape[1]):
                total += left[row, f] * right[column, f]
            rest[k] = values[k] - total
    return rest
