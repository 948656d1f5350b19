"""Which mechanism for my budget: for a number of releases, or for a training that is planned."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass

from dpmc.errors import InputError, ParameterError
from dpmc.mechanisms.base import Mechanism
from dpmc.privacy.calibration import (
    WORTHWHILE,
    Calibration,
    best_of,
    calibrate,
    smallest_variances,
)
from dpmc.privacy.relations import USER_LEVEL, check_relation
from dpmc.privacy.sensitivity import NORMS

MOST_RELEASES = 10_000
"""Of which Laplace noise takes ten seconds to account for."""


@dataclass(frozen=True)
class Plan:
    """A training, as far as its noise goes; all of it is public.

    Attributes
    ----------
    relation : str
        One of :data:`dpmc.privacy.relations.RELATIONS`.
    method : str
        As ``dpmc fit`` names it.
    releases : int
    settings : mapping
        What the method is constructed with, for the reader.
    sensitivities : callable
        Sensitivities by norm, 1 or 2, of the statistics that the rows of items are made of: empty
        where they follow from what is released earlier.
    """

    relation: str
    method: str
    releases: int
    settings: Mapping[str, object]
    sensitivities: Callable[[int], dict[str, float]]


@dataclass(frozen=True)
class Option:
    """What a budget costs with one mechanism.

    Attributes
    ----------
    mechanism : str
    norm : str
        Of the sensitivities: "l1" or "l2". Of Laplace and Huber noise that which asks for less.
    noise : Mechanism
        At sensitivity 1.
    accountant : str
    pure_epsilon : float
        What the same noise guarantees at delta 0; infinite for Gaussian noise. By an l2 bound that
        is of a change in one coordinate: of d alike, it is sqrt(d) times as much.
    deviations : dict
        Of a plan: standard deviation of the noise on each statistic of items.
    published : bool
        Whether ``dpmc fit`` has it. Of a plan, other noise is for experiments: its guarantee is
        about continuous noise.
    """

    mechanism: str
    norm: str
    noise: Mechanism
    accountant: str
    pure_epsilon: float
    deviations: dict[str, float]
    published: bool = True

    @property
    def cost(self) -> float:
        """What is compared: the variance of the noise, of a plan that on its first statistic."""
        return next(iter(self.deviations.values()), self.noise.std()) ** 2


@dataclass(frozen=True)
class Recommendation:
    """The answer for a budget.

    Attributes
    ----------
    epsilon, delta : float
    releases : int
    plan : Plan or None
    options : tuple of Option
        What the budget allows: the one to take, then by the variance of the noise; at the end what
        is not published.
    """

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
        best = self.best
        others = [option for option in self.options[1:] if option.published]
        if not others:
            why = "without delta" if best.mechanism == "laplace" else "where users are protected"
            return f"Take {best.mechanism} noise: {why}, a fit has no other." + self._in_experiments
        parts = [f"{other.mechanism} noise {_times(other.cost / best.cost)}" for other in others]
        compared = " and ".join(parts)
        text = f"Take {best.mechanism} noise, of the smallest variance: {compared}."
        if math.isfinite(best.pure_epsilon):
            text += f" It keeps epsilon = {best.pure_epsilon:.4g} at delta 0 too."
        return text + self._in_experiments

    @property
    def _in_experiments(self) -> str:
        """What there is to say of Huber noise where it is not published."""
        for option in self.options:
            if option.mechanism == "huber" and not option.published:
                ratio = option.cost / self.best.cost
                same = abs(ratio - 1) < WORTHWHILE
                size = "the same variance" if same else f"{ratio:.4g} times this variance"
                keeps = f"keeps epsilon = {option.pure_epsilon:.4g} at delta 0"
                one = " for a change in one coordinate" if option.norm == "l2" else ""
                return (
                    f" In experiments, huber noise has {size} by its {option.norm} bound and "
                    f"{keeps}{one}."
                )
        return ""

    def as_dict(self) -> dict[str, object]:
        """Return the answer as plain values."""
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "releases": self.releases,
            "plan": self.plan
            and {"relation": self.plan.relation, "method": self.plan.method, **self.plan.settings},
            "best": self.best.mechanism,
            "options": [_plain(option) for option in self.options],
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

    Parameters
    ----------
    epsilon, delta : float
        Of all releases together. At delta 0 there is no Gaussian noise.
    releases : int
        Each of sensitivity 1, in the mechanism's own norm: the answer for scalars, or where l1 and
        l2 sensitivities are equal.
    plan : Plan
        A training instead, for which that is taken of :func:`noises`; what is not published is
        shown beside it.

    Raises
    ------
    InputError
        Both or none of ``releases`` and ``plan``; a budget that is none.
    """
    if plan is not None and releases is None:
        count = plan.releases
    elif plan is None and releases is not None:
        count = releases
    else:
        raise InputError(
            "Give either releases, a number, or a relation and with it the plan of a training."
        )
    if plan is None:
        found = smallest_variances(count, epsilon, delta)
        best = best_of({name: one.noise.var() for name, one in found.items()})
        options = [_option(name, NORMS[name], one) for name, one in found.items()]
    else:
        published = noises(plan.relation, delta)
        best = mechanism_of(plan.relation, count, epsilon, delta)
        options = [
            _of_training(name, plan, epsilon, delta, name in published)
            for name in (NORMS if delta else published)
        ]
    options.sort(key=lambda each: (each.mechanism != best, not each.published, each.cost))
    return Recommendation(float(epsilon), float(delta), count, plan, tuple(options))


def noises(relation: str, delta: float) -> tuple[str, ...]:
    """Return the mechanisms that a fit can have.

    Where users are protected that is Gaussian noise alone: the variance of Laplace noise grows as
    the square of the number of ratings of a user that count.

    Raises
    ------
    ParameterError
        There is none at this delta.
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
    """Return the mechanism to take for a training: the default of ``dpmc fit``.

    Where single ratings are protected that is the one of smaller variance. Huber noise, which saves
    up to a tenth of it, made no error of a training smaller by more than 1 %.

    Parameters
    ----------
    releases : int
        Of the training.
    epsilon, delta : float
        Of all releases together. At delta 0 there is no Gaussian noise.
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


def _of_training(
    mechanism: str, plan: Plan, epsilon: float, delta: float, published: bool
) -> Option:
    """Return one kind of noise for a training, by the norm in which it takes less of it.

    Noise that is published is by its own norm alone: only that bound is proven of noise on a grid.
    """
    norms = [1, 2] if plan.sensitivities(1) and plan.releases <= MOST_RELEASES else [2]
    if published or mechanism == "gaussian":
        norms = [NORMS[mechanism]]
    budget = {"releases": plan.releases, "epsilon": epsilon, "delta": delta}
    options = [
        _option(mechanism, norm, calibrate(mechanism, norm=norm, **budget), plan, published)
        for norm in norms
    ]
    return min(options, key=lambda option: option.cost)


def _option(
    mechanism: str,
    norm: int,
    found: Calibration,
    plan: Plan | None = None,
    published: bool = True,
) -> Option:
    noise = found.noise
    sensitivities = plan.sensitivities(norm) if plan else {}
    return Option(
        mechanism=mechanism,
        norm=f"l{norm}",
        noise=noise,
        accountant=found.accountant,
        pure_epsilon=math.inf if mechanism == "gaussian" else found.releases * noise.epsilon(1.0),
        deviations={what: value * noise.std() for what, value in sensitivities.items()},
        published=published,
    )


def _plain(option: Option) -> dict[str, object]:
    return {
        "mechanism": option.mechanism,
        "norm": option.norm,
        "variance": option.noise.var(),
        **asdict(option.noise),
        "accountant": option.accountant,
        "pure_epsilon": option.pure_epsilon if math.isfinite(option.pure_epsilon) else None,
        "deviations": option.deviations,
        "published": option.published,
    }
