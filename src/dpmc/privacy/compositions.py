"""Privacy-loss distributions of many releases: certified bounds on epsilon and delta.

Each release is replaced by a discrete one whose losses are on a grid. As functions of x =
exp(epsilon), hockey-stick divergences are convex, and larger ones are less private. Chords between
points of the curve on the grid give a pessimistic release ("Connect the dots: tighter discrete
approximations of privacy loss distributions", Doroshenko, Ghazi, Kamath, Kumar, Manurangsi, PoPETs
2022). A polygon with its corners on the grid and each side below a tangent gives an optimistic one.
The errors are quadratic in the step. ``dp_accounting.pld`` composes discrete releases with the FFT;
a bound on its rounding error is added.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpmc.errors import InputError
from dpmc.privacy.losses import LARGEST_LOSS, Loss

TRUNCATED = 1e-15
"""Probability that the composition may cut off."""

SHORT = 2**16
"""Points up to which a composed grid is not searched for what may be cut off."""

LONGEST = 2**24
"""Most points of a composed grid: more would not fit into the memory of a small machine."""

FEWEST, MOST = 300, 5000
"""Points of the grid on each side of 0."""

Kinds = Sequence[tuple[Loss, int]]
"""What is composed: losses, and how often each is released."""


@dataclass(frozen=True)
class Distribution:
    """The privacy loss of a composition, on a grid.

    The distribution bounds delta from above if it is ``pessimistic``, else from below. ``rounding``
    bounds the error of a delta from floating point and from tails that were cut off.
    """

    pmf: Any
    pessimistic: bool
    rounding: float

    def delta(self, epsilon: float) -> float:
        """Return a bound on the smallest delta at ``epsilon``."""
        value = float(self.pmf.get_delta_for_epsilon(float(epsilon)))
        return min(max(value + self._margin, 0.0), 1.0)

    def epsilon(self, delta: float) -> float:
        """Return a bound on the smallest epsilon >= 0 at ``delta``; infinite if there is none.

        Let A be the total mass of losses from l on, and C the same mass weighted by exp(l - loss).
        Then delta is A - exp(epsilon - l) C for epsilon up to l and above the loss before l.
        """
        from scipy.signal import lfilter

        pmf, delta = self.pmf, delta - self._margin
        if delta <= pmf._infinity_mass:
            return math.inf
        probs = np.maximum(pmf._probs[::-1], 0)
        mass = pmf._infinity_mass + np.cumsum(probs)
        weighted = lfilter([1.0], [1.0, -math.exp(-pmf._discretization)], probs)
        # The first grid point from above at which delta is exceeded is below the answer; if there
        # is none, the answer is below the lowest loss, where nothing is left to bound.
        above = np.append(mass - weighted > delta, True)
        last = max(int(above.argmax()) - 1, 0)
        loss = (pmf._lower_loss + probs.size - 1 - last) * pmf._discretization
        if mass[last] <= delta:
            return max(0.0, loss)
        return max(0.0, loss + math.log((mass[last] - delta) / weighted[last]))

    @property
    def _margin(self) -> float:
        return self.rounding if self.pessimistic else -self.rounding


def compose(kinds: Kinds, step: float, *, pessimistic: bool = True) -> Distribution:
    """Return the loss distribution of a composition, on a grid of losses with this step.

    It is tightest where the step divides the largest loss of every kind.
    """
    total: Any = None
    rounding = 0.0
    for loss, times in kinds:
        low, probs, infinite = (chords if pessimistic else tangents)(loss, step)
        part = _dense(low, probs, infinite, step)
        if times > 1:
            part = part.self_compose(times, TRUNCATED if times * probs.size > SHORT else 0.0)
        rounding += _of_power(part._probs, times)
        if total is None:
            total = part
        else:
            rounding += _of_product(total._probs, part._probs)
            total = total.compose(part, TRUNCATED)
        if total.size > LONGEST:
            raise InputError(
                f"The grid of privacy losses would have {total.size} points; "
                "ask for less accuracy or for fewer releases."
            )
    return Distribution(total, pessimistic, rounding)


def grid_step(kinds: Kinds, epsilon: float, accuracy: float) -> float:
    """Return a step that makes epsilon come out about as accurate, relatively, as asked.

    ``epsilon`` is a rough value for the composition. A step h adds at most h^2/8 to the mean loss
    of a release, because the chord of a cell is at most that far from the curve. The step divides
    the largest loss of the kind with the largest total loss, so its atoms are on the grid.
    """
    step = math.sqrt(8 * accuracy * max(epsilon, accuracy) / sum(count for _, count in kinds))
    reach = max(kinds, key=lambda one: one[0].reach * one[1])[0].reach
    return reach / min(max(math.ceil(reach / step), FEWEST), MOST)


def chords(loss: Loss, step: float) -> tuple[int, np.ndarray, float]:
    """Return the pessimistic discrete release: first grid point, probabilities, infinite mass.

    The mass of each cell is split between its two ends so that both densities keep their mass. The
    split uses the cell's own masses, which are accurate to many digits even if tiny.
    """
    epsilon, low = _grid(loss, step)
    here, there = loss.cells(epsilon)
    up = (here - np.exp(epsilon[:-1]) * there) / -math.expm1(-step)
    # rounding may leave the cell; within it, mass only moves to larger losses
    up = np.clip(up, 0, here)
    probs = np.zeros(epsilon.size)
    probs[:-1] += here - up
    probs[1:] += up
    # what is below the grid counts as the lowest loss on it, which is more
    probs[0] += loss.mechanism.cdf(loss.threshold(epsilon[0]))
    top = float(loss.tails(epsilon[-1])[0])
    if loss.bounded:
        probs[-1] += top
    return low, probs, 0.0 if loss.bounded else top


def tangents(loss: Loss, step: float) -> tuple[int, np.ndarray, float]:
    """Return the optimistic discrete release: first grid point, probabilities, infinite mass.

    Each cell has a line that touches the curve in the middle; at a grid point the lower of the two
    lines counts. Grid points where the result is not convex are left out, which lowers it more.
    """
    epsilon, low = _grid(loss, step)
    touch = (epsilon[1:] + epsilon[:-1]) / 2
    if loss.bounded:
        # The curve has corners at both ends, at the atoms: touch it there.
        touch[0], touch[-1] = -loss.largest * (1 - 1e-9), loss.largest
    here, there = loss.tails(touch)
    left, right = here - np.exp(epsilon[:-1]) * there, here - np.exp(epsilon[1:]) * there
    value = np.minimum(np.append(left, 0.0), np.insert(right, 0, -math.expm1(epsilon[0])))
    negative = np.flatnonzero(value < -1e-12 * np.append(here, here[-1]))
    if negative.size:
        value[max(negative[0] - 1, 0) :] = 0.0
    value = np.maximum(value, 0)
    kept = np.arange(epsilon.size)
    while (weights := _weights(epsilon[kept], value[kept])).min() < -1e-15:
        kept = kept[weights >= -1e-15]
    probs = np.zeros(epsilon.size)
    probs[kept] = np.maximum(weights, 0)
    return low, probs, 0.0


def _weights(epsilon: np.ndarray, delta: np.ndarray) -> np.ndarray:
    """Return the probabilities of losses ``epsilon`` whose divergences are ``delta``."""
    fall, gap = np.diff(delta), np.diff(epsilon)
    weights = np.zeros(epsilon.size)
    weights[0] = 1 - delta[0]
    weights[1:] += fall / np.expm1(-gap)
    weights[:-1] += fall / np.expm1(gap)
    return weights


def _grid(loss: Loss, step: float) -> tuple[np.ndarray, int]:
    if loss.reach > LARGEST_LOSS:
        raise InputError(
            f"One release loses up to {loss.reach:.4g}, more than the {LARGEST_LOSS:g} that "
            "privacy-loss distributions are computed for; use basic composition."
        )
    high = max(math.ceil(loss.reach / step - 1e-9), 1)
    return np.arange(-high, high + 1) * step, -high


def _dense(low: int, probs: np.ndarray, infinite: float, step: float) -> Any:
    from dp_accounting.pld.pld_pmf import DensePLDPmf

    # "Pessimistic" to dp_accounting in both cases: what it cuts off is in our own margin.
    return DensePLDPmf(step, low, probs, infinite, True)


# The error of the FFT (theorem 4). A delta is a sum of probabilities with weights in [0, 1]. The
# functions below bound how far such a sum is off after a transform, with u the unit roundoff, N the
# number of points, |.| the l2 norm and f the Fourier coefficients, which are at most 1 in size.
#
# 1. Each f is a sum of probabilities that pass log2 N additions and products with roots of 1, each
#    of which errs by less than 5 u of what it returns. So each f errs by at most 5 u log2 N, and
#    all of them together by 5 u log2 N |f|. The same holds for the transform back.
# 2. The weights have a norm of at most sqrt N, and a vector in the time domain has 1 / sqrt N of
#    the norm of its coefficients (Parseval). So an error e of the coefficients moves the sum by
#    at most |e|.
# 3. Composing with another distribution keeps an error of a sum within its bound: it only averages
#    the weights. So the bounds of all transforms add up.


def _of_power(probs: np.ndarray, count: int) -> float:
    """Bound the error of the ``count``-th convolution power, from the result p.

    f^n errs by at most n |f|^(n-1) (5 log2 N + 7) u, where 7 covers the rounding of the power. By
    Hoelder's inequality the norm of |f|^(n-1) is at most sqrt(N) |p|^(1 - 1/n). With the transform
    back, the sum is off by at most 6 u log2 N sqrt(N) (n |p|^(1 - 1/n) + |p|). For more than a few
    releases this is below the same with 16 |p| in the place of both norms, which bounds it.
    """
    if count == 1:
        return TRUNCATED
    norm = float(np.linalg.norm(probs))
    return _of_transforms(probs.size, count + 1, max(norm, 6 / 16 * norm ** (1 - 1 / count)))


def _of_product(one: np.ndarray, other: np.ndarray) -> float:
    """Bound the error of composing two distributions.

    The product of coefficients f and g errs by d g + e f. By 1, both terms have at most the norm
    5 u log2 N |f|, and also 5 u log2 N |g|; the transform back errs by no more than one of them.
    """
    norm = min(float(np.linalg.norm(one)), float(np.linalg.norm(other)))
    return _of_transforms(one.size + other.size - 1, 1, norm)


def _of_transforms(size: int, times: int, norm: float) -> float:
    """Return ``times`` 16 u log2 N sqrt(N) |p|, and what a composition may cut off."""
    return 16 * 2.0**-53 * math.log2(size) * times * (math.sqrt(size) * norm) + 4 * TRUNCATED
