"""The regressions of one side, computed directly: the reference for the fast kernels.

Each step of R-IRLS sums and factorizes the weighted Gram matrix again, as the papers state it, in
compiled explicit loops without BLAS.
"""

import numpy as np

from dpmc.methods.kernels.cholesky import factorise, substitute
from dpmc_studies.compiled import njit
from dpmc_studies.methods.kernels.regressions import Regressions


@njit(cache=True)
def weighted_gram(factors, values, theta, threshold, gram, target):
    """Add F^T W F to the lower triangle of gram and F^T W x to target."""
    rank = factors.shape[1]
    for i in range(values.size):
        residual = values[i]
        for f in range(rank):
            residual -= factors[i, f] * theta[f]
        weight = 1.0 if abs(residual) <= threshold else threshold / abs(residual)
        for f in range(rank):
            weighted = weight * factors[i, f]
            target[f] += weighted * values[i]
            for g in range(f + 1):
                gram[f, g] += weighted * factors[i, g]


@njit(cache=True)
def solve_rows(
    indptr, indices, values, factors, noise, start, steps, threshold, regularization, solution
):  # fmt: skip
    """Run R-IRLS on every row; see :func:`dpmc_studies.methods.kernels.lanes.solve_batches`."""
    rank = factors.shape[1]
    gram, target = np.empty((rank, rank)), np.empty(rank)
    for row in range(indptr.size - 1):
        first, last = indptr[row], indptr[row + 1]
        if first == last:
            continue
        own = factors[indices[first:last]]
        solution[row] = start[row]
        for k in range(steps):
            gram[:] = 0.0
            for f in range(rank):
                gram[f, f] = regularization
                target[f] = noise[k, row, f] if noise.shape[0] > 0 else 0.0
            weighted_gram(own, values[first:last], solution[row], threshold, gram, target)
            factorise(gram, 0.0)
            substitute(gram, target)
            solution[row] = target


class DirectRegressions(Regressions):
    """:class:`dpmc_studies.methods.kernels.regressions.Regressions`, computed directly."""

    def _solve(self, factors, threshold, start, noise, solution):
        solve_rows(
            self.rows.indptr, self.rows.indices, self.rows.values, factors, noise, start,
            self.steps, threshold, self.regularization, solution,
        )  # fmt: skip
