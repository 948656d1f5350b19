"""Normal equations of rows: sums and solutions against NumPy, the same bits anywhere, refusals.

Tolerances are multiples of the rounding error of the sums (entries of a Gram matrix) or of that
times the condition number (solutions); there is no chance in them beyond the fixed seeds.
"""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.methods.normal import normal_sums, solve_rows
from dpmc.ratings import Compressed

DTYPES = (np.float32, np.float64)


def drawn_rows(rng, counts, n_columns, dtype=np.float64):
    """Rows with so many ratings each, at random columns."""
    indices = [np.sort(rng.permutation(n_columns)[:count]) for count in counts]
    indptr = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
    indices = np.concatenate([np.zeros(0), *indices]).astype(np.int32)
    return Compressed(indptr, indices, rng.standard_normal(indices.size).astype(dtype))


def plain_sums(rows, factors, weights=None):
    """Return sum w v v^T, sum w x v, and the norm of sum |w x v|, of every row in float64."""
    rank = factors.shape[1]
    grams, targets, sizes = [], [], []
    for row in range(rows.indptr.size - 1):
        own = slice(rows.indptr[row], rows.indptr[row + 1])
        v = factors[rows.indices[own]].astype(float)
        w = np.ones(len(v)) if weights is None else weights[own]
        grams.append((v.T * w) @ v)
        targets.append(v.T @ (w * rows.values[own]))
        sizes.append(np.linalg.norm(np.abs(v).T @ np.abs(w * rows.values[own])))
    return np.reshape(grams, (-1, rank, rank)), np.reshape(targets, (-1, rank)), sizes


def assert_solves(rows, factors, regularization, weights=None, base=None, threads=1):
    """Compare solve_rows with float64 solutions, row by row."""
    solution = solve_rows(
        rows, factors, regularization, weights=weights, base=base, threads=threads
    )
    assert solution.dtype == factors.dtype
    grams, targets, sizes = plain_sums(rows, factors, weights)
    shifts = np.broadcast_to(regularization, len(grams))
    for row, (gram, target) in enumerate(zip(grams, targets, strict=True)):
        if rows.indptr[row] == rows.indptr[row + 1]:
            assert not solution[row].any()
            continue
        matrix = gram + shifts[row] * np.eye(len(gram)) + (0 if base is None else base)
        expected = np.linalg.solve(matrix, target)
        tolerance = 40 * np.finfo(factors.dtype).eps * np.linalg.cond(matrix)
        # a sum is rounded relative to the sizes of its terms, which may cancel
        scale = np.linalg.norm(expected) + sizes[row] / np.linalg.norm(matrix, 2)
        assert np.linalg.norm(solution[row] - expected) <= tolerance * scale


@settings(deadline=None, max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 30), min_size=1, max_size=8),
    st.integers(1, 40),
    st.sampled_from(DTYPES),
    st.booleans(),
    st.booleans(),
)
def test_solutions_equal_numpys(seed, counts, rank, dtype, weighted, with_base):
    rng = np.random.default_rng(seed)
    rows = drawn_rows(rng, counts, 30)
    factors = rng.standard_normal((30, rank)).astype(dtype)
    weights = rng.random(rows.values.size) if weighted else None
    half = rng.standard_normal((5, rank)).astype(dtype)
    base = (half.T @ half).astype(dtype) if with_base else None
    assert_solves(rows, factors, 0.3 + rng.random(len(counts)), weights, base)


@settings(deadline=None, max_examples=30)
@given(
    st.integers(0, 2**32 - 1),
    st.lists(st.integers(0, 30), min_size=1, max_size=8),
    st.integers(1, 40),
    st.sampled_from(DTYPES),
    st.booleans(),
)
def test_sums_equal_numpys(seed, counts, rank, dtype, weighted):
    rng = np.random.default_rng(seed)
    rows = drawn_rows(rng, counts, 30)
    factors = rng.standard_normal((30, rank)).astype(dtype)
    weights = rng.random(rows.values.size) if weighted else None
    grams, targets = normal_sums(rows, factors, weights=weights)
    assert grams.dtype == targets.dtype == dtype
    np.testing.assert_array_equal(grams, grams.transpose(0, 2, 1))
    tolerance = {"rtol": 0, "atol": 1000 * np.finfo(dtype).eps}
    expected = plain_sums(rows, factors, weights)[:2]
    np.testing.assert_allclose(grams, expected[0], **tolerance)
    np.testing.assert_allclose(targets, expected[1], **tolerance)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rank", [5, 32, 128])
def test_long_rows_and_large_ranks(rank, dtype):
    rng = np.random.default_rng(1)
    rows = drawn_rows(rng, [255, 256, 257, 800], 900)
    factors = rng.standard_normal((900, rank)).astype(dtype)
    assert_solves(rows, factors, 0.5, rng.random(rows.values.size))


@pytest.mark.parametrize("dtype", DTYPES)
def test_threads_and_types_of_ratings_leave_the_bits_alone(dtype):
    rng = np.random.default_rng(2)
    rows = drawn_rows(rng, rng.integers(0, 40, 50), 40, np.float32)
    factors = rng.standard_normal((40, 7)).astype(dtype)
    one = solve_rows(rows, factors, 0.1)
    sums = normal_sums(rows, factors)
    for other in (rows, rows.astype(np.float64)):
        for threads in (1, 2, 3, 60):
            np.testing.assert_array_equal(solve_rows(other, factors, 0.1, threads=threads), one)
        for again, before in zip(normal_sums(other, factors, threads=2), sums, strict=True):
            np.testing.assert_array_equal(again, before)


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    counts=st.lists(st.integers(0, 40), min_size=2, max_size=30),
    rank=st.integers(1, 8),
    power=st.floats(-6, 0),
)
def test_a_row_has_the_same_bits_wherever_it_stands_and_whoever_else_is_there(
    seed, counts, rank, power
):
    """The proof of dpmc.privacy.release rests on it: a user who leaves moves no bit of others."""
    rng = np.random.default_rng(seed)
    rows = drawn_rows(rng, counts, 40)
    factors = rng.standard_normal((40, rank)) * rng.choice([1.0, 1e-3], rank)
    whole = solve_rows(rows, factors, 10**power)
    others = rng.permutation(len(counts))[:-1]
    pieces = [slice(rows.indptr[row], rows.indptr[row + 1]) for row in others]
    indptr = np.concatenate([[0], np.cumsum([counts[row] for row in others])])
    moved = Compressed(
        indptr,
        np.concatenate([rows.indices[piece] for piece in pieces]),
        np.concatenate([rows.values[piece] for piece in pieces]),
    )
    np.testing.assert_array_equal(solve_rows(moved, factors, 10**power), whole[others])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_nearly_singular_system_has_a_finite_solution(dtype):
    # equal factors: a Gram matrix of rank 1, and lambda far below its rounding error
    rows = drawn_rows(np.random.default_rng(4), [50], 50)
    solution = solve_rows(rows, np.full((50, 24), 3.0, dtype), 1e-30)
    assert np.isfinite(solution).all()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"factors": np.ones((4, 3), dtype=int)}, "factors must be a float32 or float64 array"),
        ({"factors": np.ones(4)}, "factors must be a float32 or float64 array"),
        ({"factors": np.ones((4, 0))}, "factors must be a float32 or float64 array"),
        ({"factors": np.ones((3, 3))}, "factors has 3 rows, but a rating is in column 3"),
        ({"regularization": 0.0}, "regularization must be a number above 0"),
        ({"regularization": np.nan}, "regularization must be a number above 0"),
        ({"regularization": np.ones(3)}, "one for each of the 2 rows"),
        ({"weights": np.ones(3)}, r"weights must have shape \(4,\)"),
        ({"weights": -np.ones(4)}, "weights must be numbers of at least 0"),
        ({"weights": np.full(4, np.nan)}, "weights must be numbers of at least 0"),
        ({"base": np.ones((2, 2))}, r"base must have shape \(3, 3\)"),
        ({"threads": 0}, "threads must be an integer of at least 1"),
    ],
)
def test_refusals(changes, message):
    rows = Compressed(np.array([0, 1, 4]), np.array([0, 1, 2, 3], np.int32), np.ones(4))
    arguments = {"rows": rows, "factors": np.ones((4, 3)), "regularization": 1.0} | changes
    with pytest.raises(InputError, match=message):
        solve_rows(**arguments)


DIGEST = """
import hashlib
import numpy as np
from dpmc.ratings import Compressed
from dpmc.methods.normal import normal_sums, solve_rows
rng = np.random.default_rng(5)
counts = [0, 1, 2, 3, 4, 29, 61]
indices = np.concatenate([np.sort(rng.permutation(70)[:count]) for count in counts])
rows = Compressed(np.cumsum([0, *counts]), indices.astype(np.int32), rng.random(100))
weights = rng.random(100)
found = hashlib.sha256()
for rank in (1, 3, 20):
    for dtype in (np.float32, np.float64):
        factors = rng.standard_normal((70, rank)).astype(dtype)
        found.update(solve_rows(rows, factors, 1.0, weights=weights))
        found.update(solve_rows(rows, factors, 1.0, base=np.eye(rank)))
        for sums in normal_sums(rows, factors):
            found.update(sums)
print(found.hexdigest())
"""


@pytest.mark.slow
def test_every_cpu_gives_the_same_bits(tmp_path):
    """Vectors of another width, no fused multiply-add, and plain Python."""
    every = (
        {},
        {"NUMBA_CPU_NAME": "generic", "NUMBA_CPU_FEATURES": ""},
        {"NUMBA_DISABLE_JIT": "1"},
    )
    found = set()
    for n, changes in enumerate(every):
        run = subprocess.run(
            [sys.executable, "-c", DIGEST],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / str(n))} | changes,
            capture_output=True,
            text=True,
            check=False,
        )
        assert run.returncode == 0, run.stderr
        found.add(run.stdout)
    assert len(found) == 1
