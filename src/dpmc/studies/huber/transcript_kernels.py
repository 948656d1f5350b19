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
    for item in range(indptr.size - 1):
        first, last = indptr[item], indptr[item + 1]
        if first == last:
            solution[item] = noise[-1, item] / regularization
            continue
        pairs = slice(moved[0][item], moved[0][item + 1])
        solution[item] = _add_item(
            rows, raters[first:last], values[first:last], moved_rows,
            moved[1][pairs], moved[2][pairs], moved[3][pairs], start[item], noise[:, item],
            threshold, regularization, shape, scale, removed, changed,
        )  # fmt: skip


@njit(cache=True)
def _add_item(
    rows, raters, x, moved_rows, neighbours, places, new_x, start, noise,
    threshold, regularization, shape, scale, removed, changed,
):  # fmt: skip
    """Run R-IRLS on one item, add its losses, and return its last theta."""
    own, new = rows[raters], moved_rows[neighbours]
    columns = np.vstack((own, new)).T.copy()
    # most often no rating loses weight, and A is the same: kept as number 0
    factors = np.empty((2, start.size, start.size))
    halves = np.empty((2, *columns.shape))
    squares, crosses = np.empty((2, columns.shape[1])), np.empty((2, new_x.size))
    known = False
    theta, target = start.copy(), np.empty(start.size)
    weights, new_weights = np.empty(x.size), np.empty(new_x.size)
    for step in range(noise.shape[0]):
        t = noise[step]
        which = 0 if _weigh(own, x, theta, threshold, weights) else 1
        _weigh(new, new_x, theta, threshold, new_weights)
        if which == 1 or not known:
            _factorize(own, weights, regularization, factors[which])
            _half_solve(factors[which], columns, halves[which])
            _products(halves[which], x.size, places, squares[which], crosses[which])
            known = known or which == 0
        _right_side(own, x, weights, t, target)
        _solve(factors[which], target, theta)
        here = _total_loss(t, 0.0, t, 0.0, t, shape, scale)
        pulls, pushes = _pulls(own, x, weights, theta), _pulls(new, new_x, new_weights, theta)
        kept = 1.0 - weights * squares[which, : x.size]
        for i in range(x.size):
            there = _total_loss(t, pulls[i], own[i], 0.0, t, shape, scale)
            removed[raters[i]] += there - here - math.log(kept[i])
        gained = 1.0 + new_weights * squares[which, x.size :]
        both = new_weights * crosses[which] ** 2
        for j in range(new_x.size):
            i = places[j]
            there = _total_loss(t, pulls[i], own[i], -pushes[j], new[j], shape, scale)
            ratio = kept[i] * gained[j] + weights[i] * both[j]
            changed[neighbours[j]] += there - here - math.log(ratio)
    return theta


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
    """Write the weights; return whether all of them are 1."""
    plain = True
    for i in range(values.size):
        size = abs(_residual(rows[i], values[i], theta))
        weights[i] = 1.0 if size <= threshold else threshold / size
        plain = plain and size <= threshold
    return plain


@njit(cache=True)
def _pulls(rows, values, weights, theta):
    """Return weight times residual: what each rating contributes along its row."""
    pulls = np.empty(values.size)
    for i in range(values.size):
        pulls[i] = weights[i] * _residual(rows[i], values[i], theta)
    return pulls


@njit(cache=True)
def _right_side(rows, values, weights, noise, target):
    """Write b + t."""
    target[:] = noise
    for i in range(values.size):
        weighted = weights[i] * values[i]
        for f in range(target.size):
            target[f] += weighted * rows[i, f]


@njit(cache=True)
def _factorize(rows, weights, regularization, factor):
    """Write R with R^T R = A to the upper triangle of factor."""
    rank = factor.shape[0]
    factor[:] = 0.0
    for f in range(rank):
        factor[f, f] = regularization
    for i in range(weights.size):
        for f in range(rank):
            weighted = weights[i] * rows[i, f]
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
def _half_solve(factor, columns, halves):
    """Write R^-T times every column, whose squares are those of the columns under A^-1."""
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


@njit(cache=True)
def _products(halves, n_own, places, squares, crosses):
    """Write h of the raters and h' of the moved rows to squares, and c to crosses."""
    squares[:] = 0.0
    for f in range(halves.shape[0]):
        for i in range(halves.shape[1]):
            squares[i] += halves[f, i] * halves[f, i]
    crosses[:] = 0.0
    for j in range(places.size):
        for f in range(halves.shape[0]):
            crosses[j] += halves[f, places[j]] * halves[f, n_own + j]
