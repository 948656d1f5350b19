"""Alternating least squares with noise on the item side (paper, algorithm 1)."""

from dpmc.methods.base import choice, with_parameters
from dpmc_studies.methods.factorization.alternating import AlternatingMethod
from dpmc_studies.methods.kernels.regressions import Regressions

NOISE_TARGETS = ("right_hand_side", "iterate")


@with_parameters
class ALS(AlternatingMethod):
    """Private alternating least squares.

    Item rows are v_j = (U_j^T U_j + lambda I)^-1 (U_j^T x_j + t_j). The noise t_j in R^rank is iid
    from the mechanism, drawn again in each iteration.

    Source: Gowtham et al. 2022, algorithm 1.

    Parameters
    ----------
    regularization : float
        lambda > 0.
    iterations : int
        Outer iterations T.
    mechanism : object with ``rvs(size, rng)``, optional
        The noise; none if not given.
    start : {"normal", "uniform"}
        Law of the entries of V_0: N(0, 1) or U(0, 1).
    noise_target : {"right_hand_side", "iterate"}
        "iterate" adds t_j to the item row itself instead, v_j = (...)^-1 U_j^T x_j + t_j, which
        the paper (section 3.1) says prevents convergence.

    Attributes
    ----------
    user_factors_ : float64 array, shape (n_users, rank)
    item_factors_ : float64 array, shape (n_items, rank)
    """

    noise_target: str = choice(NOISE_TARGETS, "right_hand_side")

    def _item_regressions(self, ratings):
        return Regressions(ratings.by_item, self.rank, self.regularization)

    def _update_items(self, regressions, rng, noise_rng):
        if self.mechanism is None:
            return regressions.solve(self.user_factors_)
        noise = self.mechanism.rvs(size=(self.shape_[1], self.rank), rng=noise_rng)
        if self.noise_target == "right_hand_side":
            return regressions.solve(self.user_factors_, noise=noise[None])
        return regressions.solve(self.user_factors_) + noise
