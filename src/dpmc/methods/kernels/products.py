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
