"""Calibrates noise: the smallest that is certified to keep to a budget.

A run of n releases, each with noise scaled to its own sensitivity, is the n-fold adaptive
composition of one release at sensitivity 1. Noise is therefore calibrated at sensitivity 1.

Laplace and Huber noise have two guarantees, one by an l1 and one by an l2 bound. Which one needs
less noise depends on the vectors, so a caller who knows them chooses the norm.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms import Gaussian, Huber, Laplace, Mechanism
from dpmc.mechanisms.base import check_whole, positive_finite, probability
from dpmc.privacy.compositions import compose, grid_step
from dpmc.privacy.losses import LARGEST_LOSS, Loss, gaussian_shift
from dpmc.privacy.sensitivity import NORMS, norm_of

CALIBRATED = tuple(NORMS)

LAPLACE_A, GAUSSIAN_A = 0.01, 38.0
"""Huber parameters of the limits: Laplace noise (variance larger by a^4), and Gaussian noise (at a
total variation distance of 1e-300, far below any delta)."""

SEARCHED_A = (LAPLACE_A, 0.2, 0.4, 0.7, 1.0, 1.4, 1.9, 2.5, 3.3, 4.5, 6.0)
COARSE = 150
"""Points of the grid of losses on each side of 0, to search with."""

SLACK = 1e-6
"""Of epsilon, for the width of the grid: the noise is larger than needed by about as much."""

L2_A = 3.0
"""Of Huber noise by an l2 bound: its deviation is 0.15 % above that of Gaussian noise, and it keeps
a pure guarantee besides. The excess falls as a grows, and the pure epsilon grows with a."""

WORTHWHILE = 1e-3
"""Share of the variance that Huber noise has to save to count as best: it is never worse than the
other two, which are its limits."""


@dataclass(frozen=True)
class Calibration:
    """Noise that keeps to a budget.

    Attributes
    ----------
    noise : Mechanism
        Noise of a release of sensitivity 1; a release of sensitivity D gets D times this noise.
    releases : int
    epsilon, delta : float
        The budget of all releases together, which the noise is certified to keep to.
    accountant : str
        "exact" (Gaussian differential privacy), "gdp" (a bound by it), "basic" (pure) or "pld".
    """

    noise: Mechanism
    releases: int
    epsilon: float
    delta: float
    accountant: str


@lru_cache(maxsize=4096)
def calibrate(
    mechanism: str, *, releases: int, epsilon: float, delta: float, norm: int | None = None
) -> Calibration:
    """Return the noise of one kind with the smallest variance that a budget allows.

    Parameters
    ----------
    mechanism : {"gaussian", "laplace", "huber"}
        In the l1 norm Huber noise is optimised over both its parameters. Where Laplace or Gaussian
        noise is better than all others, it is Huber noise with a = 0.01 or a = 38, which is that
        noise but in name.
    releases : int
        Number of releases, at least 1.
    epsilon : float
        Epsilon of all releases together, above 0.
    delta : float
        0 <= delta < 1. At 0, Gaussian noise has no guarantee, and Huber noise is Laplace noise:
        no other has so small a variance at equal pure epsilon.
    norm : {1, 2}, optional
        In which sensitivities are measured: by default in l2 of Gaussian noise, in l1 of the other
        two. Laplace and Huber noise by an l2 bound is calibrated as Gaussian noise, by
        :func:`dpmc.privacy.losses.gaussian_shift`; Huber noise has a = 3 then.

    Raises
    ------
    InputError
        A budget that is none, an unknown mechanism or norm, an l2 bound (so Gaussian noise, too) at
        delta 0.
    """
    epsilon, delta = positive_finite("epsilon", epsilon), probability("delta", delta)
    check_whole("releases", releases)
    if mechanism not in CALIBRATED:
        raise InputError(
            f"There is no calibrated mechanism {mechanism!r}{did_you_mean(mechanism, CALIBRATED)}; "
            f"there are {', '.join(CALIBRATED)}."
        )
    noise: Mechanism
    if norm_of(mechanism, norm) == 2:
        noise, accountant = _gaussian(releases, epsilon, delta), "exact"
        if mechanism != "gaussian":
            unit: Mechanism = Laplace(1.0) if mechanism == "laplace" else Huber(L2_A, 1.0)
            scale = gaussian_shift(unit, noise.scale)
            noise, accountant = replace(unit, scale=scale), "gdp"
    else:
        search = _laplace if mechanism == "laplace" else _huber
        noise, accountant = search(releases, epsilon, delta)
    return Calibration(noise, releases, epsilon, delta, accountant)


def smallest_variances(releases: int, epsilon: float, delta: float) -> dict[str, Calibration]:
    """Return the calibrated noise of each mechanism that the budget allows."""
    return {
        mechanism: calibrate(mechanism, releases=releases, epsilon=epsilon, delta=delta)
        for mechanism in CALIBRATED
        if delta > 0 or mechanism != "gaussian"
    }


def best_of(costs: dict[str, float]) -> str:
    """Return the mechanism of the lowest cost, Huber only if it saves enough."""
    others = {name: cost for name, cost in costs.items() if name != "huber"}
    best = min(others, key=others.__getitem__)
    return "huber" if costs["huber"] < others[best] * (1 - WORTHWHILE) else best


def _gaussian(releases: int, epsilon: float, delta: float) -> Gaussian:
    """n releases are one with sensitivity sqrt(n) (Gaussian differential privacy, exact)."""
    if delta == 0:
        raise InputError(
            "Gaussian noise gives no guarantee at delta = 0, because its privacy loss is "
            "unbounded: give a delta above 0, or take laplace."
        )
    # mu adds up in squares
    sensitivity = math.sqrt(releases)
    low = high = sensitivity / epsilon
    while Gaussian(low).delta(epsilon, sensitivity) <= delta:
        low /= 2
    while Gaussian(high).delta(epsilon, sensitivity) > delta:
        high *= 2
    while low < (middle := math.sqrt(low * high)) < high and high > low * (1 + 1e-14):
        if Gaussian(middle).delta(epsilon, sensitivity) > delta:
            low = middle
        else:
            high = middle
    return Gaussian(high)


def _laplace(releases: int, epsilon: float, delta: float) -> tuple[Mechanism, str]:
    pure = Laplace(releases / epsilon)
    if not _delta_matters(releases, epsilon, delta):
        return pure, "basic"
    noise = _Need(releases, epsilon, delta).certified(Laplace)
    return (noise, "pld") if noise.scale < pure.scale else (pure, "basic")


def _huber(releases: int, epsilon: float, delta: float) -> tuple[Mechanism, str]:
    """The best of an optimised a and both limits, which differ from it in the last digits only."""
    choices: list[tuple[Mechanism, str]] = [
        (Huber(LAPLACE_A, LAPLACE_A * releases / epsilon), "basic")
    ]
    if _delta_matters(releases, epsilon, delta):
        need = _Need(releases, epsilon, delta)
        a = need.best_a()
        choices.append((need.certified(lambda scale: Huber(a, scale)), "pld"))
        choices.append((Huber(GAUSSIAN_A, _gaussian(releases, epsilon, delta).scale), "exact"))
    return min(choices, key=lambda choice: choice[0].var())


def _delta_matters(releases: int, epsilon: float, delta: float) -> bool:
    """Whether delta allows less noise than delta = 0 would; not where a release may lose a lot."""
    return delta > 0 and epsilon / releases <= LARGEST_LOSS / 2


@dataclass(frozen=True)
class _Need:
    """A budget, and the search for the noise that keeps to it by privacy-loss distributions."""

    releases: int
    epsilon: float
    delta: float

    def spent(self, noise: Mechanism, points: int) -> float:
        """Return an upper bound on the epsilon of all releases."""
        loss = Loss(noise, 1.0)
        if self.releases == 1:
            return loss.epsilon(self.delta)
        composed = compose([(loss, self.releases)], loss.reach / points)
        return min(composed.epsilon(self.delta), self.releases * loss.largest)

    def certified(self, make: Callable[[float], Mechanism]) -> Mechanism:
        """Return the noise with the smallest scale that keeps to the budget for certain."""
        # a coarse grid finds about where; the fine one, which is certified, then takes few steps
        near = self.scale(make, COARSE, 1e-4, self.guess / make(1.0).std())
        loss = Loss(make(near), 1.0)
        points = round(loss.reach / grid_step([(loss, self.releases)], self.epsilon, SLACK))
        scale = self.scale(make, points, SLACK, near)
        # the root is found to a tolerance, and may be on the wrong side of the budget
        while self.spent(make(scale), points) > self.epsilon:
            scale *= 1 + SLACK
        return make(scale)

    def scale(
        self, make: Callable[[float], Mechanism], points: int, tolerance: float, near: float
    ) -> float:
        """Return the scale at which the budget is just spent, to a relative tolerance."""
        from scipy.optimize import brentq

        @cache
        def excess(log_scale: float) -> float:
            return math.log(max(self.spent(make(math.exp(log_scale)), points), 1e-9) / self.epsilon)

        # Epsilon falls about as 1/scale: step by what is missing until the root is enclosed.
        start = end = math.log(near)
        while excess(start) * excess(end) >= 0 and abs(excess(end)) > tolerance / 4:
            missing = min(max(excess(end), -0.4), 0.4)
            start, end = end, end + 1.1 * missing + math.copysign(tolerance, missing)
        if abs(excess(end)) <= tolerance / 4:
            return math.exp(end)
        return math.exp(brentq(excess, start, end, xtol=tolerance, rtol=1e-15))

    @property
    def guess(self) -> float:
        """A standard deviation near the right one."""
        gaussian = _gaussian(self.releases, self.epsilon, self.delta).scale
        return min(gaussian, math.sqrt(2) * self.releases / self.epsilon)

    def best_a(self) -> float:
        """Return the Huber parameter of the smallest variance: on a grid, then by golden section.

        The variance is flat at its minimum, so a coarse grid of losses and two digits suffice.
        """
        from scipy.optimize import minimize_scalar

        def variance(log_a: float) -> float:
            a = math.exp(log_a)
            near = self.guess / Huber(a).std()
            return Huber(a, self.scale(lambda scale: Huber(a, scale), COARSE, 1e-5, near)).var()

        grid = [math.log(a) for a in SEARCHED_A]
        values = [variance(log_a) for log_a in grid]
        best = min(range(len(grid)), key=values.__getitem__)
        if best in (0, len(grid) - 1):
            return SEARCHED_A[best]
        found = minimize_scalar(
            variance,
            bounds=(grid[best - 1], grid[best + 1]),
            method="bounded",
            options={"xatol": 0.02},
        )
        return math.exp(found.x if found.fun < values[best] else grid[best])
