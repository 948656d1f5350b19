"""Bayesian ALS: its draws against the laws written out, and what averaging them is good for."""

import numpy as np
import pytest
from plain_methods import random_ratings

from dpmc.methods.factorization import bayesian_als
from dpmc.methods.factorization.bayesian_als import (
    BayesianALS,
    draw_law,
    draw_rows,
    draw_variance,
)
from dpmc.methods.kernels.products import pair_products, rows_less_products
from dpmc_studies.methods.factorization.als import ALS

VARIANCE = 0.3
FREE = slice(1, 4)


class Given:
    """A generator whose normal numbers are given, in the order in which they are asked for."""

    def __init__(self, numbers):
        self.left = np.asarray(numbers, dtype=float)

    def standard_normal(self, shape):
        drawn, self.left = np.split(self.left, [np.prod(shape)])
        return drawn.reshape(shape)


@pytest.fixture
def problem(monkeypatch):
    """Rows of 4, of which the last 3 are drawn, from a fixed law; user 2 has no ratings."""
    rng = np.random.default_rng(0)
    full = random_ratings(rng, 5, 6, 0.6)
    ratings = full.take(full.users != 2)
    mean, root = rng.standard_normal(3), rng.standard_normal((3, 3))
    monkeypatch.setattr(bayesian_als, "draw_law", lambda rows, rng: (mean, root))
    own, other = rng.standard_normal((5, 4)), rng.standard_normal((6, 4))

    def draw(numbers):
        return draw_rows(ratings.by_user, own, other, FREE, VARIANCE, Given(numbers))

    return ratings, own, other, mean, root, draw


def precision_and_target(problem, row):
    """The posterior of a row's free part by its density: precision, and precision times mean."""
    ratings, own, other, mean, root, _ = problem
    mine = ratings.users == row
    v = other[ratings.items[mine]]
    fixed = np.delete(np.arange(4), FREE)
    left = ratings.values[mine] - v[:, fixed] @ own[row, fixed]
    prior = np.linalg.inv(root @ root.T)
    factors = v[:, FREE]
    return factors.T @ factors / VARIANCE + prior, factors.T @ left / VARIANCE + prior @ mean


def test_without_randomness_rows_maximise_the_posterior(problem):
    ratings, own, _, mean, _, draw = problem
    drawn = draw(np.zeros(15 + len(ratings)))
    np.testing.assert_array_equal(drawn[:, 0], own[:, 0])
    np.testing.assert_allclose(drawn[2, FREE], mean)
    for row in (0, 1, 3, 4):
        best = np.linalg.solve(*precision_and_target(problem, row))
        np.testing.assert_allclose(drawn[row, FREE], best, rtol=1e-9)


def test_rows_have_the_covariance_of_the_posterior(problem):
    # draws are linear in the normal numbers, so the images of unit vectors tell their covariance
    ratings, *_, draw = problem
    size = 15 + len(ratings)
    images = np.array([draw(unit) for unit in np.eye(size)]) - draw(np.zeros(size))
    for row in (0, 1, 3, 4):
        precision, _ = precision_and_target(problem, row)
        columns = images[:, row, FREE]
        np.testing.assert_allclose(columns.T @ columns, np.linalg.inv(precision), rtol=1e-9)
    assert not images[:, 2].any()


def test_the_law_of_rows_has_its_moments():
    rng = np.random.default_rng(1)
    rows = rng.standard_normal((40, 2)) @ [[1.0, 0.5], [0.0, 0.3]] + [2.0, -1.0]
    centre = rows.mean(axis=0)
    deviations = rows - centre
    # normal inverse Wishart with 2 rows at 0, identity and 2 degrees of freedom beforehand
    scatter = np.eye(2) + deviations.T @ deviations + 40 * 2 / 42 * np.outer(centre, centre)
    draws = [draw_law(rows, rng) for _ in range(4000)]
    means = np.array([mean for mean, _ in draws])
    covariances = np.array([root @ root.T for _, root in draws])
    for found, expected in (
        (means, 40 / 42 * centre),
        (covariances, scatter / (42 - 2 - 1)),
        (np.linalg.inv(covariances), 42 * np.linalg.inv(scatter)),
        (
            (means - 40 / 42 * centre)[:, :, None] * (means - 40 / 42 * centre)[:, None],
            scatter / 39 / 42,
        ),
    ):
        error = found.std(axis=0) / np.sqrt(len(draws))
        assert (np.abs(found.mean(axis=0) - expected) < 5 * error).all()


def test_the_variance_of_the_noise_has_its_moments():
    rng = np.random.default_rng(2)
    residuals = np.full(9, 0.5)
    inverse = 1 / np.array([draw_variance(residuals, rng) for _ in range(4000)])
    # gamma of shape (1 + 9) / 2 and rate (0.01 + 9 / 4) / 2
    assert inverse.mean() == pytest.approx(10 / 2.26, rel=5 * np.sqrt(2 / 10 / 4000))
    assert inverse.std() == pytest.approx(np.sqrt(20) / 2.26, rel=0.1)


def noisy(seed):
    """40 x 60 ratings of rank 2 with offsets and noise, and what they are without noise."""
    rng = np.random.default_rng(seed)
    left, right = rng.standard_normal((40, 2)), rng.standard_normal((60, 2))
    matrix = 3 + left @ right.T + rng.standard_normal((40, 1)) + rng.standard_normal(60)
    noise = rng.standard_normal(matrix.shape)
    return random_ratings(rng, 40, 60, 0.3, lambda u, i: (matrix + noise)[u, i]), matrix


def error(model, ratings, matrix):
    model.fit(ratings, rng=np.random.default_rng(5))
    return np.sqrt(np.mean((model.predict_matrix() - matrix) ** 2))


def test_it_is_below_als_at_its_best_and_forgives_a_rank_too_high():
    for seed in range(3):
        ratings, matrix = noisy(seed)
        best = min(
            error(ALS(rank=rank, regularization=strength, iterations=20), ratings, matrix)
            for rank in (2, 3, 4)
            for strength in (1, 2, 4)
        )
        for rank in (2, 6):
            assert error(BayesianALS(rank=rank, iterations=100), ratings, matrix) < 0.95 * best


def test_a_prediction_is_the_mean_over_all_iterations_but_the_first_fifth():
    ratings, _ = noisy(3)
    model, seen = BayesianALS(rank=2, iterations=10), {}

    def callback(iteration, fitted):
        seen[iteration] = fitted.user_draws_[-1] @ fitted.item_draws_[-1].T

    model.fit(ratings, rng=0, callback=callback)
    assert len(model.user_draws_) == len(model.item_draws_) == 8
    mean = np.mean([seen[iteration] for iteration in range(3, 11)], axis=0)
    expected = ratings.values.mean() + ratings.values.std() * mean
    np.testing.assert_allclose(model.predict_matrix(), expected, rtol=1e-12)


def test_who_has_no_ratings_is_predicted_alike():
    full, _ = noisy(5)
    ratings = full.take((full.users > 1) & (full.items > 1))
    matrix = BayesianALS(rank=2, iterations=20).fit(ratings, rng=0).predict_matrix()
    np.testing.assert_array_equal(matrix[0], matrix[1])
    np.testing.assert_array_equal(matrix[:, 0], matrix[:, 1])
    assert np.std(matrix[0, 2:]) > 0.1  # by what is known of the items


@pytest.mark.parametrize("most", [0, 1, 3, 4, 9])
def test_products_of_rows_have_the_bits_of_single_ones(most):
    rng = np.random.default_rng(most)
    indptr = np.concatenate([[0], np.cumsum(np.arange(most + 1))])
    indices = rng.integers(7, size=indptr[-1]).astype(np.int32)
    values = rng.standard_normal(indices.size)
    left, right = rng.standard_normal((most + 1, 5)), rng.standard_normal((7, 5))
    rows = np.repeat(np.arange(most + 1), np.diff(indptr))
    expected = values - pair_products(left, right, rows, indices)
    found = rows_less_products(indptr, indices, values, left, right)
    np.testing.assert_array_equal(found, expected)
