"""The item step against plain linear algebra; choice and clipping of ratings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from user_level_fits import Nothing, small_ratings

from dpmc.methods.private_choice import choose_part
from dpmc.privacy.ledger import Ledger, PrivacyViolation
from dpmc.privacy.sensitivity import Sensitivities
from dpmc.privacy.sums import TOGETHER
from dpmc.ratings import Compressed, Ratings, transposed
from dpmc_studies.methods.user_level.item_step import (
    ItemStatistics,
    clipped_updates,
    solve_items,
    solve_items_as_published,
)
from dpmc_studies.methods.user_level.plan import plan
from dpmc_studies.methods.user_level.sampling import (
    choose_rare,
    clip_values,
    weigh_rare,
)

BOUNDS = Sensitivities("user_add_remove", "gaussian", 2.0, 1.0, 9)


def statistics(noise=None, *, triangles=False, releases=1, bounds=BOUNDS, **given):
    options = {
        "iterations": 1, "value_bound": 5.0, "row_bound": None, "gram": True, "global_gram": True,
        "start_share": 0.2, "counts_share": 0.1, "mean_share": 0.1,
    }  # fmt: skip
    options |= given
    made = plan(bounds, **options)
    ledger = Ledger(noise or Nothing(), releases, keep=True)
    return ItemStatistics(
        ledger, bounds, made, value_bound=options["value_bound"], row_bound=options["row_bound"],
        triangles=triangles,
    )  # fmt: skip


def dense(ratings):
    """Return the matrix with zeros, and the mask of what is observed."""
    matrix, mask = np.zeros((12, 9)), np.zeros((12, 9), dtype=bool)
    matrix[ratings.users, ratings.items] = ratings.values
    mask[ratings.users, ratings.items] = True
    return matrix, mask


@pytest.mark.parametrize("triangles", [False, True])
def test_sums_are_those_of_plain_loops(triangles):
    ratings = small_ratings()
    rows, (matrix, mask) = ratings.by_user, dense(ratings)
    users = np.random.default_rng(1).uniform(-0.5, 0.5, (12, 3))
    made = statistics(triangles=triangles)
    grams, targets = made.sums(rows, transposed(rows, 9), users, 9)
    for item in range(9):
        mine = users[mask[:, item]]
        np.testing.assert_allclose(grams[item], mine.T @ mine, atol=1e-12)
        np.testing.assert_allclose(targets[item], users.T @ matrix[:, item], atol=1e-12)
    np.testing.assert_allclose(made.global_gram(users), users.T @ users, atol=1e-12)
    np.testing.assert_allclose(made.covariance(rows, 9), matrix.T @ matrix, atol=1e-11)
    np.testing.assert_array_equal(made.counts(rows, 9), mask.sum(axis=0))
    centred = Compressed(rows.indptr, rows.indices, rows.values - 3)
    assert made.mean(centred) == pytest.approx(ratings.values.mean() - 3)
    free = statistics(gram=False, global_gram=False)
    nothing, alone = free.sums(rows, None, users, 9)
    assert nothing is None
    np.testing.assert_allclose(alone, targets, atol=1e-12)


def test_weighted_sums_are_those_of_plain_loops():
    """Every rating takes part, with a weight: also of users with more ratings than k."""
    rows, (matrix, mask) = small_ratings().by_user, dense(small_ratings())
    counts = np.array([-3.0, 0.5, 4.0, 2.0, 9.0, 30.0, 1.0, 7.0, 2.0])
    weights = weigh_rare(rows, 4.0, counts, 0.5)
    plain = mask / np.sqrt(np.maximum(counts, 1))
    plain *= 2 / np.maximum(np.linalg.norm(plain, axis=1, keepdims=True), 1e-300)
    np.testing.assert_allclose(weights.values, plain[mask], rtol=1e-9)
    np.testing.assert_allclose(weights.squares()[:11], 4)
    users = np.random.default_rng(1).uniform(-0.5, 0.5, (12, 3))
    few = Sensitivities("user_add_remove", "gaussian", 2.0, 1.0, 4)
    made = statistics(bounds=few)
    grams, targets = made.sums(rows, transposed(rows, 9), users, 9, weights)
    for item in range(9):
        w, x = plain[:, item], matrix[:, item]
        np.testing.assert_allclose(grams[item], (users * w[:, None]).T @ users, atol=1e-12)
        np.testing.assert_allclose(targets[item], users.T @ (w * x), atol=1e-12)
    sent = plain * matrix
    np.testing.assert_allclose(made.covariance(rows, 9, weights), sent.T @ sent, atol=1e-10)
    free = statistics(bounds=few, gram=False, global_gram=False)
    np.testing.assert_allclose(free.sums(rows, None, users, 9, weights)[1], targets, atol=1e-12)
    shortened = clip_values(rows, 5.0, 3.0, weights)
    lengths = np.linalg.norm(plain[:11] * 3 / np.linalg.norm(sent[:11], axis=1)[:, None], axis=1)
    np.testing.assert_allclose(
        np.sqrt(rows.with_values(shortened.values * weights.values).squares()[:11]), 3, rtol=1e-9
    )
    assert (lengths < 2).all()  # all rows were longer
    longer = weights.with_values(1.1 * weights.values)
    with pytest.raises(PrivacyViolation, match=r"^a row has an l2 norm above the bound 2$"):
        statistics(bounds=few).sums(rows, None, users, 9, longer)
    with pytest.raises(PrivacyViolation, match="above the bound 3"):
        statistics(bounds=few, row_bound=3.0).covariance(rows, 9, weights)


@pytest.mark.parametrize("weighted", [False, True])
def test_sums_of_users_who_all_send_the_largest_numbers_fit_64_bits(weighted):
    """Three times as many as are added together; a single rating has the weight sqrt(k)."""
    n, k = 3 * TOGETHER, 4
    bounds = Sensitivities("user_add_remove", "gaussian", 2.0, 1.0, k)
    rows = Ratings(np.arange(n), np.zeros(n, int), np.full(n, -5.0), n, 1).by_user
    weights = rows.with_values(np.full(n, k**0.5)) if weighted else None
    weight = k**0.5 if weighted else 1.0
    users = np.tile([1.0, 0.0], (n, 1))
    made = statistics(bounds=bounds)
    grams, targets = made.sums(rows, transposed(rows, 1), users, 1, weights)
    np.testing.assert_allclose(grams, [[[n * weight, 0], [0, 0]]], rtol=1e-12)
    np.testing.assert_allclose(targets, [[-5 * n * weight, 0]], rtol=1e-12)
    squares = made.covariance(rows, 1, weights)
    np.testing.assert_allclose(squares, [[n * (5 * weight) ** 2]], rtol=1e-12)
    np.testing.assert_allclose(made.global_gram(users), [[n, 0], [0, 0]], rtol=1e-12)


def test_noise_off_the_diagonal_has_half_the_variance():
    """Of 4,000 matrices; the ratio is off by 10 % with probability below 1e-4."""

    class Standard:
        simulated = True
        rng = np.random.default_rng(2)

        def add(self, query, sensitivity):
            return query + self.rng.standard_normal(query.shape)

    nothing = Compressed(np.zeros(2, dtype=int), np.zeros(0, dtype=np.int32), np.zeros(0))
    columns = Compressed(np.zeros(4001, dtype=int), np.zeros(0, dtype=np.int32), np.zeros(0))
    for triangles, ratio in ((False, 0.5), (True, 1.0)):
        made = statistics(Standard(), triangles=triangles)
        grams, _ = made.sums(nothing, columns, np.zeros((1, 2)), 4000)
        np.testing.assert_array_equal(grams, grams.transpose(0, 2, 1))
        on, off = grams[:, [0, 1], [0, 1]].var(), grams[:, 0, 1].var()
        assert off / on == pytest.approx(ratio, rel=0.1)


def test_what_sensitivities_rest_on_is_checked():
    rows = small_ratings().by_user
    made, users = statistics(), np.full((12, 2), 0.5)
    with pytest.raises(PrivacyViolation, match="row of factors"):
        made.sums(rows, transposed(rows, 9), users * 2, 9)
    with pytest.raises(PrivacyViolation, match="row of factors"):
        made.global_gram(users * 2)
    with pytest.raises(PrivacyViolation, match="beyond the bound"):
        statistics(value_bound=1.0).sums(rows, transposed(rows, 9), users, 9)
    with pytest.raises(PrivacyViolation, match="above the bound"):
        statistics(row_bound=1.0).sums(rows, transposed(rows, 9), users, 9)
    with pytest.raises(PrivacyViolation, match="beyond the bound"):
        made.mean(rows)  # not centred
    crowded = Compressed(np.array([0, 10]), np.arange(10, dtype=np.int32), np.ones(10))
    for release in (made.counts, made.mean, made.covariance):
        with pytest.raises(PrivacyViolation, match="more ratings than 9"):
            release(crowded, *([10] if release != made.mean else []))
    assert made.ledger.count == 0


def test_updates_are_shortened_to_their_bound_and_refused_if_that_fails():
    left = small_ratings().by_user
    directions = np.random.default_rng(3).standard_normal((12, 3))
    norms = left.norms() * np.linalg.norm(directions, axis=1)
    bound = float(np.median(norms))
    found = clipped_updates(left, directions, norms, bound, 9)
    shrink = bound / np.maximum(norms, bound)
    matrix = dense(small_ratings())[0] * shrink[:, None]
    np.testing.assert_allclose(found, matrix.T @ directions, atol=1e-10)
    for factor in (0.0, 0.8):  # the norms that are told are too small
        with pytest.raises(PrivacyViolation, match="an update has a norm above the bound"):
            clipped_updates(left, directions, factor * norms, bound, 9)


@settings(deadline=None)
@given(st.integers(1, 6), st.integers(0, 2**32 - 1), st.floats(0.01, 10))
def test_items_solve_their_projected_systems(rank, seed, regularization):
    rng = np.random.default_rng(seed)
    noised = rng.standard_normal((5, rank, rank))
    noised += noised.transpose(0, 2, 1)
    targets = rng.standard_normal((5, rank))
    found = solve_items(noised, targets, regularization, projection=True)
    for matrix, target, v in zip(noised, targets, found, strict=True):
        values, vectors = np.linalg.eigh(matrix)
        nearest = (vectors * np.maximum(values, 0)) @ vectors.T
        np.testing.assert_allclose(
            (nearest + regularization * np.eye(rank)) @ v, target, atol=1e-8 / regularization
        )
        reported = solve_items_as_published(
            matrix[None], target[None], regularization, projection=True
        )
        kept = values + regularization > 0
        along = (vectors.T @ target)[kept] / (values + regularization)[kept]
        np.testing.assert_allclose(reported[0], vectors[:, kept] @ along, rtol=1e-6, atol=1e-9)


def test_many_matrices_are_solved_in_blocks(monkeypatch):
    rng = np.random.default_rng(5)
    grams, targets = rng.standard_normal((11, 3, 3)), rng.standard_normal((11, 3))
    grams = grams @ grams.transpose(0, 2, 1)
    at_once = solve_items(grams, targets, 1.0, projection=True)
    strengths = np.arange(1.0, 12)
    each = solve_items(grams, targets, strengths, projection=True)
    monkeypatch.setattr("dpmc_studies.methods.user_level.item_step._BLOCK", 4 * 9)
    in_blocks = solve_items(grams, targets, 1.0, projection=True)
    np.testing.assert_array_equal(in_blocks, at_once)
    np.testing.assert_array_equal(solve_items(grams, targets, strengths, projection=True), each)
    for place, strength in enumerate(strengths):
        alone = solve_items(grams, targets, strength, projection=True)
        np.testing.assert_array_equal(alone[place], each[place])


# -- ratings that count -------------------------------------------------------------------------


@settings(deadline=None)
@given(st.integers(0, 2**32 - 1), st.floats(0.1, 3), st.one_of(st.none(), st.floats(0.1, 5)))
def test_clipped_rows_keep_to_both_bounds_and_to_their_direction(seed, value_bound, row_bound):
    rng = np.random.default_rng(seed)
    for dtype in (np.float64, np.float32):
        rows = Compressed(
            np.array([0, 0, 4, 9]), np.arange(9, dtype=np.int32),
            (3 * rng.standard_normal(9)).astype(dtype),
        )  # fmt: skip
        values = clip_values(rows, value_bound, row_bound).values
        assert values.dtype == dtype
        assert (np.abs(values.astype(float)) <= value_bound).all()
        for part in (slice(0, 4), slice(4, 9)):
            plain = np.clip(rows.values[part].astype(float), -value_bound, value_bound)
            shrink = min(1, (row_bound or np.inf) / np.linalg.norm(plain))
            np.testing.assert_allclose(values[part], plain * shrink, rtol=3e-6, atol=1e-6)
            assert np.linalg.norm(values[part].astype(float)) <= (row_bound or np.inf)


def test_the_rarest_items_of_a_crowded_row_are_chosen():
    rows = Compressed(
        np.array([0, 4, 4, 6, 9]),
        np.array([0, 1, 2, 3, 1, 3, 0, 1, 2], dtype=np.int32),
        np.arange(9.0),
    )
    chosen = choose_rare(rows, 2, np.array([5.0, 1.5, -2.0, 30.0]))
    np.testing.assert_array_equal(chosen.indptr, [0, 2, 2, 4, 6])
    np.testing.assert_array_equal(chosen.indices, [1, 2, 1, 3, 1, 2])
    np.testing.assert_array_equal(chosen.values, [1, 2, 4, 5, 7, 8])
    assert choose_rare(rows, 4, np.zeros(4)) is rows


def test_a_part_is_chosen_rating_by_rating():
    rows = full_rows(400, 50)
    assert choose_part(rows, 1, 7).values.size == 20_000
    thirds = [choose_part(rows, 3, seed) for seed in (7, 8)]
    for third in thirds:  # 6,667 with deviation 67
        assert 6300 < third.values.size < 7000
    both = {tuple(each) for each in pairs(thirds[0])} & {tuple(each) for each in pairs(thirds[1])}
    assert 1950 < len(both) < 2500  # a ninth: independent
    # whoever leaves changes nothing of the others
    lost = Compressed(np.concatenate([[0], np.maximum(rows.indptr[1:] - 50, 0)]),
                      rows.indices[50:], rows.values[50:])  # fmt: skip
    assert [tuple(each) for each in pairs(choose_part(lost, 3, 7))] == [
        tuple(each) for each in pairs(thirds[0]) if each[0] > 0
    ]


def full_rows(n_rows, n_columns):
    columns = np.tile(np.arange(n_columns, dtype=np.int32), n_rows)
    return Compressed(np.arange(0, columns.size + 1, n_columns), columns, np.ones(columns.size))


def pairs(rows):
    row = np.repeat(np.arange(rows.indptr.size - 1), np.diff(rows.indptr))
    return np.column_stack([row, rows.indices]).tolist()
