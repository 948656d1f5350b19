"""The negative log-likelihood of observed signs, as the solvers minimise it."""

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.methods.onebit.links import Link, link_of


class Objective:
    """f(x) = -sum log P(sign | x) + <linear, x> at the observed entries x, shape (n,).

    P(+1 | x) = p + (1 - 2 p) h(x) and P(-1 | x) = 1 - P(+1 | x), with p = ``flip``: a random sign
    with P(+1) = h(x) goes through randomised response. The order of the signs is kept.

    ``linear``, shape (n,), is the noise of objective perturbation. ``index``, int64 of shape (n,),
    holds the row-major positions of the observed entries in the matrix.
    """

    def __init__(
        self,
        signs: Ratings,
        link: Link | str,
        *,
        flip: float = 0.0,
        linear: np.ndarray | None = None,
    ):
        if len(signs) == 0:
            raise InputError(f"{signs.name}: there are no signs to learn from.")
        if not (np.abs(signs.values) == 1).all():
            raise InputError(f"{signs.name}: signs must be -1 or +1; binarise the ratings first.")
        if not 0 <= flip < 0.5:
            raise InputError(f"The chance of a flip must be from 0 to below 1/2, got {flip!r}.")
        if linear is not None:
            linear = np.ascontiguousarray(linear, dtype=np.float64)
            if linear.shape != signs.values.shape or not np.isfinite(linear).all():
                raise InputError(
                    f"The linear term must be {len(signs)} finite numbers, one a sign."
                )
        self.signs = signs
        self.shape = (signs.n_users, signs.n_items)
        self.index = signs.users.astype(np.int64) * signs.n_items + signs.items
        self.link = link_of(link) if isinstance(link, str) else link
        self.linear = linear
        self.flip = flip
        self._y = signs.values

    @property
    def newton_step(self) -> float:
        """The step of Newton's method at 0 for the whole matrix: 1/(psi''(0) share).

        psi'' is the curvature of the loss, and share the observed share of entries; both are
        public.
        """
        zero = np.zeros(1)
        curvature = self.link.curvature(zero, self.link.slope(zero))
        return float(self.shape[0] * self.shape[1] / (len(self.signs) * curvature[0]))

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value and the gradient, shape (n,), at entries x, shape (n,)."""
        losses, slopes = self.link.loss(self._y * x, self.flip)
        value, gradient = float(losses.sum()), self._y * slopes
        if self.linear is not None:
            value += float(self.linear @ x)
            gradient += self.linear
        return value, gradient

    def derivatives(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the gradient and the second derivatives, both of shape (n,)."""
        t = self._y * x
        slope = self.link.slope(t, self.flip)
        gradient = -self._y * slope
        if self.linear is not None:
            gradient += self.linear
        return gradient, self.link.curvature(t, slope)

    def least_curvature(self, alpha: float) -> float:
        """Return a lower bound of the second derivative for abs(x) <= alpha; 0 if convex."""
        if self.flip == 0:
            return 0.0
        t = np.linspace(-alpha, alpha, 129)
        return min(0.0, float(self.link.curvature(t, self.link.slope(t, self.flip)).min()))
