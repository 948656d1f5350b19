"""Alternating directions for the nuclear-norm ball and the entrywise bound together."""

from itertools import count

import numpy as np

from dpmc_studies.methods.onebit.mixing import Mixing
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.projection import WarmProjection, mean_square

RELAXATION = 1.6
MEMORY = 5
PATIENCE = 10


def alternating_directions(
    objective: Objective,
    tau: float,
    alpha: float,
    tolerance: float,
    max_iterations: int,
    dtype: type = np.float64,
) -> tuple[np.ndarray, int, float]:
    """Minimise over the matrices of nuclear norm at most tau and entries in +-alpha, from zero.

    The alternating direction method of multipliers, written as the Douglas-Rachford iteration

        Z = argmin f + penalty/2 |. - W|^2 over the box,  X = P(2 Z - W),  W += 1.6 (X - Z)

    with P the projection onto the nuclear-norm ball (Eckstein and Bertsekas 1992). Anderson mixing
    of the last five steps accelerates it. The iteration stops when the root mean square of the
    entries of X - Z is below the tolerance, confirmed with a careful projection, and returns Z. The
    entries of Z obey the bound exactly, its nuclear norm up to the tolerance. If the objective is
    not convex, Z is a stationary point.

    Return the matrix (d1, d2), the number of iterations, and the residual that is compared with the
    tolerance. Matrices have ``dtype``, single or double; likelihoods are in double precision.
    """
    project, index = WarmProjection(tau), objective.index
    mixing = Mixing(np.prod(objective.shape), MEMORY, dtype)
    penalty = _penalty(objective, tau, alpha)
    w, seen = np.zeros(objective.shape, dtype), np.zeros(len(index))
    z, reflected, difference = (np.empty_like(w) for _ in range(3))
    iteration, residual = 0, np.inf
    while residual >= tolerance and iteration < max_iterations:
        if iteration > 0:
            difference *= RELAXATION
            mixing.advance(w.ravel(), difference.ravel(), residual)
        iteration += 1
        np.clip(w, -alpha, alpha, out=z)
        seen = proximal(objective, w.ravel()[index], penalty, alpha, seen)
        z.ravel()[index] = seen
        np.multiply(z, 2, out=reflected)
        reflected -= w
        for careful in (False, True):
            project(reflected, careful, out=difference)
            difference -= z
            residual = float(np.sqrt(mean_square(difference)))
            if residual >= tolerance:
                break
    return z, iteration, residual


def _penalty(objective, tau, alpha):
    """Return the size of the first gradient against that of the matrix, twice.

    Without convexity it also outweighs the negative curvature, so that Z is unique.
    """
    _, gradient = objective(np.zeros(len(objective.index)))
    entries = np.prod(objective.shape)
    typical = min(alpha, tau / np.sqrt(entries))
    size = np.sqrt(gradient @ gradient / entries) / typical
    return max(2 * size, -1.5 * objective.least_curvature(alpha))


def proximal(
    objective: Objective, target: np.ndarray, penalty: float, alpha: float, start: np.ndarray
) -> np.ndarray:
    """Return argmin f(x) + penalty/2 |x - target|^2 over abs(x) <= alpha.

    ``target`` and ``start`` have shape (n,), and ``start`` is within the bound. The penalty exceeds
    the largest negative curvature of f. Newton's method brackets the zero of the derivative and
    keeps each step inside the bracket; after ten steps, a step that hits an end of the bracket is
    replaced by bisection. It stops when a step is below 1e-5, which leaves errors of about 1e-10.
    """
    x = start
    low, high = np.full_like(x, -alpha), np.full_like(x, alpha)
    for attempt in count():
        gradient, curvature = objective.derivatives(x)
        gradient += penalty * (x - target)
        np.copyto(high, x, where=gradient > 0)
        np.copyto(low, x, where=gradient < 0)
        new = np.clip(x - gradient / (curvature + penalty), low, high)
        if attempt >= PATIENCE:
            np.copyto(new, (low + high) / 2, where=(new == low) | (new == high))
        if np.abs(new - x).max() < 1e-5:
            return new
        x = new
