"""The guarantee that each mechanism of one-bit completion claims, and the one that is proven.

Neighbours differ in the sign of one entry, and which entries are observed is public. The guarantees
of noise on queries are derived in :mod:`dpmc_studies.methods.onebit.noise`, and the guarantee of
randomised response (inp) in :mod:`dpmc.mechanisms.randomised_response`. The proof below is about
objective perturbation with the Gaussian link.

Notation: K is the set of the observed entries x in R^n of the matrices within the ball, convex and
compact. F_y(x) = sum psi(y_i x_i) with psi = -log h. H has independent Laplace coordinates of scale
b. x(H) is the minimiser of F_y(x) + <H, x> over K.

**Theorem.** Let |x_i| <= alpha on K. Let D bound the change of an entry of the gradient of F by one
flip (:meth:`dpmc_studies.methods.onebit.links.Link.sensitivity`). Let R = sup psi''(-x)/psi''(x)
over |x| <= alpha (:meth:`dpmc_studies.methods.onebit.links.Link.log_curvature_ratio` is log R).
Then x(H) is (D/b + log R)-private.

*Proof.* Let P be the projection onto K. x minimises if and only if -H = grad F(x) + v with v normal
to K at x. The normal vectors at x are the v with P(x + v) = x. So with u = x + v,

    -H = T_y(u) := grad F_y(P u) + u - P u,        x = P u.

T_y is Lipschitz. It is a bijection of R^n: psi is strictly convex, so every H has one minimiser x
and thus one v. With p the density of H, the area formula gives u the density p(-T_y(u)) |det
DT_y(u)|. x is computed from u without y, so it suffices to compare these densities for y and y'
that differ in sign i. T_y - T_y' is the difference of the two gradients at the same point P u: at
most D in coordinate i and 0 in the others. The first factor therefore changes by at most exp(D/b).
For the second factor, P is the gradient of a convex function and does not increase distances. So J
= DP(u) exists almost everywhere, is symmetric and has eigenvalues in [0, 1]. With the diagonal
matrix A of the psi''(y_j x_j) > 0,

    det DT_y = det(A J + I - J) = det(I - J + J^(1/2) A J^(1/2)) > 0,

As a function of entry a_i of A this determinant is affine. It is not negative for any a_i >= 0, as
the determinant of a positive semidefinite matrix. Hence it is c_0 + c_1 a_i with c_0, c_1 >= 0 and
changes by a factor of at most max(1, a_i'/a_i) <= R. QED. (The paper sets a gradient to 0 at a
constrained optimum and omits the determinant. Without constraints the argument is that of Kifer,
Smith and Thakurta, "Private convex empirical risk minimization and high-dimensional regression",
COLT 2012.)

**Gaussian link.** phi(x)/(Phi(x) Phi(-x)), the change of the gradient, grows with |x|, and psi''
falls in x, so both suprema are at |x| = alpha: D = 1.8127 and log R = 0.7714 at alpha = 1. The
scale D/(eps - log R) gives eps. The published scale, 2 phi(0)/Phi(-1)/eps = 5.029/eps, gives D
eps/5.029 + 0.7714, which exceeds eps if eps < 1.206. The published claim does fail. With one
observed entry the density of x just below 1 is p(psi'(x)) psi''(x) for +1 and p(psi'(-x)) psi''(-x)
for -1 (x > 0). The loss there is 0.7714 - 1.2375 eps/5.029, which exceeds eps if eps < 0.619.
Without the entrywise bound only |x_i| <= tau is known. log R at tau is about tau^2/2, too large to
be useful, and reported as infinite where psi'' underflows. For the logistic link D = 1 and R = 1,
and the theorem is not needed.

**Limits of a computer.** The theorem is about the exact minimiser with real H. A solver stops
before it, with an error that depends on y. An H on a grid, as in floating point, would reveal y
through the minimiser, because -H = grad F_y(x) inside K singles out y. And the unobserved entries
must be a function of the observed ones, but a solver's depend on its path. So this mechanism is for
simulation, and is refused with exact randomness.

**Users.** k flips are k steps between neighbours: k epsilon (including k log R) for pure
mechanisms. Gaussian noise has the epsilon of its l2 change sqrt(k) D at the same delta.
"""

import math
from dataclasses import dataclass

from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms.base import positive_finite
from dpmc_studies.methods.onebit.noise import NOISED, OBJECTIVE, Facts, plan_of

OPEN = ("clear", "majority", "item_bias")
"""Mechanisms without privacy."""
ZERO = "zero"
INP = "inp"
MECHANISMS = (OPEN[0], INP, *NOISED, ZERO, *OPEN[1:])


@dataclass(frozen=True)
class EntryGuarantee:
    """The differential privacy of one completed matrix, as claimed and as proven.

    ``claimed`` is the budget, or infinity without privacy, and ``actual`` is proven here, both for
    a flip of one sign. ``user`` is proven for flips of all signs of one user.
    """

    mechanism: str
    claimed_epsilon: float
    claimed_delta: float
    actual_epsilon: float
    actual_delta: float
    user_epsilon: float
    user_delta: float


def guarantee_of(
    mechanism: str,
    facts: Facts,
    epsilon: float | None = None,
    *,
    delta: float | None = None,
    clip: float = 0.5,
    iterations: int = 1,
) -> EntryGuarantee:
    """Return what a run of a mechanism guarantees, without running it.

    ``epsilon`` is the claimed one; mechanisms without privacy ignore it. The other parameters are
    those of :func:`dpmc_studies.methods.onebit.noise.plan_of`.
    """
    if mechanism not in MECHANISMS:
        raise InputError(
            f"There is no mechanism '{mechanism}'{did_you_mean(mechanism, MECHANISMS)}; "
            f"there are {', '.join(MECHANISMS)}."
        )
    if mechanism in OPEN:
        return EntryGuarantee(mechanism, *(math.inf, 0.0) * 3)
    if mechanism == ZERO:
        return EntryGuarantee(mechanism, *(0.0,) * 6)
    epsilon, users = positive_finite("epsilon", epsilon), facts.most_ratings
    if mechanism == INP:
        return EntryGuarantee(mechanism, epsilon, 0.0, epsilon, 0.0, users * epsilon, 0.0)
    plan = plan_of(mechanism, facts, epsilon, delta=delta, clip=clip, iterations=iterations)
    if mechanism == "grap_gaussian":
        # K releases of Gaussian noise are one at sqrt(K) times the sensitivity
        change, delta = plan.releases**0.5 * plan.user / plan.stated, float(delta)
        user = plan.noise.epsilon(change, delta)
        return EntryGuarantee(mechanism, epsilon, delta, epsilon, delta, user, delta)
    extra = facts.link.log_curvature_ratio(facts.reach) if mechanism in OBJECTIVE else 0.0
    actual, user = plan.pure(plan.entry) + extra, plan.pure(plan.user) + users * extra
    return EntryGuarantee(mechanism, epsilon, 0.0, actual, 0.0, user, 0.0)
