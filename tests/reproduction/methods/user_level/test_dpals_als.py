"""Alternating least squares without privacy: steps, objectives, centring, recovery, refusals."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.als import AlternatingLeastSquares


def random_ratings(seed, n_users=30, n_items=20, fraction=0.4):
    rng = np.random.default_rng(seed)
    observed = rng.random((n_users, n_items)) < fraction
    observed[3], observed[:, 5] = False, False  # a user and an item without ratings
    users, items = np.nonzero(observed)
    return Ratings(users, items, 3 + rng.standard_normal(users.size), n_users, n_items)


def low_rank(seed, n_users=300, n_items=80, rank=3):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((n_users, rank)) @ rng.standard_normal((rank, n_items))
    users, items = np.nonzero(rng.random(matrix.shape) < 0.4)
    return Ratings(users, items, matrix[users, items], n_users, n_items), matrix


def test_both_half_steps_are_ridge_regressions():
    ratings = random_ratings(0)
    model = AlternatingLeastSquares(rank=4, regularization=0.7, iterations=1)
    model.fit(ratings, rng=1)
    start = np.random.default_rng(1).standard_normal((20, 4))
    for rows, given, found in (
        (ratings.by_user, start, model.user_factors_),
        (ratings.by_item, model.user_factors_, model.item_factors_),
    ):
        for row in np.flatnonzero(np.diff(rows.indptr)):
            own = slice(rows.indptr[row], rows.indptr[row + 1])
            ridge = Ridge(alpha=0.7, fit_intercept=False)
            expected = ridge.fit(given[rows.indices[own]], rows.values[own]).coef_
            np.testing.assert_allclose(found[row], expected, rtol=0, atol=1e-10)
    assert not model.user_factors_[3].any()
    assert not model.item_factors_[5].any()


@pytest.mark.parametrize(("dtype", "bound"), [("float64", 1e-4), ("float32", 3e-4)])
def test_a_low_rank_matrix_is_recovered(dtype, bound):
    ratings, matrix = low_rank(0)
    model = AlternatingLeastSquares(rank=3, regularization=1e-3, iterations=30, dtype=dtype)
    model.fit(ratings, rng=0)
    assert model.item_factors_.dtype == model.user_factors_.dtype == dtype
    assert np.sqrt(np.mean((model.predict_matrix() - matrix) ** 2)) < bound * matrix.std()


def test_centring():
    ratings = random_ratings(3)
    mean = ratings.values.mean()
    offsets = {}
    for centring in ("none", "global", "user"):
        model = AlternatingLeastSquares(rank=2, centring=centring, iterations=2)
        model.fit(ratings, rng=0)
        offsets[centring] = model.user_offsets_
        pairs = model.predict(*np.indices(model.shape_))
        np.testing.assert_allclose(pairs, model.predict_matrix(), rtol=0, atol=1e-12)
        np.testing.assert_allclose(pairs[:, 5], model.user_offsets_, rtol=0, atol=1e-12)
    assert not offsets["none"].any()
    np.testing.assert_allclose(offsets["global"], mean)
    of_users = [ratings.values[ratings.users == user] for user in range(30)]
    expected = [own.mean() if own.size else mean for own in of_users]
    np.testing.assert_allclose(offsets["user"], expected)


def test_a_constant_is_no_matter_to_centred_factors():
    ratings = random_ratings(4)
    higher = Ratings(ratings.users, ratings.items, ratings.values + 5, 30, 20)
    for centring in ("global", "user"):
        models = [
            AlternatingLeastSquares(rank=3, centring=centring, iterations=3).fit(data, rng=0)
            for data in (ratings, higher)
        ]
        np.testing.assert_allclose(*(model.item_factors_ for model in models), rtol=0, atol=1e-9)


def test_order_of_ratings_and_threads_leave_the_bits_alone():
    method = AlternatingLeastSquares
    ratings = random_ratings(5)
    shuffled = ratings.take(np.random.default_rng(0).permutation(len(ratings)))
    one = method(rank=3, iterations=2).fit(ratings, rng=0)
    for other in (method(rank=3, iterations=2), method(rank=3, iterations=2, threads=3)):
        other.fit(shuffled, rng=0)
        np.testing.assert_array_equal(one.item_factors_, other.item_factors_)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")  # NumPy warns of what compiled code does not
def test_factors_that_overflow_are_refused():
    huge = Ratings([0, 0, 1], [0, 1, 1], [1e30, -1e30, 3e29], 2, 2)
    with pytest.raises(InputError, match="overflowed"):
        AlternatingLeastSquares(rank=1, regularization=1e-9, dtype="float32").fit(huge, rng=0)
