"""Maximum likelihood over a nuclear-norm ball, with or without an entrywise bound."""

import warnings
from dataclasses import dataclass

import numpy as np

from dpmc.errors import InputError
from dpmc_studies.methods.onebit.admm import alternating_directions
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.spg import spectral_gradient

LARGE = 200_000
FINEST_SINGLE = 1e-5
"""Matrices with ``LARGE`` entries or more have single precision, unless the tolerance is finer."""


class NotConverged(UserWarning):
    """A solver stopped at its limit of iterations; its residual says how far it got."""


@dataclass(frozen=True)
class Ball:
    """The matrices of nuclear norm at most tau and, unless alpha is None, entries in +-alpha."""

    tau: float
    alpha: float | None = None

    def __post_init__(self):
        for name, bound in (("tau", self.tau), ("alpha", self.alpha)):
            if bound is not None and not 0 < bound < np.inf:
                raise InputError(f"{name} must be a number above 0, got {bound!r}.")


@dataclass(frozen=True, eq=False)
class Solution:
    """What a solver found: a matrix, float64 of shape (d1, d2), and the objective's value at it.

    ``residual`` is the number that the stopping rule compared with the tolerance.
    """

    matrix: np.ndarray
    value: float
    iterations: int
    converged: bool
    residual: float


def solve(
    objective: Objective,
    ball: Ball,
    *,
    tolerance: float = 1e-4,
    max_iterations: int = 2000,
) -> Solution:
    """Minimise the objective over the ball, from zero.

    The method is spectral projected gradient, or alternating directions with an entrywise bound.

    Parameters
    ----------
    tolerance : float
        Largest residual: the root mean square change of an entry by one more step, see the two
        solvers. At the default the value is within about 4e-5 of the minimum, relatively, on the
        paper's problems, and with an entrywise bound the nuclear norm exceeds tau by less than
        0.1 %.

    Warns
    -----
    NotConverged
        ``max_iterations`` did not reach ``tolerance``.
    """
    large = np.prod(objective.shape) >= LARGE and tolerance >= FINEST_SINGLE
    settings = tolerance, max_iterations, np.float32 if large else np.float64
    if ball.alpha is None:
        x, iterations, residual = spectral_gradient(objective, ball.tau, *settings)
    else:
        x, iterations, residual = alternating_directions(objective, ball.tau, ball.alpha, *settings)
    x = x.astype(np.float64, copy=False)
    if ball.alpha is not None:
        np.clip(x, -ball.alpha, ball.alpha, out=x)
    value, _ = objective(x.ravel()[objective.index])
    converged = residual < tolerance
    if not converged:
        warnings.warn(
            f"No convergence in {iterations} iterations: residual {residual:.1e}, "
            f"tolerance {tolerance:.1e}.",
            NotConverged,
            stacklevel=2,
        )
    return Solution(x, value, iterations, converged, residual)
