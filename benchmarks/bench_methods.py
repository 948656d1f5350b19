"""How fast the methods' kernels are: ratios to the direct form, to NumPy loops, to `implicit`.

    python benchmarks/bench_methods.py --repeats 9 [--movielens u.data]

Everything runs in one process and one thread, interleaved, each warmed up first; times are CPU
times, so that other jobs on the machine matter little. A ratio is
formed within each repeat, so that a change of clock speed hits both sides; a row gives the median
ratio and the smallest and largest. Noise is drawn before the clock starts. See README.md for what
exactly is compared. Ends with status 1 if a target is missed.
"""

import argparse
import sys
import time
from dataclasses import dataclass

import numpy as np
import scipy.sparse
from implicit.als import AlternatingLeastSquares
from threadpoolctl import threadpool_limits

from dpmc.datasets.synthetic import generate
from dpmc.mechanisms import make_mechanism
from dpmc.ratings import Ratings
from dpmc_studies.methods.factorization.als import ALS
from dpmc_studies.methods.factorization.direct import DirectRegressions
from dpmc_studies.methods.kernels.regressions import Regressions

REGULARIZATION = 0.5
STEPS = 20


@dataclass(frozen=True)
class Case:
    """One line of the table: two ways to do the same work."""

    name: str
    ours: callable
    other: callable
    target: float
    aim: float | None = None


def movielens_shape(rng):
    """Ratings with the shape, size and popularities of MovieLens 100K's 80 % training part.

    Popularity of item j proportional to exp(-5.2 x^0.58), x = (j + 1/2)/1682, activity of users
    likewise with 3.9: deciles of the number of ratings come close to the data's. Values are a
    rank-8 model with noise, rounded to 1..5.
    """
    n_users, n_items, size = 943, 1682, 80_000
    popularity = -5.2 * ((np.arange(n_items) + 0.5) / n_items) ** 0.58
    activity = -3.9 * ((np.arange(n_users) + 0.5) / n_users) ** 0.58
    # the largest of log p + Gumbel noise are a sample without replacement
    keys = activity[:, None] + popularity + rng.gumbel(size=(n_users, n_items))
    chosen = np.argpartition(keys.ravel(), -size)[-size:]
    users, items = np.divmod(chosen, n_items)
    left, right = rng.standard_normal((n_users, 8)), rng.standard_normal((n_items, 8))
    model = 3.5 + 0.25 * np.einsum("nr,nr->n", left[users], right[items])
    values = np.clip(np.rint(model + 0.9 * rng.standard_normal(size)), 1, 5)
    return Ratings(users, items, values, n_users, n_items)


def movielens(path, rng):
    """80 % of MovieLens 100K."""
    table = np.loadtxt(path, dtype=np.int64)
    kept = rng.permutation(len(table))[: len(table) * 4 // 5]
    users, items, values = table[kept, :3].T
    return Ratings(users - 1, items - 1, values.astype(float), 943, 1682)


def half_step(ratings, rank, variance, rng):
    """Return the arguments of an A-IRLS item half-step with Huber noise in mid-training."""
    mechanism = make_mechanism("huber", variance)
    model = ALS(rank=rank, iterations=5, mechanism=mechanism).fit(ratings, rng=rng, noise_rng=rng)
    shape = (ratings.n_items, rank)
    start, noise = rng.standard_normal(shape), mechanism.rvs(size=(STEPS, *shape), rng=rng)
    return model.user_factors_, {"threshold": mechanism.a, "start": start, "noise": noise}


def numpy_loops(rows, rank, factors, threshold, start, noise):
    """R-IRLS as one would write it in NumPy: a loop over items and steps."""
    solution = np.empty_like(start)
    identity = REGULARIZATION * np.eye(rank)
    for row in range(len(start)):
        own = slice(rows.indptr[row], rows.indptr[row + 1])
        f, x, theta = factors[rows.indices[own]], rows.values[own], start[row]
        for t in noise[:, row]:
            weights = threshold / np.maximum(np.abs(x - f @ theta), threshold)
            weighted = f.T * weights
            theta = np.linalg.solve(weighted @ f + identity, weighted @ x + t)
        solution[row] = theta
    return solution


def irls_case(name, ratings, rank, variance, target, aim, other, rng):
    """An A-IRLS item half-step: ours against the direct form or NumPy loops."""
    factors, arguments = half_step(ratings, rank, variance, rng)
    rows = ratings.by_item
    ours = Regressions(rows, rank, REGULARIZATION, STEPS)
    direct = DirectRegressions(rows, rank, REGULARIZATION, STEPS)
    others = {
        "direct": lambda: direct.solve(factors, **arguments),
        "NumPy loops": lambda: numpy_loops(rows, rank, factors, **arguments),
    }
    fast, slow = ours.solve(factors, **arguments), others[other]()
    error = np.max(np.abs(fast - slow).max(axis=1) / np.abs(slow).max(axis=1))
    assert error < 1e-10, f"{name}: the results differ by {error:.1e}"
    title = f"{name}, rank {rank}, a = {arguments['threshold']:.2f}: {other}"
    return Case(title, lambda: ours.solve(factors, **arguments), others[other], target, aim)


def als_case(name, ratings, rank, dtype, target, rng):
    """One ALS iteration, users and items: ours against the Cholesky solver of `implicit`."""
    users = rng.random((ratings.n_users, rank))
    items = rng.random((ratings.n_items, rank))
    for_users = Regressions(ratings.by_user, rank, REGULARIZATION)
    for_items = Regressions(ratings.by_item, rank, REGULARIZATION)
    shape = (ratings.n_users, ratings.n_items)
    matrix = scipy.sparse.csr_matrix((ratings.values, (ratings.users, ratings.items)), shape, dtype)
    transposed = matrix.T.tocsr()
    solver = AlternatingLeastSquares(factors=rank, use_cg=False, num_threads=1, dtype=dtype).solver
    theirs = users.astype(dtype), items.astype(dtype)

    def ours():
        for_items.solve(for_users.solve(items))

    def implicit():
        solver(matrix, *theirs, REGULARIZATION, num_threads=1)
        solver(transposed, *theirs[::-1], REGULARIZATION, num_threads=1)

    title = f"{name}, rank {rank}, ALS: implicit, {np.dtype(dtype).name}"
    return Case(title, ours, implicit, target)


def seconds(function, at_least=0.02):
    """Return the CPU seconds of one call, averaged over enough calls to last ``at_least``."""
    calls, begin = 0, time.process_time()
    while calls == 0 or time.process_time() - begin < at_least:
        function()
        calls += 1
    return (time.process_time() - begin) / calls


def measure(case, repeats):
    """Return median seconds of both sides and the ratio of each repeat."""
    case.ours(), case.other()
    pairs = np.array([(seconds(case.ours), seconds(case.other)) for _ in range(repeats)])
    return *np.median(pairs, axis=0), pairs[:, 1] / pairs[:, 0]


def cases(movielens_path):
    """Yield the cases, each ready to run."""
    rng = np.random.default_rng(0)
    small = {
        rank: generate(rng, users=100, items=500, rank=rank, observed_fraction=0.1).observed
        for rank in (5, 20)
    }
    if movielens_path is None:
        large, name = movielens_shape(rng), "943 x 1682"
    else:
        large, name = movielens(movielens_path, rng), "MovieLens 100K"
    yield irls_case("100 x 500", small[20], 20, 1.0, 15, 40, "direct", rng)
    yield irls_case("100 x 500", small[20], 20, 2.0, 8, 25, "direct", rng)
    yield irls_case(name, large, 32, 1.0, 6, 12, "direct", rng)
    yield irls_case(name, large, 32, 2.0, 3.5, 7, "direct", rng)
    yield irls_case("100 x 500", small[5], 5, 1.0, 100, None, "NumPy loops", rng)
    yield irls_case("100 x 500", small[5], 5, 2.0, 100, None, "NumPy loops", rng)
    for dtype in (np.float64, np.float32):
        yield als_case("100 x 500", small[20], 20, dtype, 1.5, rng)
        yield als_case(name, large, 32, dtype, 1.5, rng)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=9)
    parser.add_argument("--movielens", metavar="FILE", help="u.data; a generated matrix if absent")
    arguments = parser.parse_args()
    print(f"{'':<52}{'ours':>10}{'other':>11}   {'ratio':<19}{'target':>7}{'aim':>5}")
    missed = 0
    with threadpool_limits(1):
        for case in cases(arguments.movielens):
            ours, other, ratios = measure(case, arguments.repeats)
            ratio = float(np.median(ratios))
            missed += ratio < case.target
            spread = f"{ratio:5.1f} ({ratios.min():.1f} to {ratios.max():.1f})"
            verdict = "missed" if ratio < case.target else "met"
            if case.aim is not None and verdict == "met":
                verdict += ", aim too" if ratio >= case.aim else ", aim not"
            print(
                f"{case.name:<52}{1e3 * ours:>7.2f} ms{1e3 * other:>8.1f} ms   {spread:<21}"
                f"{case.target:>5}{case.aim or '':>5}  {verdict}",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
