"""Every operation of the vector type against NumPy; compiled and, without JIT, as Python."""

import numba
import numpy as np
import pytest
from numba import njit

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
    transpose,
)


@njit
def all_operations(a, b, c, number, out):
    x, y, z = load(a, 0), load(b, 0), load(c, 0)
    store(x + y, out, 0)
    store(x - y, out, 1)
    store(x * y, out, 2)
    store(x / y, out, 3)
    store(fma(x, y, z), out, 4)
    store(fnma(x, y, z), out, 5)
    store(absolute(x), out, 6)
    store(maximum(x, y), out, 7)
    store(broadcast(number), out, 8)
    return any_greater(x, y)


@njit
def copy_numbers(source, i, target, k, j):
    store(load(source, i), target, k, j)


@njit
def copy_vector(source, i, j, target, k):
    store(load(source, i, j), target, k)


@njit
def transpose_block(source, i, j, target):
    """Write the 8 x 8 block of source that starts at (i, j), transposed."""
    a, b, c, d, e, f, g, h = transpose(
        load(source, i, j), load(source, i + 1, j), load(source, i + 2, j), load(source, i + 3, j),
        load(source, i + 4, j), load(source, i + 5, j), load(source, i + 6, j),
        load(source, i + 7, j),
    )  # fmt: skip
    store(a, target, 0)
    store(b, target, 1)
    store(c, target, 2)
    store(d, target, 3)
    store(e, target, 4)
    store(f, target, 5)
    store(g, target, 6)
    store(h, target, 7)


@pytest.fixture
def operands():
    rng = np.random.default_rng(0)
    return [lane_zeros(1) + rng.standard_normal(LANES) for _ in range(3)]


def test_operations(operands):
    a, b, c = operands
    out = lane_zeros(9)
    greater = all_operations(a, b, c, 2.5, out)
    x, y, z = a[0], b[0], c[0]
    exact = [x + y, x - y, x * y, x / y]
    np.testing.assert_array_equal(out[:4], exact)
    np.testing.assert_allclose(out[4:6], [x * y + z, z - x * y], rtol=1e-14, atol=1e-15)
    np.testing.assert_array_equal(out[6:], [np.abs(x), np.maximum(x, y), np.full(LANES, 2.5)])
    assert greater is True


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="NumPy rounds twice")
def test_fma_rounds_once():
    # (1 + e)(1 - e) - 1 = -e^2 exactly; rounding the product first would give 0
    e = 2.0**-30
    a, b, c = lane_zeros(1) + 1 + e, lane_zeros(1) + 1 - e, lane_zeros(1) - 1
    out = lane_zeros(9)
    all_operations(a, b, c, 0.0, out)
    np.testing.assert_array_equal(out[4], np.full(LANES, -(e**2)))
    all_operations(a, b, -c, 0.0, out)
    np.testing.assert_array_equal(out[5], np.full(LANES, e**2))


@pytest.mark.parametrize("lane", range(LANES))
def test_any_greater_sees_every_lane(operands, lane):
    a, b, c = operands
    out = lane_zeros(9)
    a[0], b[0] = 1.0, 1.0
    assert not all_operations(a, b, c, 0.0, out)
    a[0, lane] = np.nextafter(1.0, 2.0)
    assert all_operations(a, b, c, 0.0, out)


def test_not_a_number_is_never_greater(operands):
    a, b, c = operands
    out = lane_zeros(9)
    a[0], b[0] = np.nan, 1.0
    assert not all_operations(a, b, c, 0.0, out)
    np.testing.assert_array_equal(out[7], np.ones(LANES))


def test_load_and_store_address_one_vector():
    rng = np.random.default_rng(1)
    source, target = rng.standard_normal((3, 5, LANES)), np.zeros((4, LANES))
    for i in range(3):
        for j in range(5):
            target[:] = 7.0
            copy_vector(source, i, j, target, 2)
            np.testing.assert_array_equal(target[2], source[i, j])
            assert (target[[0, 1, 3]] == 7.0).all()
    row, longer = source[0].ravel(), np.zeros((4, LANES + 5))
    copy_numbers(row, 7, longer, 2, 3)
    np.testing.assert_array_equal(longer[2, 3 : 3 + LANES], row[7 : 7 + LANES])
    assert np.count_nonzero(longer) == LANES


def test_transpose_of_a_block_anywhere():
    source, target = np.random.default_rng(2).standard_normal((11, 13)), lane_zeros(LANES)
    for i in range(4):
        for j in range(6):
            transpose_block(source, i, j, target)
            np.testing.assert_array_equal(target, source[i : i + 8, j : j + 8].T)
