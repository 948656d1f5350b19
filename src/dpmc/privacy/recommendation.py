"""Recommends a mechanism for a budget, given a number of releases or a planned training."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from dpmc.errors import InputError, ParameterError
from dpmc.mechanisms.base import Mechanism
from dpmc.privacy.calibration import WORTHWHILE, best_of, calibrate, smallest_variances
from dpmc.privacy.relations import USER_LEVEL, check_relation
from dpmc.privacy.sensitivity import NORMS

MOST_RELEASES = 10_000
"""Of which Laplace noise takes ten seconds to account for."""


@dataclass(frozen=True)
class Plan:
    """A training, as far as its noise goes; all of it is public.

    ``settings`` are the arguments of the method's constructor, for the reader; ``method`` is its
    name in ``dpmc fit``. ``sensitivities`` takes the name of a mechanism and returns the
    sensitivities of the statistics of items: none if they follow from earlier releases.
    """

    relation: str
    method: str
    releases: int
    settings: Mapping[str, object]
    sensitivities: Callable[[str], dict[str, float]]


@dataclass(frozen=True)
class Option:
    """The cost of a budget with one mechanism.

    The noise is at sensitivity 1, in the norm of the mechanism. ``pure_epsilon`` is the guarantee
    of the same noise at delta 0, infinite for Gaussian noise. ``deviations``, for a plan only, are
    the standard deviations of the noise on each statistic of items.
    """

    mechanism: str
    noise: Mechanism
    accountant: str
    pure_epsilon: float
    deviations: dict[str, float]

    @property
    def norm(self) -> str:
        """The norm of the sensitivities: "l1" or "l2"."""
        return f"l{NORMS[self.mechanism]}"

    @property
    def cost(self) -> float:
        """Variance of the noise, for a plan on its first statistic: options are compared by it."""
        return next(iter(self.deviations.values()), self.noise.std()) ** 2

    def as_dict(self) -> dict[str, object]:
        """Return the option as plain values."""
        return {
            "mechanism": self.mechanism,
            "norm": self.norm,
            "variance": self.noise.var(),
            **asdict(self.noise),
            "accountant": self.accountant,
            "pure_epsilon": self.pure_epsilon if math.isfinite(self.pure_epsilon) else None,
            "deviations": self.deviations,
        }


@dataclass(frozen=True)
class Recommendation:
    """The answer for a budget: the option to take, then the others by the variance of the noise."""

    epsilon: float
    delta: float
    releases: int
    plan: Plan | None
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        """The option to take: that with the least noise, Huber noise only if it saves enough."""
        return self.options[0]

    def sentence(self) -> str:
        """Return the answer in words."""
        best, *others = self.options
        if not others:
            why = "without delta" if best.mechanism == "laplace" else "where users are protected"
            return f"Take {best.mechanism} noise: {why}, a fit has no other."
        parts = [f"{other.mechanism} noise {_times(other.cost / best.cost)}" for other in others]
        compared = " and ".join(parts)
        text = f"Take {best.mechanism} noise, of the smallest variance: {compared}."
        if math.isfinite(best.pure_epsilon):
            text += f" It keeps epsilon = {best.pure_epsilon:.4g} at delta 0 too."
        return text

    def as_dict(self) -> dict[str, object]:
        """Return the answer as plain values."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "releases": self.releases,
            "plan": self.plan
            and {"relation": self.plan.relation, "method": self.plan.method, **self.plan.settings},
            "best": self.best.mechanism,
            "options": [option.as_dict() for option in self.options],
            "sentence": self.sentence(),
        }


def recommend(
    epsilon: float,
    delta: float = 1e-6,
    *,
    releases: int | None = None,
    plan: Plan | None = None,
) -> Recommendation:
    """Return which mechanism needs the least noise for a budget, and how much each needs.

    The question is about either ``releases`` or a ``plan``. Releases have sensitivity 1 in the
    mechanism's own norm: the answer is for scalars, or for equal l1 and l2 sensitivities. For the
    plan of a training, the mechanisms in :func:`noises` are compared. InputError refuses both or
    none of the two, and an impossible budget.
    """
    if (plan is None) == (releases is None):
        raise InputError(
            "Give either releases, a number, or a relation and with it the plan of a training."
        )
    if plan is not None:
        count, possible = plan.releases, noises(plan.relation, delta)
        best = mechanism_of(plan.relation, count, epsilon, delta)
    else:
        assert releases is not None
        count, found = releases, smallest_variances(releases, epsilon, delta)
        possible = tuple(found)
        best = best_of({name: each.noise.var() for name, each in found.items()})
    options = [_option(name, count, epsilon, delta, plan) for name in possible]
    options.sort(key=lambda each: (each.mechanism != best, each.cost))
    return Recommendation(float(epsilon), float(delta), count, plan, tuple(options))


def noises(relation: str, delta: float) -> tuple[str, ...]:
    """Return the mechanisms that a fit can use; ParameterError if there is none.

    If users are protected, this is Gaussian noise alone: the variance of Laplace noise grows as the
    square of the number of ratings of a user that count.
    """
    if check_relation(relation) not in USER_LEVEL:
        return ("gaussian", "laplace") if delta else ("laplace",)
    if delta == 0:
        raise ParameterError(
            "Where users are protected the noise is gaussian, which needs a {delta} above 0, such "
            "as 1e-6."
        )
    return ("gaussian",)


def mechanism_of(relation: str, releases: int, epsilon: float, delta: float) -> str:
    """Return the mechanism to take for a training of so many releases: the default of ``dpmc fit``.

    If single ratings are protected, this is the mechanism with the smaller variance. Huber noise
    saves up to a tenth of the variance, but made no error of a training smaller by more than 1 %.
    """
    possible = noises(relation, delta)
    if len(possible) == 1 or releases > MOST_RELEASES:
        return possible[0]
    variances = {
        name: calibrate(name, releases=releases, epsilon=epsilon, delta=delta).noise.var()
        for name in possible
    }
    return min(variances, key=variances.__getitem__)


def _times(ratio: float) -> str:
    return "has the same" if abs(ratio - 1) < WORTHWHILE else f"has {ratio:.3g} times as much"


def _option(
    mechanism: str, releases: int, epsilon: float, delta: float, plan: Plan | None
) -> Option:
    found = calibrate(mechanism, releases=releases, epsilon=epsilon, delta=delta)
    pure = math.inf if mechanism == "gaussian" else releases * found.noise.epsilon(1.0)
    sensitivities = plan.sensitivities(mechanism) if plan else {}
    deviations = {what: value * found.noise.std() for what, value in sensitivities.items()}
    return Option(mechanism, found.noise, found.accountant, pure, deviations)
