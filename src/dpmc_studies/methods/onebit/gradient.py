"""Projected gradient descent with noised gradients and steps from public numbers alone."""

import numpy as np

from dpmc.mechanisms.base import positive_finite
from dpmc.privacy.ledger import Ledger
from dpmc_studies.methods.onebit.noise import Plan
from dpmc_studies.methods.onebit.objective import Objective
from dpmc_studies.methods.onebit.projection import WarmProjection, mean_square, project_nuclear
from dpmc_studies.methods.onebit.solve import Ball

MOST_ROUNDS = 200
CLOSE = 3e-4
"""Root mean square at which ball and box agree on a projection, in units of alpha."""
RELAXATION = 1.6
PENALTY = 0.3
"""Penalty of disagreement, in units of the size of large entries over alpha."""


def noisy_descent(
    objective: Objective,
    ball: Ball,
    plan: Plan,
    ledger: Ledger,
    clip: float,
    step: float = 1.0,
) -> np.ndarray:
    """Return the matrix after K steps from 0 along clamped and noised gradients.

    Each of the ``plan.releases`` steps is X <- P(X - s G). G is the gradient at the observed
    entries of X, clamped to [-clip, clip] and released through the ledger; P projects onto the
    ball. A line search, stopping rule or step length that used the objective or the gradient before
    the noise would void the guarantee.

    ``clip`` is C, and ``step`` is s in units of the objective's Newton step; both are public and
    above 0. On synthetic data where the truncated matrix had less error than the zero matrix, steps
    of 0.5 to 2 were best. Where noise drowns the signal, shorter steps give less error, because the
    zero matrix is hard to beat.
    """
    places = objective.signs.users, objective.signs.items
    length = positive_finite("step", step) * objective.newton_step
    x = np.zeros(objective.shape)
    for _ in range(plan.releases):
        _, gradient = objective(x[places])
        noised = ledger.release("gradient", np.clip(gradient, -clip, clip), plan.stated)
        x[places] -= length * noised
        x = project(x, ball)
    return x


def project(matrix: np.ndarray, ball: Ball) -> np.ndarray:
    """Return the nearest matrix in the ball, in Frobenius norm.

    If the ball bounds entries too, the alternating direction method keeps one matrix in the
    nuclear-norm ball and one within +-alpha (Boyd, Parikh, Chu, Peleato and Eckstein, "Distributed
    optimization and statistical learning via the alternating direction method of multipliers",
    2011, section 3). It stops when the two agree and no longer move, up to :data:`CLOSE`, or
    after MOST_ROUNDS rounds. It returns the second, so the bound on entries holds exactly.
    """
    low_rank = project_nuclear(matrix, ball.tau)
    if ball.alpha is None or np.abs(low_rank).max() <= ball.alpha:
        return low_rank
    onto_ball = WarmProjection(ball.tau)
    # matrices made of noise lie far outside; any penalty above 0 is right, this one is fast
    size = np.vdot(matrix, matrix) / max(np.abs(matrix).sum(), ball.alpha)
    penalty = max(1.0, PENALTY * size / ball.alpha)
    inside, dual = np.zeros_like(matrix), np.zeros_like(matrix)
    for _ in range(MOST_ROUNDS):
        low_rank = onto_ball(inside - dual)
        target = RELAXATION * low_rank + (1 - RELAXATION) * inside + dual
        before = inside
        inside = (matrix + penalty * target) / (1 + penalty)
        np.clip(inside, -ball.alpha, ball.alpha, out=inside)
        dual = target - inside
        apart = max(mean_square(inside - low_rank), mean_square(inside - before))
        if apart < (CLOSE * ball.alpha) ** 2:
            break
    return inside
