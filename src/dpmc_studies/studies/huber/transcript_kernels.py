"""The privacy loss of the item half-steps of ALS and A-IRLS, exactly and for many neighbours.

A step of R-IRLS releases theta = A^-1 (b + t) with A = sum_i w_i u_i u_i^T + lambda I, b = sum_i
w_i x_i u_i and noise t of density p. So theta has the log density log p(A theta - b) + log det A.
On neighbouring data one rater's (w, u, x) becomes (w', u', x'). With the residuals r = x - u^T
theta and r' = x' - u'^T theta, noise and determinant become

    t' = t + w r u - w' r' u',
    det A' / det A = (1 - w h)(1 + w' h') + w w' c^2,

where h = u^T A^-1 u, h' = u'^T A^-1 u' and c = u^T A^-1 u' (matrix determinant lemma, twice). The
formulas are exact, and each neighbour costs two triangular solves.
"""

import math

import numpy as np

from dpmc.methods.kernels.cholesky import factorise, substitute
from dpmc_studies.compiled import njit


@njit(cache=True)
def add_losses(
    ratings, pairs, rows, moved_rows, start, noise,
    threshold, regularization, shape, scale, losses, solution,
):  # fmt: skip
    """Run R-IRLS on every item and add the losses of its steps to those of the neighbours.

    Parameters
    ----------
    ratings : (int64 array, shape (n_items + 1,), int array, float64 array)
        The ratings grouped by item: first of each item, raters, values.
    pairs : (int64 array, shape (n_items + 1,), int64 array, int array, float64 arrays)
        Every rating, on each set of neighbouring data, of the user whose row differs there,
        grouped by item: the first of each item; and for each rating the number of the
        neighbouring data, the user, the value, and the value there.
    rows : float64 array, shape (n_users, rank)
        User rows u.
    moved_rows : float64 array, shape (n_neighbours, rank)
        Row u' of the user of each neighbour.
    start : float64 array, shape (n_items, rank)
        theta_0.
    noise : float64 array, shape (steps, n_items, rank)
        t of each step.
    threshold, regularization : float
        Residuals beyond the first get weight threshold / |residual|; lambda.
    shape, scale : float
        Of the noise density, see :func:`cost`.
    losses : float64 array, shape (n_neighbours,)
        The log density ratios to the neighbouring data are added to them.
    solution : float64 array, shape (n_items, rank)
        theta of the last step is written to it.
    """
    rank = start.shape[1]
    lower = np.empty((rank, rank))
    for item in range(len(start)):
        mine = slice(ratings[0][item], ratings[0][item + 1])
        moved = slice(pairs[0][item], pairs[0][item + 1])
        u, x, numbers = rows[ratings[1][mine]], ratings[2][mine], pairs[1][moved]
        before, after = rows[pairs[2][moved]], moved_rows[numbers]
        old, new = pairs[3][moved], pairs[4][moved]
        halves, moved_halves = np.empty(before.shape), np.empty(after.shape)
        theta, factorised = start[item].copy(), False
        for k in range(len(noise)):
            t = noise[k, item]
            weights = weights_of(x - u @ theta, threshold)
            w = weights_of(old - before @ theta, threshold)
            moved_w = weights_of(new - after @ theta, threshold)
            ones = np.all(weights == 1)
            if not (ones and factorised):  # else the factor is that of the step before
                lower[:] = (u.T * weights) @ u + regularization * np.eye(rank)
                factorise(lower, 0.0)
                half_solve(lower, before, halves)
                half_solve(lower, after, moved_halves)
            factorised = ones
            theta = t + (u.T * weights) @ x
            substitute(lower, theta)
            pulls, moved_pulls = w * (old - before @ theta), moved_w * (new - after @ theta)
            for n in range(numbers.size):
                # -log density of t' less that of t; then h, h' and c
                needed, square, moved_square, cross = 0.0, 0.0, 0.0, 0.0
                for f in range(rank):
                    z = t[f] + pulls[n] * before[n, f] - moved_pulls[n] * after[n, f]
                    needed += cost(z / scale, shape) - cost(t[f] / scale, shape)
                    square += halves[n, f] ** 2
                    moved_square += moved_halves[n, f] ** 2
                    cross += halves[n, f] * moved_halves[n, f]
                kept, gained = 1 - w[n] * square, 1 + moved_w[n] * moved_square
                ratio = kept * gained + w[n] * moved_w[n] * cross**2
                losses[numbers[n]] += needed - math.log(ratio)
        solution[item] = theta


@njit(cache=True)
def weights_of(residuals, threshold):
    """Return the weights of residuals."""
    return 1 / np.maximum(1.0, np.abs(residuals) / threshold)


@njit(cache=True)
def half_solve(lower, rows, halves):
    """Write L^-1 u for each row u."""
    for n in range(len(rows)):
        for f in range(len(lower)):
            left = rows[n, f]
            for g in range(f):
                left -= lower[f, g] * halves[n, g]
            halves[n, f] = left / lower[f, f]


@njit(cache=True)
def cost(z, shape):
    """Return -log density of the noise at z times its scale, up to a constant.

    Shape 0 is Laplace noise, with cost |z|. Any other shape a has Huber's loss rho_a(z) = (z^2 -
    max(|z| - a, 0)^2) / 2, which is Gaussian noise for an infinite shape.
    """
    if shape == 0.0:
        return abs(z)
    return (z * z - max(abs(z) - shape, 0.0) ** 2) / 2
