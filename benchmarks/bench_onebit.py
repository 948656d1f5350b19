"""How fast one-bit completion is: ratios to plain NumPy with full singular value decompositions.

    python benchmarks/bench_onebit.py --repeats 3 [--movielens u.data]

Both sides in one process and one thread, CPU times, interleaved; a ratio is formed within each
repeat, and a row gives the median ratio and the smallest and largest. Without the file, which is
also looked for in the folder DPMC_DATA_MIRROR, signs of the shape of MovieLens 100K are drawn.
See README.md for what is compared. Ends with status 1 if a target is missed.
"""

import argparse
import os
import sys
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.projection import WarmProjection, project_nuclear
from dpmc_studies.methods.onebit.solve import Ball, solve
from dpmc_studies.studies.onebit.instances import instance

USERS, ITEMS = 943, 1682
TAU = float(np.sqrt(USERS * ITEMS))


@dataclass(frozen=True)
class Case:
    """One line of the table: two ways to do the same work."""

    name: str
    ours: callable
    other: callable
    target: float


def plain_projection(matrix, tau):
    """The projection onto the nuclear-norm ball by a full singular value decomposition."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    excess = (np.cumsum(values) - tau) / np.arange(1, len(values) + 1)
    theta = max(excess[np.flatnonzero(values > excess)[-1]], 0)
    return (left * np.maximum(values - theta, 0)) @ right


def plain_solver(objective, tau, tolerance=1e-4):
    """Spectral projected gradient in plain NumPy; return the value."""
    x = np.zeros(objective.shape)
    value, gradient = plain_gradient(objective, x)
    values, step = deque([value], maxlen=10), 1.0
    while True:
        direction = plain_projection(x - step * gradient, tau) - x
        if np.sqrt(np.mean(direction**2)) / max(step, 1) < tolerance:
            return value
        slope, share = np.sum(gradient * direction), 1.0
        while True:
            new = x + share * direction
            new_value, new_gradient = plain_gradient(objective, new)
            if new_value <= max(values) + 1e-4 * share * slope:
                break
            share /= 2
        moved, bend = new - x, np.sum((new - x) * (new_gradient - gradient))
        step = min(max(np.sum(moved**2) / bend, 1e-3), 1e3) if bend > 0 else 1e3
        x, value, gradient = new, new_value, new_gradient
        values.append(value)


def plain_gradient(objective, x):
    """The value and the gradient at a whole matrix."""
    value, slopes = objective(x.ravel()[objective.index])
    gradient = np.zeros(objective.shape)
    gradient.ravel()[objective.index] = slopes
    return value, gradient


def movielens(path):
    """The signs of MovieLens 100K's training part u1: all but the first 20,000 lines."""
    table = np.loadtxt(path, dtype=np.int64)
    values = np.where(table[:, 2] > table[:, 2].mean(), 1.0, -1.0)
    ratings = Ratings(table[:, 0] - 1, table[:, 1] - 1, values, USERS, ITEMS)
    return ratings.take(slice(20_000, None))


def projection_cases(name, objective):
    """Projections in mid-solve, by the whole Gram matrix and from the subspace of a step before."""
    x = solve(objective, Ball(TAU), tolerance=1e-3).matrix()
    gradient = plain_gradient(objective, x)[1]
    before, moved = x - 9 * gradient, x - 10 * gradient
    expected = plain_projection(moved, TAU)
    for dtype in (np.float64, np.float32):
        warm, matrix = WarmProjection(TAU), moved.astype(dtype)
        for _ in range(5):
            warm(before.astype(dtype))
        rounds = [warm(matrix), warm(matrix, careful=True)]
        errors = [np.sqrt(np.mean((r - expected) ** 2) / np.mean(expected**2)) for r in rounds]
        assert errors[0] < 2e-2, errors
        assert errors[1] < 5e-3, errors
        yield Case(
            f"{name}: projection, one round, {np.dtype(dtype).name}",
            lambda warm=warm, matrix=matrix: warm(matrix),
            lambda: plain_projection(moved, TAU),
            5,
        )
    exact = np.abs(project_nuclear(moved, TAU) - expected).max()
    assert exact < 1e-6, f"the projection differs by {exact:.1e}"
    yield Case(
        f"{name}: projection, Gram matrix",
        lambda: project_nuclear(moved, TAU),
        lambda: plain_projection(moved, TAU),
        1.5,
    )


def solver_case(name, objective, tau, target):
    """The solver over the nuclear-norm ball against the plain one, to the same tolerance."""
    value = plain_solver(objective, tau)
    found = solve(objective, Ball(tau)).value
    error = abs(found - value) / len(objective.index)
    assert error < 1e-4, f"{name}: the minima differ by {error:.1e} a sign"
    return Case(
        f"{name}: {objective.link.name}, nuclear",
        lambda: solve(objective, Ball(tau)),
        lambda: plain_solver(objective, tau),
        target,
    )


def cases(path):
    """Yield the cases, each ready to run."""
    rng = np.random.default_rng(0)
    for link in ("logistic", "gaussian"):
        _, signs = instance(rng, 100, 100, 1, 0.15, link_of(link), 1.0)
        yield solver_case("100 x 100", Objective(signs, link), 100.0, 2)
    if path is None:
        _, signs = instance(rng, USERS, ITEMS, 1, 0.05, link_of("logistic"), 1.0)
        name = "943 x 1682"
    else:
        signs, name = movielens(path), "MovieLens 100K"
    yield from projection_cases(name, Objective(signs, "logistic"))
    for link in ("logistic", "gaussian"):
        yield solver_case(name, Objective(signs, link), TAU, 5)


def seconds(function, at_least=0.02):
    """Return the CPU seconds of one call, averaged over enough calls to last ``at_least``."""
    calls, begin = 0, time.process_time()
    while calls == 0 or time.process_time() - begin < at_least:
        function()
        calls += 1
    return (time.process_time() - begin) / calls


def main():
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--movielens", metavar="FILE", help="u.data; signs are drawn if absent")
    arguments = parser.parse_args()
    mirror = os.environ.get("DPMC_DATA_MIRROR")
    path = arguments.movielens or (mirror and Path(mirror) / "ml-100k" / "u.data")
    print(f"{'':<40}{'ours':>10}{'plain':>12}   {'ratio':<21}{'target':>7}")
    missed = 0
    with threadpool_limits(1):
        for case in cases(path):
            case.ours()
            pairs = [(seconds(case.ours), seconds(case.other)) for _ in range(arguments.repeats)]
            ratios = np.array([other / ours for ours, other in pairs])
            ours, other = 1e3 * np.median(pairs, axis=0)
            ratio = float(np.median(ratios))
            missed += ratio < case.target
            spread = f"{ratio:5.1f} ({ratios.min():.1f} to {ratios.max():.1f})"
            verdict = "missed" if ratio < case.target else "met"
            print(
                f"{case.name:<54}{ours:>7.1f} ms{other:>9.1f} ms   {spread:<21}{case.target:>7}  "
                f"{verdict}",
                flush=True,
            )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
