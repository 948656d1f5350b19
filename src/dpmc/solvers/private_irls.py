"""A-IRLS with a privacy guarantee: robust regression by modified residuals."""

import numpy as np

from dpmc.privacy.sensitivity import planned_releases
from dpmc.solvers.base import check_count, check_positive
from dpmc.solvers.private_als import PrivateALS
from dpmc.solvers.private_kernels import NoisedSystems, clip_rows


class PrivateIRLS(PrivateALS):
    """Alternate as :class:`PrivateALS` does, with item rows by Huber regression.

    The published A-IRLS reweights ratings, so that its Gram matrices depend on their values. Here
    an item step releases the unweighted Gram matrix S once (not if who rated what is public) and
    then K times the sum of clipped residuals,

        theta <- theta + (S + lambda I)^-1 (A^T psi_a(y - A theta) + noise - lambda theta).

    S majorises the Hessian of the Huber loss, as psi_a' <= 1, so that without noise each step
    lowers the objective sum rho_a(y - A theta) + lambda/2 |theta|^2 (Huber and Ronchetti, "Robust
    statistics", 2nd ed. 2009, section 7.8: the method of modified residuals). theta starts at zero
    in the first iteration and at what was released last in the others.

    Parameters
    ----------
    inner_iterations : int
        K.
    loss_parameter : float
        a > 0, in units of the ratings: residuals are clipped to [-a, a].
    others
        As :class:`PrivateALS`.
    """

    def __init__(
        self,
        *,
        relation,
        epsilon,
        rating_range,
        rank,
        loss_parameter,
        delta=1e-5,
        mechanism="gaussian",
        ratings_per_user=None,
        factor_bound=1.0,
        iterations=2,
        inner_iterations=2,
        regularization=0.5,
        user_regularization=None,
        start="normal",
    ):
        super().__init__(
            relation=relation,
            epsilon=epsilon,
            rating_range=rating_range,
            rank=rank,
            delta=delta,
            mechanism=mechanism,
            ratings_per_user=ratings_per_user,
            factor_bound=factor_bound,
            iterations=iterations,
            regularization=regularization,
            user_regularization=user_regularization,
            start=start,
        )
        self.loss_parameter = check_positive("loss_parameter", loss_parameter)
        self.inner_iterations = check_count("inner_iterations", inner_iterations)

    @property
    def releases(self) -> int:
        return planned_releases(
            self.relation, iterations=self.iterations, inner_iterations=self.inner_iterations
        )

    def _fit(self, ratings, statistics, rng, callback):
        self._theta = np.zeros((ratings.n_items, self.rank))
        super()._fit(ratings, statistics, rng, callback)

    def _item_step(self, by_user, statistics):
        factors = clip_rows(self.user_factors_, self.bounds.factor_bound, self.bounds.norm)
        gram = statistics.gram(by_user, factors, self.shape_[1])
        systems = NoisedSystems(gram, self.rank, self.regularization)
        for _ in range(self.inner_iterations):
            right = statistics.residual(by_user, factors, self._theta, self.loss_parameter)
            step = systems.solve(right - self.regularization * self._theta)
            self._theta = self._theta + step
        return self._theta
