"""Normal equations of every row of ratings, fast: the core of alternating least squares.

The dtype of the factors selects single or double precision. The code uses one thread unless more
are requested, and no BLAS. Ratings are read as stored, in any dtype, without copies.
"""

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.base import check_count
from dpmc.methods.blocks import in_pieces
from dpmc.methods.kernels.normal import solve_block, sum_block
from dpmc.ratings import Compressed

DTYPES = (np.float32, np.float64)


def solve_rows(
    rows: Compressed,
    factors: np.ndarray,
    regularization: float | np.ndarray,
    *,
    weights: np.ndarray | None = None,
    base: np.ndarray | None = None,
    threads: int = 1,
) -> np.ndarray:
    """Return (sum w v v^T + base + lambda I)^-1 sum w x v of every row of ratings.

    The sums are over the ratings x of the row; v is the factor row of the rating's column and w its
    weight. A row without ratings gets zeros. The cost is r(r + 1) + 2r operations per rating and
    r^3/3 per row, with buffers of r^2 numbers per thread.

    Parameters
    ----------
    factors : float32 or float64 array, shape (n_columns, r)
        Its dtype is that of the computation and of the result.
    regularization : float or array of shape (n_rows,)
        lambda > 0, for all rows or for each.
    weights : array, shape (n_ratings,), optional
        w >= 0 of each rating, in the order of ``rows.values``; 1 if not given.
    base : array, shape (r, r), optional
        Symmetric and positive semidefinite; zeros if not given.
    threads : int
        Rows are split among so many threads; the result is the same for any number.

    Returns
    -------
    array of the dtype of ``factors``, shape (n_rows, r)
    """
    factors, weights = _operands(rows, factors, weights)
    rank, dtype = factors.shape[1], factors.dtype
    n_rows = rows.n_rows
    shifts = np.asarray(regularization, dtype=dtype)
    if shifts.shape not in ((), (n_rows,)) or not (np.isfinite(shifts) & (shifts > 0)).all():
        raise InputError(
            f"regularization must be a number above 0 or one for each of the {n_rows} rows, "
            f"got {regularization!r}."
        )
    shifts = np.full(n_rows, shifts)
    base = _array("base", np.zeros((rank, rank)) if base is None else base, (rank, rank), dtype)
    solution = np.empty((n_rows, rank), dtype)

    def solve(start, stop):
        solve_block(
            start, stop, rows.indptr, rows.indices, rows.values, weights, factors, base, shifts,
            solution,
        )  # fmt: skip

    _for_blocks(solve, rows, threads)
    return solution


def normal_sums(
    rows: Compressed, factors: np.ndarray, *, weights: np.ndarray | None = None, threads: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    """Return sum w v v^T (full and symmetric) and sum w x v of every row of ratings.

    They have shapes (n_rows, r, r), which takes n_rows r^2 numbers, and (n_rows, r), in the dtype
    of ``factors``; see :func:`solve_rows` for the arguments.
    """
    factors, weights = _operands(rows, factors, weights)
    n_rows, rank = rows.n_rows, factors.shape[1]
    grams = np.zeros((n_rows, rank, rank), factors.dtype)
    targets = np.zeros((n_rows, rank), factors.dtype)

    def add(start, stop):
        sum_block(
            start, stop, rows.indptr, rows.indices, rows.values, weights, factors, grams, targets,
        )  # fmt: skip

    _for_blocks(add, rows, threads)
    return grams, targets


def _operands(rows, factors, weights):
    """Return factors and weights as the kernels take them; no weights are an empty array."""
    factors = np.ascontiguousarray(factors)
    if factors.ndim != 2 or factors.shape[1] < 1 or factors.dtype not in DTYPES:
        raise InputError(
            "factors must be a float32 or float64 array of shape (n_columns, rank), "
            f"got {factors.dtype} of shape {factors.shape}."
        )
    most = int(rows.indices.max(initial=-1))
    if most >= len(factors):
        raise InputError(f"factors has {len(factors)} rows, but a rating is in column {most}.")
    dtype = factors.dtype
    if weights is None:
        weights = np.zeros(0, dtype)
    else:
        weights = _array("weights", weights, rows.values.shape, dtype)
        if not (weights >= 0).all():
            raise InputError("weights must be numbers of at least 0.")
    return factors, weights


def _array(name, array, shape, dtype):
    """Return a C-contiguous array of this shape: compiled code does not check bounds."""
    array = np.ascontiguousarray(array, dtype=dtype)
    if array.shape != shape:
        raise InputError(f"{name} must have shape {shape}, got {array.shape}.")
    return array


def _for_blocks(work, rows, threads):
    """Call work(start, stop) for blocks of rows with about as many ratings each."""
    threads = check_count("threads", threads)
    n_rows = rows.n_rows
    shares = np.searchsorted(rows.indptr, np.linspace(0, rows.indptr[-1], threads + 1)[1:-1])
    in_pieces(work, [0, *np.clip(shares, 0, n_rows), n_rows])
