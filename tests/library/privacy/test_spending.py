"""What several fits cost together: against the accountants of dp-accounting, and by formulas."""

import math

import pytest
from dp_accounting import get_epsilon_gaussian
from dp_accounting.dp_event import GaussianDpEvent, LaplaceDpEvent, SelfComposedDpEvent
from dp_accounting.pld import PLDAccountant

from dpmc.mechanisms import Gaussian
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.privacy.selection import Selection
from dpmc.privacy.spending import Cost, keeps, left, total

DELTA = 1e-6


def cost(mechanism="gaussian", releases=9, epsilon=5.0, delta=DELTA):
    made = calibrate(mechanism, releases=releases, epsilon=epsilon, delta=delta)
    return Cost(epsilon, delta, made.noise, releases)


def chosen(epsilon=5.0, share=0.2, releases=9):
    """A fit that chooses its items privately."""
    plan = Selection(USER_ADD_REMOVE, 50, epsilon, DELTA, share)
    made = calibrate("gaussian", releases=releases, epsilon=plan.fit_epsilon, delta=plan.fit_delta)
    return Cost(epsilon, DELTA, made.noise, plan.releases(releases), plan.list_delta)


def test_two_gaussian_fits_cost_the_root_of_the_sum_of_squares():
    two = [cost(), cost(releases=4)]
    sigma = two[0].noise.scale / 3  # of one release for each fit
    expected = get_epsilon_gaussian(sigma / math.sqrt(2), DELTA)
    assert total(two, DELTA) == (pytest.approx(expected, rel=1e-6), "exact")
    assert total(two, DELTA)[0] == pytest.approx(7.46, abs=0.005)
    assert total(two[:1], DELTA)[0] == pytest.approx(5, rel=1e-9)


def test_lists_cost_their_deltas_and_what_the_theorem_adds():
    one = chosen()
    assert keeps([one], 5, DELTA)
    assert not keeps([one], 4.999, DELTA)
    mu = math.sqrt(2 * one.releases) / one.noise.scale
    lists = -2 * math.log1p(-one.list_delta)
    expected = Gaussian().epsilon(mu, DELTA - 2 * one.list_delta) + lists
    assert total([one, one], DELTA) == (pytest.approx(expected, rel=1e-12), "exact")
    assert total([one, one], DELTA)[0] > total([cost(), cost()], DELTA)[0]
    assert total([one] * 5, DELTA)[0] == math.inf  # the lists alone take all of delta
    assert total([one], one.list_delta)[0] == math.inf


@pytest.mark.parametrize("with_gaussian", [False, True])
def test_other_noise_is_composed_by_loss_distributions(with_gaussian):
    fits = [cost("laplace", 3, 1.0, 1e-5), cost("laplace", 3, 1.0, 1e-5)]
    accountant = PLDAccountant(value_discretization_interval=1e-4)
    accountant.compose(SelfComposedDpEvent(LaplaceDpEvent(fits[0].noise.scale), 6))
    if with_gaussian:
        fits.append(cost())
        accountant.compose(GaussianDpEvent(fits[-1].noise.scale / 3))
    found, how = total(fits, 1e-5)
    assert how == "pld"
    assert found == pytest.approx(accountant.get_epsilon(1e-5), rel=2e-3)
    assert found < sum(each.epsilon for each in fits)


@pytest.mark.parametrize("lists", [1, 2])
@pytest.mark.parametrize("share", [0.01, 0.2, 0.9])
@pytest.mark.parametrize("gaussian", [False, True])
@pytest.mark.parametrize("delta", [1e-5, 0.3])  # with the large one, what lists add to epsilon, too
def test_lists_are_composed_with_other_noise(delta, lists, share, gaussian):
    """The theorem of the module, around dp-accounting's composition of the noise alone."""
    plan = Selection(USER_ADD_REMOVE, 50, 1.0, delta / 2, share)
    made = calibrate("gaussian", releases=9, epsilon=plan.fit_epsilon, delta=plan.fit_delta)
    chosen = Cost(1.0, delta / 2, made.noise, plan.releases(9), plan.list_delta)
    fits = [cost("laplace", 3, 1.0, 1e-5)] + lists * [chosen] + gaussian * [cost(epsilon=1.0)]
    accountant = PLDAccountant(value_discretization_interval=1e-4)
    accountant.compose(SelfComposedDpEvent(LaplaceDpEvent(fits[0].noise.scale), 3))
    for each in fits[1:]:
        accountant.compose(GaussianDpEvent(each.noise.scale / math.sqrt(each.releases)))
    expected = accountant.get_epsilon(delta - lists * share * delta / 2)
    found, how = total(fits, delta)
    assert how == "pld"
    assert found == pytest.approx(expected - lists * math.log1p(-plan.list_delta), rel=2e-3)


def test_a_fit_keeps_to_its_own_budget_however_it_was_accounted_for():
    for mechanism in ("gaussian", "laplace", "huber"):
        assert keeps([cost(mechanism, 2, 1.5, 1e-5)], 1.5, 1e-5)
    assert keeps([cost("laplace", 2, 3000.0, 0)], 3000, 0)  # beyond any grid of losses


def test_pure_epsilons_add():
    pure = cost("laplace", 4, 2.0, 0)
    assert total([pure, pure], 0) == (pytest.approx(4), "basic")
    assert total([pure, cost()], DELTA)[0] <= 7
    assert total([cost()], 0)[0] == math.inf
    assert total([], DELTA) == (0, "exact")


@pytest.mark.parametrize(
    ("spent", "like", "budget"),
    [
        ([cost()], cost(), (7.0, DELTA)),
        ([cost()], chosen(), (7.0, DELTA)),
        ([cost(), cost()], cost(delta=1e-8), (20.0, 1e-5)),
        ([cost("laplace", 2, 2.0, 0)], cost("laplace", 2, 2.0, 0), (5.0, 0.0)),
    ],
)
def test_what_is_left_fits_and_more_does_not(spent, like, budget):
    most = left(spent, *budget, like)
    assert keeps([*spent, like.at(most)], *budget)
    assert not keeps([*spent, like.at(most * 1.001)], *budget)


def test_nothing_is_left_of_a_budget_that_is_spent():
    assert left([cost()], 5.0, DELTA, cost()) < 0.01
    assert left([cost()], 4.0, DELTA, cost()) == 0
    assert left([cost()], 7.0, 1e-8, chosen()) == 0  # the list takes more than all of delta
