"""The privacy loss of one item half-step of ALS or A-IRLS, exactly and for many neighbours at once.

A step of R-IRLS releases theta = A^-1 (b + t) with A = sum_i w_i u_i u_i^T + lambda I,
b = sum_i w_i x_i u_i and noise t of density p. So theta has the log density
log p(A theta - b) + log det A. On neighbouring data one rater's (w, u, x) becomes (w', u', x'),
and with the residuals r = x - u^T theta and r' = x' - u'^T theta

    t' = t + w r u - w' r' u',
    det A' / det A = (1 - w h)(1 + w' h') + w w' c^2,

h = u^T A^-1 u, h' = u'^T A^-1 u', c = u^T A^-1 u' (matrix determinant lemma, twice). A user who is
removed has w' = 0. Nothing is approximated, and a neighbour costs two triangular solves.

Eight items are done at once, one in each lane of a vector (:mod:`dpmc.methods.kernels.simd`). The
rows u of a batch stand below each other: those of the raters of the item (``count`` of them, in
the lane with most), then the u of each pair of a user whose rating changes (``width``), then the
u' of each pair. Lanes with fewer are padded with u = 0, x = 0, whose loss is 0.
"""

import math
from typing import NamedTuple

import numpy as np

from dpmc.methods.kernels.lanes import (
    add_all,
    bring_into_lanes,
    clear,
    factorize,
    residual,
    substitute,
)
from dpmc.methods.kernels.regressions import Workspace, workspace
from dpmc.methods.kernels.simd import (
    LANES,
    absolute,
    any_greater,
    broadcast,
    fma,
    fnma,
    lane_zeros,
    load,
    maximum,
    store,
)
from dpmc_studies.compiled import njit


class Buffers(NamedTuple):
    """What :func:`add_losses` writes on the way: at most n rows u, of rank r, in lanes."""

    work: Workspace
    noise: np.ndarray  # (r,) t of a step
    halves: np.ndarray  # (n, r) L^-1 u, where A = L diag(1 / pivots) L^T
    squares: np.ndarray  # (n,) u^T A^-1 u
    crosses: np.ndarray  # (n,) u^T A^-1 u' of each pair
    residuals: np.ndarray  # (n,) x - u^T theta
    differences: np.ndarray  # (n,) log p(t) - log p(t') of a step
    ratios: np.ndarray  # (n,) det A' / det A of a step
    losses: np.ndarray  # (n,) sums over the steps


def buffers(n: int, rank: int) -> Buffers:
    """Allocate them."""
    rows = (lane_zeros(n) for _ in range(6))
    squares, crosses, residuals, differences, ratios, losses = rows
    return Buffers(
        workspace(n, rank, 1, rank), lane_zeros(rank), lane_zeros(n, rank),
        squares, crosses, residuals, differences, ratios, losses,
    )  # fmt: skip


@njit(cache=True)
def add_losses(
    order, ratings, pairs, rows, moved_rows, start, noise,
    threshold, regularization, shape, scale, room, removed, changed, solution,
):  # fmt: skip
    """Run R-IRLS on every item and add the losses of its steps to those of the neighbours.

    Parameters
    ----------
    order : int64 array
        The items, best by number of ratings; a multiple of 8 of them, -1 where there is none.
    ratings : (int64 array, shape (n_items + 1,), int array, float64 array)
        The ratings grouped by item: first of each item, raters, values.
    pairs : (int64 array, shape (n_items + 1,), int64 array, int array, float64 arrays)
        Every rating, on each set of neighbouring data, of the user whose row differs there,
        grouped by item: the first of each item; and for each rating the number of the
        neighbouring data, the user, the value, and the value there.
    rows : float64 array, shape (n_users + 1, rank)
        User rows u; the last is zero.
    moved_rows : float64 array, shape (n_changed + 1, rank)
        Row u' of the user of each neighbour with a changed rating; the last is zero.
    start : float64 array, shape (n_items, rank)
        theta_0.
    noise : float64 array, shape (steps, n_items, rank)
        t of each step.
    threshold, regularization : float
        Residuals beyond the first get weight threshold / |residual|; lambda.
    shape, scale : float
        Of the noise density, see :func:`_loss`.
    removed, changed : float64 arrays, shapes (n_users + 1,) and (n_changed + 1,)
        The log density ratios to the data without a user, and with a changed rating, are added
        to them; the last is for padding.
    solution : float64 array, shape (n_items, rank)
        theta of the last step is written to it.
    """
    work = room.work
    for f in range(rows.shape[1]):
        store(broadcast(regularization), work.shift, f)
    for first in range(0, order.size, LANES):
        batch = order[first : first + LANES]
        some = np.maximum(batch, 0)
        count, width = _gather(batch, ratings, pairs, rows, moved_rows, work)
        bring_into_lanes(start, some, 1.0, work.theta)
        _subtract(count + 2 * width, room)
        for i in range(count + width):
            store(broadcast(0.0), room.losses, i)
        known = False
        for k in range(noise.shape[0]):
            bring_into_lanes(noise[k], some, 1.0, room.noise)
            known = _add_step(count, width, threshold, shape, 1.0 / scale, room, known)
        for lane in range(LANES):
            for i in range(count):
                removed[work.columns[i, lane]] += room.losses[i, lane]
            for i in range(count, count + width):
                changed[work.columns[width + i, lane]] += room.losses[i, lane]
            if batch[lane] >= 0:
                for f in range(rows.shape[1]):
                    solution[batch[lane], f] = work.theta[f, lane]


@njit(cache=True)
def _gather(batch, ratings, pairs, rows, moved_rows, work):
    """Bring a batch into lanes; return the largest numbers of raters and of pairs."""
    count = width = 0
    for item in batch:
        if item >= 0:
            count = max(count, ratings[0][item + 1] - ratings[0][item])
            width = max(width, pairs[0][item + 1] - pairs[0][item])
    nobody, no_neighbour = rows.shape[0] - 1, moved_rows.shape[0] - 1
    for i in range(count + 2 * width):
        for lane in range(LANES):
            work.columns[i, lane] = nobody if i < count + width else no_neighbour
            work.values[i, lane] = 0.0
    for lane in range(LANES):
        item = batch[lane]
        if item < 0:
            continue
        for i, source in enumerate(range(ratings[0][item], ratings[0][item + 1])):
            work.columns[i, lane] = ratings[1][source]
            work.values[i, lane] = ratings[2][source]
        for j, source in enumerate(range(pairs[0][item], pairs[0][item + 1])):
            old, new = count + j, count + width + j
            work.columns[new, lane] = pairs[1][source]
            work.columns[old, lane] = pairs[2][source]
            work.values[old, lane] = pairs[3][source]
            work.values[new, lane] = pairs[4][source]
    for i in range(count + width):
        bring_into_lanes(rows, work.columns[i], 1.0, work.factors[i])
    for i in range(count + width, count + 2 * width):
        bring_into_lanes(moved_rows, work.columns[i], 1.0, work.factors[i])
    return count, width


@njit(cache=True)
def _add_step(count, width, threshold, shape, per_scale, room, known):
    """Do one step and add its losses; return whether A is that of unit weights.

    ``known`` says so of the step before: A is factorized again unless both are.
    """
    work, theta, t = room.work, room.work.theta, room.noise
    one, target, rank = broadcast(1.0), work.targets[0], theta.shape[0]
    unit_weights = _weigh(count, count + 2 * width, threshold, room)
    if not (unit_weights and known):
        clear(work.matrix, rank)
        for f in range(rank):
            store(broadcast(0.0), target, f)
        add_all(count, work.matrix, target, work)
        factorize(work.matrix, work.shift, work.lower, work.pivots, rank)
        _half_solve(count + 2 * width, room)
        for i in range(count + 2 * width):
            store(_product(room, i, i), room.squares, i)
        for i in range(count, count + width):
            store(_product(room, i, i + width), room.crosses, i)
    for f in range(rank):
        store(load(target, f) + load(t, f), theta, f)
    substitute(work.lower, work.pivots, theta, rank)
    _subtract(count + 2 * width, room)
    zero = broadcast(0.0)
    here = _loss(t, zero, 0, zero, 0, work.factors, shape, per_scale)
    for i in range(count):
        pull = load(work.weights, i) * load(room.residuals, i)
        there = _loss(t, pull, i, zero, i, work.factors, shape, per_scale)
        store(there - here, room.differences, i)
        store(fnma(load(work.weights, i), load(room.squares, i), one), room.ratios, i)
    for i in range(count, count + width):
        new = i + width
        old_weight, new_weight = load(work.weights, i), load(work.weights, new)
        pull = old_weight * load(room.residuals, i)
        push = zero - new_weight * load(room.residuals, new)
        there = _loss(t, pull, i, push, new, work.factors, shape, per_scale)
        store(there - here, room.differences, i)
        kept = fnma(old_weight, load(room.squares, i), one)
        gained = fma(new_weight, load(room.squares, new), one)
        cross = load(room.crosses, i)
        both = old_weight * (new_weight * (cross * cross))
        store(fma(kept, gained, both), room.ratios, i)
    for i in range(count + width):
        for lane in range(LANES):
            room.losses[i, lane] += room.differences[i, lane] - math.log(room.ratios[i, lane])
    return unit_weights


@njit(cache=True)
def _subtract(rows, room):
    """Write the residuals of all rows."""
    for i in range(rows):
        left = residual(room.work.factors, room.work.values, room.work.theta, i)
        store(left, room.residuals, i)


@njit(cache=True)
def _weigh(count, rows, threshold, room):
    """Write the weights of all rows; return whether all of the first ``count`` are 1."""
    one, per_residual = broadcast(1.0), broadcast(1.0 / threshold)
    largest = one
    for i in range(rows):
        scaled = absolute(load(room.residuals, i)) * per_residual
        store(one / maximum(scaled, one), room.work.weights, i)
        if i < count:
            largest = maximum(scaled, largest)
    return not any_greater(largest, one)


@njit(cache=True)
def _half_solve(count, room):
    """Write L^-1 u of each row, two rows at a time (the last one twice if they are odd)."""
    factors, lower, halves = room.work.factors, room.work.lower, room.halves
    for i0 in range(0, count, 2):
        i1 = min(i0 + 1, count - 1)
        for f in range(halves.shape[1]):
            half0, half1 = load(factors, i0, f), load(factors, i1, f)
            for g in range(f):
                entry = load(lower, f, g)
                half0 = fnma(entry, load(halves, i0, g), half0)
                half1 = fnma(entry, load(halves, i1, g), half1)
            store(half0, halves, i0, f)
            store(half1, halves, i1, f)


@njit(cache=True)
def _product(room, i, j):
    """Return u_i^T A^-1 u_j."""
    total = broadcast(0.0)
    for f in range(room.halves.shape[1]):
        weighted = load(room.halves, i, f) * load(room.work.pivots, f)
        total = fma(weighted, load(room.halves, j, f), total)
    return total


@njit(cache=True)
def _loss(t, pull, old, push, new, factors, shape, per_scale):
    """-log density of the noise vector t + pull u_old + push u_new, up to a constant.

    With z the vector over the scale this is the sum of |z| for shape 0, which is Laplace, and
    else the sum of Huber's loss rho_a(z) = (z^2 - max(|z| - a, 0)^2) / 2 for shape a, which for an
    infinite shape is Gaussian.
    """
    total, zero, half = broadcast(0.0), broadcast(0.0), broadcast(0.5)
    factor, limit = broadcast(per_scale), broadcast(shape)
    for f in range(t.shape[0]):
        moved = fma(pull, load(factors, old, f), load(t, f))
        z = absolute(fma(push, load(factors, new, f), moved)) * factor
        if shape == 0.0:
            total = total + z
        else:
            excess = maximum(z - limit, zero)
            total = fma(half, fnma(excess, excess, z * z), total)
    return total
