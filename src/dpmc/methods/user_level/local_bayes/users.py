"""The computations of each user alone, from the user's own ratings and the released items.

User u rates item j as x = b_j + v_j . f + noise of variance 1/p_j, with f ~ N(0, I). The posterior
of f is a regression on the user's own ratings; leaving one rating out is a correction of rank one
(Sherman and Morrison). A user's result has the same bits wherever the user is in the data: loops go
through one user's ratings in a fixed order, without fast-math, and each lane of a vector has its
own sum. What a user sends is finite, however extreme noise has made the items: a fit that failed on
one user's ratings would reveal something about them. Tests go up to factors of 10^12 standard
deviations of a rating.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from dpmc.compiled import njit
from dpmc.methods.blocks import Source, of_users, total
from dpmc.methods.kernels.cholesky import factorise
from dpmc.methods.kernels.simd import LANES, broadcast, load, store
from dpmc.methods.user_level.local_bayes.constants import (
    FULL_WEIGHT_RATINGS,
    LEAST_FRESH,
    MOST_EXCESS,
)
from dpmc.privacy.sums import Sums, put
from dpmc.ratings import Compressed

TOGETHER = 64
"""Ratings of a user whose products are added up in one go: their factors fit the L1 cache."""

LEAST_PIVOT = 0.5
"""Pivots of I + A are at least 1, A positive semidefinite, but for rounding."""

LEAST_REST = float(np.finfo(float).eps)
"""Of one less the leverage of a rating, which is above 0, but for rounding."""


@njit(cache=True)
def in_vectors(size):
    """Return how many numbers whole vectors for so many have."""
    return (size + LANES - 1) // LANES * LANES


@njit(cache=True, nogil=True)
def row_of_product(left, i, right, place, begin, end):
    """Return the vector at a place of row i of left times right, over some columns of left."""
    total = broadcast(0.0)
    for k in range(begin, end):
        total = total + broadcast(left[i, k]) * load(right, k, place)
    return total


@njit(cache=True, nogil=True)
def invert(matrix, inverse, size):
    """Invert I + A, A positive semidefinite, by its Cholesky factor; it is overwritten.

    Given is the lower triangle; rows are whole vectors.
    """
    factorise(matrix[:size, :size], LEAST_PIVOT)
    for i in range(size):
        for place in range(0, size, LANES):
            row = broadcast(0.0)
            for k in range(place, i):
                row = row - broadcast(matrix[i, k]) * load(inverse, k, place)
            store(row, inverse, i, place)
        for j in range(i):
            inverse[i, j] /= matrix[i, i]
        inverse[i, i] = 1 / matrix[i, i]
    for i in range(size):
        for place in range(0, i + 1, LANES):
            row = broadcast(0.0)
            for k in range(i, size):
                row = row + broadcast(inverse[k, i]) * load(inverse, k, place)
            store(row, matrix, i, place)
    # sums went over whole vectors; only the triangle is meant, and both halves get the same bits
    for i in range(size):
        for j in range(i + 1):
            inverse[i, j] = inverse[j, i] = matrix[i, j]


class Buffers(NamedTuple):
    """Room for one user with n ratings at most, in rows of whole vectors of numbers.

    In a row, only the first ``rank`` or ``1 + rank`` numbers have a meaning.
    """

    rows: np.ndarray  # (n, width) factors of the items, later what a user's ratings say of them
    known: np.ndarray  # (n, width) factors that the user's other ratings give
    precisions: np.ndarray  # (n,) of the items
    left: np.ndarray  # (n,) ratings less offsets, later what is left of them
    weights: np.ndarray  # (n,) inverse variances of that
    matrix: np.ndarray  # (width, width)
    covariance: np.ndarray  # (width, width)
    right: np.ndarray  # (width,)
    mean: np.ndarray  # (width,)


@njit(cache=True, nogil=True)
def _buffers(indptr, rank):
    longest, width = np.diff(indptr).max(), in_vectors(1 + rank)
    rows, known = np.zeros((2, longest, width))
    precisions, left, weights = np.empty((3, longest))
    matrix, covariance = np.zeros((2, width, width))
    right, mean = np.zeros((2, width))
    return Buffers(rows, known, precisions, left, weights, matrix, covariance, right, mean)


@njit(cache=True, nogil=True)
def _add_products(total, weights, rows, n, size):
    """Add w x x^T of n rows x of this size to the lower triangle of a sum, in their order."""
    for begin in range(0, n, TOGETHER):
        end = min(begin + TOGETHER, n)
        for i in range(0, size, 2):
            for place in range(0, i + 2, LANES):
                one, other = load(total, i, place), load(total, i + 1, place)
                for k in range(begin, end):
                    row, weight = load(rows, k, place), weights[k]
                    one = one + broadcast(weight * rows[k, i]) * row
                    other = other + broadcast(weight * rows[k, i + 1]) * row
                store(one, total, i, place)
                store(other, total, i + 1, place)


@njit(cache=True, nogil=True)
def _posterior(items, values, offsets, factors, precisions, user):
    """Set a user's posterior covariance and mean, and the rows of factors."""
    n, rank, matrix, right = items.size, factors.shape[1], user.matrix, user.right
    for k in range(n):
        item = np.intp(items[k])
        user.precisions[k] = precisions[item]
        user.left[k] = values[k] - offsets[item]
        for c in range(rank):
            user.rows[k, c] = factors[item, c]
    matrix[:] = 0
    for c in range(rank):
        matrix[c, c] = 1
    _add_products(matrix, user.precisions, user.rows, n, rank)
    for place in range(0, rank, LANES):
        total = broadcast(0.0)
        for k in range(n):
            along = broadcast(user.precisions[k]) * load(user.rows, k, place)
            total = total + along * broadcast(user.left[k])
        store(total, right, place)
    invert(matrix, user.covariance, rank)
    for c in range(rank):
        mean = 0.0
        for d in range(rank):
            mean += user.covariance[c, d] * right[d]
        user.mean[c] = mean


@njit(cache=True, nogil=True)
def _posterior_means(indptr, indices, values, offsets, factors, precisions, means):
    user = _buffers(indptr, factors.shape[1])
    for number in range(indptr.size - 1):
        own = slice(indptr[number], indptr[number + 1])
        _posterior(indices[own], values[own], offsets, factors, precisions, user)
        for c in range(factors.shape[1]):
            means[number, c] = user.mean[c]


def posterior_means(
    rows: Source, offsets: np.ndarray, factors: np.ndarray, precisions: np.ndarray
) -> np.ndarray:
    """Return the posterior mean of every user's factors, zeros for users without ratings.

    ``offsets``, ``factors`` and ``precisions`` are b, v and p, of shapes (n_items,), (n_items,
    rank) and (n_items,). The result has shape (n_users, rank).
    """

    make = partial(_means, offsets=offsets, factors=factors, precisions=precisions)
    return of_users(make, rows, (factors.shape[1],))


def _means(rows, first, *, offsets, factors, precisions):
    means = np.empty((rows.n_rows, factors.shape[1]))
    _posterior_means(rows.indptr, rows.indices, rows.values, offsets, factors, precisions, means)
    return means


@njit(cache=True, nogil=True)
def _without_itself(items, values, offsets, factors, precisions, user):
    """Set, for each rating, what is left of it and the factors that the others give.

    ``weights`` are the inverses of the variances of what is left.
    """
    _posterior(items, values, offsets, factors, precisions, user)
    rank = factors.shape[1]
    for k in range(items.size):
        for place in range(0, rank, LANES):
            along = row_of_product(user.rows, k, user.covariance, place, 0, rank)
            store(along, user.known, k, place)
    for k in range(items.size):
        p, x, leverage = user.precisions[k], user.left[k], 0.0
        for c in range(rank):
            leverage += p * user.known[k, c] * user.rows[k, c]
            x -= user.rows[k, c] * user.mean[c]
        # leave-one-out in closed form (Sherman and Morrison): the user is not solved for again
        rest = max(1 - leverage, LEAST_REST)
        user.left[k] = x / rest
        user.weights[k] = p * rest
    for k in range(items.size):
        moved = broadcast(user.precisions[k] * user.left[k])
        for place in range(0, rank, LANES):
            along = moved * load(user.known, k, place)
            store(load(user.mean, place) - along, user.known, k, place)


class Model(NamedTuple):
    """The items as users need them: b, v and p, and the effect of a rating on its own prediction.

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
    user = _buffers(indptr, factors.shape[1])
    for number in range(indptr.size - 1):
        begin, n = indptr[number], indptr[number + 1] - indptr[number]
        own = slice(begin, begin + n)
        _without_itself(indices[own], values[own], offsets, factors, precisions, user)
        for k in range(n):
            item = indices[begin + k]
            if chosen[item]:
                errors[number] += (user.left[k] / (1 - leverages[item])) ** 2
                numbers[number] += 1
        errors[number] /= max(numbers[number], 1)


def left_out_errors(
    rows: Compressed, model: Model, chosen: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return each user's mean squared leave-one-out error, and the number of ratings in it.

    Only ratings of chosen items count; users without any get zeros. Leverages must be below 1.
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
    user = _buffers(indptr, rank)
    rows, known, left, weights = user.rows, user.known, user.left, user.weights
    own_gram = user.matrix
    for number in range(indptr.size - 1):
        begin, n = indptr[number], indptr[number + 1] - indptr[number]
        if n < 1:
            continue
        own = slice(begin, begin + n)
        _without_itself(indices[own], values[own], offsets, factors, precisions, user)
        squares_of_row = chi = fresh = 0.0
        for k in range(n):
            rows[k, 0] = columns[0]
            norm = columns[0] * columns[0]
            for c in range(1, 1 + rank):
                rows[k, c] = columns[c] * known[k, c - 1]
                norm += rows[k, c] * rows[k, c]
            score = left[k] * weights[k]
            squares_of_row += norm * score * score + (counted * weights[k]) ** 2
            chi += left[k] * score
            i = indices[begin + k]
            fresh += max(1 - 2 * leverages[i] * square_spread * precisions[i], LEAST_FRESH)
        own_gram[:] = 0
        _add_products(own_gram, weights, rows, n, 1 + rank)
        # the whole row at once, so that its norm, which is the sensitivity, is at most 1
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
        # an entry off the diagonal is sent once and stands for two: the norm is Frobenius'
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
        # chi / fresh is near 1 if the spread is right; one user says at most MOST_EXCESS above that
        spread = min(chi / (fresh * MOST_EXCESS) - 1 / MOST_EXCESS, 1.0)
        spread *= spread_unit * min(1.0, fresh / FULL_WEIGHT_RATINGS)
        squares[number] = sent + _send(spreads, 0, spread * per_step)


@njit(cache=True, nogil=True)
def _send(parts, place, steps):
    """Add a number of steps to a sum, truncated, and return the square of what was added."""
    # truncated towards 0, so that what is sent is never longer than what was bounded
    whole = np.int64(steps)
    put(parts, place, whole)
    return float(whole) * float(whole)


def updates(
    rows: Source, model: Model, *, spread: float, columns: np.ndarray, counted: float,
    unshortened: float, unit: float, gram_bound: float, spread_unit: float,
) -> tuple[np.ndarray, np.ndarray, float, float]:  # fmt: skip
    """Return the sums over users of what they send in a step of refinement, and the longest norm.

    Each rating adds w e g and w c to its item: e is its residual, 1/w the variance of e, c the
    constant ``counted``, and g = a (1, f), where f are the user's factors without this rating and a
    the weights ``columns``, above 0 and at most 1. A user's row of these numbers is shortened to
    norm at most 1, by the factor 1/max(norm, ``unshortened``). The user also sends the sum of w g
    g^T, times ``unit`` and the same factor, shortened to Frobenius norm ``gram_bound``. The last
    number is the mean of w e^2 less 1, in units of :data:`MOST_EXCESS`, at most 1, times
    ``spread_unit``. Ratings that items have learnt from, and users with few ratings, count in part.

    The sums of items have shape (n_items, 2 + rank), with w c last. They are followed by a lower
    triangle and one number. In the norm, an off-diagonal entry of the matrix counts twice.
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
