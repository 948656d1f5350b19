"""Sums of outer products, their packed form and their sensitivity, against plain matrices."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.errors import InputError
from dpmc.methods.user_level import covariance
from dpmc.methods.user_level.covariance import outer_sensitivity, pack, unpack
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.outer_sums import (
    check_row_lengths,
    outer_sum,
    outer_sums,
    top_eigenvectors,
)


def random_rows(seed, n_users=23, n_items=7):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((n_users, n_items)) * (rng.random((n_users, n_items)) < 0.4)
    users, items = np.nonzero(matrix)
    return Ratings(users, items, matrix[users, items], n_users, n_items).by_user, matrix


@pytest.mark.parametrize("block", [1, 30, 1 << 18])  # ratings: a user at a time, some, all
@pytest.mark.parametrize("together", [1, 5, 1 << 9])  # users, in 64 bits
@pytest.mark.parametrize("tile", [1, 21, 1 << 16])  # one row of the sum at a time, 3 of 7, all
def test_outer_sum(monkeypatch, block, together, tile):
    """Each product is truncated, and their sum is exact."""
    monkeypatch.setattr(covariance, "TILE", tile)
    monkeypatch.setattr(covariance, "TOGETHER", together)
    monkeypatch.setattr("dpmc.ratings.BLOCK", block)
    rows, matrix = random_rows(0)
    bound = rows.norms().max()
    sums = outer_sums(rows, 7, bound)
    expected = [
        sum(math.trunc(a * b / sums.step) for a, b in zip(matrix[:, i], matrix[:, j], strict=True))
        for i, j in zip(*np.triu_indices(7), strict=True)
    ]
    assert sums.exact() == expected
    whole = matrix.T @ matrix
    for plain in (False, True):
        found = outer_sum(rows, 7, bound, plain=plain)
        np.testing.assert_allclose(found, pack(whole, plain=plain), rtol=1e-12, atol=1e-14)


def test_products_of_users_that_are_added_in_64_bits_fit_them():
    assert covariance.TOGETHER * int(2.0**53 * (1 + 1e-9) ** 4) < 2**63
    n = 3 * covariance.TOGETHER
    rows = Ratings(np.arange(n), np.zeros(n, int), np.full(n, -1.0), n, 1).by_user
    assert outer_sums(rows, 1, 1.0).exact() == [n * 2**53]
    outer_sums(rows, 1, 1 - 1e-9)  # as rounding may have it
    for bound in (1 - 1e-6, 0.5):
        with pytest.raises(PrivacyViolation, match=r"1 is to be added to sums of"):
            outer_sums(rows, 1, bound)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), copies=st.integers(1, 3))
@settings(max_examples=30, deadline=None)
def test_packed_matrices_keep_their_norm_and_come_back(seed, n, copies):
    half = np.random.default_rng(seed).standard_normal((copies, n, n))
    matrices = half + half.transpose(0, 2, 1)
    packed = pack(matrices)
    assert np.linalg.norm(packed) == pytest.approx(np.linalg.norm(matrices))
    np.testing.assert_allclose(unpack(packed, n), matrices, rtol=1e-12)
    plain = pack(matrices, plain=True)
    np.testing.assert_array_equal(plain, matrices[:, *np.triu_indices(n)])
    np.testing.assert_array_equal(unpack(plain, n, plain=True), matrices)
    np.testing.assert_array_equal(pack(np.triu(matrices)), packed)  # the upper triangle is enough


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), overlap=st.booleans())
@settings(max_examples=60, deadline=None)
def test_a_replaced_user_moves_whole_numbers_no_further_but_for_their_truncation(seed, n, overlap):
    """Exactly, in fractions; rows without a common column attain the bound."""
    rng, bound = np.random.default_rng(seed), 1.3
    rows = np.zeros((2, 2 * n))
    rows[0, :n], rows[1, n:] = rng.standard_normal((2, n))
    if overlap:
        rows += rng.standard_normal((2, 2 * n))
    rows *= bound * (1 - 1e-12) / np.linalg.norm(rows, axis=1, keepdims=True)
    made = [
        outer_sums(Ratings(0 * own, own, row[own], 1, 2 * n).by_user, 2 * n, bound)
        for row in rows
        for own in [np.flatnonzero(row)]
    ]
    one, two = (each.exact() for each in made)
    weights = [1 if i == j else 2 for i, j in zip(*np.triu_indices(2 * n), strict=True)]
    moved = sum(w * (a - b) ** 2 for w, a, b in zip(weights, one, two, strict=True))
    moved *= Fraction(made[0].step) ** 2
    assert moved <= 2 * Fraction(bound) ** 4 * (1 + Fraction(1, 2**31))
    if not overlap:
        assert moved >= 2 * Fraction(bound) ** 4 * (1 - Fraction(1, 2**30))
    added = sum(w * a**2 for w, a in zip(weights, one, strict=True)) * Fraction(made[0].step) ** 2
    assert added <= Fraction(bound) ** 4


@given(seed=st.integers(0, 10**6), n=st.integers(1, 5), plain=st.booleans())
@settings(max_examples=50, deadline=None)
def test_sensitivity_of_outer_products(seed, n, plain):
    rng = np.random.default_rng(seed)
    bound = 1.7
    a, b = (bound * row / np.linalg.norm(row) for row in rng.standard_normal((2, n)))
    one, two = (pack(np.outer(row, row), plain=plain) for row in (a, b))
    added = outer_sensitivity("user_add_remove", bound)
    assert np.linalg.norm(one) <= added * (1 + 1e-12)
    assert np.linalg.norm(one - two) <= outer_sensitivity("user_replace", bound) * (1 + 1e-12)


@pytest.mark.parametrize("plain", [True, False])
def test_sensitivity_of_outer_products_is_attained(plain):
    a, b = (pack(np.outer(row, row), plain=plain) for row in 2.0 * np.eye(3)[:2])
    assert np.linalg.norm(a) == pytest.approx(outer_sensitivity("user_add_remove", 2.0))
    assert np.linalg.norm(a - b) == pytest.approx(outer_sensitivity("user_replace", 2.0))


def test_top_eigenvectors():
    half = np.random.default_rng(3).standard_normal((8, 8))
    matrix = half + half.T
    values, vectors = top_eigenvectors(matrix, 3)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(matrix)[:-4:-1])
    np.testing.assert_allclose(matrix @ vectors, vectors * values, atol=1e-12)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(3), atol=1e-12)
    assert (vectors[np.abs(vectors).argmax(axis=0), range(3)] > 0).all()
    with pytest.raises(InputError, match="rank must be at most 8"):
        top_eigenvectors(matrix, 9)


def test_longer_rows_are_a_violation():
    rows, matrix = random_rows(1)
    longest = np.linalg.norm(matrix, axis=1).max()
    check_row_lengths(rows, longest)
    with pytest.raises(PrivacyViolation, match="above the bound"):
        check_row_lengths(rows, 0.999 * longest)
