"""Nonmonotone spectral projected gradient over the nuclear-norm ball."""

from collections import deque

import numpy as np

from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.projection import WarmProjection, mean_square

MEMORY = 10
ARMIJO = 1e-4
LEAST_STEP, LARGEST_STEP = 1e-3, 1e3


def spectral_gradient(
    objective: Objective,
    tau: float,
    tolerance: float,
    max_iterations: int,
    dtype: type = np.float64,
) -> tuple[np.ndarray, int, float]:
    """Minimise over the matrices of nuclear norm at most tau, from zero.

    Return the matrix (d1, d2), the number of iterations, and the residual that is compared with the
    tolerance. Matrices have ``dtype``, single or double; likelihoods are in double precision.

    Source: Birgin, Martinez and Raydan, "Nonmonotone spectral projected gradient methods on convex
    sets", SIAM J. Optim. 10 (2000), algorithm SPG2, with memory 10, Armijo constant 1e-4 and steps
    g in [1e-3, 1e3]. It stops when the root mean square of the entries of P(X - g G) - X, divided
    by max(g, 1), is below the tolerance, confirmed with a careful projection. If the objective is
    not convex, the result is a stationary point.
    """
    project, index = WarmProjection(tau), objective.index
    x, seen = np.zeros(objective.shape, dtype), np.zeros(len(index))
    moved, direction = np.empty_like(x), np.empty_like(x)
    value, gradient = objective(seen)
    values = deque([value], maxlen=MEMORY)
    step = 1 / _within(np.mean(objective.derivatives(seen)[1]))
    for iteration in range(max_iterations + 1):
        np.copyto(moved, x)
        moved.ravel()[index] -= step * gradient
        for careful in (False, True):
            project(moved, careful, out=direction)
            direction -= x
            length = mean_square(direction)
            residual = float(np.sqrt(length) / max(step, 1))
            if residual >= tolerance:
                break
        if residual < tolerance or iteration == max_iterations:
            break
        change = direction.ravel()[index].astype(np.float64)
        slope, highest, share = gradient @ change, max(values), 1.0
        while True:
            new_value, new_gradient = objective(seen + share * change)
            if new_value <= highest + ARMIJO * share * slope:
                break
            share = _shorter(share, slope, new_value - value)
        direction *= share
        x += direction
        seen += share * change
        bend = change @ (new_gradient - gradient) / share
        step = _within(length * x.size / bend) if bend > 0 else LARGEST_STEP
        value, gradient = new_value, new_gradient
        values.append(value)
    return x, iteration, residual


def _within(step):
    return min(max(step, LEAST_STEP), LARGEST_STEP)


def _shorter(share, slope, increase):
    """Return the minimum of a parabola through the values, kept to [0.1, 0.5] of the share."""
    parabola = -slope * share**2 / (2 * (increase - share * slope))
    return min(max(parabola, 0.1 * share), 0.5 * share)
