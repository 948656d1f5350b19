"""How fast alternating least squares is on 10 million ratings: ratios to `implicit` and to NumPy.

    python benchmarks/bench_dpals.py --repeats 3

Drawn ratings of the shape of MovieLens 10M, and of 50,000 x 1000 with 10.8 million; float32; one
iteration, all users and then all items. All in one process and one thread, interleaved, CPU times;
a ratio is formed within each repeat, and a row gives the median ratio and the smallest and largest.
See README.md for what is compared. Ends with status 1 if a target is missed.
"""

import argparse
import resource
import subprocess
import sys
import time
from dataclasses import dataclass

import numpy as np
from implicit.als import AlternatingLeastSquares as Implicit
from scipy.sparse import csr_matrix
from threadpoolctl import threadpool_info, threadpool_limits

from dpmc.methods.normal import solve_rows
from dpmc.ratings import Compressed, Ratings
from dpmc_studies.methods.user_level.als import AlternatingLeastSquares

REGULARIZATION = 5.0
SHARE_TARGET, SHARE_AIM = 0.15, 0.4
MEMORY_TARGET = 8.0  # GiB


@dataclass(frozen=True)
class Case:
    """One line of the table: two ways to do the same work."""

    name: str
    ours: callable
    other: callable
    target: float | None


def drawn(n_users, n_items, size, exponent):
    """Return so many ratings, popularity of item j in proportion to (j + 10)^-exponent."""
    rng = np.random.default_rng(0)
    popularity = np.cumsum((np.arange(n_items) + 10.0) ** -exponent)
    keys = np.zeros(0, np.int64)
    while keys.size < size:
        items = np.searchsorted(popularity / popularity[-1], rng.random(size // 2))
        more = rng.integers(0, n_users, items.size) * n_items + np.minimum(items, n_items - 1)
        keys = np.union1d(keys, more)
    kept = np.ones(keys.size, bool)
    kept[rng.permutation(keys.size)[size:]] = False
    users, items = np.divmod(keys[kept], n_items)
    return Ratings(users, items, rng.integers(1, 11, size) / 2, n_users, n_items)


def flops(sides, rank):
    """Return the operations of an iteration: triangles of products, right-hand sides, Cholesky."""
    ratings = sum(rows.indices.size for rows in sides)
    systems = sum(np.count_nonzero(np.diff(rows.indptr)) for rows in sides)
    return ratings * (rank * (rank + 1) + 2 * rank) + systems * rank**3 / 3


def every(rows, step):
    """Return every step-th row."""
    kept = np.arange(0, rows.indptr.size - 1, step)
    counts = np.diff(rows.indptr)[kept]
    indptr = np.concatenate([[0], np.cumsum(counts)])
    places = np.arange(indptr[-1]) + np.repeat(rows.indptr[kept] - indptr[:-1], counts)
    return Compressed(indptr, rows.indices[places], rows.values[places])


def numpy_rows(rows, factors):
    """The rows' solutions as one would write them in NumPy."""
    identity = REGULARIZATION * np.eye(factors.shape[1], dtype=factors.dtype)
    values = rows.values.astype(factors.dtype)
    solution = np.zeros((rows.indptr.size - 1, factors.shape[1]), factors.dtype)
    for row, (first, last) in enumerate(zip(rows.indptr, rows.indptr[1:], strict=False)):
        v = factors[rows.indices[first:last]]
        solution[row] = np.linalg.solve(v.T @ v + identity, v.T @ values[first:last])
    return solution


def cases(sides, rank, targets):
    """Yield what to time at one rank; ``sides`` are rows of users and of items."""
    rng = np.random.default_rng(1)
    starts = [
        rng.standard_normal((1 + rows.indices.max(), rank), dtype=np.float32) for rows in sides
    ]  # the factors of the columns

    def ours():
        return [
            solve_rows(rows, factors, REGULARIZATION)
            for rows, factors in zip(sides, starts, strict=True)
        ]

    def numpys():
        return [numpy_rows(rows, factors) for rows, factors in zip(sides, starts, strict=True)]

    def implicits(use_cg):
        solver = Implicit(factors=rank, use_cg=use_cg, num_threads=1).solver
        # confidences above 1, or its systems are not positive definite and it solves them twice
        matrices = [
            csr_matrix((1 + rows.values.astype(np.float32), rows.indices, rows.indptr))
            for rows in sides
        ]
        solutions = ours()

        def run():
            for matrix, solution, factors in zip(matrices, solutions, starts, strict=True):
                solver(matrix, solution, factors, REGULARIZATION, num_threads=1)

        return run

    for one, other in zip(ours(), numpys(), strict=True):
        error = np.abs(one - other).max() / np.abs(other).max()
        assert error < 1e-3, f"rank {rank}: the results differ by {error:.1e}"
    others = {
        "implicit, CG": implicits(True),
        "implicit, Cholesky": implicits(False),
        "NumPy": numpys,
    }
    for name, other in others.items():
        yield Case(f"rank {rank}: {name}", ours, other, targets.get(name))


def sgemm_speed(size=2048):
    """Return the GFLOP/s of this machine's sgemm, the best of five."""
    matrix = np.random.default_rng(2).random((size, size), dtype=np.float32)
    return 2e-9 * size**3 / min(seconds(lambda: matrix @ matrix) for _ in range(5))


def seconds(function):
    """Return the CPU seconds of one call."""
    begin = time.process_time()
    function()
    return time.process_time() - begin


def memory():
    """Print the peak memory in GiB of fitting 10 million ratings at rank 128, all included."""
    ratings = drawn(69_878, 10_677, 10_000_000, 0.9)
    AlternatingLeastSquares(
        rank=128, iterations=1, centring="user", dtype="float32", regularization=REGULARIZATION
    ).fit(ratings, rng=0)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20)


def run(sides, rank, repeats, targets, speed):
    """Print the lines of one data set and rank; return how many targets are missed."""
    missed, times = 0, []
    for case in cases(sides, rank, targets):
        pairs = [(seconds(case.ours), seconds(case.other)) for _ in range(repeats)]
        ratios = np.array([other / ours for ours, other in pairs])
        ours, other = np.median(pairs, axis=0)
        times.append(ours)
        ratio, verdict = float(np.median(ratios)), ""
        if case.target is not None:
            verdict = f"{case.target:>7}  {'met' if ratio >= case.target else 'missed'}"
            missed += ratio < case.target
        spread = f"{ratio:5.1f} ({ratios.min():.1f} to {ratios.max():.1f})"
        print(f"  {case.name:<30}{ours:>8.2f} s{other:>9.2f} s   {spread:<21}{verdict}", flush=True)
    reached = 1e-9 * flops(sides, rank) / np.median(times)
    share = reached / speed
    verdict = "" if rank < 32 else f", target {SHARE_TARGET:.0%}, aim {SHARE_AIM:.0%}"
    print(f"  {reached:.0f} GFLOP/s, {share:.0%} of sgemm's {speed:.0f}{verdict}")
    return missed + (rank >= 32 and share < SHARE_TARGET)


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--memory", action="store_true", help="only print the peak memory in GiB")
    arguments = parser.parse_args()
    if arguments.memory:
        memory()
        return 0
    missed = 0
    print(f"{'':<32}{'ours':>10}{'other':>11}   {'ratio':<21}{'target':>7}")
    with threadpool_limits(1):
        speed = sgemm_speed()
        large = drawn(69_878, 10_677, 9_900_000, 0.9)
        whole = large.by_user, large.by_item
        both = {"implicit, CG": 1.5, "implicit, Cholesky": 1.5, "NumPy": 3}
        print("69,878 x 10,677, 9,900,000 ratings")
        missed += run(whole, 32, arguments.repeats, both, speed)
        print("the same, every tenth user and item")
        tenths = [every(rows, 10) for rows in whole]
        missed += run(tenths, 128, arguments.repeats, {"implicit, Cholesky": 1}, speed)
        small = drawn(50_000, 1000, 10_800_000, 0.3)
        print("50,000 x 1000, 10,800,000 ratings")
        whole = small.by_user, small.by_item
        missed += run(whole, 5, arguments.repeats, {"implicit, Cholesky": 1.5}, speed)
    for library in threadpool_info():
        if library["user_api"] == "blas":
            core = library.get("architecture", "unknown")
            print(f"BLAS: {library['internal_api']} {library['version']}, kernels for {core}")
    child = subprocess.run(
        [sys.executable, __file__, "--memory"], capture_output=True, text=True, check=True
    )
    peak = float(child.stdout)
    missed += peak > MEMORY_TARGET
    print(f"10,000,000 ratings at rank 128: {peak:.1f} GiB at most, target {MEMORY_TARGET:g}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
