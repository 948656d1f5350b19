"""Ratings that seem of no use: every private model handles them or refuses them in one sentence.

Models at user level are meant, as ``dpmc fit`` makes them.
"""

import inspect

import numpy as np
import pytest
from private_fits import HIGH, LOW, SMALL

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.methods import METHODS, method_class

NAMES = sorted(name for name in METHODS if name.startswith(("private_", "dp", "local")))
OF_PAIRS_OF_ITEMS = ("dpfw", "dp_altmin", "dp_svd", "dp_effects", "dp_gradient")
EVERY = pytest.mark.parametrize("name", NAMES)
MORE = {
    "relation": "user_add_remove",
    "ratings_per_user": 4,
    "row_bound": 4.0,
    "nuclear_bound": 20.0,
    "update_bound": 2.0,
    "item_ratings": 4.0,
}


def fitted(name, ratings, **given):
    make = method_class(name)
    settings = {**SMALL, **MORE, **given}
    known = inspect.signature(make).parameters
    model = make(**{key: value for key, value in settings.items() if key in known})
    return model.fit(ratings, rng=3, noise_rng=4)


def some_ratings(users, items, seed=0):
    """Every second pair of some users and items, as three arrays."""
    rng = np.random.default_rng(seed)
    pairs = np.array([(user, item) for user in users for item in items])
    pairs = pairs[rng.random(len(pairs)) < 0.5]
    return *pairs.T, rng.integers(LOW, HIGH + 1, len(pairs))


@EVERY
def test_users_and_items_without_ratings(name):
    """Numbers that nobody has, at both ends and in the middle: predictions all the same."""
    users, items = [3, 4, 7, 8, 9, 12], [2, 3, 5, 8]
    model = fitted(name, Ratings(*some_ratings(users, items), 15, 10))
    matrix = model.predict_matrix()
    assert matrix.shape == (15, 10)
    assert np.isfinite(matrix).all()
    if not model.ranks:  # scores are no ratings
        assert ((matrix >= LOW) & (matrix <= HIGH)).all()
    absent = sorted({*range(15)} - {*users})
    np.testing.assert_allclose(matrix[absent], np.tile(matrix[absent[0]], (len(absent), 1)))
    np.testing.assert_allclose(model.predict([0, 14, 3], [0, 9, 2]), matrix[[0, 14, 3], [0, 9, 2]])


@EVERY
def test_one_user_or_one_item(name):
    for users, items in (([0], range(9)), (range(9), [0])):
        ratings = Ratings(*some_ratings(users, items), len(users), len(items))
        assert np.isfinite(fitted(name, ratings, rank=1).predict_matrix()).all()


@pytest.mark.slow
@EVERY
def test_a_user_with_ratings_of_100_000_items(name):
    """Of whom no more count than of others. Who needs a matrix of all pairs of items says so."""
    n_items = 100_000
    users, items, values = some_ratings(range(1, 8), range(20))
    everything = np.arange(n_items)
    ratings = Ratings(
        np.concatenate([np.zeros(n_items, int), users]),
        np.concatenate([everything, items]),
        np.concatenate([np.where(everything % 2, LOW, HIGH), values]),
        8,
        n_items,
    )
    if name in OF_PAIRS_OF_ITEMS:
        with pytest.raises(InputError, match=r"100000 items.*item_share") as caught:
            fitted(name, ratings, item_share=1.0)
        assert "\n" not in str(caught.value)
        return
    model = fitted(name, ratings, rank=1)
    predicted = model.predict(np.repeat(np.arange(8), 3), np.tile([0, 7, n_items - 1], 8))
    assert np.isfinite(predicted).all()


@pytest.mark.parametrize(
    ("users", "items", "sentence"),
    [
        ([0, 2**32], [0, 0], r"mine: users and items must .* below 2147483648, got 4294"),
        ([0, 1], [0, 1.5], r"mine: users and items must be whole numbers .* got 1\.5;"),
        ([np.nan, 1], [0, 1], r"mine: users and items must be whole .* got nan;"),
    ],
)
def test_numbers_that_are_no_indices_never_reach_a_model(users, items, sentence):
    with pytest.raises(InputError, match=sentence):
        Ratings(users, items, [1, 2], 3, 4, "mine")
