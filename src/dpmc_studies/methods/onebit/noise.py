"""The noise that each mechanism of one-bit completion adds, and how far one flip moves a query.

Neighbours differ in the sign of one entry; which entries are observed is public
(:data:`dpmc.privacy.relations.ENTRY_CHANGE`). The mechanisms are those of Li et al. 2021, as
published ("_paper", "_literal") and corrected.

Every mechanism here releases queries with independent noise on every coordinate. Let D be the
largest change of a query by one flip, in l1 for Laplace noise of scale b and in l2 for Gaussian
noise. Laplace noise changes the density by a factor of at most exp(D/b). K such releases, each of
which may depend on earlier ones, change it by at most exp(K D/b) (basic composition). Any
computation on the outputs that does not use the signs again keeps this guarantee (post-processing).

**Gradient perturbation** (grap). A query is the gradient of the negative log-likelihood at the
observed entries of the current matrix, clamped to [-C, C] entrywise. The matrix starts at 0 and is
then computed from released gradients and public constants, so it is the same on both data sets. One
flip changes one entry of the gradient, within [-C, C]: D = 2 C in l1 and in l2. With the scale 2 C
K/eps the total is eps. With C K/eps ("grap_paper") it is 2 eps. The logistic link attains this at C
= 1/2 from the matrix 0, where gradients are -y/2. K, C and the steps must be public. Gaussian noise
is calibrated exactly for all K releases at once (:mod:`dpmc.privacy.calibration`).

**Output perturbation** (outp). The query is the non-private solution, clipped to [-alpha, alpha].
All d1 d2 entries may change, so D = 2 alpha d1 d2, the l1 diameter of the box. This also covers a
change of all signs. Noise scaled to 2 alpha, the change of one entry ("outp_paper"), guarantees eps
d1 d2. The true epsilon is at least half of this: if two diagonal blocks of half the size are all +1
and one off-diagonal entry is observed, flipping that entry turns over at least half of the matrix.

**Objective perturbation, logistic link** (objp). Since -log h(y x) = log(1 + e^-x) + x (1 - y)/2,
the perturbed objective is sum log(1 + e^-x_i) + <x, (1 - y)/2 + H>. The signs enter only through (1
- y)/2 + H, which is the Laplace mechanism with D = 1. Any algorithm may follow, exact or not, with
or without the entrywise bound. Here H is multiplied by 1. The published objective halves it
("objp_literal"), which gives 2 eps.

**Objective perturbation, Gaussian link**: see :mod:`dpmc_studies.methods.onebit.guarantee`.

**Item biases** (private_item_bias). The query is the sum of the signs of every item; D = 2.

**Users.** All signs of one user, at most k, may flip. D of a sum over entries grows by the factor k
in l1. In l2 it grows by sqrt(k), because the k flips change different entries of a gradient. D of
outp does not grow.
"""

from dataclasses import dataclass

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Laplace
from dpmc.mechanisms.base import check_whole, positive_finite
from dpmc_studies.methods.onebit.links import Link
from dpmc_studies.methods.onebit.solve import Ball

OBJECTIVE = ("objp", "objp_paper", "objp_literal")
GRADIENT = ("grap", "grap_paper", "grap_gaussian")
OUTPUT = ("outp", "outp_paper")
PRIVATE_ITEM_BIAS = "private_item_bias"
NOISED = (*OBJECTIVE, *GRADIENT, *OUTPUT, PRIVATE_ITEM_BIAS)
"""The mechanisms that add noise."""


@dataclass(frozen=True)
class Facts:
    """The public facts on which the noise and the guarantee of a mechanism depend.

    The solution is in ``ball``, outputs are clipped to +-alpha, ``shape`` is (d1, d2), and
    ``most_ratings`` is k, the largest number of signs of one user.
    """

    link: Link
    ball: Ball
    alpha: float
    shape: tuple[int, int]
    most_ratings: int

    @property
    def reach(self) -> float:
        """The largest absolute entry in the ball; a nuclear norm of tau bounds entries by tau."""
        return min(self.ball.tau, self.ball.alpha or self.ball.tau)


@dataclass(frozen=True)
class Plan:
    """The noise of a run, for a release of sensitivity 1; ``stated`` is the assumed sensitivity.

    ``entry`` is the largest change of a release if one sign flips, and ``user`` if all signs of a
    user flip, in l1 for Laplace and in l2 for Gaussian noise. (For objp with the Gaussian link,
    they are changes of the gradient.)
    """

    noise: Laplace | Gaussian
    stated: float
    entry: float
    user: float
    releases: int = 1

    def pure(self, change: float) -> float:
        """Return the epsilon of Laplace noise if each release changes by ``change``."""
        return change / self.stated * (self.releases / self.noise.scale)


def plan_of(
    mechanism: str,
    facts: Facts,
    epsilon: float,
    *,
    delta: float | None = None,
    clip: float = 0.5,
    iterations: int = 1,
) -> Plan:
    """Return the noise of one of :data:`NOISED`.

    ``epsilon`` is claimed for the whole run. Only grap_gaussian needs ``delta``. ``clip``, above 0,
    and ``iterations`` are C and K of gradient perturbation.
    """
    epsilon = positive_finite("epsilon", epsilon)
    if mechanism in OBJECTIVE:
        return _objective(mechanism, facts, epsilon)
    if mechanism in GRADIENT:
        return _gradient(mechanism, facts, epsilon, delta, clip, iterations)
    if mechanism in OUTPUT:
        entries = facts.shape[0] * facts.shape[1]
        largest = 2 * facts.alpha * entries
        stated = largest if mechanism == "outp" else 2 * facts.alpha
        return Plan(Laplace(1 / epsilon), stated, largest, largest)
    return Plan(Laplace(1 / epsilon), 2.0, 2.0, 2.0 * facts.most_ratings)  # item biases


def _objective(mechanism, facts, epsilon) -> Plan:
    """D is that of the gradient; objp leaves room for what curvature adds, see the guarantee."""
    changes = facts.link.sensitivity(facts.reach)
    users = facts.most_ratings * changes
    if mechanism == "objp":
        curvature = facts.link.log_curvature_ratio(facts.reach)
        if not epsilon > curvature:
            raise InputError(
                f"objp with the {facts.link.name} link needs epsilon above {curvature:.4g} where "
                f"entries reach {facts.reach:g}: bound the entries (constraint both), give a "
                "larger epsilon, or take inp."
            )
        return Plan(Laplace(1 / (epsilon - curvature)), changes, changes, users)
    stated = facts.link.published_sensitivity(facts.alpha)
    stated = stated / 2 if mechanism == "objp_literal" else stated
    return Plan(Laplace(1 / epsilon), stated, changes, users)


def _gradient(mechanism, facts, epsilon, delta, clip, iterations) -> Plan:
    clip = positive_finite("clip", clip)
    check_whole("iterations", iterations)
    largest = 2 * clip
    if mechanism == "grap_gaussian":
        from dpmc.privacy.calibration import calibrate

        if delta is None:
            raise InputError("grap_gaussian needs a delta above 0, such as 1e-5.")
        made = calibrate("gaussian", releases=iterations, epsilon=epsilon, delta=delta)
        users = largest * facts.most_ratings**0.5
        return Plan(made.noise, largest, largest, users, iterations)
    stated = largest if mechanism == "grap" else clip
    users = largest * facts.most_ratings
    return Plan(Laplace(iterations / epsilon), stated, largest, users, iterations)
