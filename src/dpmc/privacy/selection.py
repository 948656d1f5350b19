"""Private choice of a list of items: those that many users rated, by noised counts.

A list taken from the ratings reveals who was there: an item that only one user rated is on the list
of one data set, but not on its neighbour's. Here every user counts once for each of at most k items
that the user rated, and items without counts are left out. Every count gets Gaussian noise, and the
items whose noised count exceeds a threshold are listed (partition selection).

**Theorem.** Let the noise be that of a release with the l2 sensitivity of the counts. Let a count
of 1 exceed the threshold with a probability of at most q, where 1 - (1 - q)^k <= d. If an algorithm
with the counts as one of its releases is (epsilon', delta')-private by Gaussian differential
privacy, then with the list in place of the counts it is (epsilon' - log(1 - d),
delta' + d)-private.

*Proof.* Let P and Q be the distributions of all outputs, for data that differ in one user. Only
this user counts for the items that only one side has: on either side these are at most k items with
counts of 1. Let A be the event that none of them is listed. Noise is independent, so p = 1 - P(A)
and 1 - Q(A) are at most 1 - (1 - q)^k <= d. Let P', Q' be the conditional distributions given A:
they are the same algorithm's distributions on the items that both sides have. There the counts
differ by at most the sensitivity, and later steps use only the list. P' and Q' therefore keep to
(epsilon', delta') both ways. For any event S, Q'(S and A) <= Q(S)/(1 - d), and

    P(S) <= p + (1 - p) P'(S and A) <= d + (1 - p) (exp(epsilon') Q'(S and A) + delta')
         <= exp(epsilon' - log(1 - d)) Q(S) + delta' + d.

The last step uses Q(A) >= 1 - d. QED. Only the list may be released: the noised counts of items
that are not listed would show how many items there are.

Sources: Korolova, Kenthapadi, Mishra and Ntoulas, "Releasing search queries and clicks privately"
(WWW 2009); Wilson et al., "Differentially private SQL with bounded user contribution" (PoPETs
2020), section 5; for Gaussian noise Gopi et al., "Differentially private set union" (ICML 2020),
section 5, and Rogers, "A unifying privacy analysis framework for unknown domain algorithms in
differential privacy" (arXiv:2309.09170), whose form OpenDP uses. The term log(1 - d) is usually
left out. Its size is hardly more than d, but it is needed: an output that shows none of the user's
items can be less likely by the factor 1 - d on the side that has them.
"""

import math
from dataclasses import dataclass
from numbers import Integral

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.relations import USER_LEVEL, USER_REPLACE, check_relation
from dpmc.privacy.sensitivity import Sensitivities


@dataclass(frozen=True)
class Selection:
    """A private list of items for a share of a budget; the rest is for the fit.

    The list takes this share of delta, for the items of a single user, and the same share of the
    remaining mu^2, for the noise on the counts.

    Parameters
    ----------
    relation : str
        A relation at user level.
    ratings_per_user : int
        k.
    epsilon, delta : float
        Budget of the list and the fit together; delta above 0.
    share : float
        Between 0 and 1.

    Raises
    ------
    InputError
        A parameter out of its range.
    """

    relation: str
    ratings_per_user: int
    epsilon: float
    delta: float
    share: float

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InputError(
                "The share of the budget for a private choice of items must lie between 0 and 1, "
                f"such as 0.2, got {self.share!r}."
            )
        if not isinstance(self.ratings_per_user, Integral) or self.ratings_per_user < 1:
            raise InputError(
                "The number of ratings of a user that count must be an integer of at least 1, got "
                f"{self.ratings_per_user!r}."
            )
        if check_relation(self.relation) not in USER_LEVEL:
            raise InputError(
                "Items are chosen privately where users are protected, by the relation user or "
                "user_replace; where single ratings are, give the list of items."
            )
        if not 0 < self.delta < 1:
            raise InputError(
                f"A private choice of items needs a delta between 0 and 1, got {self.delta!r}."
            )
        if self._gaussian_epsilon <= 0 or self.fit_epsilon <= 0:
            raise InputError(
                f"Epsilon {self.epsilon:g} is too small for a private choice of items with the "
                f"share {self.share:g} at delta {self.delta:g}: give a smaller share or delta."
            )

    @property
    def list_delta(self) -> float:
        """d: with it, at most, an item that one user alone counts for is listed."""
        return self.share * self.delta

    @property
    def probability(self) -> float:
        """q: with it, at most, one given item with a count of 1 is listed."""
        return -math.expm1(math.log1p(-self.list_delta) / self.ratings_per_user)

    @property
    def changed(self) -> int:
        """The most counts in which neighbours differ."""
        return self.ratings_per_user * (2 if self.relation == USER_REPLACE else 1)

    @property
    def sensitivity(self) -> float:
        """Sensitivity of the counts of items that both of two neighbours have, in the l2 norm."""
        return Sensitivities(
            relation=self.relation,
            mechanism="gaussian",
            half_range=1.0,
            ratings_per_user=self.ratings_per_user,
        ).counts()

    @property
    def fit_delta(self) -> float:
        """delta' of the theorem: the part left for the fit and for the noise on the counts."""
        return self.delta - self.list_delta

    @property
    def _gaussian_epsilon(self) -> float:
        return self.epsilon + math.log1p(-self.list_delta)

    @property
    def noise_multiplier(self) -> float:
        """Standard deviation of the noise on a release that would take the whole budget."""
        budget = {"epsilon": self._gaussian_epsilon, "delta": self.fit_delta}
        return calibrate("gaussian", releases=1, **budget).noise.scale

    @property
    def fit_epsilon(self) -> float:
        """Epsilon of the fit alone at ``fit_delta``: that of the remaining share of mu^2."""
        alone = Gaussian(self.noise_multiplier / math.sqrt(1 - self.share))
        return alone.epsilon(1.0, self.fit_delta)

    def releases(self, of_fit: int) -> float:
        """Return how many releases of the fit the list and the fit amount to together."""
        return of_fit / (1 - self.share)

    @property
    def noise_std(self) -> float:
        """Standard deviation of the noise on a count."""
        return self.noise_multiplier / math.sqrt(self.share) * self.sensitivity

    def select(
        self, labels: np.ndarray, counts: np.ndarray, ledger: Ledger
    ) -> tuple[np.ndarray, float]:
        """Return which labels are listed, as indices in ascending order, and the threshold.

        ``counts`` is the number of users who count for each label, at most k items per user; zeros
        are left out. The ledger is for :meth:`releases` of the fit.
        """
        there = np.flatnonzero(counts)
        chosen, threshold = ledger.select(
            "item_counts",
            np.asarray(counts, dtype=float)[there],
            self.sensitivity,
            probability=self.probability,
            changed=self.changed,
            weight=(self.share * ledger.releases) ** -0.5,
        )
        listed = there[chosen]
        # the order of what is published says nothing but what is listed
        return listed[np.argsort(np.asarray(labels)[listed], kind="stable")], threshold
