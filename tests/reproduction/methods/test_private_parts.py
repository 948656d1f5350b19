"""The choice of ratings, noised systems, offsets and private baselines."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from plain_methods import random_ratings
from private_fits import HIGH, LOW, NoNoise, build, fit_exactly, small_ratings

from dpmc.methods.factorization.private_offsets import damped_offsets
from dpmc.methods.kernels.private import (
    NoisedSystems,
    balance,
    clip_rows,
    full_matrices,
    gram_sums,
    residual_sums,
)
from dpmc.methods.private_choice import choose_ratings
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.privacy.relations import RELATIONS, USER_LEVEL
from dpmc.privacy.sums import TOGETHER, step_of
from dpmc.ratings import Ratings
from dpmc_studies.methods.factorization.baselines import GlobalMean, ItemBias, UserItemBias

# -- which ratings count --------------------------------------------------------------------------


def chosen_items(rows, most, seed):
    """The set of items that count, for each row."""
    kept = choose_ratings(rows, most, seed)
    return [set(kept.indices[a:b].tolist()) for a, b in zip(kept.indptr, kept.indptr[1:])]  # noqa: B905


@settings(deadline=None, max_examples=30)
@given(seed=st.integers(0, 2**63 - 1), most=st.integers(1, 9), data=st.integers(0, 99))
def test_at_most_so_many_and_values_stay_with_their_items(seed, most, data):
    ratings = random_ratings(np.random.default_rng(data), 8, 9, 0.6)
    rows = ratings.by_user
    kept = choose_ratings(rows, most, seed)
    given_counts, counts = np.diff(rows.indptr), np.diff(kept.indptr)
    np.testing.assert_array_equal(counts, np.minimum(given_counts, most))
    value = dict(zip(zip(ratings.users, ratings.items, strict=True), ratings.values, strict=True))
    users = np.repeat(np.arange(8), counts)
    assert kept.values.tolist() == [value[u, i] for u, i in zip(users, kept.indices, strict=True)]
    assert all((np.diff(kept.indices[users == u]) > 0).all() for u in range(8))


def test_one_users_choice_depends_on_nobody_else_and_on_no_value():
    full = random_ratings(np.random.default_rng(0), 20, 30, 0.8)
    everybody = chosen_items(full.by_user, 5, 123)
    for user in (0, 7, 19):
        others = full.take(full.users != user)
        without = chosen_items(others.by_user, 5, 123)
        assert without[user] == set()
        assert [w for u, w in enumerate(without) if u != user] == [
            w for u, w in enumerate(everybody) if u != user
        ]
    moved = choose_ratings(full.by_user, 5, 123)
    doubled = type(moved)(full.by_user.indptr, full.by_user.indices, 2 * full.by_user.values)
    np.testing.assert_array_equal(choose_ratings(doubled, 5, 123).indices, moved.indices)


def test_every_rating_is_as_likely_to_count():
    """Each of 10 ratings of 300 users counts with probability .3 over 100 seeds.

    The count of an item over users and seeds is binomial(30,000, .3) if choices are independent:
    4.5 standard deviations, an error rate below 1e-4 for 10 items; and the same for pairs, which
    have probability 3/10 * 2/9.
    """
    full = random_ratings(np.random.default_rng(0), 300, 10, 2.0)
    counted, pairs = np.zeros(10), 0
    for seed in range(100):
        kept = choose_ratings(full.by_user, 3, seed * 1_000_003)
        counted += np.bincount(kept.indices, minlength=10)
        own = kept.indices.reshape(300, 3)
        pairs += np.sum((own == 2).any(axis=1) & (own == 3).any(axis=1))
    deviation = np.sqrt(30_000 * 0.3 * 0.7)
    assert np.abs(counted - 9000).max() < 4.5 * deviation
    p = 3 / 10 * 2 / 9
    assert abs(pairs - 30_000 * p) < 4.5 * np.sqrt(30_000 * p * (1 - p))


def test_nothing_to_choose_changes_nothing():
    rows = small_ratings().by_user
    assert choose_ratings(rows, 9, 0) is rows


# -- whole sums -----------------------------------------------------------------------------------


@pytest.mark.parametrize("weighted", [False, True])
def test_gram_matrices_of_any_number_of_users_are_exact(weighted):
    """Users who all send the largest number, and others: three times as many as fit 64 bits."""
    n = 3 * TOGETHER
    rows = Ratings(np.arange(n), np.zeros(n, int), np.ones(n), n, 2).by_user
    factors = np.tile([1.0, -0.3], (n, 1))
    found = gram_sums(rows, factors, 2, 1.0, weighted=weighted)
    step = step_of(1.0)
    cross, square = (math.trunc(Fraction(value) / Fraction(step)) for value in (-0.3, 0.3 * 0.3))
    expected = [float(n * Fraction(step) * each) for each in (2**53, cross, square)]
    np.testing.assert_array_equal(found, [expected, [0, 0, 0]])
    residuals = residual_sums(rows, factors, 2, 1.0)
    np.testing.assert_array_equal(residuals, [expected[:2], [0, 0]])


@pytest.mark.parametrize("weighted", [False, True])
def test_numbers_above_the_bound_of_their_sums_are_refused(weighted):
    """In 64 bits as many of them as are added together would leave another number."""
    rows = Ratings([0, 1], [0, 0], [1.0, 2.0], 2, 1).by_user
    factors, most = np.array([[0.5, 0.0], [0.0, -1.5]]), 1.5**2 * (2.0 if weighted else 1.0)
    for bound in (most * (1 - 1e-6), most / 2, np.nan):
        with pytest.raises(PrivacyViolation):
            gram_sums(rows, factors, 1, bound, weighted=weighted)
    gram_sums(rows, factors, 1, most * (1 - 1e-9), weighted=weighted)  # as rounding may have it


# -- small systems --------------------------------------------------------------------------------


def test_noised_systems_are_projected_and_solved():
    rng = np.random.default_rng(0)
    triangles = rng.standard_normal((50, 6))  # most of them not positive semidefinite
    right = rng.standard_normal((50, 3))
    found = NoisedSystems(triangles, 3, 0.7).solve(right)
    for triangle, b, solution in zip(triangles, right, found, strict=True):
        matrix = np.zeros((3, 3))
        matrix[np.triu_indices(3)] = triangle
        matrix = matrix + matrix.T - np.diag(np.diag(matrix))
        values, vectors = np.linalg.eigh(matrix)
        # the nearest positive semidefinite matrix (Higham, 1988)
        nearest = vectors @ np.diag(np.maximum(values, 0)) @ vectors.T
        np.testing.assert_allclose((nearest + 0.7 * np.eye(3)) @ solution, b, atol=1e-12)
    np.testing.assert_array_equal(full_matrices(triangles, 3)[:, 0, 2], triangles[:, 2])


@pytest.mark.parametrize("norm", [1, 2])
def test_clipped_rows(norm):
    rows = np.array([[3.0, -4.0], [0.3, 0.4], [0.0, 0.0], [1e100, 0]])
    clipped = clip_rows(rows, 1.0, norm)
    lengths = np.linalg.norm(clipped, norm, axis=1)
    np.testing.assert_allclose(lengths, [1, 0.7 if norm == 1 else 0.5, 0, 1])
    np.testing.assert_allclose(clipped[0, 1] / clipped[0, 0], -4 / 3)
    np.testing.assert_array_equal(clipped[1:3], rows[1:3])


def test_balanced_factors():
    factors = np.random.default_rng(0).standard_normal((20, 3)) @ np.diag([1, 10, 1e-3])
    balanced = balance(factors, 0.2)
    np.testing.assert_allclose(balanced.T @ balanced, 20 * 0.04 * np.eye(3), atol=1e-9)
    assert np.linalg.matrix_rank(np.hstack([factors, balanced]), tol=1e-6) == 3  # the same span
    np.testing.assert_allclose(balance(balanced, 0.2), balanced, atol=1e-12)
    flat = np.outer(np.arange(5.0), [1, 2])  # one direction only
    again = balance(flat, 1.0)
    assert np.linalg.matrix_rank(again) == 1
    assert np.trace(again.T @ again) == pytest.approx(5)
    np.testing.assert_array_equal(balance(np.zeros((4, 2)), 1.0), np.zeros((4, 2)))


# -- offsets and baselines ------------------------------------------------------------------------


def test_damped_offsets_are_posterior_means():
    """Against the posterior mean of the normal model by numerical integration."""
    n, shrinkage, noise, prior, total = 12.0, 3.0, 7.0, 0.4, 5.0
    b = np.linspace(-4, 4, 20_001)
    variance = n * prior**2 * shrinkage + noise**2
    weight = np.exp(-(b**2) / (2 * prior**2) - (total - n * b) ** 2 / (2 * variance))
    wanted = np.sum(b * weight) / np.sum(weight)
    found = damped_offsets(np.array([total]), np.array([n]), shrinkage, noise, prior)
    assert found[0] == pytest.approx(wanted, rel=1e-9)
    counts = np.array([-3.0, 0.0, 10.0])
    plain = damped_offsets(np.array([5.0, 5.0, 5.0]), counts, 2.0, 0.0, prior)
    np.testing.assert_allclose(plain, [0, 0, 5 / 12])
    assert (damped_offsets(np.array([1.0]), np.array([0.0]), 0.0, 0.0, prior) == 0).all()


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("private_global_mean", GlobalMean()),
        ("private_item_bias", ItemBias(shrinkage=2.0)),
        ("private_user_item_bias", UserItemBias(shrinkage=2.0)),
    ],
)
def test_baselines_without_noise_are_those_without_privacy(name, plain, relation):
    full = small_ratings()
    ratings = full.take((full.values >= LOW) & (full.values <= HIGH))
    given = {"ratings_per_user": 9} if relation in USER_LEVEL else {}
    if name != "private_global_mean":
        given["shrinkage"] = 2.0
    model = build(name, relation, **given)
    model.__dict__["calibration"] = NoNoise
    fit_exactly(model, ratings)
    wanted = np.clip(plain.fit(ratings).predict_matrix(), LOW, HIGH)
    np.testing.assert_allclose(model.predict_matrix(), wanted, rtol=1e-12)


@pytest.mark.parametrize("relation", USER_LEVEL)
@pytest.mark.parametrize("name", ["private_user_item_bias", "private_als", "private_irls"])
def test_users_alone_use_all_their_ratings(name, relation):
    """Also those that do not count: a rating that was not chosen moves its user and no item."""
    ratings = small_ratings()
    model = build(name, relation, ratings_per_user=2)
    rng = np.random.default_rng(0)
    if name != "private_user_item_bias":
        rng.standard_normal((9, 2))  # the start comes first
    kept = choose_ratings(ratings.by_user, 2, int(rng.integers(2**63)))
    user = 0
    own = set(ratings.items[ratings.users == user].tolist())
    unused = min(own - set(kept.indices[kept.indptr[user] : kept.indptr[user + 1]].tolist()))
    values = ratings.values.copy()
    place = np.flatnonzero((ratings.users == user) & (ratings.items == unused))
    values[place] = HIGH if values[place] < 3 else LOW
    moved = type(ratings)(ratings.users, ratings.items, values, 12, 9)
    found = []
    for each in (ratings, moved):
        fit_exactly(model, each)
        found.append((model.item_offsets_, model.item_factors_, model.user_factors_))
    if name == "private_user_item_bias":
        np.testing.assert_array_equal(found[0][0], found[1][0])
        np.testing.assert_array_equal(found[0][2][1:], found[1][2][1:])
    assert (found[0][2][0] != found[1][2][0]).all()
