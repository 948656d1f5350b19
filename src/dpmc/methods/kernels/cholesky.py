"""The Cholesky factor of small matrices, one at a time, and systems that are solved with it."""

import numpy as np

from dpmc.compiled import njit


@njit(cache=True, nogil=True)
def factorise(matrix, least):
    """Write the Cholesky factor over the lower triangle; no pivot is below ``least``."""
    for i in range(len(matrix)):
        for j in range(i + 1):
            left = matrix[i, j]
            for k in range(j):
                left -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = np.sqrt(max(left, least)) if i == j else left / matrix[j, j]


@njit(cache=True, nogil=True)
def substitute(factor, right):
    """Write x over ``right``, L L^T x = right, of the factor L in a lower triangle."""
    for i in range(right.size):
        for j in range(i):
            right[i] -= factor[i, j] * right[j]
        right[i] /= factor[i, i]
    for i in range(right.size - 1, -1, -1):
        for j in range(i + 1, right.size):
            right[i] -= factor[j, i] * right[j]
        right[i] /= factor[i, i]
