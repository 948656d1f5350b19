"""How much noise a budget takes: the smallest that is certified to keep to it.

A run of n releases, each with noise scaled to its own sensitivity, is the n-fold adaptive
composition of one release at sensitivity 1; so noise is calibrated at sensitivity 1.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, lru_cache

from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms import Gaussian, Huber, Laplace, Mechanism
from dpmc.mechanisms.base import positive, probability
from dpmc.privacy.compositions import compose, grid_step
from dpmc.privacy.losses import LARGEST_LOSS, Loss

CALIBRATED = ("gaussian", "laplace", "huber")

LAPLACE_A, GAUSSIAN_A = 0.01, 8.0
"""Huber parameters whose noise is Laplace (variance ratio 1 + a^4) and Gaussian to 1e-8."""

SEARCHED_A = (LAPLACE_A, 0.2, 0.4, 0.7, 1.0, 1.4, 1.9, 2.5, 3.3, 4.5, GAUSSIAN_A)
COARSE = 150
"""Points of the grid of losses on each side of 0, to search with."""

SLACK = 1e-6
"""Of epsilon, for the width of the grid: the noise is larger than needed by about as much."""


@dataclass(frozen=True)
class Calibration:
    """Noise that keeps to a budget.

    Attributes
    ----------
    noise : Mechanism
        For a release of sensitivity 1; a release of sensitivity D gets D times this noise.
    releases : int
    epsilon, delta : float
        The budget of all releases together, which the noise is certified to keep to.
    accountant : str
        "exact" (Gaussian differential privacy), "basic" (pure) or "pld".
    """

    noise: Mechanism
    releases: int
    epsilon: float
    delta: float
    accountant: str


@lru_cache(maxsize=4096)
def calibrate(mechanism: str, *, releases: int, epsilon: float, delta: float) -> Calibration:
    """Return the noise of one kind with the smallest variance that a budget allows.

    Parameters
    ----------
    mechanism : {"gaussian", "laplace", "huber"}
        Gaussian noise for sensitivities in the l2 norm, the other two for the l1 norm. Huber noise
        is optimised over both its parameters; where Laplace or Gaussian noise is better than any
        other, it is Huber noise with a = 0.01 or a = 8, which is that noise but in name.
    releases : int
        How often noise is added, at least 1.
    epsilon : float
        Of all releases together, above 0.
    delta : float
        0 <= delta < 1. At 0, Gaussian noise has no guarantee, and Huber noise is Laplace noise:
        no other has so small a variance at equal pure epsilon.

    Raises
    ------
    InputError
        A budget that is none, an unknown mechanism, Gaussian noise at delta 0.
    """
    epsilon, delta = positive("epsilon", epsilon), probability("delta", delta)
    if not (isinstance(releases, int) and releases >= 1):
        raise InputError(f"releases must be a whole number of at least 1, got {releases!r}.")
    if mechanism not in CALIBRATED:
        raise InputError(
            f"There is no calibrated mechanism {mechanism!r}{did_you_mean(mechanism, CALIBRATED)}; "
            f"there are {', '.join(CALIBRATED)}."
        )
    if mechanism == "gaussian":
        noise, accountant = _gaussian(releases, epsilon, delta), "exact"
    else:
        noise, accountant = _laplace_or_huber(mechanism, releases, epsilon, delta)
    return Calibration(noise, releases, epsilon, delta, accountant)


def _gaussian(releases: int, epsilon: float, delta: float) -> Gaussian:
    """n releases are one with sensitivity sqrt(n) (Gaussian differential privacy, exact)."""
    if delta == 0:
        raise InputError(
            "Gaussian noise gives no guarantee at delta = 0, because its privacy loss is "
            "unbounded: give a delta above 0, or take laplace."
        )
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


def _laplace_or_huber(mechanism, releases, epsilon, delta) -> tuple[Mechanism, str]:
    pure = Laplace(releases / epsilon)
    if mechanism == "huber":
        pure = Huber(LAPLACE_A, LAPLACE_A * releases / epsilon)
    # Where one release may lose so much, a delta no longer matters.
    if delta == 0 or epsilon / releases > LARGEST_LOSS / 2:
        return pure, "basic"
    need = _Need(releases, epsilon, delta)
    if mechanism == "laplace":
        noise = need.certified(Laplace)
    else:
        a = need.best_a()
        noise = need.certified(lambda scale: Huber(a, scale))
    return (noise, "pld") if noise.var() < pure.var() else (pure, "basic")


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
        return compose([(loss, self.releases)], loss.reach / points).epsilon(self.delta)

    def certified(self, make: Callable[[float], Mechanism]) -> Mechanism:
        """Return the noise with the smallest scale that keeps to the budget for certain."""
        near = self.scale(make, COARSE, 1e-4, self.guess / make(1.0).std())
        loss = Loss(make(near), 1.0)
        points = round(loss.reach / grid_step([(loss, self.releases)], self.epsilon, SLACK))
        scale = self.scale(make, points, SLACK, near)
        while self.spent(make(scale), points) > self.epsilon:
            scale *= 1 + SLACK
        return make(scale)

    def scale(self, make, points: int, tolerance: float, near: float) -> float:
        """Return the scale at which the budget is just spent, to a relative tolerance."""
        from scipy.optimize import brentq

        @cache
        def excess(log_scale: float) -> float:
            return math.log(max(self.spent(make(math.exp(log_scale)), points), 1e-9) / self.epsilon)

        # Epsilon falls about as 1/scale: step by what is missing until the root is enclosed.
        start = end = math.log(near)
        while excess(start) * excess(end) >= 0 and abs(excess(end)) > tolerance / 4:
            start, end = end, end + 1.1 * excess(end) + math.copysign(tolerance, excess(end))
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

        The variance has at most a few per cent to lose near its minimum, so a coarse grid of
        losses and three digits of a suffice.
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
