"""Two stacks of vector kernels: could one of them do the work of both?

    python benchmarks/bench_stacks.py [--repeats 5]

``lanes`` (:mod:`dpmc.methods.kernels.regressions`) solves eight rows at a time, one in each lane of
a vector, and updates what changes from one inner step of A-IRLS to the next. ``tiles``
(:mod:`dpmc.methods.normal`) sums the Gram matrix of one row at a time in registers. Each line is
the same regressions by both, in double precision, without noise, one thread, interleaved; results
are checked to agree. Times are CPU times; a ratio is formed within each repeat. See README.md.
"""

import argparse
import time

import numpy as np

from dpmc.methods.kernels.products import rows_less_products
from dpmc.methods.kernels.regressions import Regressions
from dpmc.methods.normal import solve_rows
from dpmc.ratings import Ratings

REGULARIZATION = 0.5
CASES = (
    # users, items, ratings, rank, inner steps (1: ridge regression), threshold
    (100, 500, 5_000, 20, 20, 1.0),
    (943, 1682, 80_000, 32, 20, 1.0),
    (100, 500, 5_000, 20, 1, np.inf),
    (943, 1682, 80_000, 32, 1, np.inf),
    (943, 1682, 80_000, 8, 1, np.inf),
    (5_000, 1_000, 500_000, 32, 1, np.inf),
    (5_000, 1_000, 500_000, 128, 1, np.inf),
)


def drawn(users: int, items: int, size: int, rng: np.random.Generator) -> Ratings:
    """Draw ratings by users and items whose popularities follow a power law."""
    keys = -np.log1p(np.arange(users))[:, None] / 2 - np.log1p(np.arange(items))
    keys = (keys + rng.gumbel(size=(users, items))).ravel()
    chosen = np.sort(np.argpartition(keys, -size)[-size:])
    return Ratings(*np.divmod(chosen, items), rng.standard_normal(size), users, items)


def by_tiles(rows, factors, steps: int, threshold: float) -> np.ndarray:
    """Solve as the formula says: residuals, weights and a Gram matrix in each inner step."""
    theta = np.zeros((rows.n_rows, factors.shape[1]))
    if threshold == np.inf:
        return solve_rows(rows, factors, REGULARIZATION)
    for _ in range(steps):
        left = np.abs(rows_less_products(rows.indptr, rows.indices, rows.values, theta, factors))
        weights = threshold / np.maximum(left, threshold)
        theta = solve_rows(rows, factors, REGULARIZATION, weights=weights)
    return theta


def seconds(work) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    rng = np.random.default_rng(0)
    for users, items, size, rank, steps, threshold in CASES:
        rows = drawn(users, items, size, rng).by_item
        factors = rng.standard_normal((users, rank)) / rank**0.5
        lanes = Regressions(rows, rank, REGULARIZATION, steps)

        def by_lanes(lanes=lanes, factors=factors, threshold=threshold):
            return lanes.solve(factors, threshold=threshold)

        def tiled(rows=rows, factors=factors, steps=steps, threshold=threshold):
            return by_tiles(rows, factors, steps, threshold)

        np.testing.assert_allclose(by_lanes(), tiled(), rtol=1e-6, atol=1e-8)
        times = np.array([(seconds(by_lanes), seconds(tiled)) for _ in range(repeats)])
        ratios = times[:, 1] / times[:, 0]
        ours, theirs = 1000 * np.median(times, axis=0)
        kind = f"A-IRLS, {steps} steps" if steps > 1 else "ridge"
        print(
            f"| {users} x {items}, {size} ratings, rank {rank}, {kind} | {ours:.3g} ms "
            f"| {theirs:.3g} ms | {np.median(ratios):.2g} ({ratios.min():.2g} to "
            f"{ratios.max():.2g}) |",
            flush=True,
        )


if __name__ == "__main__":
    main()
