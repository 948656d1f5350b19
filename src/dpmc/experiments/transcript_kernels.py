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
        Every rating, on each set of neighbouring data, of the user whose row differs there,
        grouped by item: the first of each item; and for each rating the number of the
        neighbouring data, the user's place among the raters of the item, and the value.
    moved_rows : float64 array, shape (n_changed, rank)
        Row u' of the user of each neighbour with a changed rating.
    start : float64 array, shape (n_items, rank)
        theta_0.
    noise : float64 array, shape (steps, n_items, rank)
        t of each step.
    threshold, regularization : float
        Residuals beyond the first get weight threshold / |residual|; lambda.
    shape, scale : float
        Of the noise density, see :func:`_total_loss`.
    removed, changed : float64 arrays, shapes (n_users,) and (n_changed,)
        The log density ratios to the data without a user, and with a changed rating, are added
        to them.
    solution : float64 array, shape (n_items, rank)
        theta of the last step is written to it.
    """
    rank = rows.shape[1]
    factor = np.empty((rank, rank))
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
        theta, target = start[item].copy(), np.empty(rank)
        weights, new_weights = np.empty(x.size), np.empty(new_x.size)
        for step in range(noise.shape[0]):
            _weigh(own, x, theta, threshold, weights)
            _weigh(new, new_x, theta, threshold, new_weights)
            target[:] = noise[step, item]
            _factorize(own, x, weights, regularization, factor, target)
            _solve(factor, target, theta)
            halves = _half_solve(factor, columns)
            t = noise[step, item]
            here = _total_loss(t, 0.0, t, 0.0, t, shape, scale)
            pulls = _pulls(own, x, weights, theta)
            kept = 1.0 - weights * _squares(halves[:, : x.size])
            for i in range(x.size):
                there = _total_loss(t, pulls[i], own[i], 0.0, t, shape, scale)
                removed[raters[first + i]] += there - here - math.log(kept[i])
            pushes = _pulls(new, new_x, new_weights, theta)
            gained = 1.0 + new_weights * _squares(halves[:, x.size :])
            for j in range(new_x.size):
                i = places[j]
                cross = _product(halves, i, x.size + j)
                ratio = kept[i] * gained[j] + weights[i] * new_weights[j] * cross * cross
                there = _total_loss(t, pulls[i], own[i], -pushes[j], new[j], shape, scale)
                changed[neighbours[j]] += there - here - math.log(ratio)
        solution[item] = theta


@njit(cache=True)
def _total_loss(t, pull, own, push, new, shape, scale):
    """-log density of the noise vector t + pull own + push new, up to a constant.

    With z the vector over the scale this is the sum of |z| for shape 0, which is Laplace, and
    else the sum of Huber's loss rho_shape(z), which for an infinite shape is Gaussian.
    """
    total = 0.0
    for f in range(t.size):
        z = abs(t[f] + pull * own[f] + push * new[f]) / scale
        if shape == 0.0:
            total += z
        else:
            clipped = min(z, shape)
            total += clipped * (z - clipped / 2.0)
    return total


@njit(cache=True)
def _residual(row, x, theta):
    residual = x
    for f in range(theta.size):
        residual -= row[f] * theta[f]
    return residual


@njit(cache=True)
def _weigh(rows, values, theta, threshold, weights):
    for i in range(values.size):
        size = abs(_residual(rows[i], values[i], theta))
        weights[i] = 1.0 if size <= threshold else threshold / size


@njit(cache=True)
def _pulls(rows, values, weights, theta):
    """Return weight times residual: what each rating contributes along its row."""
    pulls = np.empty(values.size)
    for i in range(values.size):
        pulls[i] = weights[i] * _residual(rows[i], values[i], theta)
    return pulls


@njit(cache=True)
def _factorize(rows, values, weights, regularization, factor, target):
    """Write R with R^T R = A to the upper triangle of factor, and add b to target."""
    rank = target.size
    factor[:] = 0.0
    for f in range(rank):
        factor[f, f] = regularization
    for i in range(values.size):
        for f in range(rank):
            weighted = weights[i] * rows[i, f]
            target[f] += weighted * values[i]
            for g in range(rank):  # the whole row: longer, but faster than a half of it
                factor[f, g] += weighted * rows[i, g]
    for f in range(rank):
        for h in range(f):
            above = factor[h, f]
            for g in range(f, rank):
                factor[f, g] -= above * factor[h, g]
        pivot = 1.0 / math.sqrt(factor[f, f])
        for g in range(f, rank):
            factor[f, g] *= pivot


@njit(cache=True)
def _solve(factor, target, theta):
    """Solve R^T R theta = target; target is overwritten."""
    rank = target.size
    for f in range(rank):
        target[f] /= factor[f, f]
        for g in range(f + 1, rank):
            target[g] -= factor[f, g] * target[f]
    for f in range(rank - 1, -1, -1):
        total = target[f]
        for g in range(f + 1, rank):
            total -= factor[f, g] * theta[g]
        theta[f] = total / factor[f, f]


@njit(cache=True)
def _half_solve(factor, columns):
    """Return R^-T times every column, whose squares are those of the columns under A^-1."""
    halves = np.empty_like(columns)
    for f in range(columns.shape[0]):
        for i in range(columns.shape[1]):
            halves[f, i] = columns[f, i]
        for g in range(f):
            above = factor[g, f]
            for i in range(columns.shape[1]):
                halves[f, i] -= above * halves[g, i]
        pivot = 1.0 / factor[f, f]
        for i in range(columns.shape[1]):
            halves[f, i] *= pivot
    return halves


@njit(cache=True)
def _squares(halves):
    """Return the squared lengths of columns: h, h'."""
    squares = np.zeros(halves.shape[1])
    for f in range(halves.shape[0]):
        for i in range(halves.shape[1]):
            squares[i] += halves[f, i] * halves[f, i]
    return squares


@njit(cache=True)
def _product(halves, i, j):
    """Return the inner product of two columns: c."""
    total = 0.0
    for f in range(halves.shape[0]):
        total += halves[f, i] * halves[f, j]
    return total
