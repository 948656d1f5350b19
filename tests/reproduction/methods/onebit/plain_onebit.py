"""Projections and a solver as one would write them down: what the tests trust."""

import numpy as np
from scipy.optimize import brentq


def project_plain(matrix, tau):
    """The nearest matrix of nuclear norm at most tau, its threshold found by root finding."""
    left, values, right = np.linalg.svd(matrix, full_matrices=False)
    if values.sum() <= tau:
        return matrix
    theta = brentq(lambda t: np.maximum(values - t, 0).sum() - tau, 0, values[0], xtol=1e-13)
    return (left * np.maximum(values - theta, 0)) @ right


def project_both(matrix, tau, alpha, rounds):
    """Dykstra's alternating projections onto ball and box."""
    x, p, q = matrix, 0.0, 0.0
    for _ in range(rounds):
        y = project_plain(x + p, tau)
        p = x + p - y
        x = np.clip(y + q, -alpha, alpha)
        q = y + q - x
    return x


def dense_gradient(objective, matrix):
    """The gradient at a matrix, zero at entries that are not observed."""
    gradient = np.zeros(objective.shape)
    gradient.ravel()[objective.index] = objective(matrix.ravel()[objective.index])[1]
    return gradient


def gap(objective, matrix, tau):
    """Frank and Wolfe's gap: how far above the minimum over the ball the value is at most.

    f convex: f(X) - min f <= max over the ball of <G, X - S>.
    """
    gradient = dense_gradient(objective, matrix)
    return np.vdot(gradient, matrix) + tau * np.linalg.norm(gradient, 2)


def stationarity(objective, matrix, tau, alpha=None, step=1.0, rounds=300):
    """Root mean square of P(X - step G) - X over step: 0 exactly at stationary points."""
    moved = matrix - step * dense_gradient(objective, matrix)
    if alpha is None:
        projected = project_plain(moved, tau)
    else:
        projected = project_both(moved, tau, alpha, rounds)
    return np.sqrt(np.mean((projected - matrix) ** 2)) / step


def solve_plain(objective, tau, alpha, iterations, step):
    """Davis and Yin's splitting with full decompositions; f convex, slopes 1-Lipschitz."""
    w = np.zeros(objective.shape)
    for _ in range(iterations):
        z = np.clip(w, -alpha, alpha)
        x = project_plain(2 * z - w - step * dense_gradient(objective, z), tau)
        w += x - z
    return z
