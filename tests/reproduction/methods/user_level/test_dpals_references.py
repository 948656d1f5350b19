"""Methods without privacy against numpy, brute force and minima that are known."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize_scalar

from dpmc.ratings import Ratings
from dpmc_studies.methods.user_level.frank_wolfe import FrankWolfe
from dpmc_studies.methods.user_level.references import (
    SVT,
    FastTri,
    Popularity,
    Trivial,
    TruncatedSVD,
    UserMean,
    top_singular,
)


def full(matrix):
    users, items = np.nonzero(np.ones(matrix.shape))
    return Ratings(users, items, matrix.ravel(), *matrix.shape)


def some(matrix, share, rng):
    """Observe entries at random, with mean 0 over those observed (so centring takes nothing)."""
    users, items = np.nonzero(rng.random(matrix.shape) < share)
    values = matrix[users, items]
    return Ratings(users, items, values - values.mean(), *matrix.shape)


def centred(rng, *shape):
    matrix = rng.standard_normal(shape)
    return matrix - matrix.mean()


# -- matrices -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("shape", "rank"), [((30, 12), 4), ((9, 40), 9), ((150, 80), 5)])
def test_singular_vectors(shape, rank):
    rng = np.random.default_rng(1)
    matrix = rng.standard_normal(shape) * (rng.random(shape) < 0.3)
    matrix[3], matrix[:, 2] = 0, 0
    users, items = np.nonzero(matrix)
    rows = Ratings(users, items, matrix[users, items], *shape).by_user
    left, right, values = top_singular(rows.matrix(shape[1]), rank)
    np.testing.assert_allclose(values, np.linalg.svd(matrix)[1][:rank], atol=1e-10)
    np.testing.assert_allclose(matrix @ right, left * values, atol=1e-9)
    kept = values > 1e-9
    np.testing.assert_allclose(left[:, kept].T @ left[:, kept], np.eye(kept.sum()), atol=1e-9)
    assert not left[3].any()
    assert not right[2].any()


# -- truncated SVD --------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(20, 9), (130, 70)])
def test_truncated_svd_is_the_best_approximation(shape):
    matrix = 2 + np.random.default_rng(4).standard_normal(shape)
    left, values, right = np.linalg.svd(matrix - matrix.mean())
    best = matrix.mean() + (left[:, :3] * values[:3]) @ right[:3]
    model = TruncatedSVD(rank=3).fit(full(matrix))
    np.testing.assert_allclose(model.predict_matrix(), best, atol=1e-9)


# -- singular value thresholding ------------------------------------------------------------------


def test_svt_finds_the_completion_of_least_norm():
    """[[1, 1], [1, y]] and mean 0 in a frame of known entries: one unknown, by brute force."""
    matrix = np.array([[1.0, 1.0, -2.0], [1.0, 0.5, -1.0], [0.5, -2.0, 1.0]])
    users, items = np.nonzero(np.arange(9).reshape(3, 3) != 4)
    ratings = Ratings(users, items, matrix[users, items], 3, 3)
    assert ratings.values.mean() == pytest.approx(-0.0625)

    def objective(y, tau):
        completed = matrix - ratings.values.mean()
        completed[1, 1] = y
        return tau * np.linalg.norm(completed, "nuc") + np.sum(completed**2) / 2

    for tau in (0.5, 20.0):
        best = minimize_scalar(lambda y, tau=tau: objective(y, tau), (-5, 5), tol=1e-12).x
        model = SVT(threshold=tau, step=1.0, iterations=6000).fit(ratings)
        found = model.predict_matrix() - ratings.values.mean()
        assert found[1, 1] == pytest.approx(best, abs=1e-4)
        np.testing.assert_allclose(
            found[users, items], ratings.values - ratings.values.mean(), atol=1e-4
        )


# -- fast tri-factorisation -----------------------------------------------------------------------


def test_fast_tri_of_a_full_matrix_is_thresholding():
    matrix = centred(np.random.default_rng(7), 15, 8)
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    best = (left * np.maximum(values - 2.0, 0)) @ right
    model = FastTri(rank=8, regularization=2.0, iterations=20).fit(full(matrix))
    np.testing.assert_allclose(model.predict_matrix(), best, atol=1e-8)


def test_fast_tri_reaches_the_minimum():
    """|G| <= lambda in spectral norm and U^T G V = lambda I for G = P(M - X): optimal."""
    rng = np.random.default_rng(8)
    ratings = some(centred(rng, 25, 3) @ rng.standard_normal((3, 18)), 0.6, rng)
    model = FastTri(rank=18, regularization=1.5, iterations=3000).fit(ratings)
    gradient = np.zeros((25, 18))
    predicted = model.predict(ratings.users, ratings.items)
    gradient[ratings.users, ratings.items] = ratings.values - predicted
    assert np.linalg.norm(gradient, 2) == pytest.approx(1.5, abs=1e-5)
    found = model.predict_matrix() - model.mean_
    nuclear = np.linalg.norm(found, "nuc")
    assert nuclear > 1
    assert np.sum(gradient * found) == pytest.approx(1.5 * nuclear, rel=1e-5)


# -- Frank-Wolfe ----------------------------------------------------------------------------------


def nearest_in_ball(matrix, bound):
    """Project onto the nuclear-norm ball: singular values less a number that is looked for."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    low, high = 0.0, values[0]
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if np.maximum(values - middle, 0).sum() > bound else (low, middle)
        )
    return (left * np.maximum(values - high, 0)) @ right


def test_frank_wolfe_of_a_full_matrix_is_the_nearest_in_the_ball():
    matrix = centred(np.random.default_rng(9), 12, 7)
    best = nearest_in_ball(matrix, 8.0)
    assert np.linalg.norm(best, "nuc") == pytest.approx(8.0)
    model = FrankWolfe(nuclear_bound=8.0, iterations=3000).fit(full(matrix))
    excess = np.sum((model.predict_matrix() - matrix) ** 2) - np.sum((best - matrix) ** 2)
    assert -1e-8 <= excess < 1e-3 * np.sum((best - matrix) ** 2)
    np.testing.assert_allclose(model.predict_matrix(), best, atol=0.02)


def test_frank_wolfe_stays_in_the_ball_and_closes_the_gap():
    """The duality gap <G, Y - S> bounds the distance from the optimum, whatever that is."""
    rng = np.random.default_rng(10)
    ratings = some(centred(rng, 30, 2) @ rng.standard_normal((2, 20)), 0.5, rng)
    gaps, losses = [], []

    def callback(iteration, model):
        found = model.predict_matrix() - model.mean_
        assert np.linalg.norm(found, "nuc") <= 20 * (1 + 1e-9)
        gradient = np.zeros(found.shape)
        gradient[ratings.users, ratings.items] = (
            found[ratings.users, ratings.items] - ratings.values
        )
        gaps.append(np.sum(gradient * found) + 20 * np.linalg.norm(gradient, 2))
        losses.append(np.sum(gradient**2) / 2)

    FrankWolfe(nuclear_bound=20.0, iterations=400).fit(ratings, callback=callback)
    assert min(gaps) >= -1e-9
    assert min(gaps) < 0.02 * losses[0]
    assert (np.diff(losses) <= 1e-9).all()


# -- means and counts -----------------------------------------------------------------------------


@given(seed=st.integers(0, 10**6))
@settings(max_examples=20, deadline=None)
def test_means_and_counts(seed):
    rng = np.random.default_rng(seed)
    matrix = rng.standard_normal((6, 5))
    users, items = np.nonzero(rng.random((6, 5)) < 0.4)
    users, items = np.append(users, 5), np.append(items, 0)  # at least one
    pairs = np.unique(np.stack([users, items]), axis=1)
    ratings = Ratings(*pairs, matrix[*pairs], 6, 5)
    mean = ratings.values.mean()
    np.testing.assert_allclose(Trivial().fit(ratings).predict_matrix(), mean)
    expected = [
        ratings.values[ratings.users == user].mean() if (ratings.users == user).any() else mean
        for user in range(6)
    ]
    predicted = UserMean().fit(ratings).predict_matrix()
    np.testing.assert_allclose(predicted, np.tile(np.array(expected)[:, None], (1, 5)))
    counts = [(ratings.items == item).sum() for item in range(5)]
    np.testing.assert_array_equal(Popularity().fit(ratings).predict_matrix(), [counts] * 6)
