"""The fast regressions against NumPy loops, the direct form and scikit-learn."""

import hashlib
import json
import os
import subprocess
import sys

import llvmlite.binding
import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_methods import plain_irls, plain_ridge, ratings_by_counts, relative_error
from sklearn.linear_model import Ridge

from dpmc.errors import InputError
from dpmc_studies.methods.factorization.direct import DirectRegressions
from dpmc_studies.methods.kernels.regressions import Regressions

FORMS = [Regressions, DirectRegressions]
TOLERANCE = 1e-10


def problem(rng, counts, rank, steps, noise_scale=1.0, n_users=60):
    """Return ratings with the given count per item, user factors, starts and noise."""
    ratings = ratings_by_counts(rng, counts, n_users)
    factors = rng.standard_normal((n_users, rank))
    start = rng.standard_normal((len(counts), rank))
    noise = noise_scale * rng.standard_normal((steps, len(counts), rank))
    return ratings.by_item, factors, start, noise


def check(form, rows, factors, start, noise, threshold, regularization, tolerance=TOLERANCE):
    """Compare a form with NumPy loops."""
    regressions = form(rows, factors.shape[1], regularization, len(noise))
    actual = regressions.solve(factors, threshold=threshold, start=start, noise=noise)
    expected = plain_irls(rows, factors, regularization, threshold, start, noise)
    assert relative_error(actual, expected) < tolerance
    return actual


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("rank", [1, 2, 5, 8, 33])
@pytest.mark.parametrize("threshold", [np.inf, 3.0, 1.08, 0.05])
def test_equals_plain_irls(form, rank, threshold):
    # counts 0 and 1, both sides of 1.5 rank, batches that mix them, not a multiple of 8
    rng = np.random.default_rng(rank)
    counts = [0, 1, 1, 2, 3, 5, 7, 8, 9, 12, 13, 17, 30, 49, 50, 51, 60, 0, 4]
    check(form, *problem(rng, counts, rank, steps=4), threshold, 0.5)


@pytest.mark.parametrize("count", [1, 6, 9, 40])
def test_all_weights_are_one(count):
    rows, factors, start, noise = problem(np.random.default_rng(1), [count] * 9, 6, steps=3)
    kept = check(Regressions, rows, factors, start, noise, 1e6, 0.5)
    ridge = Regressions(rows, 6, 0.5, 3).solve(factors, start=start, noise=noise)
    np.testing.assert_array_equal(kept, ridge)
    np.testing.assert_allclose(ridge, plain_ridge(rows, factors, 0.5, noise[-1]), rtol=TOLERANCE)


@pytest.mark.parametrize("count", [3, 8, 25])
def test_zero_residuals(count):
    # x = F theta exactly: psi(r)/r is 0/0 there, the weight is 1
    rng = np.random.default_rng(3)
    rows, factors, start, _ = problem(rng, [count] * 5, 4, steps=1)
    start[:], rows.values[:] = 0.0, 0.0
    solution = check(Regressions, rows, factors, start, np.zeros((3, 5, 4)), 1.0, 0.5)
    assert not solution.any()
    check(Regressions, rows, factors, start, rng.standard_normal((3, 5, 4)), 1.0, 0.5)


@pytest.mark.parametrize("noise_scale", [1e2, 1e6])
@pytest.mark.parametrize("count", [4, 9, 40])
def test_large_noise(noise_scale, count):
    # weights down to 1e-6: factor space has to sum again instead of subtracting
    rng = np.random.default_rng(4)
    counts = [count - 1, count, count + 1] * 4
    check(Regressions, *problem(rng, counts, 6, 5, noise_scale), 1.0, 0.5)


@pytest.mark.parametrize("form", FORMS)
def test_small_regularization(form):
    # theta grows like t / lambda and 1e-16 |f|^2 / lambda = 1e-11 is lost in any form; far from
    # square systems keep F F^T and F^T F well conditioned
    rng = np.random.default_rng(5)
    counts = [1, 2, 3, 20, 25, 30, 60] * 2
    check(form, *problem(rng, counts, 9, 3), np.inf, 1e-5, tolerance=1e-8)
    check(form, *problem(rng, counts, 9, 3), 2.0, 1e-5, tolerance=1e-8)


def test_one_lane_with_huge_residuals_leaves_the_others_exact():
    rng = np.random.default_rng(6)
    rows, factors, start, noise = problem(rng, [20] * 8, 3, steps=4)
    rows.values[rows.indptr[2] : rows.indptr[3]] += 1e5
    check(Regressions, rows, factors, start, noise, 1.0, 0.5)


def test_matches_scikit_learn_ridge():
    rng = np.random.default_rng(7)
    rows, factors, _, _ = problem(rng, [2, 5, 30, 60], 5, steps=1)
    solution = Regressions(rows, 5, 0.7).solve(factors)
    for row in range(4):
        own = slice(rows.indptr[row], rows.indptr[row + 1])
        ridge = Ridge(alpha=0.7, fit_intercept=False, solver="cholesky")
        ridge.fit(factors[rows.indices[own]], rows.values[own])
        np.testing.assert_allclose(solution[row], ridge.coef_, rtol=1e-9)


@pytest.mark.parametrize("form", FORMS)
def test_rows_without_ratings(form):
    # (0 + lambda I)^-1 (0 + t_K): a zero row would tell that nobody rated the item
    rows, factors, start, noise = problem(np.random.default_rng(8), [0, 3, 0, 20, 0], 4, steps=2)
    regressions, empty = form(rows, 4, 0.5, 2), [0, 2, 4]
    noisy = regressions.solve(factors, threshold=1.0, start=start, noise=noise)
    np.testing.assert_allclose(noisy[empty], noise[-1, empty] / 0.5, rtol=1e-15)
    assert not regressions.solve(factors, threshold=1.0, start=start)[empty].any()


def test_a_workspace_forgets_what_it_did_before():
    rng = np.random.default_rng(9)
    rows, factors, start, noise = problem(rng, [3, 8, 20, 50], 5, steps=2)
    used, fresh = Regressions(rows, 5, 0.5, 2), Regressions(rows, 5, 0.5, 2)
    used.solve(factors, threshold=0.1, start=start, noise=1e3 * noise)
    for arguments in ({}, {"threshold": 1.0, "start": start}, {"noise": noise}):
        np.testing.assert_array_equal(
            used.solve(factors, **arguments), fresh.solve(factors, **arguments)
        )


@pytest.mark.parametrize("name", ["factors", "start", "noise"])
def test_wrong_shapes_are_refused(name):
    rows, factors, start, noise = problem(np.random.default_rng(11), [3, 20], 4, steps=2)
    arrays = {"factors": factors, "start": start, "noise": noise}
    arrays[name] = arrays[name][:-1]
    with pytest.raises(InputError, match=f"{name} must have shape"):
        Regressions(rows, 4, 0.5, 2).solve(**arrays)


@given(
    counts=st.lists(st.integers(0, 30), min_size=1, max_size=20),
    rank=st.integers(1, 12),
    steps=st.integers(1, 4),
    threshold=st.sampled_from([np.inf, 10.0, 3.0, 1.0, 0.1, 1e-3]),
    regularization=st.sampled_from([0.05, 0.5, 5.0]),
    noise_scale=st.sampled_from([0.0, 1.0, 30.0]),
    seed=st.integers(0, 2**32 - 1),
)
@settings(deadline=None, max_examples=60)
def test_fast_equals_direct(counts, rank, steps, threshold, regularization, noise_scale, seed):
    rng = np.random.default_rng(seed)
    rows, factors, start, noise = problem(rng, counts, rank, steps, noise_scale, n_users=30)
    arguments = {"threshold": threshold, "start": start, "noise": noise}
    fast = Regressions(rows, rank, regularization, steps).solve(factors, **arguments)
    direct = DirectRegressions(rows, rank, regularization, steps).solve(factors, **arguments)
    # over 6,000 random problems of this kind the largest error was 8e-12
    assert relative_error(fast, direct) < TOLERANCE


SAME_BITS = """
import json, sys
sys.path[:0] = sys.argv[1:]
import test_kernels
from dpmc_studies.methods.kernels import lanes
digest = test_kernels.digest_of_results()
stats = lanes.solve_batches.stats
compiled = "".join(lanes.solve_batches.inspect_asm().values()) if stats.cache_misses else ""
print(json.dumps({"digest": digest, "compiled": sum(stats.cache_misses.values()),
                  "loaded": sum(stats.cache_hits.values()), "wide": "zmm" in compiled}))
"""


def digest_of_results():
    """Return a digest of the bits of a few solutions."""
    bits = hashlib.sha256()
    for rank in (1, 6, 11):
        rng = np.random.default_rng(rank)
        rows, factors, start, noise = problem(rng, [0, 1, 3, 6, 9, 12, 25, 60, 40, 30], rank, 3)
        for threshold in (np.inf, 1.0, 1e-3):
            regressions = Regressions(rows, rank, 0.5, 3)
            solution = regressions.solve(factors, threshold=threshold, start=start, noise=noise)
            bits.update(solution.tobytes())
    return bits.hexdigest()


WITHOUT_AVX512 = {
    "NUMBA_CPU_NAME": "haswell",
    "NUMBA_CPU_FEATURES": "+avx,+avx2,+fma,+bmi,+bmi2,+popcnt,+sse4.2",
}


def run_compiled(environment):
    """Run the digest in a new process, compiled whether or not this one is."""
    environment = os.environ | {"NUMBA_DISABLE_JIT": "0"} | environment
    command = [sys.executable, "-c", SAME_BITS, *filter(None, sys.path)]
    result = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(result.stdout)


@pytest.mark.slow
@pytest.mark.skipif(
    not llvmlite.binding.get_host_cpu_features().get("avx2"), reason="needs a CPU with AVX2"
)
def test_same_bits_on_another_cpu_and_from_the_cache(tmp_path):
    expected = run_compiled({})["digest"] if numba.config.DISABLE_JIT else digest_of_results()
    elsewhere = WITHOUT_AVX512 | {"NUMBA_CACHE_DIR": str(tmp_path)}
    compiled = run_compiled(elsewhere)
    assert compiled["compiled"] == 1, "one compilation serves all ranks and shapes"
    assert not compiled["wide"]
    assert compiled["digest"] == expected
    loaded = run_compiled(elsewhere)
    assert (loaded["compiled"], loaded["loaded"]) == (0, 1)
    assert loaded["digest"] == expected
