"""Projection onto the nuclear-norm ball and truncation, against the full decomposition."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_onebit import project_plain

from dpmc_studies.methods.onebit.projection import (
    LEADING,
    SPARSE,
    WarmProjection,
    leading_factors,
    mean_square,
    project_nuclear,
    simplex_threshold,
)

SHAPES = [(7, 12), (12, 7), (9, 9), (1, 5), (130, 170), (170, 130)]


@given(
    values=st.lists(st.floats(0, 100), min_size=1, max_size=12),
    total=st.floats(1e-3, 200),
)
@settings(max_examples=300, deadline=None)
def test_simplex_threshold(values, total):
    values = np.sort(values)[::-1]
    theta = simplex_threshold(values, total)
    assert theta >= 0
    left = np.maximum(values - theta, 0).sum()
    if values.sum() <= total:
        assert theta == 0
    else:
        assert left == pytest.approx(total, rel=1e-9)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("share", [0.01, 0.5, 0.999, 1.5])
def test_projection_is_the_plain_one(shape, share):
    matrix = np.random.default_rng(0).normal(size=shape)
    tau = share * np.linalg.norm(matrix, "nuc")
    before = matrix.copy()
    expected = project_plain(matrix, tau)
    np.testing.assert_allclose(project_nuclear(matrix, tau), expected, atol=1e-7)
    np.testing.assert_allclose(WarmProjection(tau)(matrix), expected, atol=1e-7)
    np.testing.assert_array_equal(matrix, before)


@given(seed=st.integers(0, 2**32 - 1), users=st.integers(1, 8), items=st.integers(1, 8))
@settings(max_examples=100, deadline=None)
def test_no_point_of_the_ball_is_nearer(seed, users, items):
    rng = np.random.default_rng(seed)
    matrix = rng.normal(size=(users, items))
    tau = rng.uniform(0.1, 1.2) * np.linalg.norm(matrix, "nuc")
    projected = project_nuclear(matrix, tau)
    assert np.linalg.norm(projected, "nuc") <= tau * (1 + 1e-7)
    other = rng.normal(size=(users, items))
    other *= tau / np.linalg.norm(other, "nuc")
    # the angle at a projection onto a convex set is obtuse
    assert np.vdot(matrix - projected, other - projected) <= 1e-6


def drifting(rng, shape, steps, dtype):
    """A low-rank matrix and noise, both of which change a little at a time."""
    rank = 12
    left, right = rng.normal(size=(shape[0], rank)), rng.normal(size=(rank, shape[1]))
    noise = rng.normal(size=shape)
    for _ in range(steps):
        left += 0.02 * rng.normal(size=left.shape)
        noise += 0.02 * rng.normal(size=shape)
        yield (left @ right + noise).astype(dtype)


@pytest.mark.parametrize("shape", [(100, 100), (90, 240), (240, 90), (260, 300), (300, 260)])
@pytest.mark.parametrize(("dtype", "near"), [(np.float64, 1e-5), (np.float32, 2e-5)])
def test_warm_projection_follows_a_drift(shape, dtype, near):
    rng = np.random.default_rng(1)
    tau = 10.0 * np.sqrt(np.prod(shape))
    project, rough = WarmProjection(tau), 0.0
    out = np.empty(shape, dtype)
    for matrix in drifting(rng, shape, 8, dtype):
        expected = project_plain(matrix.astype(float), tau)
        scale = np.sqrt(mean_square(expected))
        assert project(matrix, out=out) is out
        rough = max(rough, np.sqrt(mean_square(out - expected)) / scale)
        careful = project(matrix, careful=True)
        assert careful.dtype == dtype
        assert np.sqrt(mean_square(careful - expected)) / scale < near
    assert rough < 1e-2


def test_warm_projection_finds_what_is_new():
    """From rank 2 to rank 30, and to directions that the subspace does not contain."""
    rng = np.random.default_rng(2)
    project = WarmProjection(300.0)
    for rank in (2, 30, 5, 60):
        matrix = rng.normal(size=(250, rank)) @ rng.normal(size=(rank, 260))
        matrix += 0.01 * rng.normal(size=matrix.shape)
        # values this close to each other take many rounds
        for _ in range(50):
            project(matrix)
        projected = project(matrix, careful=True)
        np.testing.assert_allclose(projected, project_plain(matrix, 300.0), atol=1e-4)


def test_warm_projection_inside_the_ball():
    rng = np.random.default_rng(3)
    project = WarmProjection(50.0)
    for size in (1.0, 1e-4, 1.0):
        matrix = size * rng.normal(size=(120, 140))
        np.testing.assert_allclose(project(matrix), project_plain(matrix, 50.0), atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("rank", [1, 3, 1000])
def test_truncation(shape, rank):
    matrix = np.random.default_rng(4).normal(size=shape)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    factors = leading_factors(matrix, rank)
    assert factors[0].shape == (shape[0], min(rank, *shape))
    # the first k of them are those of rank k
    for k in {1, min(rank, 2), rank}:
        expected = (left[:, :k] * values[:k]) @ right[:k]
        np.testing.assert_allclose(factors[0][:, :k] @ factors[1][:k], expected, atol=1e-9)
    zero = leading_factors(np.zeros(shape), rank)
    assert not (zero[0] @ zero[1]).any()


def with_values(rng, shape, values):
    """A matrix of given singular values."""
    left, right = (np.linalg.qr(rng.normal(size=(size, len(values))))[0] for size in shape)
    return (left * values) @ right.T


RANK = 4
GAPS = {
    "rank 1": [3.0],
    "rank 60": np.linspace(2, 1, 60),
    "low rank and rounding": np.r_[np.linspace(2, 1, 60), np.full(140, 1e-7)],
    "two pairs of equals": [3.0, 3.0, 2.0, 2.0, 1.0, 1.0],
    "slow decay": np.arange(1, 241) ** -1.0,
}


@pytest.mark.parametrize("values", GAPS.values(), ids=GAPS)
@pytest.mark.parametrize("shape", [(240, 310), (310, 240)])
def test_truncation_of_a_large_matrix_with_gaps(shape, values):
    matrix = with_values(np.random.default_rng(5), shape, values)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    expected = (left[:, :RANK] * values[:RANK]) @ right[:RANK]
    found = leading_factors(matrix, RANK)
    np.testing.assert_allclose(found[0] @ found[1], expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("shape", [(240, 310), (310, 240)])
@pytest.mark.parametrize("rank", [RANK, 230])
def test_truncation_of_a_large_matrix_of_noise(shape, rank):
    matrix = np.random.default_rng(6).normal(size=shape)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    found = leading_factors(matrix, rank)
    expected = (left[:, :rank] * values[:rank]) @ right[:rank]
    np.testing.assert_allclose(found[0] @ found[1], expected, rtol=0, atol=1e-9)


@pytest.mark.parametrize("shape", [(240, 310), (310, 240)])
@pytest.mark.parametrize("kept", [1, LEADING - 1, LEADING, LEADING + 1, 230])
def test_projection_of_a_large_matrix(shape, kept):
    """The threshold lies just below the value ``kept``, among those computed first or not."""
    values = np.linspace(3, 1, 240)
    matrix = with_values(np.random.default_rng(7), shape, values)
    tau = (values[:kept] - values[kept] - 1e-4).sum()
    projected = project_nuclear(matrix, tau)
    assert np.linalg.matrix_rank(projected, tol=1e-6) == kept
    np.testing.assert_allclose(projected, project_plain(matrix, tau), rtol=0, atol=1e-11)


@pytest.mark.parametrize("shape", [(240, 310), (310, 240)])
@pytest.mark.parametrize("share", [0.01, 0.08, 0.95])
def test_projection_of_a_large_sparse_matrix(shape, share):
    """Of noised gradients."""
    rng = np.random.default_rng(8)
    matrix = np.where(rng.random(shape) < SPARSE / 2, rng.laplace(size=shape), 0.0)
    tau = share * np.linalg.norm(matrix, "nuc")
    expected = project_plain(matrix, tau)
    np.testing.assert_allclose(project_nuclear(matrix, tau), expected, rtol=0, atol=1e-11)


@pytest.mark.parametrize("rows", [0, 1, 8])
def test_projection_of_a_large_matrix_with_few_rows(rows):
    rng = np.random.default_rng(9)
    matrix = np.zeros((240, 310))
    matrix[:rows] = rng.normal(size=(rows, 310))
    expected = project_plain(matrix, 3.0)
    np.testing.assert_allclose(project_nuclear(matrix, 3.0), expected, rtol=0, atol=1e-11)
