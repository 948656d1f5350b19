"""Mechanisms of one-bit completion: what they may look at, with which noise, and what comes out."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpmc.errors import InputError
from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc.privacy.ledger import FloatNoise, Ledger, Replay
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.gradient import project
from dpmc_studies.methods.onebit.noise import NOISED, plan_of
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.private import Problem, complete
from dpmc_studies.methods.onebit.projection import project_nuclear
from dpmc_studies.methods.onebit.solve import Ball, solve

BOTH, NUCLEAR = Ball(12.0, 1.0), Ball(12.0)
LINKS, BALLS = ("logistic", "gaussian"), (NUCLEAR, BOTH)
DELTA = 1e-5


def signs_of(seed=1, users=14, items=11, share=0.6):
    rng = np.random.default_rng(seed)
    owner, item = np.nonzero(rng.random((users, items)) < share)
    return Ratings(owner, item, rng.choice([-1.0, 1.0], owner.size), users, items)


def problem_of(link="logistic", ball=BOTH, seed=1, **settings):
    return Problem(signs_of(seed, **settings), link, ball)


def flipped(problem, entries=(0,)):
    values = problem.signs.values.copy()
    values[list(entries)] *= -1
    return replace(problem, signs=replace(problem.signs, values=values))


class Watched:
    """Randomness that keeps the transcript; replays outputs if it is given some."""

    def __init__(self, seed=2, outputs=None):
        self.rng, self.outputs = np.random.default_rng(seed), outputs
        self.flips = []

    def flip(self, signs, response):
        self.flips.append(response)
        return response.flip(signs, self.rng)

    def ledger(self, noise, releases):
        source = FloatNoise(noise, self.rng) if self.outputs is None else Replay(self.outputs)
        self.noise, self.made = noise, Ledger(source, releases, keep=True)
        return self.made


def run(mechanism, problem, watched, **options):
    return complete(mechanism, problem, 2.0, randomness=watched, delta=DELTA, **options)


# -- what a mechanism may look at ----------------------------------------------------------------

THROUGH_THE_LEDGER = [
    (mechanism, link)
    for mechanism in NOISED
    for link in LINKS
    if not (mechanism.startswith("objp") and link == "gaussian")
]


@pytest.mark.parametrize("ball", BALLS, ids=["nuclear", "both"])
@pytest.mark.parametrize(("mechanism", "link"), THROUGH_THE_LEDGER)
def test_the_same_outputs_make_the_same_matrix_from_all_other_signs(mechanism, link, ball):
    # so the signs come in through the releases alone
    here = problem_of(link, ball)
    there = flipped(here, np.flatnonzero(here.signs.users < 9))
    options = {"iterations": 3} if mechanism.startswith("grap") else {}
    first = Watched()
    made = run(mechanism, here, first, **options)
    outputs = [each.output for each in first.made.transcript]
    again = run(mechanism, there, Watched(outputs=outputs), **options)
    np.testing.assert_array_equal(made.matrix, again.matrix)
    assert (made.value, made.iterations) == (again.value, again.iterations) or "outp" in mechanism


def changes(mechanism, here, there, **options):
    """The largest change of a release over what its noise was scaled to."""
    norm = 2 if mechanism == "grap_gaussian" else 1
    first = Watched()
    run(mechanism, here, first, **options)
    outputs = [each.output for each in first.made.transcript]
    second = Watched(outputs=outputs)
    run(mechanism, there, second, **options)
    return max(
        np.linalg.norm((a.query - b.query).ravel(), norm) / a.sensitivity
        for a, b in zip(first.made.transcript, second.made.transcript, strict=True)
    )


@pytest.mark.parametrize("link", LINKS)
@pytest.mark.parametrize(
    ("mechanism", "attained"),
    [("grap", 1), ("grap_gaussian", 1), ("private_item_bias", 1), ("outp", 0), ("grap_paper", 2)],
)
def test_one_flip_changes_a_release_by_no_more_than_its_sensitivity(mechanism, attained, link):
    here = problem_of(link)
    options = {"iterations": 3} if mechanism.startswith("grap") else {}
    for entry in range(0, len(here.signs), 15):
        found = changes(mechanism, here, flipped(here, [entry]), **options)
        assert attained * (1 - 1e-9) <= found <= max(attained, 1) * (1 + 1e-9)


@pytest.mark.parametrize("mechanism", ["grap", "grap_gaussian", "private_item_bias", "objp"])
def test_all_signs_of_a_user_change_a_release_by_what_is_planned(mechanism):
    here = problem_of()
    busiest = np.bincount(here.signs.users).argmax()
    own = np.flatnonzero(here.signs.users == busiest)
    assert own.size == here.facts.most_ratings
    here = flipped(here, own[here.signs.values[own] < 0])  # all +1, so that all flips add up
    found = changes(mechanism, here, flipped(here, own))
    plan = plan_of(mechanism, here.facts, 2.0, delta=DELTA)
    assert found == pytest.approx(plan.user / plan.stated)


def test_all_entries_may_change_at_once_by_what_is_planned():
    problem = problem_of()
    ones = np.ones(problem.shape)
    queries = []
    for clear in (5 * ones, -5 * ones):  # beyond the box
        watched = Watched()
        run("outp", problem, watched, clear=clear)
        queries.append(watched.made.transcript[0].query)
    plan = plan_of("outp", problem.facts, 2.0)
    assert np.abs(queries[0] - queries[1]).sum() == plan.stated == plan.user == 2 * 14 * 11


# -- the noise -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("mechanism", "link", "scale"),
    [
        ("objp", "logistic", 1 / 2),
        ("objp_paper", "logistic", 1 / 2),
        ("objp_literal", "logistic", 1 / 4),
        ("objp", "gaussian", 1.812735 / (2 - 0.771388)),
        ("objp_paper", "gaussian", 5.029046 / 2),
        ("objp_literal", "gaussian", 5.029046 / 4),
        ("grap", "logistic", 2 * 0.5 / 2),
        ("grap_paper", "gaussian", 0.5 / 2),
        ("outp", "logistic", 2 * 14 * 11 / 2),
        ("outp_paper", "gaussian", 2 / 2),
        ("private_item_bias", "logistic", 2 / 2),
    ],
)
def test_laplace_noise_has_the_scale_of_the_mechanism(mechanism, link, scale):
    watched = Watched()
    run(mechanism, problem_of(link), watched)
    (release,) = watched.made.transcript
    assert watched.noise.scale * release.sensitivity == pytest.approx(scale, rel=1e-5)
    # and is what was drawn: the same seed, the same numbers
    noise = np.random.default_rng(2).laplace(0.0, watched.noise.scale, release.query.shape)
    np.testing.assert_allclose(
        release.output - release.query, release.sensitivity * noise, atol=1e-9 * scale
    )


def test_flips_are_those_of_epsilon():
    watched = Watched()
    run("inp", problem_of(), watched)
    assert watched.flips == [RandomisedResponse.from_epsilon(2.0)]


# -- what comes out ------------------------------------------------------------------------------


@pytest.mark.parametrize("ball", BALLS, ids=["nuclear", "both"])
@pytest.mark.parametrize("link", LINKS)
def test_without_noise_to_speak_of_the_clear_matrix_comes_out(link, ball):
    problem = problem_of(link, ball)
    clear = complete("clear", problem).matrix
    for mechanism in ("inp", "objp_paper"):
        made = complete(mechanism, problem, 500.0, randomness=Watched())
        # solvers stop at 2e-4 or 1e-4, and noise of the scale .01 moves the solution a little
        assert np.sqrt(np.mean((made.matrix - clear) ** 2)) < 0.02
    made = complete("outp", problem, 1e7, randomness=Watched())
    np.testing.assert_allclose(made.matrix, np.clip(clear, -1, 1), atol=1e-3)


def test_inp_maximises_the_likelihood_of_flipped_signs():
    problem, watched = problem_of("gaussian"), Watched()
    made = run("inp", problem, watched)
    p = watched.flips[0].p_plus
    values = RandomisedResponse(p, p).flip(problem.signs.values, np.random.default_rng(2))
    signs = replace(problem.signs, values=values)
    expected = solve(Objective(signs, problem.link, flip=p), BOTH)
    np.testing.assert_array_equal(made.matrix, expected.matrix)


@pytest.mark.parametrize("link", LINKS)
def test_objective_perturbation_minimises_the_likelihood_plus_the_linear_term(link):
    problem, watched = problem_of(link), Watched()
    made = run("objp_paper", problem, watched)
    (release,) = watched.made.transcript
    noise = release.output - release.query
    expected = solve(Objective(problem.signs, link, linear=noise), BOTH)
    assert made.value - expected.value == pytest.approx(0, abs=1e-3)
    np.testing.assert_allclose(made.matrix, expected.matrix, atol=5e-3)


def test_one_step_is_the_projection_of_the_noised_gradient():
    problem, watched = problem_of("gaussian", NUCLEAR), Watched()
    made = run("grap", problem, watched, step=3.0)
    (release,) = watched.made.transcript
    np.testing.assert_allclose(release.query, -0.5 * problem.signs.values)  # .798 clamped
    matrix = np.zeros(problem.shape)
    length = 3.0 * problem.objective.newton_step
    matrix[problem.signs.users, problem.signs.items] = -length * release.output
    np.testing.assert_allclose(made.matrix, project_nuclear(matrix, 12.0), atol=1e-12)


def test_later_steps_start_from_released_gradients():
    problem, watched = problem_of(), Watched()
    made = run("grap", problem, watched, iterations=3, clip=0.4)
    assert len(watched.made.transcript) == 3
    x, signs = np.zeros(problem.shape), problem.signs
    for release in watched.made.transcript:
        slopes = problem.objective(x[signs.users, signs.items])[1]
        np.testing.assert_allclose(release.query, np.clip(slopes, -0.4, 0.4), atol=1e-12)
        x[signs.users, signs.items] -= problem.objective.newton_step * release.output
        x = project(x, BOTH)
    np.testing.assert_allclose(made.matrix, x, atol=1e-12)


def test_the_projection_onto_ball_and_box_is_the_nearest_point():
    # z is the projection of x iff <x - z, y - z> <= 0 for all y in the set; y at random and at z's
    # own neighbours
    rng = np.random.default_rng(5)
    x = 2 * rng.standard_normal((14, 11))
    z = project(x, BOTH)
    assert np.abs(z).max() <= 1
    assert np.linalg.svd(z, compute_uv=False).sum() <= 12.0 * (1 + 1e-3)
    for scale in (1e-3, 0.1, 10.0):
        for _ in range(50):
            y = project(z + scale * rng.standard_normal(x.shape), BOTH)
            assert np.vdot(x - z, y - z) <= 2e-3 * np.linalg.norm(x - z)
    inside = 0.01 * x
    np.testing.assert_allclose(project(inside, BOTH), inside, atol=1e-12)


def test_outp_clips_before_the_noise_and_adds_it_to_what_is_given():
    problem, watched = problem_of(), Watched()
    clear = np.linspace(-3, 3, 14 * 11).reshape(14, 11)
    made = run("outp", problem, watched, clear=clear)
    np.testing.assert_array_equal(watched.made.transcript[0].query, np.clip(clear, -1, 1))
    assert np.abs(made.matrix).max() > 10
    assert made.value is None
    with pytest.raises(InputError, match="clear must have the shape"):
        run("outp", problem, Watched(), clear=clear.T)


# -- input ---------------------------------------------------------------------------------------


def test_mechanisms_with_privacy_need_randomness_and_a_budget():
    with pytest.raises(InputError, match="inp needs randomness"):
        complete("inp", problem_of(), 1.0)
    with pytest.raises(InputError, match="epsilon must be a positive finite number"):
        complete("grap", problem_of(), randomness=Watched())
    with pytest.raises(InputError, match="needs a delta"):
        complete("grap_gaussian", problem_of(), 1.0, randomness=Watched())
    with pytest.raises(InputError, match=r"no mechanism 'input' \(did you mean 'inp'"):
        complete("input", problem_of(), 1.0)


@pytest.mark.parametrize("option", ["clip", "step"])
@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan])
def test_clip_and_step_are_positive(option, bad):
    with pytest.raises(InputError, match=f"{option} must be a positive finite number"):
        run("grap", problem_of(), Watched(), **{option: bad})


def test_problems_are_checked():
    signs = signs_of()
    with pytest.raises(InputError, match="no link 'probit'"):
        Problem(signs, "probit", BOTH)
    with pytest.raises(InputError, match="signs must be -1 or"):
        Problem(replace(signs, values=signs.values + 1), "logistic", BOTH)
    with pytest.raises(InputError, match="alpha must be that of the ball"):
        Problem(signs, "logistic", BOTH, alpha=2.0)
    assert Problem(signs, "logistic", NUCLEAR).alpha == 1.0
    assert Problem(signs, "logistic", NUCLEAR, alpha=0.7).alpha == 0.7
    assert Problem(signs, "logistic", Ball(3.0, 0.5)).alpha == 0.5
    with pytest.raises(InputError, match="alpha must be a positive"):
        Problem(signs, "logistic", NUCLEAR, alpha=0.0)


def test_a_step_that_looks_at_the_signs_is_seen(monkeypatch):
    # the test of replays above can fail
    step = property(lambda objective: 1.0 + abs(objective.signs.values.sum()))
    monkeypatch.setattr(Objective, "newton_step", step)
    here, first = problem_of(), Watched()
    made = run("grap", here, first)
    outputs = [each.output for each in first.made.transcript]
    again = run("grap", flipped(here), Watched(outputs=outputs))
    assert (made.matrix != again.matrix).any()
