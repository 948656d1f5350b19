"""Normal equations of rows of ratings, compiled: sums, Cholesky factorization, solution.

The factors of a row's ratings are copied side by side into a panel that fits the L1 cache, some
hundred at a time, each followed by the rating x itself::

    panel[k] = sqrt(w_k) (v_k, 0, ..., 0, x_k, ...)

with v padded to ``width``, a multiple of a vector and of a tile's rows. Sums go to a matrix of the
same columns and one more row, ::

    total = sum w v v^T    in its upper triangle (blocks of it)
            sum w x v^T    in row ``width``

which is factorized in place to U, upper triangular with U^T U = total, by the same tiles. Column
``width`` carries the right-hand side along and so becomes U^-T sum w x v.
"""

import math

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.kernels.tiles import (
    TILE_ROWS,
    TILE_VECTORS,
    add_tile,
    divide_by_block,
    factorize_block,
)
from dpmc.methods.kernels.vectors import (
    BYTES,
    lanes_of,
    load,
    plus_product,
    prefetch,
    scaled,
    store,
    sum_of_lanes,
)

PANEL_BYTES = 24 * 1024
AHEAD = 16  # ratings whose factors are on their way from memory


def padded_width(rank: int, dtype: np.dtype) -> int:
    """Return rank rounded up to whole vectors and tiles."""
    unit = max(BYTES // np.dtype(dtype).itemsize, TILE_ROWS)
    return -(-rank // unit) * unit


def aligned(shape: tuple[int, int], dtype: np.dtype) -> np.ndarray:
    """Return zeros that start at a whole vector, so that no load splits a cache line."""
    size = math.prod(shape)
    raw = np.zeros(size + BYTES, dtype)
    skip = -raw.ctypes.data % BYTES // raw.itemsize
    return raw[skip : skip + size].reshape(shape)


def buffers(width: int, dtype: np.dtype) -> tuple[np.ndarray, np.ndarray]:
    """Return a panel and a total for factors of this padded width."""
    columns = width + BYTES // np.dtype(dtype).itemsize
    depth = max(32, PANEL_BYTES // (columns * np.dtype(dtype).itemsize))
    return aligned((depth, columns), dtype), aligned((width + 1, columns), dtype)


@njit(cache=True, nogil=True)
def fill_panel(first, last, indices, values, weights, factors, panel):
    """Copy the factors and values of ratings first to last to the panel."""
    width, lanes = factors.shape[1], lanes_of(panel)
    for place in range(first, last):
        k, column = place - first, indices[place]
        ahead = indices[min(place + AHEAD, indices.size - 1)]
        value = panel.dtype.type(values[place])
        if weights.size:
            root = math.sqrt(weights[place])
            for f in range(0, width, lanes):
                prefetch(factors, ahead, f)
                store(scaled(load(factors, column, f), root), panel, k, f)
            panel[k, width] = root * value
        else:
            for f in range(0, width, lanes):
                prefetch(factors, ahead, f)
                store(load(factors, column, f), panel, k, f)
            panel[k, width] = value


@njit(cache=True, nogil=True)
def add_panel(panel, depth, width, total):
    """Add the products of a panel's columns to the total."""
    lanes = lanes_of(panel)
    for row in range(0, width, TILE_ROWS):
        column = row // lanes * lanes
        while column < width:
            left = (width - column) // lanes
            if row == 0:
                if left >= TILE_VECTORS:
                    add_tile(total, panel, depth, row, column, width, TILE_ROWS, TILE_VECTORS, 1)
                elif left == 1:
                    add_tile(total, panel, depth, row, column, width, TILE_ROWS, 1, 1)
                elif left == 2:
                    add_tile(total, panel, depth, row, column, width, TILE_ROWS, 2, 1)
                else:
                    add_tile(total, panel, depth, row, column, width, TILE_ROWS, 3, 1)
            elif left >= TILE_VECTORS:
                add_tile(total, panel, depth, row, column, 0, TILE_ROWS, TILE_VECTORS, 1)
            elif left == 1:
                add_tile(total, panel, depth, row, column, 0, TILE_ROWS, 1, 1)
            elif left == 2:
                add_tile(total, panel, depth, row, column, 0, TILE_ROWS, 2, 1)
            else:
                add_tile(total, panel, depth, row, column, 0, TILE_ROWS, 3, 1)
            column += TILE_VECTORS * lanes


@njit(cache=True, nogil=True)
def add_row(first, last, indices, values, weights, factors, panel, total):
    """Add the products of ratings first to last to the total."""
    for start in range(first, last, panel.shape[0]):
        stop = min(start + panel.shape[0], last)
        fill_panel(start, stop, indices, values, weights, factors, panel)
        add_panel(panel, stop - start, factors.shape[1], total)


@njit(cache=True, nogil=True)
def clear(array):
    """Set an array of whole vectors to zero."""
    zero = array.dtype.type(0)
    for i in range(array.shape[0]):
        for j in range(array.shape[1]):
            array[i, j] = zero


@njit(cache=True, nogil=True)
def factorize(total, rank, pivots):
    """Turn the total into U and U^-T times the right-hand side, pivots into 1 / diagonal of U.

    A pivot that rounding has made tiny or negative counts as 2^-20 (2^-49) of the diagonal's entry.
    """
    width, lanes = total.shape[0] - 1, lanes_of(total)
    smallest = total.dtype.type(8 * np.finfo(total.dtype).eps)
    for i in range(width):
        total[i, width] = total[width, i]
        pivots[i] = smallest * total[i, i]
    for row in range(0, rank, TILE_ROWS):
        before = row % lanes
        column = row - before
        while row > 0 and column <= width:
            left = (width - column) // lanes + 1
            if left >= TILE_VECTORS:
                add_tile(total, total, row, row, column, 0, TILE_ROWS, TILE_VECTORS, -1)
            elif left == 1:
                add_tile(total, total, row, row, column, 0, TILE_ROWS, 1, -1)
            elif left == 2:
                add_tile(total, total, row, row, column, 0, TILE_ROWS, 2, -1)
            else:
                add_tile(total, total, row, row, column, 0, TILE_ROWS, 3, -1)
            column += TILE_VECTORS * lanes
        if before == 0:
            factorize_block(total, row, 0, pivots)
        else:  # vectors hold two blocks at most
            factorize_block(total, row, TILE_ROWS, pivots)
        for column in range(row - before + max(lanes, TILE_ROWS), width + 1, lanes):
            divide_by_block(total, row, column, pivots)


@njit(cache=True, nogil=True)
def substitute(total, rank, pivots, solution):
    """Write U^-1 times column ``width`` of the total to solution[0], which is zero before."""
    width, lanes = total.shape[0] - 1, lanes_of(total)
    zero = total.dtype.type(0)
    for row in range((rank - 1) // TILE_ROWS * TILE_ROWS, -1, -TILE_ROWS):
        for i in range(row, row + TILE_ROWS):
            products = scaled(load(total, i, width), zero)
            for j in range(row // lanes * lanes, width, lanes):
                products = plus_product(products, load(total, i, j), load(solution, 0, j))
            total[i, width] -= sum_of_lanes(products)
        for i in range(row + TILE_ROWS - 1, row - 1, -1):
            solution[0, i] = total[i, width] * pivots[i]
            for above in range(row, i):
                total[above, width] -= total[above, i] * solution[0, i]


@njit(cache=True, nogil=True)
def solve_block(
    start, stop, indptr, indices, values, weights, factors, base, shifts, panel, total, work,
    solution,
):  # fmt: skip
    """Solve for rows start to stop.

    ``factors`` are padded, ``work`` has shape (2, width).
    """
    rank, pivots = solution.shape[1], work[1]
    for row in range(start, stop):
        first, last = indptr[row], indptr[row + 1]
        clear(work)
        if first < last:
            clear(total)
            for i in range(base.shape[0]):
                for j in range(i, rank):
                    total[i, j] = base[i, j]
            for i in range(total.shape[0] - 1):
                total[i, i] += shifts[row]
            add_row(first, last, indices, values, weights, factors, panel, total)
            factorize(total, rank, pivots)
            substitute(total, rank, pivots, work)
        for i in range(rank):
            solution[row, i] = work[0, i]


@njit(cache=True, nogil=True)
def sum_block(
    start, stop, indptr, indices, values, weights, factors, panel, total, grams, targets
):  # fmt: skip
    """Write the Gram matrix and the right-hand side of rows start to stop."""
    rank, width = grams.shape[1], factors.shape[1]
    for row in range(start, stop):
        clear(total)
        add_row(indptr[row], indptr[row + 1], indices, values, weights, factors, panel, total)
        for i in range(rank):
            targets[row, i] = total[width, i]
            for j in range(i, rank):
                grams[row, i, j] = total[i, j]
                grams[row, j, i] = total[i, j]
