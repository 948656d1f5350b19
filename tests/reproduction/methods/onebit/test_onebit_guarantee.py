"""What is claimed and proven of one-bit completion, and the proof by brute force on tiny data."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Laplace
from dpmc_studies.methods.onebit.guarantee import guarantee_of
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.methods.onebit.noise import NOISED, Facts, plan_of
from dpmc_studies.methods.onebit.solve import Ball

GAUSSIAN, LOGISTIC = link_of("gaussian"), link_of("logistic")
BOTH, NUCLEAR = Ball(100.0, 1.0), Ball(100.0)
FACTS = Facts(GAUSSIAN, BOTH, 1.0, (100, 100), 20)
D, LOG_R, PUBLISHED = 1.812735, 0.771388, 5.029046
"""At alpha = 1: change of the gradient, log ratio of curvatures, the paper's bound."""


def figures(mechanism, epsilon=2.0, facts=FACTS, **options):
    made = guarantee_of(mechanism, facts, epsilon, delta=1e-5, **options)
    return made.claimed_epsilon, made.actual_epsilon, made.user_epsilon


# -- the constants -----------------------------------------------------------------------------


def test_the_suprema_are_at_the_end_of_the_box():
    x = np.linspace(0, 1, 2001)
    plus, minus = (GAUSSIAN.loss(t)[1] for t in (x, -x))
    change = np.abs(plus + minus)  # of the gradient: psi'(x) + psi'(-x)
    assert change.argmax() == 2000
    assert change.max() == pytest.approx(D, abs=1e-6)
    # psi'' by central differences of psi'
    bend = [np.diff(GAUSSIAN.loss(sign * x)[1]) * sign for sign in (1, -1)]
    ratio = np.log(bend[1] / bend[0])
    assert (np.diff(ratio) > 0).all()
    assert ratio[-1] == pytest.approx(LOG_R, abs=1e-3)
    assert GAUSSIAN.sensitivity(1.0) == pytest.approx(D, abs=1e-6)
    assert GAUSSIAN.log_curvature_ratio(1.0) == pytest.approx(LOG_R, abs=1e-6)
    assert GAUSSIAN.published_sensitivity(1.0) == pytest.approx(PUBLISHED, abs=1e-6)
    assert LOGISTIC.sensitivity(1.0) == LOGISTIC.published_sensitivity(1.0) == 1
    assert LOGISTIC.log_curvature_ratio(1.0) == 0


# -- one observed entry: the law of the minimiser in closed form --------------------------------


def law_of_one_entry(scale, sign, cuts):
    """P(x <= cut) of the minimiser of psi(y x) + H x over [-1, 1]: H >= -(derivative there)."""
    slope = sign * GAUSSIAN.loss(sign * cuts)[1]
    below = Laplace(scale).sf(-slope)
    return np.diff(np.concatenate([[0.0], below, [1.0]]))


def largest_loss(first, second):
    return float(np.abs(np.log(first / second)).max())


def loss_of_one_entry(scale):
    cuts = np.linspace(-1, 1, 4001)[1:-1]
    return largest_loss(*(law_of_one_entry(scale, sign, cuts) for sign in (1, -1)))


def scale_of(mechanism, epsilon):
    plan = plan_of(mechanism, FACTS, epsilon)
    return plan.stated * plan.noise.scale


@pytest.mark.parametrize("epsilon", [0.1, 0.3, 0.5, 0.6])
def test_the_published_scale_fails_with_one_entry_at_small_epsilon(epsilon):
    found = loss_of_one_entry(scale_of("objp_paper", epsilon))
    assert found == pytest.approx(LOG_R - 1.23754 * epsilon / PUBLISHED, abs=1e-3)
    assert epsilon < found <= figures("objp_paper", epsilon)[1]


@pytest.mark.parametrize("epsilon", [0.78, 0.8, 1.0, 2.0, 4.0, 10.0])
def test_the_corrected_scale_keeps_epsilon_with_one_entry(epsilon):
    found = loss_of_one_entry(scale_of("objp", epsilon))
    assert 0.4 < found / epsilon <= 1


# -- two observed entries: a row of two, whose nuclear norm is its length -----------------------

TAU = 1.2


def onto_disc_and_square(x):
    """Project the columns of x onto the disc of radius TAU in the square, in closed form."""
    inside = np.clip(x, -1, 1)
    length = np.hypot(*x)
    on_disc = x * (TAU / np.maximum(length, 1e-300))
    longer = np.abs(x[0]) >= np.abs(x[1])
    corner = np.where(np.stack([longer, ~longer]), 1.0, math.sqrt(TAU**2 - 1))
    corner = np.where(x < 0, -corner, corner)
    found = np.where((np.abs(on_disc) <= 1).all(axis=0), on_disc, corner)
    return np.where(np.hypot(*inside) <= TAU, inside, found)


def minimisers(signs, noise):
    """By projected descent: curvatures lie in [.370, .801], so the error shrinks by .38 a step."""
    x, signs = np.zeros_like(noise), np.array(signs)[:, None]
    for _ in range(20):
        x = onto_disc_and_square(x + 1.7 * (signs * GAUSSIAN.slope(signs * x) - noise))
    return x


def loss_of_two_entries(scale):
    """Largest log ratio of two bins of the minimiser, by quadrature over the noise.

    The noise that leads to the inside of the square lies within 1.53, where cells are small.
    """
    tail = np.geomspace(2.5, 60 * scale, 40)
    edges = np.concatenate([-tail[::-1], np.linspace(-2.5, 2.5, 351)[1:-1], tail])
    mass = np.diff(Laplace(scale).cdf(np.concatenate([[-np.inf], edges[1:-1], [np.inf]])))
    middle = (edges[1:] + edges[:-1]) / 2
    noise = np.stack([each.ravel() for each in np.meshgrid(middle, middle, indexing="ij")])
    weight = np.outer(mass, mass).ravel()
    cuts = np.array([-1 + 1e-9, -0.9, -0.6, -0.2, 0.2, 0.6, 0.9, 1 - 1e-9])
    laws, cells = [], []
    for first in (1.0, -1.0):
        x = minimisers((first, 1.0), noise)
        place = np.searchsorted(cuts, x[0]) * 9 + np.searchsorted(cuts, x[1])
        laws.append(np.bincount(place, weight, 81))
        cells.append(np.bincount(place, minlength=81))
    enough = np.min(cells, axis=0) > 60  # so that bins are right within a few per cent
    assert enough.sum() > 35
    return largest_loss(*(law[enough] for law in laws))


@pytest.mark.parametrize("epsilon", [0.9, 2.0])
def test_the_corrected_scale_keeps_epsilon_with_two_entries(epsilon):
    # 0.53 and 1.22: bins are no single points, and the bound is for the worst of all balls
    assert 0.45 < loss_of_two_entries(scale_of("objp", epsilon)) <= epsilon


# -- what is said of every mechanism ------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 4.0, 10.0])
@pytest.mark.parametrize("link", [LOGISTIC, GAUSSIAN], ids=lambda link: link.name)
@pytest.mark.parametrize("ball", [BOTH, NUCLEAR], ids=["both", "nuclear"])
def test_what_is_claimed_is_kept_where_it_should_be(link, ball, epsilon):
    facts = Facts(link, ball, 1.0, (100, 100), 20)
    for mechanism in ("inp", "grap", "private_item_bias"):
        made = guarantee_of(mechanism, facts, epsilon)
        assert made.actual_epsilon == pytest.approx(epsilon, rel=1e-12)
        assert made.user_epsilon == pytest.approx(20 * epsilon, rel=1e-12)
        assert (made.claimed_delta, made.actual_delta, made.user_delta) == (0, 0, 0)
    assert figures("outp", epsilon, facts) == pytest.approx((epsilon,) * 3)
    wrong = figures("outp_paper", epsilon, facts)
    assert wrong == pytest.approx((epsilon, 1e4 * epsilon, 1e4 * epsilon))
    wrong = figures("grap_paper", epsilon, facts)
    assert wrong == pytest.approx((epsilon, 2 * epsilon, 40 * epsilon))


@pytest.mark.parametrize("ball", [BOTH, NUCLEAR], ids=["both", "nuclear"])
def test_objective_perturbation_with_the_logistic_link(ball):
    facts = replace(FACTS, link=LOGISTIC, ball=ball)
    for mechanism in ("objp", "objp_paper"):
        assert figures(mechanism, 2.0, facts) == pytest.approx((2, 2, 40))
    assert figures("objp_literal", 2.0, facts) == pytest.approx((2, 4, 80))


def test_objective_perturbation_with_the_gaussian_link():
    assert figures("objp", 2.0) == pytest.approx((2, 2, 40))
    for epsilon in (0.5, 1.2, 1.21, 4.0):
        actual = D * epsilon / PUBLISHED + LOG_R
        made = guarantee_of("objp_paper", FACTS, epsilon)
        assert made.actual_epsilon == pytest.approx(actual, abs=1e-5)
        assert made.user_epsilon == pytest.approx(20 * actual, abs=1e-4)
        assert (made.actual_epsilon <= epsilon) == (epsilon > 1.206)
        literal = figures("objp_literal", epsilon)[1]
        assert literal == pytest.approx(2 * D * epsilon / PUBLISHED + LOG_R, abs=1e-5)


@pytest.mark.parametrize("epsilon", [0.3, 0.77])
def test_the_curvature_takes_its_share_of_epsilon(epsilon):
    with pytest.raises(InputError, match=r"needs epsilon above 0\.7714 where entries reach 1:"):
        guarantee_of("objp", FACTS, epsilon)


def test_without_an_entrywise_bound_the_gaussian_link_has_no_guarantee():
    facts = replace(FACTS, ball=NUCLEAR)
    with pytest.raises(InputError, match="bound the entries"):
        guarantee_of("objp", facts, 10.0)
    made = guarantee_of("objp_paper", facts, 10.0)
    assert made.actual_epsilon > 4000
    # a small ball bounds entries by its radius
    assert guarantee_of("objp", replace(FACTS, ball=Ball(0.5)), 1.0).actual_epsilon <= 1 + 1e-12
    assert replace(FACTS, ball=Ball(0.5, 1.0)).reach == 0.5


def test_more_iterations_need_more_noise():
    for iterations in (1, 3):
        plan = plan_of("grap", FACTS, 2.0, iterations=iterations, clip=0.25)
        assert plan.stated * plan.noise.scale == pytest.approx(2 * 0.25 * iterations / 2.0)
        assert plan.releases == iterations
        assert figures("grap", 2.0, iterations=iterations) == pytest.approx((2, 2, 40))
        assert figures("grap_paper", 2.0, iterations=iterations)[1] == pytest.approx(4)


@pytest.mark.parametrize("iterations", [1, 4])
def test_gaussian_noise_is_accounted_exactly(iterations):
    made = guarantee_of("grap_gaussian", FACTS, 2.0, delta=1e-5, iterations=iterations)
    assert (made.actual_epsilon, made.actual_delta) == (2.0, 1e-5)
    noise = plan_of("grap_gaussian", FACTS, 2.0, delta=1e-5, iterations=iterations).noise
    # K releases at sensitivity 1 are one at sqrt(K), and at sqrt(20 K) for 20 signs of a user
    assert noise.delta(2.0, math.sqrt(iterations)) == pytest.approx(1e-5, rel=1e-9)
    assert noise.delta(made.user_epsilon, math.sqrt(20 * iterations)) == pytest.approx(1e-5)
    assert made.user_delta == 1e-5
    assert isinstance(noise, Gaussian)
    assert made.user_epsilon < 20 * 2.0
    with pytest.raises(InputError, match="needs a delta"):
        guarantee_of("grap_gaussian", FACTS, 2.0)


def test_no_noise_no_privacy():
    for mechanism in ("clear", "majority", "item_bias"):
        made = guarantee_of(mechanism, FACTS)
        assert made.actual_epsilon == made.claimed_epsilon == made.user_epsilon == math.inf
    assert guarantee_of("zero", FACTS).actual_epsilon == 0


@pytest.mark.parametrize("mechanism", NOISED)
def test_a_budget_is_a_positive_number(mechanism):
    for bad in (0.0, -1.0, math.inf, None):
        with pytest.raises(InputError, match="epsilon must be a positive finite number"):
            guarantee_of(mechanism, FACTS, bad, delta=1e-5)


@pytest.mark.parametrize("bad", [0, 1.5, -2])
def test_iterations_are_counted(bad):
    with pytest.raises(InputError, match="iterations must be a whole number"):
        plan_of("grap", FACTS, 1.0, iterations=bad)


def test_unknown_names():
    with pytest.raises(InputError, match=r"no mechanism 'objq' \(did you mean 'objp'\?\)"):
        guarantee_of("objq", FACTS, 1.0)
