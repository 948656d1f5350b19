"""A-IRLS against brute force and against the minimiser of Huber's loss."""

import numpy as np
import pytest
import scipy.optimize
from plain_methods import (
    plain_irls,
    plain_ridge,
    random_ratings,
    ratings_by_counts,
    relative_error,
)

from dpmc.errors import InputError
from dpmc.mechanisms import make_mechanism
from dpmc_studies.methods.factorization.irls import IRLS
from dpmc_studies.methods.kernels.regressions import Regressions


class Noise:
    """Standard normal noise that remembers what it drew."""

    def __init__(self):
        self.drawn = []

    def rvs(self, size=None, rng=None):
        self.drawn.append(rng.standard_normal(size))
        return self.drawn[-1]


def generator(seed):
    return np.random.default_rng(seed)


@pytest.fixture
def ratings():
    full = random_ratings(generator(0), 14, 21, 0.45)
    return full.take((full.users != 3) & (full.items != 5))


@pytest.mark.parametrize("kernel", ["fast", "direct"])
@pytest.mark.parametrize("start", ["normal", "uniform"])
def test_equals_brute_force(ratings, kernel, start):
    noise, rank, steps = Noise(), 3, 4
    model = IRLS(
        rank=rank, loss_parameter=0.8, regularization=0.3, iterations=3, inner_iterations=steps,
        mechanism=noise, start=start, kernel=kernel,
    )  # fmt: skip
    model.fit(ratings, rng=generator(1), noise_rng=generator(2))
    rng = generator(1)
    draw = {"normal": rng.standard_normal, "uniform": rng.random}[start]
    v = draw((21, rank))
    assert [t.shape for t in noise.drawn] == [(steps, 21, rank)] * 3
    for t in noise.drawn:  # users by plain ridge regression, theta_0 once per outer iteration
        u = plain_ridge(ratings.by_user, v, 0.3, np.zeros((14, rank)))
        v = plain_irls(ratings.by_item, u, 0.3, 0.8, draw((21, rank)), t)
    assert relative_error(model.user_factors_, u) < 1e-10
    assert relative_error(model.item_factors_, v) < 1e-10


def test_defaults_are_those_of_the_paper():
    model = IRLS(rank=5, loss_parameter=3)
    assert (model.regularization, model.iterations, model.inner_iterations) == (0.5, 50, 20)
    assert (model.start, model.residual_scale, model.kernel) == ("normal", 1.0, "fast")


def test_starting_values_do_not_depend_on_the_mechanism(ratings):
    states = []
    for mechanism in (None, Noise(), make_mechanism("laplace", 2.0)):
        rng = generator(3)
        model = IRLS(rank=2, loss_parameter=1.0, iterations=3, mechanism=mechanism)
        model.fit(ratings, rng=rng, noise_rng=generator(4))
        states.append(rng.random())
    assert len(set(states)) == 1


def test_residual_scale_stretches_the_threshold(ratings):
    scaled = IRLS(rank=2, loss_parameter=0.5, residual_scale=1.6, iterations=3)
    plain = IRLS(rank=2, loss_parameter=0.8, iterations=3)
    assert scaled.threshold == pytest.approx(0.8)
    for model in (scaled, plain):
        model.fit(ratings, rng=generator(5))
    np.testing.assert_allclose(scaled.item_factors_, plain.item_factors_, rtol=1e-12)
    assert scaled.training_loss(ratings) == pytest.approx(plain.training_loss(ratings), rel=1e-12)


def huber_objective(theta, f, x, a, regularization):
    residuals = x - f @ theta
    size = np.abs(residuals)
    rho = np.where(size <= a, residuals**2 / 2, a * (size - a / 2))
    psi = np.clip(residuals, -a, a)
    gradient = regularization * theta - f.T @ psi
    return rho.sum() + regularization / 2 * theta @ theta, gradient


@pytest.mark.parametrize("a", [3.0, 1.0, 0.2])
@pytest.mark.parametrize("count", [3, 8, 40])
def test_without_noise_it_converges_to_the_minimiser(a, count):
    rng, rank = generator(6), 5
    rows = ratings_by_counts(rng, [count] * 3, 60).by_item
    factors, start = rng.standard_normal((60, rank)), rng.standard_normal((3, rank))
    solution = Regressions(rows, rank, 0.5, 400).solve(factors, threshold=a, start=start)
    for row in range(3):
        own = slice(rows.indptr[row], rows.indptr[row + 1])
        problem = (factors[rows.indices[own]], rows.values[own], a, 0.5)
        best = scipy.optimize.minimize(
            huber_objective, np.zeros(rank), problem, jac=True, method="BFGS", tol=1e-10
        )
        value, gradient = huber_objective(solution[row], *problem)
        assert value <= best.fun + 1e-9
        np.testing.assert_allclose(gradient, 0, atol=1e-6)
        np.testing.assert_allclose(solution[row], best.x, atol=1e-5)


def test_training_loss_is_the_sum_of_hubers_loss(ratings):
    model = IRLS(rank=3, loss_parameter=0.7, iterations=2).fit(ratings, rng=generator(7))
    residuals = ratings.values - model.predict(ratings.users, ratings.items)
    assert (np.abs(residuals) > 0.7).any()
    expected = sum(r**2 / 2 if abs(r) <= 0.7 else 0.7 * (abs(r) - 0.35) for r in residuals)
    expected += 0.25 * ((model.user_factors_**2).sum() + (model.item_factors_**2).sum())
    assert model.training_loss(ratings) == pytest.approx(expected, rel=1e-12)


def test_training_loss_with_an_infinite_parameter_is_least_squares(ratings):
    model = IRLS(rank=3, loss_parameter=np.inf, iterations=2).fit(ratings, rng=generator(7))
    residuals = ratings.values - model.predict(ratings.users, ratings.items)
    squares = (model.user_factors_**2).sum() + (model.item_factors_**2).sum()
    expected = 0.5 * (residuals**2).sum() + 0.25 * squares
    assert model.training_loss(ratings) == pytest.approx(expected, rel=1e-12)


def test_outliers_pull_less_than_in_least_squares():
    # one row, true theta 1, a tenth of the ratings off by 50
    rng = generator(8)
    ratings = ratings_by_counts(rng, [60], 60)
    factors = rng.standard_normal((60, 1))
    rows = ratings.by_item
    rows.values[:] = factors[rows.indices, 0]
    rows.values[::10] += 50
    robust = Regressions(rows, 1, 0.5, 50).solve(factors, threshold=0.5)
    plain = Regressions(rows, 1, 0.5).solve(factors)
    assert abs(robust[0, 0] - 1) < 0.1 < abs(plain[0, 0] - 1)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"loss_parameter": 0}, "loss_parameter must be a number above 0, got 0"),
        ({"loss_parameter": -1}, "loss_parameter must be"),
        ({"loss_parameter": np.nan}, "loss_parameter must be"),
        ({"loss_parameter": None}, "loss_parameter must be"),
        ({"inner_iterations": 0}, "inner_iterations must be an integer of at least 1"),
        ({"residual_scale": 0.0}, "residual_scale must be a number above 0"),
        ({"residual_scale": np.inf}, "residual_scale must be"),
        ({"kernel": "fats"}, "kernel must be 'fast' or 'direct', got 'fats'.*did you mean 'fast'"),
        ({"rank": 0}, "rank must be"),
    ],
)
def test_bad_settings_are_refused(settings, message):
    with pytest.raises(InputError, match=message):
        IRLS(**({"rank": 2, "loss_parameter": 1.0} | settings))
