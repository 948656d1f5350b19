"""Baselines of one-bit completion, and the private item biases."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.baselines import (
    item_bias,
    majority,
    private_item_bias,
    shrunken_means,
    zero,
)
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.methods.onebit.private import Problem, Simulated
from dpmc_studies.methods.onebit.solve import Ball

LINKS = ("logistic", "gaussian")


def problem_of(means, users=400, link="logistic", seed=1, rated=None):
    """Everybody rates every item that is rated; the signs of an item have the mean given."""
    rng = np.random.default_rng(seed)
    items = np.arange(len(means)) if rated is None else np.asarray(rated)
    owner, item = (each.ravel() for each in np.meshgrid(np.arange(users), items, indexing="ij"))
    values = np.where(rng.random(owner.size) < (1 + np.asarray(means)[item]) / 2, 1.0, -1.0)
    signs = Ratings(owner, item, values, users, len(means))
    return Problem(signs, link, Ball(float(users)))


@pytest.mark.parametrize("link", LINKS)
def test_the_majority_is_the_most_likely_constant(link):
    problem = problem_of([0.3, -0.1, 0.5], link=link)
    matrix = majority(problem)
    assert np.unique(matrix).size == 1
    value, gradient = problem.objective(np.full(len(problem.signs), matrix[0, 0]))
    assert abs(gradient.sum()) < 1e-9 * len(problem.signs)
    assert value < problem.objective(np.zeros(len(problem.signs)))[0]


def test_zero_looks_at_nothing():
    np.testing.assert_array_equal(zero(problem_of([0.9, 0.9])), np.zeros((400, 2)))


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize("function", [majority, item_bias])
def test_entries_stay_in_the_box(link, function):
    matrix = function(problem_of([1.0, 1.0], link=link))
    np.testing.assert_array_equal(matrix, np.ones((400, 2)))


@pytest.mark.parametrize("link", LINKS)
def test_items_with_many_signs_get_their_own_number(link):
    # the standard error of a mean is .05 at most, and 5 of them are exceeded once in 1e6 times
    means = np.array([-0.4, 0.0, 0.1, 0.4])
    matrix = item_bias(problem_of(means, link=link))
    assert (matrix == matrix[0]).all()
    np.testing.assert_allclose(2 * link_of(link).cdf(matrix[0]) - 1, means, atol=0.25)
    assert (np.diff(matrix[0]) > 0).all()


def test_means_by_the_formula():
    # m = .5; t = (100 - 2 * 7.5 + 400 - 2 * 15)/(2 (10^2 + 20^2)) from both kinds of items
    sums, counts = np.array([15.0, -5.0, 30.0, -10.0]), np.array([10.0, 10.0, 20.0, 20.0])
    mean = sums.sum() / counts.sum()
    excess, chance = sums - counts * mean, counts * (1 - mean**2) + 7.0
    spread = (excess**2 - chance).sum() / (counts**2).sum()
    expected = mean + spread * counts * excess / (spread * counts**2 + chance)
    np.testing.assert_allclose(shrunken_means(sums, counts, 7.0), np.clip(expected, -1, 1))


def test_more_noise_means_more_shrinkage():
    sums, counts = np.array([8.0, -6.0, 2.0]), np.full(3, 10.0)
    spreads = [np.ptp(shrunken_means(sums, counts, variance)) for variance in (0, 5, 20, 1e6)]
    assert (np.diff(spreads) < 0).all()
    assert spreads[-1] == 0


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(-1e6, 1e6), st.integers(0, 50)), min_size=1, max_size=8),
    st.floats(0, 1e9),
)
def test_means_are_means_whatever_the_noise(items, variance):
    sums = np.array([each for each, _ in items])
    counts = np.array([each for _, each in items], dtype=float)
    if counts.sum() == 0:
        counts[0] = 1.0
    means = shrunken_means(sums, counts, variance)
    assert (np.abs(means) <= 1).all()
    mean = np.clip(sums[counts > 0].sum() / counts.sum(), -1, 1)
    np.testing.assert_allclose(means[counts == 0], mean)


def test_shrinkage_helps():
    # 40 items with 10 signs each, 200 times: the mean squared error of the shrunken means is half
    # of that of the means of the signs (0.046 and .091)
    rng = np.random.default_rng(2)
    errors = np.zeros(2)
    for _ in range(200):
        truth = rng.normal(0.2, 0.2, 40).clip(-0.9, 0.9)
        sums = 2.0 * rng.binomial(10, (1 + truth) / 2) - 10
        for index, guess in enumerate((shrunken_means(sums, np.full(40, 10.0), 0.0), sums / 10)):
            errors[index] += np.mean((guess - truth) ** 2) / 200
    assert errors[0] < 0.6 * errors[1]


def test_the_noise_is_that_of_two_over_epsilon():
    # unrated items aside, the sums are the only thing that is asked for
    problem = problem_of([0.2, -0.2, 0.4], users=50, rated=[0, 2])
    asked = {}

    class Spy(Simulated):
        def ledger(self, noise, releases):
            made = super().ledger(noise, releases)
            release = made.release

            def keep(what, query, sensitivity):
                asked[what] = query, sensitivity * noise.scale
                return release(what, query, sensitivity)

            made.release = keep
            return made

    private_item_bias(problem, 0.5, Spy(np.random.default_rng(3)))
    ((what, (query, scale)),) = asked.items()
    assert what == "sums"
    assert scale == pytest.approx(2 / 0.5)
    values, items = problem.signs.values, problem.signs.items
    np.testing.assert_array_equal(query, [values[items == item].sum() for item in range(3)])


def test_little_noise_changes_little():
    # Laplace noise of scale 2/50 on sums of 400: the biases move by less than .02, as a noise of
    # 100 scales has probability e^-100
    problem = problem_of([-0.4, 0.0, 0.4])
    private = private_item_bias(problem, 50.0, Simulated(np.random.default_rng(4)))
    np.testing.assert_allclose(private, item_bias(problem), atol=0.05)
    assert not math.isclose(private[0, 0], item_bias(problem)[0, 0], rel_tol=1e-12)
