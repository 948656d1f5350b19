"""Inner products of pairs of rows, compiled: predictions of a factor model for given pairs."""

import numpy as np

from dpmc.compiled import njit


@njit(cache=True)
def pair_products(left, right, rows, columns):
    """Return left[rows[k]] . right[columns[k]] for every k, shape (n,).

    Shapes are (n_rows, r), (n_columns, r) and (n,). Indices are not checked and must be in bounds.
    """
    products = np.empty(rows.size)
    for k in range(products.size):
        row, column, total = rows[k], columns[k], 0.0
        for f in range(left.shape[1]):
            total += left[row, f] * right[column, f]
        products[k] = total
    return products


@njit(cache=True)
def rows_less_products(indptr, indices, values, left, right):
    """Return values[k] - left[row] . right[indices[k]] for every k of every row, shape (n,).

    The first three arguments are the arrays of a :class:`dpmc.ratings.Compressed`. Indices must be
    in the bounds of ``left``, shape (n_rows, r), and ``right``, shape (n_columns, r).
    """
    rest = np.empty(values.size)
    rank = np.uint64(left.shape[1])
    for row in range(indptr.size - 1):
        k, end = indptr[row], indptr[row + 1]
        while k + 4 <= end:  # four sums at once, as none waits for another
            i, j = np.uint64(indices[k]), np.uint64(indices[k + 1])
            m, n = np.uint64(indices[k + 2]), np.uint64(indices[k + 3])
            a = b = c = d = 0.0
            for f in range(rank):
                own = left[row, f]
                a += own * right[i, f]
                b += own * right[j, f]
                c += own * right[m, f]
                d += own * right[n, f]
            rest[k], rest[k + 1] = values[k] - a, values[k + 1] - b
            rest[k + 2], rest[k + 3] = values[k + 2] - c, values[k + 3] - d
            k += 4
        for one in range(k, end):
            total = 0.0
            for f in range(rank):
                total += left[row, f] * right[indices[one], f]
            rest[one] = values[one] - total
    return rest
