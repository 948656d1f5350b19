"""Private alternating robust regression: A-IRLS by modified residuals."""

from dpmc.errors import InputError
from dpmc.methods.base import count, positive, with_parameters
from dpmc.methods.factorization.private_als import PrivateALS
from dpmc.methods.kernels.private import NoisedSystems, clip_rows

LONGEST = 2.0**16
"""Bound of an item row, in units of rating range / user bound; above it rounding matters."""


@with_parameters
class PrivateIRLS(PrivateALS):
    """A-IRLS within a privacy budget.

    It differs from :class:`dpmc.methods.factorization.private_als.PrivateALS` in that items are
    fitted with Huber's loss. The papers' reweighted Gram matrices depend on ratings and would need
    noise in every inner step. With modified residuals (Huber, "Robust statistics", 1981, section
    7.8) only one unweighted Gram matrix S is noised. Then K times::

        theta <- theta + (S + lambda I)^-1 (sum of u psi_a(x - u^T theta) + noise - lambda theta)

    starting from the item's last row, and from zero in the first item step. As rho'' <= 1, S +
    lambda I majorises the Hessian: without noise each step lowers sum rho_a(x - u^T theta) +
    lambda/2 ||theta||^2, whose minimum is the only fixed point. If no residual exceeds a, one step
    is ridge regression. The sensitivity is Gamma a instead of Gamma times the residual bound, but
    an item step takes 1 + K releases (K if Gram matrices are public).

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

    loss_parameter: float = positive()
    inner_iterations: int = count(2)

    def check_settings(self):
        super().check_settings()
        length = 2 * self.bounds.half_range
        if self.loss_parameter > length:
            raise InputError(
                f"loss_parameter must be at most {length:g}, the length of the rating range, in a "
                "fit for publication, or rounding errors void the guarantee; got "
                f"{self.loss_parameter:g}."
            )

    def _items(self, rows, users, before, statistics):
        gram = statistics.gram(rows, users, len(before))
        systems = NoisedSystems(gram, self.rank, self.regularization)
        theta = before
        longest = LONGEST * 2 * self.bounds.half_range / self.factor_bound
        for _ in range(self.inner_iterations):
            theta = clip_rows(theta, longest, 2)
            residual = statistics.residual(rows, users, theta, self.loss_parameter)
            theta = theta + systems.solve(residual - self.regularization * theta)
        return theta
