"""What a number of noisy releases guarantees together.

Four accountants: "exact" (Gaussian differential privacy, for Gaussian noise alone), "basic"
composition, "rdp" (Renyi differential privacy) and "pld" (privacy-loss distributions, with
certified bounds from both sides). Composition is adaptive: what is released next may depend on
what was released before.
"""

import math
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass

from dpmc.errors import InputError, did_you_mean
from dpmc.mechanisms import Gaussian
from dpmc.mechanisms.base import Mechanism, check_whole, probability
from dpmc.privacy.accountants import DELTA, EPSILON
from dpmc.privacy.compositions import Kinds
from dpmc.privacy.losses import Loss, gaussian_shift
from dpmc.privacy.relations import RELATIONS, check_relation

NORMS = ("scalar", "l1", "l2")

ACCURACY = 1e-5
"""Relative width of the certified bounds that "pld" aims at."""


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
        How many such releases.
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
        """Whether :attr:`loss` is that of other noise, which loses at least as much."""
        return self.norm == "l2" and not isinstance(self.mechanism, Gaussian)

    @property
    def loss(self) -> Loss:
        """The privacy loss of one of them, that of a scalar (see :mod:`dpmc.privacy.losses`)."""
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
        A guarantee: both hold together for certain. One of them was asked for.
    accountant : str
    lower, upper : float
        The smallest value of what was asked for lies between them; ``upper`` is the bound.
        ``lower`` is 0 where the bound is from above only: of "basic" and "rdp", and of Laplace and
        Huber noise by an l2 bound.
    """

    relation: str
    epsilon: float
    delta: float
    accountant: str
    lower: float
    upper: float

    def sentence(self) -> str:
        """Return the bound in words."""
        return (
            f"If {RELATIONS[self.relation]}, the law of all releases together changes by at most "
            f"(epsilon = {self.epsilon:.6g}, delta = {self.delta:.6g}), by {self.accountant}."
        )


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
        What the sensitivities are about, one of :data:`dpmc.privacy.relations.RELATIONS`.
    accountant : {"pld", "rdp", "basic", "exact"}
    accuracy : float
        Relative distance of the bounds that "pld" tries to reach.

    Raises
    ------
    InputError
        A guarantee that does not exist (Gaussian noise at delta 0; other noise and "exact"), a
        name that is unknown, a number out of range.
    """
    kinds, exact = _checked(releases, relation, accountant)
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
    return CertifiedBound(relation, upper, delta, accountant, lower * exact, upper)


def delta(
    releases: Releases | Iterable[Releases],
    epsilon: float,
    *,
    relation: str,
    accountant: str = "pld",
    accuracy: float = ACCURACY,
) -> CertifiedBound:
    """Return the smallest delta of releases at ``epsilon`` that an accountant can show.

    Parameters, and what is raised, as for :func:`epsilon`; ``epsilon`` is a number of at least 0.
    """
    kinds, exact = _checked(releases, relation, accountant)
    if not 0 <= epsilon < math.inf:
        raise InputError(f"epsilon must be a number of at least 0, got {epsilon!r}.")
    lower, upper = DELTA[accountant](kinds, float(epsilon), accuracy)
    return CertifiedBound(relation, float(epsilon), upper, accountant, lower * exact, upper)


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


def _checked(
    releases: Releases | Iterable[Releases], relation: str, accountant: str
) -> tuple[Kinds, bool]:
    """Return the losses and how often, and whether these are the losses of the releases."""
    check_relation(relation)
    if accountant not in EPSILON:
        raise InputError(
            f"There is no accountant {accountant!r}{did_you_mean(accountant, EPSILON)}; "
            f"there are {', '.join(EPSILON)}."
        )
    listed = [releases] if isinstance(releases, Releases) else list(releases)
    if not listed:
        raise InputError("There are no releases to account for.")
    exact = not any(one.dominated for one in listed)
    return [(one.loss, one.count) for one in listed], exact
