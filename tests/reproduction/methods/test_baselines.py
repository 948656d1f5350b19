"""The baselines against hand-written means and dense linear algebra."""

import numpy as np
import pytest
from plain_methods import random_ratings

from dpmc.ratings import Ratings
from dpmc_studies.methods.factorization.baselines import ItemBias, UserItemBias
from dpmc_studies.methods.factorization.rank_one import RankOne


@pytest.fixture
def ratings():
    full = random_ratings(np.random.default_rng(0), 9, 13, 0.5)
    return full.take((full.users != 2) & (full.items != 4))


@pytest.mark.parametrize("shrinkage", [0.0, 1.0, 5.0])
def test_biases_are_damped_means(ratings, shrinkage):
    mean = ratings.values.mean()
    item_bias, user_bias = np.zeros(13), np.zeros(9)
    for j in range(13):
        own = ratings.items == j
        if own.any():
            item_bias[j] = (ratings.values[own] - mean).sum() / (own.sum() + shrinkage)
    items_only = ItemBias(shrinkage=shrinkage).fit(ratings).predict_matrix()
    np.testing.assert_allclose(items_only, mean + np.tile(item_bias, (9, 1)), rtol=1e-13)
    for i in range(9):
        own = ratings.users == i
        if own.any():
            left = ratings.values[own] - mean - item_bias[ratings.items[own]]
            user_bias[i] = left.sum() / (own.sum() + shrinkage)
    both = UserItemBias(shrinkage=shrinkage).fit(ratings)
    np.testing.assert_allclose(both.predict_matrix(), items_only + user_bias[:, None], rtol=1e-13)
    assert both.item_bias_[4] == 0
    assert both.user_bias_[2] == 0


def test_rank_one_finds_the_best_rank_one_matrix():
    # all entries observed: with regularization lambda the optimum shrinks the first singular
    # value s to s - lambda (each factor costs lambda/2 times its square)
    rng = np.random.default_rng(1)
    matrix = 1 + rng.random((8, 11))
    users, items = np.nonzero(np.ones((8, 11)))
    full = Ratings(users, items, matrix[users, items], 8, 11)
    left, singular, right = np.linalg.svd(matrix)
    best = (singular[0] - 0.5) * np.outer(left[:, 0], right[0])
    model = RankOne(regularization=0.5, iterations=300).fit(full)
    np.testing.assert_allclose(model.predict_matrix(), best, rtol=1e-9)


def test_rank_one_starts_from_ones(ratings):
    model = RankOne(regularization=0.3, iterations=1).fit(ratings)
    for i in range(9):
        own = ratings.users == i
        expected = ratings.values[own].sum() / (own.sum() + 0.3)
        assert model.user_factors_[i, 0] == pytest.approx(expected, rel=1e-13)
