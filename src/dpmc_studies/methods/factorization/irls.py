"""Alternating iteratively reweighted least squares (paper, algorithms 2 and 3)."""

import numpy as np

from dpmc.methods.base import count, positive, with_parameters
from dpmc_studies.methods.factorization.alternating import AlternatingMethod
from dpmc_studies.methods.kernels.regressions import Regressions


@with_parameters
class IRLS(AlternatingMethod):
    """Private A-IRLS: item rows by K reweighted ridge regressions, each with noise.

    For each item, theta starts at random. Then K times: w_i = min(1, a s / |x_i - u_i^T theta|) and
    theta = (U_j^T W U_j + lambda I)^-1 (U_j^T W x_j + t), with new noise t in R^rank, iid from the
    mechanism. Without noise each step descends sum rho_(a s)(r) + lambda/2 ||theta||^2, where rho
    is Huber's loss. The weights are the paper's psi(r)/r, set to their limit 1 at r = 0.

    Source: Gowtham et al. 2022, algorithms 2 and 3.

    Parameters
    ----------
    loss_parameter : float
        a > 0. With Huber noise the papers use the a of the noise; they do not say which one they
        use with other noise.
    regularization : float
        lambda > 0.
    iterations : int
        Outer iterations T.
    inner_iterations : int
        K. "IRLS-2" of the paper is K = 2.
    mechanism : object with ``rvs(size, rng)``, optional
        The noise; none if not given.
    start : {"normal", "uniform"}
        Law of the entries of V_0 and of each theta_0: N(0, 1) (paper) or U(0, 1) (thesis).
    residual_scale : float
        s > 0, by which the thesis (equations 3.14, 3.18) divides residuals; its algorithms
        do not, so 1.

    Attributes
    ----------
    user_factors_ : float64 array, shape (n_users, rank)
    item_factors_ : float64 array, shape (n_items, rank)
    """

    loss_parameter: float = positive(infinite=True)
    inner_iterations: int = count(20)
    residual_scale: float = positive(1.0)

    @property
    def threshold(self) -> float:
        """The residual beyond which a rating loses weight: loss_parameter * residual_scale."""
        return self.loss_parameter * self.residual_scale

    def _item_regressions(self, ratings):
        steps = self.inner_iterations
        return Regressions(ratings.by_item, self.rank, self.regularization, steps)

    def _update_items(self, regressions, rng, noise_rng):
        noise = None
        if self.mechanism is not None:
            shape = (self.inner_iterations, self.shape_[1], self.rank)
            noise = self.mechanism.rvs(size=shape, rng=noise_rng)
        return regressions.solve(
            self.user_factors_,
            threshold=self.threshold,
            start=self._draw_start(rng),
            noise=noise,
        )

    def _rho(self, residuals):
        """Return Huber's loss of the residuals with parameter a s."""
        size, a = np.abs(residuals), self.threshold
        within = np.minimum(size, a)
        return within * (size - within / 2)
