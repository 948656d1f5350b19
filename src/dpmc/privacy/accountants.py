"""The four accountants: bounds from both sides on epsilon and delta of a composition.

Each function takes the kinds of releases, what is given, and the accuracy aimed at, and returns a
lower and an upper bound on the other; only "exact" and "pld" have a lower bound other than 0.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.mechanisms.base import positive_finite
from dpmc.privacy.compositions import Kinds, compose, grid_step
from dpmc.privacy.losses import Loss, kind

Bounds = tuple[float, float]

# -- exact: Gaussian differential privacy ------------------------------------------------------


def _as_one_gaussian(kinds: Kinds) -> tuple[Gaussian, float]:
    """n Gaussian releases lose as much as one whose shift is the root of the sum of squares."""
    others = sorted({kind(loss.mechanism) for loss, _ in kinds} - {"gaussian"})
    if others:
        raise InputError(
            f"The accountant 'exact' is for Gaussian noise alone, not for {' and '.join(others)}: "
            "take 'pld'."
        )
    return Gaussian(1.0), math.sqrt(sum(count * loss.shift**2 for loss, count in kinds))


def _exact_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    noise, shift = _as_one_gaussian(kinds)
    value = noise.epsilon(shift, delta)
    return value, value


def _exact_delta(kinds: Kinds, epsilon: float, accuracy: float) -> Bounds:
    noise, shift = _as_one_gaussian(kinds)
    value = noise.delta(epsilon, shift)
    return value, value


# -- basic: epsilons and deltas add --------------------------------------------------------------


def _basic_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    """Pure epsilons add up; unbounded losses share delta evenly."""
    unbounded = sum(count for loss, count in kinds if math.isinf(loss.largest))
    total = 0.0
    for loss, count in kinds:
        pure = math.isfinite(loss.largest)
        total += count * (loss.largest if pure else _gaussian(loss, delta=delta / unbounded))
    return 0.0, total


def _basic_delta(kinds: Kinds, epsilon: float, accuracy: float) -> Bounds:
    """What pure losses leave of epsilon, the unbounded ones share evenly."""
    pure = sum(loss.largest * count for loss, count in kinds if math.isfinite(loss.largest))
    unbounded = [(loss, count) for loss, count in kinds if math.isinf(loss.largest)]
    left = epsilon - pure
    if left < 0:
        return 0.0, 1.0
    total = sum(count for _, count in unbounded)
    return 0.0, min(1.0, sum(n * loss.delta(left / total) for loss, n in unbounded))


def _gaussian(loss: Loss, delta: float) -> float:
    return loss.mechanism.epsilon(loss.sensitivity, delta)


# -- rdp -----------------------------------------------------------------------------------------


def _curve(kinds: Kinds) -> tuple[np.ndarray, Any]:
    from dpmc.privacy.renyi import ORDERS, divergence

    return ORDERS, sum(count * divergence(loss) for loss, count in kinds)


def _rdp_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    return 0.0, min(float(compute_epsilon(*_curve(kinds), delta)[0]), _pure(kinds))


def _rdp_delta(kinds: Kinds, epsilon: float, accuracy: float) -> Bounds:
    from dp_accounting.rdp.rdp_privacy_accountant import compute_delta

    value = float(compute_delta(*_curve(kinds), epsilon)[0])
    return 0.0, value if epsilon < _pure(kinds) else 0.0


def _pure(kinds: Kinds) -> float:
    """Epsilon at delta 0; also the limit of infinite order of the Renyi divergence."""
    return sum(loss.largest * count for loss, count in kinds)


# -- pld -----------------------------------------------------------------------------------------


def _pld_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    pure = _pure(kinds)
    if delta == 0:
        return pure, pure  # tight: the largest loss of every release is an atom
    if _single(kinds):
        value = kinds[0][0].epsilon(delta)
        return value, value

    def bounds(step: float) -> Bounds:
        lower, upper = (
            compose(kinds, step, pessimistic=side).epsilon(delta) for side in (False, True)
        )
        return min(lower, pure), min(upper, pure)

    return _refined(kinds, bounds, lambda: bounds(_first_step(kinds))[1], accuracy)


def _pld_delta(kinds: Kinds, epsilon: float, accuracy: float) -> Bounds:
    if epsilon >= _pure(kinds):
        return 0.0, 0.0
    if _single(kinds):
        value = kinds[0][0].delta(epsilon)
        return value, value

    def bounds(step: float) -> Bounds:
        lower, upper = (
            compose(kinds, step, pessimistic=side).delta(epsilon) for side in (False, True)
        )
        return lower, upper

    return _refined(kinds, bounds, lambda: epsilon, accuracy)


def _single(kinds: Kinds) -> bool:
    return len(kinds) == 1 and kinds[0][1] == 1


def _first_step(kinds: Kinds) -> float:
    return max(loss.reach for loss, _ in kinds) / 150


def _refined(
    kinds: Kinds,
    bounds: Callable[[float], Bounds],
    rough_epsilon: Callable[[], float],
    accuracy: float,
) -> Bounds:
    """Divide the step until the bounds are as close as asked, or no closer than before.

    Rounding errors grow with the number of grid points; every pair of bounds is valid.
    """
    positive_finite("accuracy", accuracy)
    step = grid_step(kinds, rough_epsilon(), accuracy)
    lower, upper = bounds(step)
    for _ in range(3):
        width = upper - lower
        if not math.isfinite(upper) or width <= accuracy * upper:
            break
        # The distance falls with the square of the step. Divided by a whole number, atoms of the
        # loss stay on the grid.
        step /= min(4, math.ceil(math.sqrt(width / (accuracy * upper))))
        finer = bounds(step)
        lower, upper = max(lower, finer[0]), min(upper, finer[1])
        if upper - lower > 0.7 * width:
            break
    return lower, upper


EPSILON: dict[str, Callable[[Kinds, float, float], Bounds]] = {
    "pld": _pld_epsilon,
    "rdp": _rdp_epsilon,
    "basic": _basic_epsilon,
    "exact": _exact_epsilon,
}
DELTA: dict[str, Callable[[Kinds, float, float], Bounds]] = {
    "pld": _pld_delta,
    "rdp": _rdp_delta,
    "basic": _basic_delta,
    "exact": _exact_delta,
}
