"""The privacy loss of the item half-steps of ALS and A-IRLS, exactly and for many neighbours.

A step of R-IRLS releases theta = A^-1 (b + t) with A = sum_i w_i u_i u_i^T + lambda I,
b = sum_i w_i x_i u_i and noise t of density p. So theta has the log density
log p(A theta - b) + log det A. On neighbouring data one rater's (w, u, x) becomes (w', u', x'),
and with the residuals r = x - u^T theta and r' = x' - u'^T theta

    t' = t + w r u - w' r' u',
    det A' / det A = (1 - w h)(1 + w' h') + w w' c^2,

h = u^T A^-1 u, h' = u'^T A^-1 u', c = u^T A^-1 u' (matrix determinant lemma, twice). Nothing is
approximated, and a neighbour costs two triangular solves.
"""

import math

import numpy as np

from dpmc_studies.compiled import njit

# Sums may be reordered, so that loops over the columns of an item use vectors; nothing else may.
FAST = {"contract", "reassoc"}


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
        Of the noise density, see :func:`_costs`.
    losses : float64 array, shape (n_neighbours,)
        The log density ratios to the neighbouring data are added to them.
    solution : float64 array, shape (n_items, rank)
        theta of the last step is written to it.
    """
    for item in range(start.shape[0]):
        mine = slice(ratings[0][item], ratings[0][item + 1])
        moved = slice(pairs[0][item], pairs[0][item + 1])
        raters, numbers = ratings[1][mine], pairs[1][moved]
        # columns: u of the raters; u, and then u', of each pair
        u, x = rows[raters].T.copy(), ratings[2][mine]
        v = np.concatenate((rows[pairs[2][moved]], moved_rows[numbers])).T.copy()
        y = np.concatenate((pairs[3][moved], pairs[4][moved]))
        found, theta = np.zeros(numbers.size), start[item].copy()
        _run(u, x, v, y, theta, noise[:, item], threshold, regularization, shape, scale, found)
        for j in range(numbers.size):
            losses[numbers[j]] += found[j]
        solution[item] = theta


@njit(cache=True, fastmath=FAST)
def _run(u, x, v, y, theta, noise, threshold, regularization, shape, scale, losses):
    """Do all steps of one item: ``theta`` moves, and the losses of the pairs are added."""
    rank, width = u.shape[0], losses.size
    lower, halves = np.empty((rank, rank)), np.empty(v.shape)
    residuals, weights = np.empty(x.size), np.empty(x.size)
    away, others, costs = np.empty(y.size), np.empty(y.size), np.empty(width)
    factorized_with_ones = False
    _subtract(u, x, theta, residuals)
    _subtract(v, y, theta, away)
    for k in range(noise.shape[0]):
        t, ones = noise[k], True
        for i in range(x.size):
            weights[i] = 1 / max(1.0, abs(residuals[i]) / threshold)
            ones &= weights[i] == 1
        for i in range(y.size):
            others[i] = 1 / max(1.0, abs(away[i]) / threshold)
        if not (ones and factorized_with_ones):
            _factorize(u, weights, regularization, lower)
            _half_solve(lower, v, halves)
        factorized_with_ones = ones
        for f in range(rank):
            theta[f] = t[f]
            for i in range(x.size):
                theta[f] += u[f, i] * weights[i] * x[i]
        _solve(lower, theta)
        _subtract(u, x, theta, residuals)
        _subtract(v, y, theta, away)
        here = _costs(t, v, others * away, shape, scale, costs)
        for i in range(width):
            j, square, moved_square, cross = i + width, 0.0, 0.0, 0.0
            for f in range(rank):
                square += halves[f, i] * halves[f, i]
                moved_square += halves[f, j] * halves[f, j]
                cross += halves[f, i] * halves[f, j]
            kept, gained = 1 - others[i] * square, 1 + others[j] * moved_square
            ratio = kept * gained + others[i] * others[j] * cross**2
            losses[i] += costs[i] - here - math.log(ratio)


@njit(cache=True, fastmath=FAST)
def _subtract(u, x, theta, residuals):
    residuals[:] = x
    for f in range(theta.size):
        for i in range(x.size):
            residuals[i] -= theta[f] * u[f, i]


@njit(cache=True, fastmath=FAST)
def _factorize(u, weights, regularization, lower):
    """Write L of L L^T = sum of w u u^T over the columns, + lambda I."""
    rank, count = u.shape
    for f in range(rank):
        for g in range(f + 1):
            total = regularization if f == g else 0.0
            for i in range(count):
                total += weights[i] * u[f, i] * u[g, i]
            for h in range(g):
                total -= lower[f, h] * lower[g, h]
            lower[f, g] = math.sqrt(total) if f == g else total / lower[g, g]


@njit(cache=True, fastmath=FAST)
def _half_solve(lower, u, halves):
    """Write L^-1 u of each column."""
    for f in range(u.shape[0]):
        halves[f] = u[f]
        for g in range(f):
            for i in range(u.shape[1]):
                halves[f, i] -= lower[f, g] * halves[g, i]
        halves[f] /= lower[f, f]


@njit(cache=True, fastmath=FAST)
def _solve(lower, theta):
    """Put (L L^T)^-1 theta in its place."""
    for f in range(theta.size):
        for g in range(f):
            theta[f] -= lower[f, g] * theta[g]
        theta[f] /= lower[f, f]
    for f in range(theta.size - 1, -1, -1):
        for g in range(f + 1, theta.size):
            theta[f] -= lower[g, f] * theta[g]
        theta[f] /= lower[f, f]


@njit(cache=True, fastmath=FAST)
def _costs(t, v, pulls, shape, scale, costs):
    """Write -log density, up to a constant, of the noise t' that each neighbour would need.

    t' is t + pull u - pull' u'. Returned is that of t itself. With z a vector over the scale it is
    the sum of |z| for shape 0, which is Laplace noise, and else the sum of Huber's loss
    rho_a(z) = (z^2 - max(|z| - a, 0)^2) / 2 for shape a, which for an infinite shape is Gaussian.
    """
    width = costs.size
    here, costs[:] = 0.0, 0.0
    for f in range(t.size):
        here += _cost(t[f] / scale, shape)
        for i in range(width):
            moved = t[f] + pulls[i] * v[f, i] - pulls[i + width] * v[f, i + width]
            costs[i] += _cost(moved / scale, shape)
    return here


@njit(cache=True, fastmath=FAST)
def _cost(z, shape):
    if shape == 0.0:
        return abs(z)
    return (z * z - max(abs(z) - shape, 0.0) ** 2) / 2
