"""One-bit matrix completion within a privacy budget, or with the noise as published.

:mod:`dpmc_studies.methods.onebit.noise` and :mod:`dpmc_studies.methods.onebit.guarantee` derive the
guarantees. A run sees the signs only through its randomness: as flipped signs, or as outputs of a
:class:`dpmc.privacy.ledger.Ledger`. There are two exceptions: objective perturbation with the
Gaussian link, whose solver sees the signs, and mechanisms without privacy. Solvers start from zero.

Source: Li et al. 2021.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms.base import positive_finite
from dpmc.mechanisms.randomised_response import RandomisedResponse
from dpmc.privacy.ledger import FloatNoise, Ledger
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit import baselines
from dpmc_studies.methods.onebit.gradient import noisy_descent
from dpmc_studies.methods.onebit.guarantee import OPEN, EntryGuarantee, guarantee_of
from dpmc_studies.methods.onebit.links import Link, link_of
from dpmc_studies.methods.onebit.noise import OBJECTIVE, OUTPUT, Facts, Plan, plan_of
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.solve import Ball, Solution, solve


@dataclass(frozen=True, eq=False)
class Problem:
    """Signs, -1 and +1, the link and the ball of a completion. Who rated what is public.

    ``alpha`` bounds the entries of the true matrix; its default is the bound of the ball, or 1
    without one. Outputs are clipped to it. The published scale of objective perturbation uses it.
    """

    signs: Ratings
    link: Link | str
    ball: Ball
    alpha: float | None = None

    def __post_init__(self):
        link = link_of(self.link) if isinstance(self.link, str) else self.link
        object.__setattr__(self, "link", link)
        bound = self.ball.alpha or 1.0
        alpha = positive_finite("alpha", bound if self.alpha is None else self.alpha)
        if self.ball.alpha is not None and alpha != self.ball.alpha:
            raise InputError(f"alpha must be that of the ball, {bound:g}, got {alpha:g}.")
        object.__setattr__(self, "alpha", alpha)
        _ = self.objective  # checks the signs

    @cached_property
    def objective(self) -> Objective:
        """The negative log-likelihood of the signs, which is not private."""
        return Objective(self.signs, self.link)

    @property
    def shape(self) -> tuple[int, int]:
        """The shape (d1, d2) of the matrix."""
        return self.signs.n_users, self.signs.n_items

    @cached_property
    def facts(self) -> Facts:
        """The public facts of the problem."""
        most = int(np.bincount(self.signs.users).max())
        return Facts(self.link, self.ball, self.alpha, self.shape, most)


@dataclass(frozen=True, eq=False)
class Simulated:
    """The source of flips and noise: floating-point numbers of a seeded generator.

    An audit passes another object with the same two methods.
    """

    rng: np.random.Generator

    def flip(self, signs: np.ndarray, response: RandomisedResponse) -> np.ndarray:
        """Return flipped signs."""
        return response.flip(signs, self.rng)

    def ledger(self, noise, releases: int) -> Ledger:
        """Return a ledger that adds ``noise``, the noise of a release of sensitivity 1."""
        return Ledger(FloatNoise(noise, self.rng), releases)


@dataclass(frozen=True, eq=False)
class Completion:
    """A completed matrix, float64 of shape (d1, d2).

    The guarantee covers the matrix alone. The other fields describe the solver, for readers who may
    see the signs, and are None if nothing was solved. ``value`` is the (perturbed) objective.
    """

    matrix: np.ndarray
    guarantee: EntryGuarantee
    value: float | None = None
    iterations: int | None = None
    converged: bool | None = None


def complete(
    mechanism: str,
    problem: Problem,
    epsilon: float | None = None,
    *,
    randomness: Simulated | None = None,
    delta: float | None = None,
    clip: float = 0.5,
    iterations: int = 1,
    step: float = 1.0,
    clear: np.ndarray | None = None,
) -> Completion:
    """Complete a matrix of signs by a mechanism of :mod:`dpmc_studies.methods.onebit.guarantee`.

    Mechanisms with privacy need the ``epsilon`` that they claim and ``randomness``; grap_gaussian
    also needs ``delta``. ``clip``, ``iterations`` and ``step`` are C, K and the step length of
    gradient perturbation, see :mod:`dpmc_studies.methods.onebit.gradient`. ``clear`` is the
    non-private solution for outp and outp_paper; it is solved for if not given.
    """
    options = {"delta": delta, "clip": clip, "iterations": iterations}
    guarantee = guarantee_of(mechanism, problem.facts, epsilon, **options)
    if mechanism in OPEN or mechanism == "zero":
        if mechanism == "clear":
            return _solved(solve(problem.objective, problem.ball), guarantee)
        return Completion(getattr(baselines, mechanism)(problem), guarantee)
    if randomness is None:
        raise InputError(f"{mechanism} needs randomness: Simulated(rng).")
    if mechanism == "inp":
        return _inp(problem, RandomisedResponse.from_epsilon(epsilon), randomness, guarantee)
    if mechanism == "private_item_bias":
        matrix = baselines.private_item_bias(problem, epsilon, randomness)
        return Completion(matrix, guarantee)
    plan = plan_of(mechanism, problem.facts, epsilon, **options)
    ledger = randomness.ledger(plan.noise, plan.releases)
    if mechanism in OBJECTIVE:
        made = _objp(problem, plan, ledger, guarantee)
    elif mechanism in OUTPUT:
        made = _outp(problem, plan, ledger, guarantee, clear)
    else:
        matrix = noisy_descent(problem.objective, problem.ball, plan, ledger, clip, step)
        made = Completion(matrix, guarantee)
    ledger.close()
    return made


def _inp(problem, response, randomness, guarantee) -> Completion:
    flipped = replace(problem.signs, values=randomness.flip(problem.signs.values, response))
    objective = Objective(flipped, problem.link, flip=response.p_plus)
    return _solved(solve(objective, problem.ball), guarantee)


def _objp(problem, plan: Plan, ledger, guarantee) -> Completion:
    signs = problem.signs
    if problem.link.name == "logistic":
        # -log h(y x) = -log h(x) + x (1 - y)/2: the solver sees the noised linear term alone
        linear = ledger.release("linear", (1 - signs.values) / 2, plan.stated)
        signs = replace(signs, values=np.ones(len(signs)))
    else:
        linear = ledger.release("linear", np.zeros(len(signs)), plan.stated)
    objective = Objective(signs, problem.link, linear=linear)
    return _solved(solve(objective, problem.ball), guarantee)


def _outp(problem, plan: Plan, ledger, guarantee, clear) -> Completion:
    solution = None
    if clear is None:
        solution = solve(problem.objective, problem.ball)
        clear = solution.matrix
    if clear.shape != problem.shape:
        raise InputError(f"clear must have the shape {problem.shape}, got {clear.shape}.")
    clipped = np.clip(clear, -problem.alpha, problem.alpha)
    matrix = ledger.release("matrix", clipped, plan.stated)
    if solution is None:
        return Completion(matrix, guarantee)
    return replace(_solved(solution, guarantee), matrix=matrix)


def _solved(solution: Solution, guarantee) -> Completion:
    return Completion(
        solution.matrix, guarantee, solution.value, solution.iterations, solution.converged
    )
