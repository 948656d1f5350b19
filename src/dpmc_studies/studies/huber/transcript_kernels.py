"""The privacy loss of the item half-steps of ALS and A-IRLS, exactly and for many neighbours.

A step of R-IRLS releases theta = A^-1 (b + t) with A = sum_i w_i u_i u_i^T + lambda I,
b = sum_i w_i x_i u_i and noise t of density p. So theta has the log density
log p(A theta - b) + log det A. On neighbouring data one rater's (w, u, x) becomes (w', u', x'),
and with the residuals r = x - u^T theta and r' = x' - u'^T theta

    t' = t + w r u - w' r' u',
    det A' / det A = (1 - w h)(1 + w' h') + w w' c^2,

h = u^T A^-1 u, h' = u'^T A^-1 u', c = u^T A^-1 u' (matrix determinant lemma, twice). A user who is
removed has w' = 0. Nothing is approximated, and a neighbour costs two triangular solves.
"""

import math

import numpy as np

from dpmc_studies.compiled import njit

# Sums may be reordered, so that loops over the columns of an item use vectors; nothing else may.
FAST = {"contract", "reassoc"}


@njit(cache=True)
def add_losses(
    ratings, pairs, rows, moved_rows, start, noise,
    threshold, regularization, shape, scale, removed, changed, solution,
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
    moved_rows : float64 array, shape (n_changed, rank)
        Row u' of the user of each neighbour with a changed rating.
    start : float64 array, shape (n_items, rank)
        theta_0.
    noise : float64 array, shape (steps, n_items, rank)
        t of each step.
    threshold, regularization : float
        Residuals beyond the first get weight threshold / |residual|; lambda.
    shape, scale : float
        Of the noise density, see :func:`_costs`.
    removed, changed : float64 arrays, shapes (n_users,) and (n_changed,)
        The log density ratios to the data without a user, and with a changed rating, are added
        to them.
    solution : float64 array, shape (n_items, rank)
        theta of the last step is written to it.
    """
    for item in range(start.shape[0]):
        mine = slice(ratings[0][item], ratings[0][item + 1])
        moved = slice(pairs[0][item], pairs[0][item + 1])
        raters, numbers = ratings[1][mine], pairs[1][moved]
        # columns: u of the raters, then u and u' of each pair
        u = np.concatenate((rows[raters], rows[pairs[2][moved]], moved_rows[numbers])).T.copy()
        x = np.concatenate((ratings[2][mine], pairs[3][moved], pairs[4][moved]))
        losses, theta = np.zeros(raters.size + numbers.size), start[item].copy()
        _run(
            u, x, theta, noise[:, item], threshold, regularization, shape, scale, raters.size,
            losses,
        )  # fmt: skip
        removed[raters] += losses[: raters.size]  # no user rates an item twice
        for j in range(numbers.size):
            changed[numbers[j]] += losses[raters.size + j]
        solution[item] = theta


@njit(cache=True, fastmath=FAST)
def _run(u, x, theta, noise, threshold, regularization, shape, scale, count, losses):
    """Do all steps of one item: ``theta`` moves, and the losses of ``count`` raters and the pairs
    are added to ``losses``."""
    rank, columns = u.shape
    width = (columns - count) // 2
    lower, halves = np.empty((rank, rank)), np.empty((rank, columns))
    squares, crosses = np.empty(columns), np.empty(width)
    residuals, weights, costs = np.empty(columns), np.empty(columns), np.empty(losses.size)
    old, new = slice(count, count + width), slice(count + width, columns)
    factorized_with_ones = False
    _subtract(u, x, theta, residuals)
    for k in range(noise.shape[0]):
        t, ones = noise[k], True
        for i in range(columns):
            weights[i] = 1 / max(1.0, abs(residuals[i]) / threshold)
            ones &= i >= count or weights[i] == 1
        if not (ones and factorized_with_ones):
            _factorize(u[:, :count], weights, regularization, lower)
            _half_solve(lower, u, halves)
            squares[:] = (halves * halves).sum(axis=0)
            crosses[:] = (halves[:, old] * halves[:, new]).sum(axis=0)
        factorized_with_ones = ones
        for f in range(rank):
            theta[f] = t[f]
            for i in range(count):
                theta[f] += u[f, i] * weights[i] * x[i]
        _solve(lower, theta)
        _subtract(u, x, theta, residuals)
        here = _costs(t, u, weights * residuals, count, shape, scale, costs)
        for i in range(count):
            losses[i] += costs[i] - here - math.log(1 - weights[i] * squares[i])
        for j in range(width):
            i, new_weight = count + j, weights[count + width + j]
            kept = 1 - weights[i] * squares[i]
            gained = 1 + new_weight * squares[count + width + j]
            ratio = kept * gained + weights[i] * new_weight * crosses[j] ** 2
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
def _costs(t, u, pulls, count, shape, scale, costs):
    """Write -log density, up to a constant, of the noise t' that each neighbour would need.

    t' is t + pull u for a rater, t + pull u - pull' u' for a pair. Returned is that of t itself.
    With z a vector over the scale it is the sum of |z| for shape 0, which is Laplace noise, and
    else the sum of Huber's loss rho_a(z) = (z^2 - max(|z| - a, 0)^2) / 2 for shape a, which for an
    infinite shape is Gaussian.
    """
    width = costs.size - count
    here, costs[:] = 0.0, 0.0
    for f in range(t.size):
        here += _cost(t[f] / scale, shape)
        for i in range(count):
            costs[i] += _cost((t[f] + pulls[i] * u[f, i]) / scale, shape)
        for i in range(count, count + width):
            moved = t[f] + pulls[i] * u[f, i] - pulls[i + width] * u[f, i + width]
            costs[i] += _cost(moved / scale, shape)
    return here


@njit(cache=True, fastmath=FAST)
def _cost(z, shape):
    if shape == 0.0:
        return abs(z)
    return (z * z - max(abs(z) - shape, 0.0) ** 2) / 2
