"""Names of budgets and limits for publication, the same for all commands.

``dpmc fit`` checks them before it spends, ``dpmc verify`` and ``dpmc card`` afterwards.

**Tiers.** Epsilon alone means little, because the same noise has a smaller epsilon at a larger
delta. A guarantee is therefore called strong, reasonable or weak by its epsilon at a delta of at
most :data:`SMALL_DELTA`.

**Limits.** A guarantee allows that, with probability delta, everything about a person is revealed.
Delta must therefore be small in itself, and small enough for the number of people: on average at
most :data:`EXPECTED` of them may be found out.
"""

import math
from collections.abc import Sequence

from dpmc.errors import ParameterError
from dpmc.mechanisms import Gaussian, Mechanism
from dpmc.privacy.accounting import spent

STRONG, REASONABLE = 1.0, 10.0
"""The tiers of epsilon of Ponomareva et al., "How to DP-fy ML" (JAIR 77, 2023)."""
SMALL_DELTA = 1e-6
"""At which they are meant here; a smaller delta counts as it is."""
MOST_EPSILON = 20.0
"""Of what may be published, unless whoever decides says another limit."""
TOO_LARGE_DELTA = 0.01
"""From which on nothing may be published, unless whoever decides says a limit."""
EXPECTED = 0.1
"""Delta times the number of users, at most."""


def at_small_delta(
    epsilon: float, delta: float, noise: Mechanism, releases: float, relation: str, slack: float = 0
) -> float:
    """Return the epsilon of a fit at the smaller of delta and :data:`SMALL_DELTA`.

    ``noise`` is the noise on a release of sensitivity 1, and ``releases`` the number of such
    releases that cost as much as the fit with its private choice of items. ``slack`` is the part of
    delta that no noise reduces (:mod:`dpmc.privacy.selection`); if it is not below the delta asked
    for, epsilon is infinite.
    """
    if delta <= SMALL_DELTA:
        return epsilon
    if slack >= SMALL_DELTA:
        return math.inf
    if not slack:
        return spent(noise, releases, SMALL_DELTA, relation)
    assert isinstance(noise, Gaussian)  # which a private choice needs
    return noise.epsilon(math.sqrt(releases), SMALL_DELTA - slack) - math.log1p(-slack)


def tier(small: float) -> str:
    """Return the name of a guarantee, given its epsilon :func:`at_small_delta`."""
    return "strong" if small <= STRONG else "reasonable" if small <= REASONABLE else "weak"


def remarks(small: float, delta: float) -> list[str]:
    """Return a remark on a guarantee that is called weak, given its :func:`at_small_delta`."""
    if tier(small) != "weak":
        return []
    at = f" at delta {SMALL_DELTA:g}" if delta > SMALL_DELTA else ""
    if small == math.inf:
        return [f"no epsilon holds{at}, so the guarantee is called weak"]
    return [
        f"epsilon {small:.5g}{at} is above {REASONABLE:g}, so the guarantee is called weak: what "
        f"is published may be e^{small:.5g} times as likely for one neighbour as for the other"
    ]


def most_users(delta: float) -> float:
    """Return the largest number of users for which delta is small enough: 0.1 / delta."""
    most = EXPECTED / delta if delta else math.inf
    return most if most == math.inf else math.floor(most * (1 + 2**-51))  # but for rounding


def check_limits(max_epsilon: float | None, max_delta: float | None) -> None:
    """Refuse a limit that is no number above 0, and so would allow everything or nothing."""
    for name, limit in (("max_epsilon", max_epsilon), ("max_delta", max_delta)):
        if limit is not None and not 0 < limit < math.inf:
            raise ParameterError("{0} must be a number above 0, got {value!r}.", name, value=limit)


def objections(
    epsilon: float,
    delta: float,
    users: int | None = None,
    *,
    max_epsilon: float | None = None,
    max_delta: float | None = None,
) -> list[str]:
    """Return reasons not to publish a fit with this budget; none if it may be published.

    ``users`` is the number of users, if known. ``max_epsilon`` and ``max_delta`` are limits of the
    publisher, in place of the limits above (:func:`check_limits`).
    """
    check_limits(max_epsilon, max_delta)
    found = []
    most = MOST_EPSILON if max_epsilon is None else max_epsilon
    if epsilon > most:
        found.append(f"epsilon {epsilon:.12g} is above the limit of {most:.12g}")
    if max_delta is None and delta >= TOO_LARGE_DELTA:
        found.append(f"delta {delta:.12g} is not below the limit of {TOO_LARGE_DELTA:g}")
    elif max_delta is not None and delta > max_delta:
        found.append(f"delta {delta:.12g} is above the limit of {max_delta:.12g}")
    if users is not None and users > most_users(delta):
        found.append(f"delta {delta:g} is {for_users(delta)}, and not for {users}")
    return found


def refusal(what: str, reasons: Sequence[str]) -> str:
    """Return the words in which every command says that something must not be published."""
    return f"{what} must not be published: {'; '.join(reasons)}"


def condition(delta: float) -> list[str]:
    """Return on which number of users a publication rests, if there is a limit to it."""
    most = most_users(delta)
    if most == math.inf:
        return []
    if most < 1:  # and a limit was given that allows it
        return [f"delta {delta:g} is meant, which is too large for any number of users"]
    return [f"there are at most {_number(most)} users ({EXPECTED:g} / delta)"]


def for_users(delta: float) -> str:
    """Return for how many users delta is small enough, in words."""
    most = most_users(delta)
    if most < 1:
        return "too large for any number of users"
    at_most = "any number of" if most == math.inf else f"at most {_number(most)}"
    return f"small enough for {at_most} users ({EXPECTED:g} / delta)"


def _number(most: float) -> str:
    return f"{most}" if most < 1e15 else f"{most:.3g}"
