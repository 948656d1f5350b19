"""What every method must do, whatever its method."""

import inspect
from dataclasses import fields

import numpy as np
import pytest
from plain_methods import random_ratings

from dpmc.errors import InputError
from dpmc.methods.private import PrivateMethod
from dpmc.ratings import Ratings
from dpmc_studies.methods import METHODS, method_class

SMALL = {"rank": 3, "iterations": 4, "loss_parameter": 1.0, "inner_iterations": 3}


class Noise:
    """The least that a mechanism has to be."""

    def rvs(self, size=None, rng=None):
        return rng.standard_normal(size)


def build(name, **given):
    """Construct a method with small settings, and a mechanism where it takes one."""
    parameters = inspect.signature(method_class(name)).parameters
    settings = SMALL | {"mechanism": Noise()} | given
    return method_class(name)(**{key: settings[key] for key in settings if key in parameters})


def fit(name, ratings, seed=0, **given):
    rng, noise_rng = np.random.default_rng(seed), np.random.default_rng(seed + 100)
    return build(name, **given).fit(ratings, rng=rng, noise_rng=noise_rng)


# calibrated methods take a budget instead of noise (test_private_contract.py)
NAMES = sorted(name for name in METHODS if not issubclass(method_class(name), PrivateMethod))


@pytest.fixture(params=NAMES)
def name(request):
    return request.param


@pytest.fixture
def ratings():
    """12 users x 19 items; the last user and the first item have no ratings."""
    full = random_ratings(np.random.default_rng(0), 12, 19, 0.4)
    return full.take((full.users < 11) & (full.items > 0))


def test_shapes(name, ratings):
    model = fit(name, ratings)
    matrix = model.predict_matrix()
    assert matrix.shape == (12, 19)
    assert matrix.dtype == np.float64
    assert np.isfinite(matrix).all()
    users, items = np.array([[0, 11, 3], [5, 5, 5]]), np.array([[0, 18, 2], [7, 8, 9]])
    predicted = model.predict(users, items)
    assert predicted.shape == (2, 3)
    np.testing.assert_allclose(predicted, matrix[users, items], rtol=1e-12, atol=1e-14)
    assert model.predict(np.array([], int), np.array([], int)).shape == (0,)
    assert model.predict(3, 4) == pytest.approx(matrix[3, 4])


def test_factors(name, ratings):
    model = fit(name, ratings)
    if hasattr(model, "user_factors_"):
        rank = getattr(model, "rank", 1)
        assert model.user_factors_.shape == (12, rank)
        assert model.item_factors_.shape == (19, rank)
        assert not model.user_factors_[11].any()
        assert not fit(name, ratings, mechanism=None).item_factors_[0].any()


def test_same_seeds_same_bits(name, ratings):
    first, second = fit(name, ratings), fit(name, ratings)
    np.testing.assert_array_equal(first.predict_matrix(), second.predict_matrix())
    model = build(name)
    for _ in range(2):  # fitting again forgets the first fit
        model.fit(ratings, rng=np.random.default_rng(0), noise_rng=np.random.default_rng(100))
    np.testing.assert_array_equal(first.predict_matrix(), model.predict_matrix())


def test_order_of_ratings_does_not_matter(name, ratings):
    order = np.random.default_rng(5).permutation(len(ratings))
    shuffled = fit(name, ratings.take(order)).predict_matrix()
    np.testing.assert_array_equal(shuffled, fit(name, ratings).predict_matrix())


def test_input_is_not_modified(name, ratings):
    def arrays():
        triplets = [ratings.users, ratings.items, ratings.values]
        rows = (ratings.by_user, ratings.by_item)
        return triplets + [getattr(c, each.name) for c in rows for each in fields(c)]

    before = [array.copy() for array in arrays()]
    fit(name, ratings)
    for old, new in zip(before, arrays(), strict=True):
        np.testing.assert_array_equal(old, new)


def test_callback_after_each_iteration(name, ratings):
    seen = []

    def callback(iteration, model):
        seen.append(iteration)
        assert np.isfinite(model.predict_matrix()).all()

    model = build(name)
    rng, noise_rng = np.random.default_rng(0), np.random.default_rng(100)
    assert model.fit(ratings, rng=rng, noise_rng=noise_rng, callback=callback) is model
    assert seen == list(range(1, getattr(model, "iterations", 1) + 1))
    np.testing.assert_array_equal(model.predict_matrix(), fit(name, ratings).predict_matrix())


def test_a_constant_is_nearly_learned(name):
    if name == "popularity":
        pytest.skip("its scores are numbers of ratings, for rankings")
    users, items = np.nonzero(np.ones((12, 10)))
    constant = Ratings(users, items, np.full(120, 3.0), 12, 10)
    settings = {"iterations": 30, "mechanism": None, "regularization": 0.01}
    matrix = fit(name, constant, **settings).predict_matrix()
    np.testing.assert_allclose(matrix, 3.0, rtol=0.01)


def test_one_rating_is_enough(name):
    one = Ratings([1], [2], [4.0], 3, 5)
    assert np.isfinite(fit(name, one).predict_matrix()).all()


def test_no_ratings_are_refused(name):
    nothing = Ratings([], [], [], 3, 5, name="nothing")
    with pytest.raises(InputError, match="nothing: there are no ratings"):
        fit(name, nothing)
    with pytest.raises(InputError, match=r"must be dpmc\.ratings\.Ratings, got ndarray"):
        fit(name, np.ones((3, 3)))


def test_predictions_need_a_fit_and_sensible_indices(name, ratings):
    with pytest.raises(InputError, match=r"no predictions before fit"):
        build(name).predict([0], [0])
    model = fit(name, ratings)
    for users, items, message in (
        ([0, 1], [0], "one shape"),
        ([12], [0], r"users must lie in 0\.\.11, got 12"),
        ([0], [-1], r"items must lie in 0\.\.18, got -1"),
        ([0.5], [0], "users must be integers"),
    ):
        with pytest.raises(InputError, match=message):
            model.predict(users, items)
