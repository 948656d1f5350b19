"""Normal equations of rows of ratings, compiled: sums, Cholesky factorisation, solution.

The loops are plain: the compiler fuses no multiply-add and reorders no sum. A row's result depends
only on its ratings, their order and their factors, not on other rows, threads or the CPU.
"""

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.kernels.cholesky import factorise, substitute


@njit(cache=True, nogil=True)
def _add_row(first, last, indices, values, weights, factors, gram, target):
    """Add w v v^T of ratings first to last to the lower triangle of a matrix, w x v to a vector.

    ``weights`` may be empty, for 1. Four ratings go together, so that an entry is read and written
    once for all of them. The innermost loop runs along a row of the matrix: its sums do not wait
    for each other, so the compiler can put several in one vector.
    """
    number = factors.dtype.type
    v = w = x = y = number(1)
    for place in range(first, last - 3, 4):
        a, b = factors[indices[place]], factors[indices[place + 1]]
        c, d = factors[indices[place + 2]], factors[indices[place + 3]]
        of_a, of_b = number(values[place]), number(values[place + 1])
        of_c, of_d = number(values[place + 2]), number(values[place + 3])
        if weights.size:
            v, w, x, y = weights[place], weights[place + 1], weights[place + 2], weights[place + 3]
        for i in range(target.size):
            p, q, r, s = v * a[i], w * b[i], x * c[i], y * d[i]
            target[i] += p * of_a + q * of_b + r * of_c + s * of_d
            row = gram[i]
            for j in range(i + 1):
                row[j] += p * a[j] + q * b[j] + r * c[j] + s * d[j]
    for place in range(last - (last - first) % 4, last):
        a, of_a = factors[indices[place]], number(values[place])
        for i in range(target.size):
            p = weights[place] * a[i] if weights.size else a[i]
            target[i] += p * of_a
            for j in range(i + 1):
                gram[i, j] += p * a[j]


@njit(cache=True, nogil=True)
def solve_block(start, stop, indptr, indices, values, weights, factors, base, shifts, solution):
    """Solve for rows start to stop.

    A pivot that rounding made tiny or negative is replaced by a few units of rounding of the
    diagonal's largest entry, so that the solution is finite.
    """
    rank = factors.shape[1]
    gram = np.empty((rank, rank), factors.dtype)
    smallest = gram.dtype.type(8 * np.finfo(gram.dtype).eps)
    for row in range(start, stop):
        first, last = indptr[row], indptr[row + 1]
        target = solution[row]
        target[:] = 0
        if first == last:
            continue
        gram[:] = base
        _add_row(first, last, indices, values, weights, factors, gram, target)
        largest = gram.dtype.type(0)
        for i in range(rank):
            gram[i, i] += shifts[row]
            largest = max(largest, gram[i, i])
        factorise(gram, smallest * largest)
        substitute(gram, target)


@njit(cache=True, nogil=True)
def sum_block(start, stop, indptr, indices, values, weights, factors, grams, targets):
    """Add the Gram matrix and the right-hand side of rows start to stop to zeros."""
    rank = factors.shape[1]
    for row in range(start, stop):
        gram = grams[row]
        _add_row(
            indptr[row], indptr[row + 1], indices, values, weights, factors, gram, targets[row]
        )
        for i in range(rank):
            for j in range(i):
                gram[j, i] = gram[i, j]
