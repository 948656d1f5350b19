"""How DPALS divides its budget among its releases, and how far one user moves each of them.

All releases of a fit have Gaussian noise, so they compose to one release with mu^2 = sum of mu_i^2
(Dong, Roth and Su, "Gaussian differential privacy", JRSS B 2022, corollary 3.3). A release with the
share s of mu^2 gets noise of standard deviation sensitivity / (mu sqrt(s)). The shares sum to 1.

Notation: u is a user's row of factors, clipped to ||u|| <= Gamma_u. x is the vector of the user's
ratings that count, at most k, each within Gamma_M, and ||x|| <= L = min(row bound, sqrt(k)
Gamma_M). A user who is added or removed ("add/remove") changes

- "gram" by u u^T for each of at most k items. In the Frobenius norm of full symmetric matrices, the
  distance is sqrt(k) ||u||^2 <= sqrt(k) Gamma_u^2.
- "right_hand_side" by u x_j for each item j, of norm ||u|| ||x|| <= Gamma_u L.
- "global_gram" by one u u^T, of norm at most Gamma_u^2.
- "start" by x x^T, of norm ||x||^2 <= L^2.
- "counts" by 1 for each of at most k items, so by sqrt(k).
- "total_sum" by k B and "total_count" by k: at most k ratings within B of the centre of the public
  range. The bound is not sqrt(k), because all k terms go into one number.

A replaced user changes a statistic by the difference of two such terms. Matrices u u^T are positive
semidefinite, so their inner products are >= 0, and the squared norms bound the squared distance: a
factor sqrt(2). right_hand_side and total_sum have signs, so their terms can be opposite: a factor
2. Counts change by 1 in at most 2 k places: sqrt(2 k). total_count changes by at most k.

In the paper's units (noise sigma Gamma_u^2 on the Gram matrices, sigma Gamma_u Gamma_M on the
right-hand sides), T steps have mu^2 = 2 k T / sigma^2. If users are replaced, it is three times as
much: (2 k + 4 k) T / sigma^2. A step's budget is divided so that all its statistics have the same
sigma in these units, whatever the row bound.
"""

import math
from dataclasses import dataclass

from dpmc.errors import InputError
from dpmc.privacy.relations import USER_REPLACE
from dpmc.privacy.sensitivity import Sensitivities

STEP = ("gram", "right_hand_side", "global_gram")


@dataclass(frozen=True)
class Part:
    """One release.

    Attributes
    ----------
    sensitivity : float
        In the l2 norm.
    share : float
        Of mu^2 of the fit.
    """

    sensitivity: float
    share: float

    @property
    def weight(self) -> float:
        """The weight of the noise in the ledger, which counts in releases of share 1."""
        return self.share**-0.5


def plan(
    bounds: Sensitivities,
    *,
    iterations: int,
    value_bound: float,
    row_bound: float | None,
    gram: bool,
    global_gram: bool,
    start_share: float,
    counts_share: float,
    mean_share: float,
) -> dict[str, Part]:
    """Return name -> part of the budget; the parts in STEP are released once in each iteration.

    ``bounds`` has Gamma_u, k and B, and ``value_bound`` is Gamma_M. ``gram`` and ``global_gram``
    state whether each step releases these. The shares of mu^2 are 0 for statistics that are not
    released. The share of the mean is divided equally between the sum and the number of ratings.
    """
    steps = 1 - start_share - counts_share - mean_share
    if steps <= 0:
        raise InputError(
            "start_share, counts_share and mean_share must sum to less than 1, or nothing of the "
            f"budget is left for the factors; got {1 - steps:g}."
        )
    replaced = bounds.relation == USER_REPLACE
    k, longest = bounds.ratings_per_user, longest_row(bounds, value_bound, row_bound)
    psd, signed = (math.sqrt(2), 2.0) if replaced else (1.0, 1.0)
    sensitivities = {
        "counts": bounds.counts(),
        "total_sum": bounds.total_sum(),
        "total_count": bounds.total_count(),
        "start": psd * longest**2,
        "gram": bounds.gram(),
        "right_hand_side": signed * bounds.factor_bound * longest,
        "global_gram": psd * bounds.factor_bound**2,
    }
    # squared sensitivities in units of the paper, where all have one sigma
    relative = {"gram": gram * psd**2 * k, "right_hand_side": signed**2 * k}
    relative["global_gram"] = global_gram * psd**2
    shares = {"counts": counts_share, "total_sum": mean_share / 2, "total_count": mean_share / 2}
    shares["start"] = start_share
    for what in STEP:
        shares[what] = steps / iterations * relative[what] / sum(relative.values())
    return {what: Part(sensitivities[what], share) for what, share in shares.items() if share}


def longest_row(bounds: Sensitivities, value_bound: float, row_bound: float | None) -> float:
    """Return L, the bound of the norm of a user's ratings that count."""
    return min(math.sqrt(bounds.ratings_per_user) * value_bound, row_bound or math.inf)


def published_sigma(epsilon: float, delta: float, ratings_per_user: int, iterations: int) -> float:
    """Return sqrt(2 k T (epsilon + ln(1/delta))) / epsilon, as theorem 1 has it."""
    if not (epsilon > 0 and 0 < delta < 1):
        raise InputError(
            f"The published sigma needs epsilon above 0 and delta between 0 and 1, got {epsilon!r} "
            f"and {delta!r}."
        )
    return math.sqrt(2 * ratings_per_user * iterations * (epsilon - math.log(delta))) / epsilon
