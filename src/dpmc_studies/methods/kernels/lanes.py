"""R-IRLS for many rows of ratings at once, eight rows in the lanes of a vector.

For a row with N ratings x, factors F (N x r) of the other side, start theta_0 and noise t_1, ...,
t_K, R-IRLS (Gowtham et al. 2022, algorithm 3) computes for k = 1, ..., K::

    w     = min(1, a / |x - F theta_{k-1}|)                    weights, W = diag(w)
    theta_k = (F^T W F + lambda I)^-1 (F^T W x + t_k)

With a = infinity and K = 1 this is the ridge regression of ALS. Both forms below give this theta
exactly, without building F^T W F again at each step. Write D = W^-1 = max(1, |residual| / a):

rating space, for N up to about 1.5 r.  theta_k depends on theta_{k-1} only through W, so solve
for z = W (x - F theta) / lambda: ::

    (F F^T + lambda D) z = x - F t / lambda        residual = lambda D z
    theta_K = F^T z + t_K / lambda

    Only the diagonal changes from step to step, by additions: nothing cancels.

factor space, for the rest.  F^T W F = F^T F - sum over |residual| > a of (1 - w_i) f_i f_i^T, and
    few entries are that far off. Subtracting magnifies rounding errors by up to max D, so a lane
    where that exceeds `REBUILD` sums all its entries again.

In both forms, all steps in which every weight is 1 share one factorization.

The last axis of all arrays here is the 8 lanes (see :mod:`dpmc.methods.kernels.simd`).
:class:`dpmc_studies.methods.kernels.regressions.Workspace` describes the arrays of ``work``. The
rows of a batch are padded with f = 0, x = 0 to the longest row, which changes no result.
"""

from dpmc.methods.kernels.simd import (
    LANES,
    absolute,
    any_greater,
    broadcast,
    fma,
    fnma,
    load,
    maximum,
    store,
    transpose,
)
from dpmc_studies.compiled import njit

REBUILD = 100.0
CHUNK = 16  # ratings whose products are summed in one go: their factors fit the L1 cache


@njit(cache=True)
def add_products(total, left, right, rows, columns, depth, symmetric):
    """Add left[:, :depth] right[:, :depth]^T to total.

    If ``symmetric``, only the lower triangle (and a few entries more) is added. Blocks of 2 x 2
    halve the number of loads. At an odd end a block writes the same last row or column twice.
    """
    for i0 in range(0, rows, 2):
        i1 = min(i0 + 1, rows - 1)
        for j0 in range(0, min(i0 + 2, columns) if symmetric else columns, 2):
            j1 = min(j0 + 1, columns - 1)
            sum00, sum01 = load(total, i0, j0), load(total, i0, j1)
            sum10, sum11 = load(total, i1, j0), load(total, i1, j1)
            for k in range(depth):
                left0, left1 = load(left, i0, k), load(left, i1, k)
                right0, right1 = load(right, j0, k), load(right, j1, k)
                sum00 = fma(left0, right0, sum00)
                sum01 = fma(left0, right1, sum01)
                sum10 = fma(left1, right0, sum10)
                sum11 = fma(left1, right1, sum11)
            store(sum00, total, i0, j0)
            store(sum01, total, i0, j1)
            store(sum10, total, i1, j0)
            store(sum11, total, i1, j1)


@njit(cache=True)
def factorize(matrix, shift, lower, pivots, size):
    """Write matrix + diag(shift) = L diag(1 / pivots) L^T, L unit lower triangular.

    ``lower`` may be ``matrix`` itself. The loop goes column by column and leaves L[i, j] undivided
    until row i becomes the pivot row, so that the division is off the critical path.
    """
    one = broadcast(1.0)
    for j in range(size):
        diagonal = load(matrix, j, j) + load(shift, j)
        for k in range(j):
            undivided = load(lower, j, k)
            entry = undivided * load(pivots, k)
            diagonal = fnma(undivided, entry, diagonal)
            store(entry, lower, j, k)
        store(one / diagonal, pivots, j)
        for i in range(j + 1, size):
            undivided = load(matrix, i, j)
            for k in range(j):
                undivided = fnma(load(lower, i, k), load(lower, j, k), undivided)
            store(undivided, lower, i, j)


@njit(cache=True)
def substitute(lower, pivots, z, size):
    """Solve the factorized system in place: z = (L diag(1 / pivots) L^T)^-1 z."""
    for i in range(size):
        entry = load(z, i)
        for j in range(i):
            entry = fnma(load(lower, i, j), load(z, j), entry)
        store(entry, z, i)
    for i in range(size - 1, -1, -1):
        entry = load(z, i) * load(pivots, i)
        for j in range(size - 1, i, -1):  # the newest z last: it is the one to wait for
            entry = fnma(load(lower, j, i), load(z, j), entry)
        store(entry, z, i)


@njit(cache=True)
def residual(factors, values, theta, i):
    """Return x_i - f_i^T theta."""
    left = load(values, i)
    for f in range(theta.shape[0]):
        left = fnma(load(factors, i, f), load(theta, f), left)
    return left


@njit(cache=True)
def clear(square, size):
    """Set the leading block of a matrix to zero."""
    for i in range(size):
        for j in range(size):
            store(broadcast(0.0), square, i, j)


@njit(cache=True)
def solve_in_rating_space(count, threshold, regularization, work):
    """R-IRLS on a batch in the N x N form; theta_0 in work.theta becomes theta_K."""
    steps, rank = work.noise.shape[:2]
    matrix, lower, pivots, shift = work.matrix, work.lower, work.pivots, work.shift
    unit = broadcast(regularization)
    per_residual = broadcast(regularization / threshold)

    clear(matrix, count)
    add_products(matrix, work.factors, work.factors, count, count, rank, True)
    # x - F t_k / lambda of all steps in one product: solve_batches scaled the noise for it
    for k in range(steps):
        for i in range(count):
            store(load(work.values, i), work.targets, k, i)
    add_products(work.targets, work.noise, work.factors, steps, count, rank, False)

    # D of the first step is known from theta_0; each later one follows from z, its own residual
    largest = unit
    for i in range(count):
        scaled = absolute(residual(work.factors, work.values, work.theta, i)) * per_residual
        store(maximum(scaled, unit), shift, i)
        largest = maximum(scaled, largest)
    factorized_with_unit_weights = False
    for k in range(steps):
        z = work.targets[k]
        unit_weights = not any_greater(largest, unit)
        if not (unit_weights and factorized_with_unit_weights):
            factorize(matrix, shift, lower, pivots, count)
            factorized_with_unit_weights = unit_weights
        substitute(lower, pivots, z, count)
        largest = unit
        for i in range(count):
            scaled = absolute(load(z, i) * load(shift, i)) * per_residual
            store(maximum(scaled, unit), shift, i)
            largest = maximum(scaled, largest)
    for f in range(rank):
        entry = broadcast(0.0) - load(work.noise, steps - 1, f)
        for i in range(count):
            entry = fma(load(work.factors, i, f), load(work.targets, steps - 1, i), entry)
        store(entry, work.theta, f)


@njit(cache=True)
def solve_in_factor_space(count, factors, threshold, regularization, work):
    """R-IRLS on a batch in the r x r form; theta_0 in work.theta becomes theta_K."""
    steps, rank = work.noise.shape[:2]
    matrix, lower, pivots, shift = work.matrix, work.lower, work.pivots, work.shift
    theta, target = work.theta, work.targets[0]
    one, per_residual = broadcast(1.0), broadcast(1.0 / threshold)

    for f in range(rank):
        store(broadcast(0.0), target, f)
        store(broadcast(regularization), shift, f)
    for i in range(count + 1):
        store(one, work.weights, i)
    clear(matrix, rank)
    add_all(count, matrix, target, work)

    factorized_with_unit_weights = False
    for k in range(steps):
        largest = one
        for i in range(count):
            scaled = absolute(residual(work.factors, work.values, theta, i)) * per_residual
            store(one / maximum(scaled, one), work.weights, i)
            largest = maximum(scaled, largest)
        unit_weights = not any_greater(largest, one)
        # one lane decides for all eight: where one sums again, the others may as well
        rebuild = any_greater(largest, broadcast(REBUILD))
        for f in range(rank):
            fresh = load(work.noise, k, f)
            store(fresh if rebuild else load(target, f) + fresh, theta, f)
        if not unit_weights:
            for i in range(rank):
                for j in range(i + 1):
                    store(broadcast(0.0) if rebuild else load(matrix, i, j), lower, i, j)
            if rebuild:
                add_all(count, lower, theta, work)
            else:
                subtract_excess(count, factors, lower, theta, work)
            factorize(lower, shift, lower, pivots, rank)
        elif not factorized_with_unit_weights:
            factorize(matrix, shift, lower, pivots, rank)
        factorized_with_unit_weights = unit_weights
        substitute(lower, pivots, theta, rank)


@njit(cache=True)
def add_all(count, matrix, target, work):
    """Add F^T W F to the lower triangle of matrix and F^T W x to target."""
    for first in range(0, count, CHUNK):
        length = min(CHUNK, count - first)
        add_some(work.factors, work.values, work.weights, first, length, matrix, target, work)


@njit(cache=True)
def subtract_excess(count, factors, matrix, target, work):
    """Subtract (1 - w) f f^T from the matrix and (1 - w) x f from the target wherever w < 1."""
    listed = 0
    # the ratings off by more than a, listed lane by lane without a branch: a place that is not kept
    # is written over by the next rating
    for lane in range(LANES):
        length = 0
        for i in range(count):
            work.listed[length, lane] = i
            length += work.weights[i, lane] < 1.0
        for c in range(length, count):
            work.listed[c, lane] = count  # the padding, of weight 1
        listed = max(listed, length)
    for first in range(0, listed, CHUNK):
        length = min(CHUNK, listed - first)
        for c in range(length):
            for lane in range(LANES):
                i = work.listed[first + c, lane]
                work.some_columns[c, lane] = work.columns[i, lane]
                work.some_values[c, lane] = work.values[i, lane]
                work.some_weights[c, lane] = work.weights[i, lane] - 1.0
            bring_into_lanes(factors, work.some_columns[c], 1.0, work.some_factors[c])
        add_some(
            work.some_factors, work.some_values, work.some_weights, 0, length, matrix, target, work
        )  # fmt: skip


@njit(cache=True)
def add_some(factors, values, weights, first, length, matrix, target, work):
    """Add w f f^T to the lower triangle of matrix and w x f to target for at most CHUNK ratings."""
    rank = work.chunk.shape[0]
    for f in range(rank):
        total = load(target, f)
        for c in range(length):
            entry = load(factors, first + c, f)
            weighted = load(weights, first + c) * entry
            store(entry, work.chunk, f, c)
            store(weighted, work.weighted, f, c)
            total = fma(weighted, load(values, first + c), total)
        store(total, target, f)
    add_products(matrix, work.weighted, work.chunk, rank, rank, length, True)


@njit(cache=True)
def bring_into_lanes(source, rows, scale, target):
    """Write target[f, lane] = scale * source[rows[lane], f]."""
    rank, factor = source.shape[1], broadcast(scale)
    if rank < LANES:
        for f in range(rank):
            for lane in range(LANES):
                target[f, lane] = scale * source[rows[lane], f]
        return
    for first in range(0, rank, LANES):
        f = min(first, rank - LANES)  # the last block may overlap the one before
        t0, t1, t2, t3, t4, t5, t6, t7 = transpose(
            load(source, rows[0], f), load(source, rows[1], f), load(source, rows[2], f),
            load(source, rows[3], f), load(source, rows[4], f), load(source, rows[5], f),
            load(source, rows[6], f), load(source, rows[7], f),
        )  # fmt: skip
        store(t0 * factor, target, f)
        store(t1 * factor, target, f + 1)
        store(t2 * factor, target, f + 2)
        store(t3 * factor, target, f + 3)
        store(t4 * factor, target, f + 4)
        store(t5 * factor, target, f + 5)
        store(t6 * factor, target, f + 6)
        store(t7 * factor, target, f + 7)


@njit(cache=True)
def gather_ratings(batch, indptr, indices, values, factors, work):
    """Bring the ratings of eight rows and their factors into lanes; return the largest count.

    Shorter rows are padded with x = 0 and the last row of factors, which is zero. Every row gets at
    least one padding entry at its end.
    """
    longest = 0
    for row in batch:
        longest = max(longest, indptr[row + 1] - indptr[row])
    for lane in range(LANES):
        first = indptr[batch[lane]]
        count = indptr[batch[lane] + 1] - first
        for i in range(longest + 1):
            work.columns[i, lane] = indices[first + i] if i < count else factors.shape[0] - 1
            work.values[i, lane] = values[first + i] if i < count else 0.0
    for i in range(longest):
        bring_into_lanes(factors, work.columns[i], 1.0, work.factors[i])
    return longest


@njit(cache=True)
def solve_batches(
    order, widest, indptr, indices, values, factors, noise, start, threshold, regularization,
    work, solution,
):  # fmt: skip
    """Run R-IRLS on all rows named in ``order``, eight by eight.

    Parameters
    ----------
    order : int64 array
        Rows with at least one rating, by ascending count, a multiple of 8 of them.
    widest : int
        Batches whose largest count is at most this are solved in rating space.
    indptr, indices, values
        The ratings, see :class:`dpmc.ratings.Compressed`.
    factors : float64 array, shape (n_columns + 1, r)
        The last row is zero: padding refers to it.
    noise : float64 array, shape (K, n_rows, r), or (0, n_rows, r) if there is none
    start : float64 array, shape (n_rows, r)
    threshold : float
        a; may be infinite.
    regularization : float
        lambda.
    work : Workspace
        Its noise is zero if ``noise`` is empty.
    solution : float64 array, shape (n_rows, r)
        Receives theta_K.
    """
    for first in range(0, order.size, LANES):
        batch = order[first : first + LANES]
        count = gather_ratings(batch, indptr, indices, values, factors, work)
        bring_into_lanes(start, batch, 1.0, work.theta)
        # the rating space needs -t / lambda, see solve_in_rating_space
        scale = -1.0 / regularization if count <= widest else 1.0
        for k in range(noise.shape[0]):
            bring_into_lanes(noise[k], batch, scale, work.noise[k])
        if count <= widest:
            solve_in_rating_space(count, threshold, regularization, work)
        else:
            solve_in_factor_space(count, factors, threshold, regularization, work)
        for lane in range(LANES):
            for f in range(factors.shape[1]):
                solution[batch[lane], f] = work.theta[f, lane]
