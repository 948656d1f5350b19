"""Sensitivities and numbers of the releases of calibrated methods.

Notation: a user's row of factors u and an item's row v have ||u||_p, ||v||_p <= Gamma. Every value
x (a centred rating, or its residual) has |x| <= B. R is the largest change of x if one rating
changes: 2 B unless a smaller bound is known. At user level a user has at most k ratings. All of
these are public constants that clipping enforces. p is the norm for which the noise is calibrated:
2 for Gaussian noise, 1 or 2 for Laplace and Huber noise.

The statistics are sums over ratings, with one block for each item (or user): "gram" of u u^T (upper
triangle: each entry once), "right_hand_side" of u x, and "residual" of u psi_a(x - u^T theta),
where psi_a clips to [-a, a]. One rating adds to one block

- u u^T, whose upper triangle has norm at most ||u||_p^2 <= Gamma^2 (attained at u = Gamma e_1),
- u x, of norm at most Gamma B,
- u psi_a, of norm at most Gamma a.

With entry_add_remove, neighbours differ in one such term. With entry_change, they have the same
Gram matrices, which do not depend on values. Their other two statistics differ by u (x - x') and u
(psi_a - psi_a'), at most Gamma R and Gamma min(2 a, R), because psi_a is 1-Lipschitz. With
user_add_remove, they differ in k terms in different blocks, whose p-norms add up to a factor
k^(1/p). With user_replace, they differ in two users' terms, a factor 2 k^(1/p) if these are in the
same blocks with opposite signs. Gram matrices have no signs: if u, w >= 0 have disjoint supports or
different blocks, the distance is (||u||^2p + ||w||^2p)^(1/p) per pair of blocks, hence (2 k)^(1/p).
This is attained; it is not exceeded, because <u u^T, w w^T> >= 0 also over the upper triangle.
"""

from dataclasses import dataclass

import numpy as np

from dpmc.errors import InputError
from dpmc.privacy.ledger import PrivacyViolation
from dpmc.privacy.relations import (
    ENTRY_CHANGE,
    USER_LEVEL,
    USER_REPLACE,
    check_relation,
)

NORMS = {"gaussian": 2, "laplace": 1, "huber": 1}
"""p of the norm in which the noise of a mechanism needs sensitivities, if no other is asked for."""

_SLACK = 1 + 1e-9  # rounding in a norm; clipping stays below its bound by more than that


@dataclass(frozen=True)
class Sensitivities:
    """The sensitivity of every release of a calibrated method, and the checks they rest on.

    See the module's text for the derivations.

    Parameters
    ----------
    relation : str
        One of :data:`dpmc.privacy.relations.RELATIONS`.
    mechanism : str
        A key of :data:`NORMS`.
    half_range : float
        B of a rating minus the centre of the public range; R = 2 B.
    factor_bound : float
        Gamma.
    ratings_per_user : int, optional
        k, at user level.
    norm : {1, 2}, optional
        p; by default that of the mechanism.
    """

    relation: str
    mechanism: str
    half_range: float
    factor_bound: float = 1.0
    ratings_per_user: int | None = None
    norm: int | None = None

    def __post_init__(self) -> None:
        check_relation(self.relation)
        norm_of(self.mechanism, self.norm)
        if self.user_level:
            self._most()

    @property
    def p(self) -> int:
        """1 or 2."""
        return norm_of(self.mechanism, self.norm)

    @property
    def user_level(self) -> bool:
        """Whether neighbours differ in a whole user."""
        return self.relation in USER_LEVEL

    @property
    def counts_are_public(self) -> bool:
        """Whether who rated what, and so each count, is public."""
        return self.relation == ENTRY_CHANGE

    def sums(self, value_bound: float | None = None) -> float:
        """Sensitivity of the sums of values by item (or, at entry level, by user).

        Values are clipped to ``value_bound``, or else to B.
        """
        bound = self.half_range if value_bound is None else value_bound
        if self.relation == ENTRY_CHANGE:
            return min(2 * bound, 2 * self.half_range)
        return self._users(bound) * (2 if self.relation == USER_REPLACE else 1)

    def counts(self) -> float:
        """Sensitivity of the numbers of ratings by item (or user); 0 where they are public."""
        if self.counts_are_public:
            return 0.0
        return self._users(2 ** (1 / self.p) if self.relation == USER_REPLACE else 1.0)

    def gram(self) -> float:
        """Sensitivity of the Gram matrices; 0 where who rated what is public.

        This is the sensitivity given the factors, which are released or, at entry level, made from
        released data.
        """
        return self.counts() * self.factor_bound**2

    def right_hand_side(self, value_bound: float | None = None) -> float:
        """Sensitivity of the sums of u x, with |x| clipped to ``value_bound`` (or B)."""
        return self.sums(value_bound) * self.factor_bound

    def residual(self, threshold: float) -> float:
        """Sensitivity of the sums of u psi_a(x - u^T theta), a = ``threshold``."""
        return self.right_hand_side(threshold)

    def total_sum(self) -> float:
        """Sensitivity of the sum of all values: one number, so k terms add up in every norm."""
        one = self.sums() if not self.user_level else self._most() * self.half_range
        return 2 * one if self.relation == USER_REPLACE else one

    def total_count(self) -> float:
        """Sensitivity of the number of all ratings: replaced users differ by k at most."""
        return float(self._most()) if self.user_level else self.counts()

    def check_factors(self, factors: np.ndarray) -> None:
        """Raise PrivacyViolation unless every row has norm at most Gamma."""
        largest = row_norms(factors, self.p).max(initial=0.0)
        if not largest <= self.factor_bound * _SLACK:
            raise PrivacyViolation(
                f"a row of factors has an l{self.p} norm above the bound {self.factor_bound:g}"
            )

    def check_values(self, values: np.ndarray, value_bound: float | None = None) -> None:
        """Raise PrivacyViolation unless all values lie within ``value_bound`` (or B)."""
        bound = self.half_range if value_bound is None else value_bound
        largest = np.abs(values).max(initial=0.0)
        if not largest <= bound * _SLACK:
            raise PrivacyViolation(f"a value lies beyond the bound {bound:g}")

    def check_counts(self, counts: np.ndarray) -> None:
        """Raise PrivacyViolation if, at user level, a user has more than k ratings."""
        most = np.max(counts, initial=0)
        if self.user_level and most > self._most():
            raise PrivacyViolation(f"a user has more ratings than {self.ratings_per_user}")

    def _most(self) -> int:
        """k, which bounds what a user can change."""
        if self.ratings_per_user is None:
            raise PrivacyViolation("nothing bounds the number of ratings of a user")
        return self.ratings_per_user

    def _users(self, one: float) -> float:
        """What one user's data change if one block changes by ``one``."""
        return one * self._most() ** (1 / self.p) if self.user_level else one


def norm_of(mechanism: str, norm: int | None = None) -> int:
    """Return in which norm sensitivities are measured, :data:`NORMS` where none is asked for.

    An InputError refuses all but 1 and 2, and 1 of Gaussian noise, whose guarantee is about 2.
    """
    if norm is None:
        return NORMS[mechanism]
    if norm not in (1, 2) or (norm == 1 and mechanism == "gaussian"):
        allowed = "2" if mechanism == "gaussian" else "1 or 2"
        raise InputError(f"norm must be {allowed} of {mechanism} noise, got {norm!r}.")
    return int(norm)


def row_norms(factors: np.ndarray, norm: int) -> np.ndarray:
    """Return the l1 or l2 norms of the rows of a matrix, shape (n_rows,)."""
    if norm == 1:
        return np.abs(factors).sum(axis=1)
    squares = np.zeros(len(factors))
    for column in factors.T:  # the same on all machines: nothing multiplies and adds in one
        squares += column * column
    return np.sqrt(squares)


def planned_releases(
    relation: str, *, iterations: int, inner_iterations: int = 1, offset_sides: int = 0
) -> int:
    """Return how often a calibrated method releases a statistic.

    ALS with T iterations makes 2 T releases if values change, 4 T if ratings come and go, and 2 T
    at user level, where the users' half-steps release nothing. With K inner iterations, as in
    A-IRLS, an item step releases one Gram matrix and K residuals. ``offset_sides`` is 0, 1 (items)
    or 2 (also users): their sums and counts of ratings are released first. At user level, users
    compute theirs alone.
    """
    counts = 0 if check_relation(relation) == ENTRY_CHANGE else 1
    sides = 1 if relation in USER_LEVEL else 2
    items = counts + inner_iterations
    users = (sides - 1) * (counts + 1)
    return iterations * (items + users) + min(offset_sides, sides) * (counts + 1)
