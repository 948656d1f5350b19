"""Alternating minimisation: users fit exactly, items take noisy gradient steps."""

from dataclasses import field

from dpmc.methods.base import choice, count, positive, with_parameters
from dpmc.methods.kernels.private import balance, clip_rows
from dpmc.methods.user_level.covariance import margin
from dpmc.methods.user_level.predictions import observed
from dpmc.privacy.relations import USER_REPLACE
from dpmc_studies.methods.user_level.dpals import ACCOUNTINGS, DPALS, DTYPES, GRAMS, STARTS
from dpmc_studies.methods.user_level.plan import Part


@with_parameters
class NoisyGradient(DPALS):
    """Alternating minimisation whose items move along the noised sum of the users' gradients.

    It differs from :class:`dpmc_studies.methods.user_level.dpals.DPALS` in step 3. T times:

    1. V <- sqrt(n_items) V (V^T V)^(-1/2), and rows are shortened to norm c sqrt(rank).
    2. Every user alone fits u to all of their own ratings and shortens u to norm Gamma_u.
    3. K times, with these u: each user's gradient has the rows w_j (x_j - v_j . u) u for the items
       j whose ratings count, with weights w if ``sampling`` gives any. The user scales it down to
       Frobenius norm C Gamma_u and sends it. V <- V + rank / (N Gamma_u^2) (sum + noise). For N
       ratings by users of norm Gamma_u in all directions equally, this is at most a Newton step.

    **Sensitivity.** The sum changes by one gradient, of norm C Gamma_u, or, if a user is replaced,
    by the difference of two, of norm 2 C Gamma_u. Given V, which was released, a gradient depends
    on its user's own ratings alone. The start, the counts and the mean get their shares of mu^2
    first (:mod:`dpmc_studies.methods.user_level.plan`); the T K sums share the rest equally.

    Two published methods, with repairs, are settings of this class:

    - Wang, Zhao and Kolar 2023: start "analyze_gauss", the noised covariance of rows of ratings of
      bounded length, then K = 1. We could read the abstract only, so this is no exact rerun. Here
      users fit exactly, where theirs take gradient steps; step 1 balances V without a release,
      where they add the penalty |U^T U - V^T V|^2.
    - DPAM, the program of Krichene et al. 2023: a random start, sampling "weights", T = 10, K = 4.
      Here all users take part in each step, so no amplification by sampling is claimed. The
      original does not balance V.

    Parameters that are not listed are those of
    :class:`dpmc_studies.methods.user_level.dpals.DPALS`.

    Parameters
    ----------
    update_bound : float
        C > 0, the bound of the norm of a user's residuals, in units of ratings, at norm Gamma_u.
    item_ratings : float
        N > 0, a public guess of the number of ratings of an item, or of the sum of their weights.
    inner_iterations : int
        K.
    coherence : float
        c > 0, or infinity.
    """

    update_bound: float = positive()
    item_ratings: float = positive()
    inner_iterations: int = count(1)
    coherence: float = positive(3.0, infinite=True)
    factor_bound: float = positive(0.3)
    iterations: int = count(5)
    user_regularization: float = positive(20.0)
    start: str = choice(STARTS, "analyze_gauss")

    # what step 3 of DPALS takes
    item_regularization: float = field(default=100.0, init=False)
    regularization_exponent: float = field(default=0.0, init=False)
    gram: str = field(default=GRAMS[1], init=False)
    literal: bool = field(default=False, init=False)
    resampled: bool = field(default=False, init=False)
    projection: bool = field(default=True, init=False)
    global_penalty: float = field(default=0.0, init=False)
    accounting: str = field(default=ACCOUNTINGS[0], init=False)
    dtype: str = field(default=DTYPES[1], init=False)

    def _plan(self):
        parts = super()._plan()
        share = parts.pop("right_hand_side").share / self.inner_iterations
        signed = 2 if self.relation == USER_REPLACE else 1
        return parts | {"gradient": Part(signed * self._longest, share)}

    @property
    def _longest(self) -> float:
        """The bound of the norm of a user's gradient."""
        return self.update_bound * self.factor_bound

    def _alternate(self, own, samples, factors, released, noise, randomness):
        step = self.rank / (self.item_ratings * self.factor_bound**2)
        bound = self.factor_bound * (1 - margin(float))
        design = self._balanced(factors)
        for chosen, weights in samples:
            users = clip_rows(self._users(own, design), bound, 2)
            for _ in range(self.inner_iterations):
                left = chosen.values - observed(chosen, users, design)
                if weights is not None:
                    left = left * weights.values
                rows = chosen.with_values(left)
                design = design + step * released.gradient(rows, users, len(design), self._longest)
            design = self._balanced(design)
            yield self._users(own, design), design

    def _balanced(self, factors):
        longest = min(self.coherence**2 * self.rank, len(factors)) ** 0.5  # none is longer
        return clip_rows(balance(factors, 1.0), longest, 2)
