"""Projection onto the nuclear-norm ball, and truncation to a rank."""

from inspect import signature

import numpy as np
import scipy.linalg

SPARE = 8  # so many values of a block lie below the threshold, or pairs may be missing
SMALLEST = 64  # up to so many rows the whole decomposition is as fast
CAREFUL = 4  # rounds of the subspace iteration at a start, or where an error must not show
LARGEST_WHOLE = 200  # of a larger matrix only the leading pairs are computed, where they suffice
LEADING = 24  # pairs of a large matrix among which a threshold is looked for first
SPARSE = 0.1  # share of entries other than 0 up to which products with a sparse matrix pay
FEW = 6  # of so many values one is found faster by Lanczos' method than by a decomposition
MOST_RESTARTS = 20  # of that method; noised gradients of ML-100K take two


def simplex_threshold(values: np.ndarray, total: float) -> float:
    """Return the theta >= 0 with sum max(values - theta, 0) = total > 0, or 0 for a smaller sum.

    ``values``, shape (n,), are at least 0 and in descending order.
    """
    excess = np.cumsum(values) - total
    if excess[-1] <= 0:
        return 0.0
    thresholds = excess / np.arange(1, len(values) + 1)
    # the largest count for which the threshold lies below the last value that is kept; none but
    # the first where rounding swallows the total
    kept = max(np.count_nonzero(values > thresholds), 1)
    return float(thresholds[kept - 1])


def singular_pairs(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return descending singular values and the left singular vectors of a wide matrix.

    For shape (m, n), m <= n, they have the shapes (m,) and (m, m), with vectors in columns. They
    are computed from the Gram matrix, with half the work of a singular value decomposition. Small
    values have errors of about 1e-8 of the largest one, but a projection discards them.
    """
    squares, vectors = np.linalg.eigh(matrix @ matrix.T)
    return np.sqrt(np.maximum(squares[::-1], 0)), vectors[:, ::-1]


def _leading_pairs(matrix, number):
    """Return the largest of :func:`singular_pairs`, as accurate, in less time."""
    if len(matrix) > LARGEST_WHOLE and FEW * number < len(matrix):
        # few jobs need them, and they take long to import
        from scipy.sparse import csr_array
        from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh

        few = np.count_nonzero(matrix) <= SPARSE * matrix.size
        rows = csr_array(matrix) if few else matrix
        columns = rows.T.tocsr() if few else rows.T
        gram = LinearOperator(
            (len(matrix), len(matrix)), matvec=lambda x: rows @ (columns @ x), dtype=np.float64
        )
        settings = {"v0": np.random.default_rng(0).standard_normal(len(matrix))}
        if "rng" in signature(eigsh).parameters:  # before SciPy 1.17 the method had its own seed
            settings["rng"] = np.random.default_rng(0)
        try:
            squares, vectors = eigsh(gram, number, maxiter=MOST_RESTARTS, **settings)
            return np.sqrt(np.maximum(squares[::-1], 0)), vectors[:, ::-1]
        except ArpackError:  # the matrix is 0, or its values are too close to each other
            pass
    wanted = [max(len(matrix) - number, 0), len(matrix) - 1]
    squares, vectors = scipy.linalg.eigh(
        matrix @ matrix.T, subset_by_index=wanted, overwrite_a=True
    )
    return np.sqrt(np.maximum(squares[::-1], 0)), vectors[:, ::-1]


def project_nuclear(matrix: np.ndarray, tau: float) -> np.ndarray:
    """Return the matrix of nuclear norm at most tau > 0 that is nearest in Frobenius norm."""
    if matrix.shape[0] > matrix.shape[1]:
        return project_nuclear(matrix.T, tau).T
    values, theta = np.zeros(1), 0.0
    if len(matrix) > LARGEST_WHOLE:
        values, vectors = _leading_pairs(matrix, LEADING)
        theta = simplex_threshold(values, tau)
    if values[-1] >= theta:  # pairs above the threshold may be missing
        values, vectors = singular_pairs(matrix)
        theta = simplex_threshold(values, tau)
    if theta == 0:
        return matrix.copy()
    kept = np.count_nonzero(values > theta)
    basis, scale = vectors[:, :kept], 1 - theta / values[:kept]
    return (basis * scale) @ (basis.T @ matrix)


def mean_square(matrix: np.ndarray) -> float:
    """Return the mean square of the entries."""
    return np.vdot(matrix, matrix) / matrix.size


def leading_factors(matrix: np.ndarray, rank: int) -> tuple[np.ndarray, np.ndarray]:
    """Return factors of the best approximations in Frobenius norm, for all ranks up to ``rank``.

    For an (m, n) matrix the factors have shapes (m, r) and (r, n) with r = min(rank, m, n). The
    first k columns of the left factor times the first k rows of the right factor are the
    approximation of rank k.
    """
    if matrix.shape[0] > matrix.shape[1]:
        left, right = leading_factors(matrix.T, rank)
        return right.T, left.T
    _, basis = _leading_pairs(matrix, rank)
    return basis, basis.T @ matrix


class WarmProjection:
    """Project a sequence of matrices, each near the previous one, onto the nuclear-norm ball.

    A block subspace iteration finds the singular pairs above the threshold. It starts from the
    subspace of the previous matrix, so one round per matrix is enough once the sequence settles.
    The block grows until its eighth smallest value is below the threshold, so that no pair is
    missing. If it would span much of the matrix, the whole decomposition is computed instead.
    """

    def __init__(self, tau: float):
        self.tau = tau
        self._rows = None
        self._rng = np.random.default_rng(0)

    def __call__(
        self, matrix: np.ndarray, careful: bool = False, out: np.ndarray | None = None
    ) -> np.ndarray:
        """Return the projection, in ``out`` if given.

        ``careful`` takes more rounds, with a larger block.
        """
        out = np.empty_like(matrix) if out is None else out
        if matrix.shape[0] > matrix.shape[1]:
            self._project(matrix.T, careful, out.T)
        else:
            self._project(matrix, careful, out)
        return out

    def _project(self, matrix, careful, out):
        size = matrix.shape[0]
        rounds = CAREFUL if careful or self._rows is None else 1
        if self._rows is None and size > LARGEST_WHOLE:
            self._grow(matrix, 6 * SPARE)
        elif self._rows is not None and careful:
            self._grow(matrix, len(self._rows) // 2)
        while self._rows is not None and size > SMALLEST and 3 * len(self._rows) < size:
            left, values = self._rotate(matrix, rounds)
            theta = simplex_threshold(values, self.tau)
            if values[-SPARE] < theta:
                self._shrink(left, values, theta, out)
                return
            self._grow(matrix, len(self._rows) // 2)
            rounds = 2
        values, left = singular_pairs(matrix)
        theta = simplex_threshold(values, self.tau)
        if theta == 0:
            np.copyto(out, matrix)
            return
        self._rows = left.T @ matrix
        self._shrink(left, values, theta, out)

    def _rotate(self, matrix, rounds):
        """Return left singular vectors and values within the block; update the block's rows."""
        for _ in range(rounds):
            left = np.linalg.qr(matrix @ self._rows.T)[0]
            self._rows = left.T @ matrix
        rows = self._rows.astype(np.float64)
        squares, rotation = np.linalg.eigh(rows @ rows.T)
        rotation = rotation[:, ::-1].astype(matrix.dtype)
        self._rows = rotation.T @ self._rows
        return left @ rotation, np.sqrt(np.maximum(squares[::-1], 0))

    def _shrink(self, left, values, theta, out):
        """Write the projection; keep some rows more than it has rank."""
        kept = np.count_nonzero(values > theta)
        scale = (1 - theta / values[:kept]).astype(left.dtype)
        np.matmul(left[:, :kept] * scale, self._rows[:kept], out=out)
        self._rows = self._rows[: kept + kept // 4 + SPARE]

    def _grow(self, matrix, number):
        fresh = self._rng.standard_normal((number, matrix.shape[1]), matrix.dtype)
        self._rows = fresh if self._rows is None else np.vstack([self._rows, fresh])
