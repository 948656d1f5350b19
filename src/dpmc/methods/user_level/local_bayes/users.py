"""What users compute alone, from their own ratings and what was released of the items.

A user u rates item j as x = b_j + v_j . f + noise of variance 1/p_j, with f ~ N(0, I). The
posterior of f is a regression on the user's own ratings; leaving one rating out of it is a
correction of rank one (Sherman and Morrison). Explicit loops over one user's ratings in a fixed
order, no fast-math: the same bits wherever the user stands. A fit that stopped at the ratings of
one user would tell of them, so what a user sends is finite, however far out noise has put the
items: tests go to factors of 10^12 deviations of a rating.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from numba import njit

from dpmc.methods.blocks import Source, of_users, total
from dpmc.methods.kernels.cholesky import factorise
from dpmc.methods.user_level.local_bayes.constants import (
    FULL_WEIGHT_RATINGS,
    LEAST_FRESH,
    MOST_EXCESS,
)
from dpmc.privacy.sums import Sums, put
from dpmc.ratings import Compressed

LEAST_PIVOT = 0.5
"""Pivots of I + A are at least 1, A positive semidefinite, but for rounding."""

LEAST_REST = float(np.finfo(float).eps)
"""Of one less the leverage of a rating, which is above 0, but for rounding."""


@njit(cache=True, nogil=True)
def invert(matrix, inverse):
    """Invert I + A, A positive semidefinite, by its Cholesky factor; it is overwritten."""
    n = len(matrix)
    factorise(matrix, LEAST_PIVOT)
    for i in range(n):
        inverse[i, i] = 1 / matrix[i, i]
        for j in range(i):
            left = 0.0
            for k in range(j, i):
                left -= matrix[i, k] * inverse[k, j]
            inverse[i, j] = left / matrix[i, i]
    for i in range(n):
        for j in range(i + 1):
            total = 0.0
            for k in range(i, n):
                total += inverse[k, i] * inverse[k, j]
            matrix[i, j] = total
    for i in range(n):
        for j in range(i + 1):
            inverse[i, j] = inverse[j, i] = matrix[i, j]


@njit(cache=True, nogil=True)
def _posterior(items, values, offsets, factors, precisions, matrix, covariance, right, mean):
    """Set a user's posterior covariance and mean."""
    rank = right.size
    matrix[:] = np.eye(rank)
    right[:] = 0
    for k in range(items.size):
        v, p = factors[items[k]], precisions[items[k]]
        x = values[k] - offsets[items[k]]
        for c in range(rank):
            right[c] += p * v[c] * x
            for d in range(c + 1):
                matrix[c, d] += p * v[c] * v[d]
    invert(matrix, covariance)
    for c in range(rank):
        mean[c] = 0
        for d in range(rank):
            mean[c] += covariance[c, d] * right[d]


@njit(cache=True, nogil=True)
def _posterior_means(indptr, indices, values, offsets, factors, precisions, means):
    rank = factors.shape[1]
    matrix, covariance, right = np.empty((rank, rank)), np.empty((rank, rank)), np.empty(rank)
    for user in range(indptr.size - 1):
        own = slice(indptr[user], indptr[user + 1])
        _posterior(
            indices[own], values[own], offsets, factors, precisions, matrix, covariance, right,
            means[user],
        )  # fmt: skip


def posterior_means(
    rows: Source, offsets: np.ndarray, factors: np.ndarray, precisions: np.ndarray
) -> np.ndarray:
    """Return the posterior mean of every user's factors.

    Parameters
    ----------
    rows : Source
        Ratings by user.
    offsets, precisions : float64 arrays, shape (n_items,)
        b and p.
    factors : float64 array, shape (n_items, rank)
        v.

    Returns
    -------
    float64 array, shape (n_users, rank)
        Zeros for users without ratings.
    """

    make = partial(_means, offsets=offsets, factors=factors, precisions=precisions)
    return of_users(make, rows, (factors.shape[1],))


def _means(rows, first, *, offsets, factors, precisions):
    means = np.empty((rows.n_rows, factors.shape[1]))
    _posterior_means(rows.indptr, rows.indices, rows.values, offsets, factors, precisions, means)
    return means


@njit(cache=True, nogil=True)
def _without_itself(items, values, offsets, factors, precisions, buffers, left, known, weights):
    """Set, for each rating, what is left of it and the factors that the others give.

    ``weights`` are the inverses of the variances of what is left.
    """
    matrix, covariance, right, mean = buffers
    _posterior(items, values, offsets, factors, precisions, matrix, covariance, right, mean)
    rank = mean.size
    for k in range(items.size):
        v, p = factors[items[k]], precisions[items[k]]
        x = values[k] - offsets[items[k]]
        leverage = 0.0
        for c in range(rank):
            along = 0.0
            for d in range(rank):
                along += covariance[c, d] * v[d]
            known[k, c] = along
            leverage += p * along * v[c]
            x -= v[c] * mean[c]
        rest = max(1 - leverage, LEAST_REST)
        left[k] = x / rest
        weights[k] = p * rest
        for c in range(rank):
            known[k, c] = mean[c] - p * left[k] * known[k, c]


class Model(NamedTuple):
    """What users need of the items: b, v and p, and what b and v owe to a rating themselves.

    Attributes
    ----------
    offsets, precisions, leverages : float64 arrays, shape (n_items,)
        ``leverages`` are the changes of a prediction with one of the ratings it was learnt from.
    factors : float64 array, shape (n_items, rank)
    """

    offsets: np.ndarray
    factors: np.ndarray
    precisions: np.ndarray
    leverages: np.ndarray


@njit(cache=True, nogil=True)
def _left_out_errors(
    indptr, indices, values, offsets, factors, precisions, leverages, chosen, errors, numbers
):  # fmt: skip
    rank, longest = factors.shape[1], np.diff(indptr).max()
    square, flat = np.empty((rank, rank)), np.empty(rank)
    buffers = square, np.empty((rank, rank)), flat, np.empty(rank)
    left, weights, known = np.empty(longest), np.empty(longest), np.empty((longest, rank))
    for user in range(indptr.size - 1):
        begin, n = indptr[user], indptr[user + 1] - indptr[user]
        own = slice(begin, begin + n)
        _without_itself(
            indices[own], values[own], offsets, factors, precisions, buffers, left, known, weights
        )
        for k in range(n):
            item = indices[begin + k]
            if chosen[item]:
                errors[user] += (left[k] / (1 - leverages[item])) ** 2
                numbers[user] += 1
        errors[user] /= max(numbers[user], 1)


def left_out_errors(
    rows: Compressed, model: Model, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return each user's mean squared error, every rating predicted without itself.

    Parameters
    ----------
    rows : Compressed
        Ratings by user.
    model : Model
        With leverages below 1.
    chosen : bool array, shape (n_items,)
        Of whose ratings.

    Returns
    -------
    errors : float64 array, shape (n_users,)
        Zeros for users without such ratings.
    numbers : integer array, shape (n_users,)
        Of such ratings.
    """
    errors = np.zeros(rows.n_rows)
    numbers = np.zeros(errors.size, dtype=np.int64)
    if rows.values.size:
        _left_out_errors(rows.indptr, rows.indices, rows.values, *model, chosen, errors, numbers)
    return errors, numbers


@njit(cache=True, nogil=True)
def _add_updates(
    indptr, indices, values, offsets, factors, precisions, leverages, square_spread, columns,
    counted, unshortened, unit, gram_bound, spread_unit, per_step, totals, gram, spreads, squares,
):  # fmt: skip
    """Add what users send to sums, and the squares of its norms, in steps, to ``squares``."""
    rank = factors.shape[1]
    longest = np.diff(indptr).max()
    square, flat = np.empty((rank, rank)), np.empty(rank)
    buffers = square, np.empty((rank, rank)), flat, np.empty(rank)
    left, weights = np.empty(longest), np.empty(longest)
    known, own_gram = np.empty((longest, rank)), np.empty((1 + rank, 1 + rank))
    one = columns.copy()
    for user in range(indptr.size - 1):
        begin, n = indptr[user], indptr[user + 1] - indptr[user]
        if n < 1:
            continue
        own = slice(begin, begin + n)
        _without_itself(
            indices[own], values[own], offsets, factors, precisions, buffers, left, known, weights
        )
        squares_of_row = chi = fresh = 0.0
        own_gram[:] = 0
        for k in range(n):
            norm = one[0] * one[0]
            for c in range(1, 1 + rank):
                one[c] = columns[c] * known[k, c - 1]
                norm += one[c] * one[c]
            score = left[k] * weights[k]
            squares_of_row += norm * score * score + (counted * weights[k]) ** 2
            chi += left[k] * score
            i = indices[begin + k]
            fresh += max(1 - 2 * leverages[i] * square_spread * precisions[i], LEAST_FRESH)
            for c in range(1 + rank):
                for d in range(c + 1):
                    own_gram[c, d] += weights[k] * one[c] * one[d]
        shrink = 1 / max(np.sqrt(squares_of_row), unshortened)
        sent = 0.0
        for k in range(n):
            score = left[k] * weights[k] * shrink
            place = indices[begin + k] * (2 + rank)
            for c in range(1 + rank):
                part = score * columns[c]
                if c > 0:
                    part *= known[k, c - 1]
                sent += _send(totals, place + c, part * per_step)
            sent += _send(totals, place + 1 + rank, counted * weights[k] * shrink * per_step)
        norm = 0.0
        for c in range(1 + rank):
            for d in range(c + 1):
                norm += own_gram[c, d] ** 2 * (1 if c == d else 2)
        scale = shrink * unit
        scale /= max(1.0, np.sqrt(norm) * scale / gram_bound)
        for c in range(1 + rank):
            for d in range(c + 1):
                place = c * (1 + rank) + d
                square_of_entry = _send(gram, place, scale * own_gram[c, d] * per_step)
                sent += square_of_entry * (1 if c == d else 2)
        spread = min(chi / (fresh * MOST_EXCESS) - 1 / MOST_EXCESS, 1.0)
        spread *= spread_unit * min(1.0, fresh / FULL_WEIGHT_RATINGS)
        squares[user] = sent + _send(spreads, 0, spread * per_step)


@njit(cache=True, nogil=True)
def _send(parts, place, steps):
    """Add a number of steps to a sum, truncated, and return the square of what was added."""
    whole = np.int64(steps)
    put(parts, place, whole)
    return float(whole) * float(whole)


def updates(
    rows: Source, model: Model, *, spread: float, columns: np.ndarray, counted: float,
    unshortened: float, unit: float, gram_bound: float, spread_unit: float,
) -> tuple[np.ndarray, np.ndarray, float, float]:  # fmt: skip
    """Return the sums over users of what they send in a step of refinement.

    For each rating w e g and w c, e being what is left of it, 1/w the variance of e, c a constant
    and g = a (1, f), f being the user's factors without that rating and a the weights ``columns``,
    all of them shortened as one row to norm at most 1: multiplied by 1/max(norm, ``unshortened``).
    With them ``unit`` times the sum of w g g^T, multiplied alike and shortened to Frobenius norm
    ``gram_bound``; and ``spread_unit`` times what the mean of w e^2 is above 1, where a rating that
    items have learnt from counts in part, in units of :data:`MOST_EXCESS` and up to one, and in
    part for users with few ratings.

    Parameters
    ----------
    rows : Source
        Ratings by user.
    model : Model
    spread : float
        Standard deviation of ratings around what an ideal model predicts.
    columns : float64 array, shape (1 + rank,)
        Of the offset and the factors; above 0, at most 1.
    counted : float
        c, at least 0.
    unshortened, unit, gram_bound, spread_unit : float
        Above 0.

    Returns
    -------
    totals : float64 array, shape (n_items, 2 + rank)
        The sums of w c last.
    gram : float64 array, shape (1 + rank, 1 + rank)
        Lower triangle.
    spreads : float
    largest : float
        Norm of the longest that any user sent, where an entry off the diagonal of the matrix
        stands for two.
    """
    n_items, rank = model.factors.shape
    settings = (spread**2, columns, counted, unshortened, unit, gram_bound, spread_unit)
    add = partial(_updates, model=model, settings=settings)
    bound = (1 + gram_bound**2 + spread_unit**2) ** 0.5  # of the norm
    sums = total(add, rows, Sums(n_items * (2 + rank) + (1 + rank) ** 2 + 1, bound))
    totals, gram, spreads = _divided(sums.floats(), n_items, rank)
    shape = (1 + rank, 1 + rank)
    return totals.reshape(n_items, 2 + rank), gram.reshape(shape), float(spreads[0]), sums.longest


def _divided(sums, n_items, rank):
    """Return the sums of items, those of the matrix, and the last one, as views."""
    of_items = n_items * (2 + rank)
    return sums[:of_items], sums[of_items:-1], sums[-1:]


def _updates(sums, rows, first, *, model, settings):
    if not rows.values.size:
        return
    squares = np.zeros(rows.n_rows)
    places = _divided(sums.parts, *model.factors.shape)
    _add_updates(
        rows.indptr, rows.indices, rows.values, *model, *settings, sums.per_step, *places, squares
    )
    sums.saw_squares(squares)
