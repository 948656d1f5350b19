"""Computes the joint guarantee of noisy releases.

There are four accountants: "exact" (Gaussian differential privacy, for Gaussian noise alone),
"basic" composition, "rdp" (Renyi differential privacy) and "pld" (privacy-loss distributions, with
certified bounds from both sides). Composition is adaptive: each release may depend on earlier ones.
"""

import math
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms import Gaussian
from dpmc.mechanisms.base import Mechanism, check_whole, positive_finite, probability
from dpmc.privacy.compositions import Kinds, compose, grid_step
from dpmc.privacy.losses import Loss, gaussian_shift, kind
from dpmc.privacy.relations import check_relation

NORMS = ("scalar", "l1", "l2")

ACCURACY = 1e-5
"""Relative width of the certified bounds that "pld" aims at."""

Bounds = tuple[float, float]
"""From below and from above; only "exact" and "pld" have a lower bound other than 0."""


@dataclass(frozen=True)
class Releases:
    """Noisy releases of one kind.

    Parameters
    ----------
    mechanism : Gaussian, Laplace or Huber
        The noise; on every coordinate, independently.
    sensitivity : float
        Largest distance of what is released on neighbouring data, in the units of the noise.
    count : int
        Number of such releases.
    norm : {"scalar", "l1", "l2"}
        What the distance is measured in: one number, or vectors of any length. By an l2 bound,
        Laplace and Huber noise are accounted for as the Gaussian noise that loses at least as much
        (:func:`dpmc.privacy.losses.gaussian_shift`), which is no pure guarantee. For Gaussian noise
        an l1 bound is an l2 bound.

    Raises
    ------
    InputError
        A guarantee that does not exist, unknown noise, a number out of range.
    """

    mechanism: Mechanism
    sensitivity: float
    count: int = 1
    norm: str = "scalar"

    def __post_init__(self) -> None:
        Loss(self.mechanism, self.sensitivity)  # checks both
        check_whole("count", self.count)
        if self.norm not in NORMS:
            raise InputError(
                f"norm must be one of {', '.join(NORMS)}, got {self.norm!r}"
                f"{did_you_mean(self.norm, NORMS)}."
            )

    @property
    def dominated(self) -> bool:
        """Whether :attr:`loss` is the loss of other noise, which loses at least as much."""
        return self.norm == "l2" and not isinstance(self.mechanism, Gaussian)

    @property
    def loss(self) -> Loss:
        """The privacy loss of one release of one number (see :mod:`dpmc.privacy.losses`)."""
        if self.dominated:
            return Loss(Gaussian(1.0), gaussian_shift(self.mechanism, self.sensitivity))
        return Loss(self.mechanism, self.sensitivity)


@dataclass(frozen=True)
class CertifiedBound:
    """A bound for neighbouring data of one relation: (epsilon, delta), and how sure.

    Attributes
    ----------
    relation : str
        A key of :data:`dpmc.privacy.relations.RELATIONS`.
    epsilon, delta : float
        A guarantee: both hold together for certain.
    accountant : str
    lower, upper : float
        The smallest epsilon lies between them; ``upper`` is the bound.
        ``lower`` is 0 where the bound is from above only: of "basic" and "rdp", and of Laplace and
        Huber noise by an l2 bound.
    """

    relation: str
    epsilon: float
    delta: float
    accountant: str
    lower: float
    upper: float


# -- exact: Gaussian differential privacy ------------------------------------------------------


def _exact_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    """n Gaussian releases lose as much as one whose shift is the root of the sum of squares."""
    others = sorted({kind(loss.mechanism) for loss, _ in kinds} - {"gaussian"})
    if others:
        raise InputError(
            f"The accountant 'exact' is for Gaussian noise alone, not for {' and '.join(others)}: "
            "take 'pld'."
        )
    shift = math.sqrt(sum(count * loss.shift**2 for loss, count in kinds))
    value = Gaussian(1.0).epsilon(shift, delta)
    return value, value


# -- basic: epsilons and deltas add --------------------------------------------------------------


def _basic_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    """Pure epsilons add up; unbounded losses share delta evenly."""
    unbounded = sum(count for loss, count in kinds if math.isinf(loss.largest))
    total = 0.0
    for loss, count in kinds:
        pure = math.isfinite(loss.largest)
        total += count * (
            loss.largest if pure else loss.mechanism.epsilon(loss.sensitivity, delta / unbounded)
        )
    return 0.0, total


# -- rdp -----------------------------------------------------------------------------------------


def _rdp_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    from dp_accounting.rdp.rdp_privacy_accountant import compute_epsilon

    from dpmc.privacy.renyi import ORDERS, divergence

    curve = sum(count * divergence(loss) for loss, count in kinds)
    return 0.0, min(float(compute_epsilon(ORDERS, curve, delta)[0]), _pure(kinds))


def _pure(kinds: Kinds) -> float:
    """Epsilon at delta 0; also the limit of infinite order of the Renyi divergence."""
    return sum(loss.largest * count for loss, count in kinds)


# -- pld -----------------------------------------------------------------------------------------


def _pld_epsilon(kinds: Kinds, delta: float, accuracy: float) -> Bounds:
    """Divide the step until the bounds are as close as asked, or no closer than before.

    Rounding errors grow with the number of grid points; every pair of bounds is valid.
    """
    pure = _pure(kinds)
    if delta == 0:
        return pure, pure  # tight: the largest loss of every release is an atom
    if len(kinds) == 1 and kinds[0][1] == 1:
        value = kinds[0][0].epsilon(delta)
        return value, value

    def bounds(step: float) -> Bounds:
        lower, upper = (
            compose(kinds, step, pessimistic=side).epsilon(delta) for side in (False, True)
        )
        return min(lower, pure), min(upper, pure)

    positive_finite("accuracy", accuracy)
    rough = bounds(max(loss.reach for loss, _ in kinds) / 150)[1]
    step = grid_step(kinds, rough, accuracy)
    lower, upper = bounds(step)
    for _ in range(3):
        width = upper - lower
        if not math.isfinite(upper) or width <= accuracy * upper:
            break
        # The distance falls with the square of the step. Divided by a whole number, atoms of the
        # loss stay on the grid.
        step /= min(4, math.ceil(math.sqrt(width / (accuracy * upper))))
        finer = bounds(step)
        lower, upper = max(lower, finer[0]), min(upper, finer[1])
        if upper - lower > 0.7 * width:
            break
    return lower, upper


EPSILON: dict[str, Callable[[Kinds, float, float], Bounds]] = {
    "pld": _pld_epsilon,
    "rdp": _rdp_epsilon,
    "basic": _basic_epsilon,
    "exact": _exact_epsilon,
}


# -- what users ask ------------------------------------------------------------------------------


def epsilon(
    releases: Releases | Iterable[Releases],
    delta: float,
    *,
    relation: str,
    accountant: str = "pld",
    accuracy: float = ACCURACY,
) -> CertifiedBound:
    """Return the smallest epsilon of releases at ``delta`` that an accountant can show.

    Parameters
    ----------
    releases : Releases, or several
        With sensitivities for this ``relation``.
    delta : float
        0 <= delta < 1.
    relation : str
        Relation of the sensitivities, one of :data:`dpmc.privacy.relations.RELATIONS`.
    accountant : {"pld", "rdp", "basic", "exact"}
    accuracy : float
        Relative distance of the bounds that "pld" tries to reach.

    Raises
    ------
    InputError
        A guarantee that does not exist (Gaussian noise at delta 0; other noise and "exact"), a
        name that is unknown, a number out of range.
    """
    check_relation(relation)
    if accountant not in EPSILON:
        raise InputError(
            f"There is no accountant {accountant!r}{did_you_mean(accountant, EPSILON)}; "
            f"there are {', '.join(EPSILON)}."
        )
    listed = [releases] if isinstance(releases, Releases) else list(releases)
    if not listed:
        raise InputError("There are no releases to account for.")
    kinds = [(one.loss, one.count) for one in listed]
    delta = probability("delta", delta)
    if delta == 0 and any(math.isinf(loss.largest) for loss, _ in kinds):
        raise InputError(
            "Gaussian noise gives no guarantee at delta = 0, because its privacy loss is "
            "unbounded: give a delta above 0."
        )
    lower, upper = EPSILON[accountant](kinds, delta, accuracy)
    if math.isinf(upper):
        raise InputError(
            f"No finite epsilon can be shown by {accountant} at delta = {delta:g}: rounding errors "
            "are larger than that; give a larger delta or take another accountant."
        )
    if any(one.dominated for one in listed):
        lower = 0.0  # these releases may lose less than what is accounted for in their place
    return CertifiedBound(relation, upper, delta, accountant, lower, upper)


def spent(noise: Mechanism, releases: float, delta: float, relation: str) -> float:
    """Return the epsilon at ``delta`` of releases of sensitivity 1, by the best accountant.

    ``releases`` is a whole number, but of Gaussian noise, whose releases may have parts.
    """
    if isinstance(noise, Gaussian):
        return noise.epsilon(math.sqrt(releases), delta)
    kind = Releases(noise, 1.0, int(releases), norm="l1")
    found = [epsilon(kind, delta, relation=relation, accountant="basic").epsilon]
    if delta > 0:
        with suppress(InputError):  # one release loses too much for a distribution
            found.append(epsilon(kind, delta, relation=relation, accountant="pld").epsilon)
    return min(found)
