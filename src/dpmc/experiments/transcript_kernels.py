"""The privacy loss of one item half-step of ALS or A-IRLS, exactly and for many neighbours at once.

A step of R-IRLS releases theta = A^-1 (b + t) with A = sum_i w_i u_i u_i^T + lambda I,
b = sum_i w_i x_i u_i and noise t of density p. So theta has the log density
log p(A theta - b) + log det A. On neighbouring data one rater's (w, u, x) becomes (w', u', x'),
and with the residuals r = x - u^T theta and r' = x' - u'^T theta

    t' = t + w r u - w' r' u',
    det A' / det A = (1 - w h)(1 + w' h') + w w' c^2,

h = u^T A^-1 u, h' = u'^T A^-1 u', c = u^T A^-1 u' (matrix determinant lemma, twice). A user who is
removed has w' = 0. Nothing is approximated, and a neighbour costs one triangular solve.
"""

import math

import numpy as np
from numba import njit

from dpmc.solvers.direct import cholesky_solve, weighted_gram


@njit(cache=True)
def add_losses(
    indptr, raters, values, rows, moved, moved_rows, start, noise,
    threshold, regularization, shape, scale, removed, changed, solution,
):  # fmt: skip
    """Run R-IRLS on every item and add the losses of its steps to those of the neighbours.

    Parameters
    ----------
    indptr, raters, values
        The ratings grouped by item (:class:`dpmc.ratings.Compressed`).
    rows : float64 array, shape (n_users, rank)
        User rows u.
    moved : (int64 array, shape (n_items + 1,), int64 array, int64 array, float64 array)
        The changed ratings and those that their users share rows with, grouped by item:
        the first of each item, and for each the neighbour, the place of its user among the raters
        of the item and the rating on the neighbouring data.
    moved_rows : float64 array, shape (n_changed, rank)
        Row u' of the user of each neighbour with a changed rating.
    start : float64 array, shape (n_items, rank)
        theta_0.
    noise : float64 array, shape (steps, n_items, rank)
        t of each step.
    threshold, regularization : float
        Residuals beyond the first get weight threshold / |residual|; lambda.
    shape, scale : float
        Of the noise density, see :func:`noise_loss`.
    removed, changed : float64 arrays, shapes (n_users,) and (n_changed,)
        The log density ratios to the data without a user, and with a changed rating, are added
        to them.
    solution : float64 array, shape (n_items, rank)
        theta of the last step is written to it.
    """
    rank = rows.shape[1]
    gram, target = np.empty((rank, rank)), np.empty(rank)
    for item in range(indptr.size - 1):
        first, last = indptr[item], indptr[item + 1]
        if first == last:
            solution[item] = noise[-1, item] / regularization
            continue
        own, x = rows[raters[first:last]], values[first:last]
        pairs = slice(moved[0][item], moved[0][item + 1])
        neighbours, places, new_x = moved[1][pairs], moved[2][pairs], moved[3][pairs]
        new = moved_rows[neighbours]
        columns = np.vstack((own, new)).T.copy()
        halves = np.empty_like(columns)
        theta = start[item].copy()
        for step in range(noise.shape[0]):
            weights = _weights(own, x, theta, threshold)
            new_weights = _weights(new, new_x, theta, threshold)
            gram[:] = 0.0
            target[:] = noise[step, item]
            for f in range(rank):
                gram[f, f] = regularization
            weighted_gram(own, x, theta, threshold, gram, target)
            cholesky_solve(gram, target)  # leaves the factor in gram
            theta[:] = target
            _half_solve(gram, columns, halves)
            _add_removed(
                own, x, weights, halves, theta, noise[step, item], shape, scale,
                raters[first:last], removed,
            )  # fmt: skip
            _add_changed(
                own, x, weights, new, new_x, new_weights, halves, theta, noise[step, item],
                shape, scale, places, neighbours, changed,
            )  # fmt: skip
        solution[item] = theta


@njit(cache=True)
def noise_loss(t, shape, scale):
    """-log density of one coordinate up to a constant: |z|, z = t/scale, for shape 0 (Laplace),

    else Huber's loss rho_shape(z); shape infinity is Gaussian.
    """
    z = abs(t) / scale
    if shape == 0.0:
        return z
    clipped = min(z, shape)
    return clipped * (z - clipped / 2.0)


@njit(cache=True)
def _residual(row, x, theta):
    residual = x
    for f in range(theta.size):
        residual -= row[f] * theta[f]
    return residual


@njit(cache=True)
def _weights(rows, values, theta, threshold):
    weights = np.empty(values.size)
    for i in range(values.size):
        size = abs(_residual(rows[i], values[i], theta))
        weights[i] = 1.0 if size <= threshold else threshold / size
    return weights


@njit(cache=True)
def _half_solve(lower, columns, halves):
    """Write L^-1 of every column to halves."""
    for f in range(lower.shape[0]):
        for i in range(columns.shape[1]):
            halves[f, i] = columns[f, i]
        for g in range(f):
            factor = lower[f, g]
            for i in range(columns.shape[1]):
                halves[f, i] -= factor * halves[g, i]
        pivot = 1.0 / lower[f, f]
        for i in range(columns.shape[1]):
            halves[f, i] *= pivot


@njit(cache=True)
def _product(halves, i, j):
    """Inner product of two columns: h, h' or c."""
    total = 0.0
    for f in range(halves.shape[0]):
        total += halves[f, i] * halves[f, j]
    return total


@njit(cache=True)
def _add_removed(own, x, weights, halves, theta, noise, shape, scale, raters, removed):
    for i in range(x.size):
        pull = weights[i] * _residual(own[i], x[i], theta)
        loss = -math.log(1.0 - weights[i] * _product(halves, i, i))
        for f in range(theta.size):
            loss += noise_loss(noise[f] + pull * own[i, f], shape, scale)
            loss -= noise_loss(noise[f], shape, scale)
        removed[raters[i]] += loss


@njit(cache=True)
def _add_changed(
    own, x, weights, new, new_x, new_weights, halves, theta, noise, shape, scale,
    places, neighbours, changed,
):  # fmt: skip
    for pair in range(places.size):
        i, j = places[pair], x.size + pair
        w, w_new = weights[i], new_weights[pair]
        pull = w * _residual(own[i], x[i], theta)
        push = w_new * _residual(new[pair], new_x[pair], theta)
        kept = 1.0 - w * _product(halves, i, i)
        gained = 1.0 + w_new * _product(halves, j, j)
        loss = -math.log(kept * gained + w * w_new * _product(halves, i, j) ** 2)
        for f in range(theta.size):
            there = noise[f] + pull * own[i, f] - push * new[pair, f]
            loss += noise_loss(there, shape, scale) - noise_loss(noise[f], shape, scale)
        changed[neighbours[pair]] += loss
