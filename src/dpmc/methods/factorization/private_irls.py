"""Alternating robust regression with a privacy guarantee: A-IRLS by modified residuals."""

from dpmc.methods.base import check_count, check_positive
from dpmc.methods.factorization.private_als import PrivateALS
from dpmc.methods.kernels.private import NoisedSystems


class PrivateIRLS(PrivateALS):
    """A-IRLS within a privacy budget.

    As :class:`dpmc.methods.factorization.private_als.PrivateALS`, but items are fitted with Huber's
    loss. The reweighted Gram matrices of the papers depend on ratings and would have to be noised
    in every inner step. With modified residuals (Huber, "Robust statistics", 1981, section 7.8) one
    unweighted Gram matrix S is noised, then K times::

        theta <- theta + (S + lambda I)^-1 (sum of u psi_a(x - u^T theta) + noise - lambda theta)

    from the item's last row, at first from zero. As rho'' <= 1, S + lambda I majorises the
    Hessian: without noise each step lowers sum rho_a(x - u^T theta) + lambda/2 ||theta||^2, whose
    minimum is the only fixed point; where no residual exceeds a, one step is ridge regression. The
    sensitivity is Gamma a instead of Gamma times the bound of what is left, but an item step takes
    1 + K releases (K where Gram matrices are public).

    Source: Gowtham et al. 2022, algorithms 2 and 3.

    Parameters
    ----------
    loss_parameter : float
        a > 0, in units of the ratings.
    inner_iterations : int
        K.
    others
        Those of :class:`dpmc.methods.factorization.private_als.PrivateALS`.
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
        factor_bound=None,
        residual_bound=None,
        iterations=2,
        inner_iterations=2,
        regularization=0.5,
        user_regularization=None,
        offsets=True,
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
            residual_bound=residual_bound,
            iterations=iterations,
            regularization=regularization,
            user_regularization=user_regularization,
            offsets=offsets,
            start=start,
        )
        self.loss_parameter = check_positive("loss_parameter", loss_parameter)
        self.inner_iterations = check_count("inner_iterations", inner_iterations)

    def _items(self, rows, users, before, statistics):
        gram = statistics.gram(rows, users, len(before))
        systems = NoisedSystems(gram, self.rank, self.regularization)
        theta = before
        for _ in range(self.inner_iterations):
            residual = statistics.residual(rows, users, theta, self.loss_parameter)
            theta = theta + systems.solve(residual - self.regularization * theta)
        return theta
