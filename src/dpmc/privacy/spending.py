"""The joint cost of fits of the same ratings.

**Gaussian noise.** A fit of n releases with noise of standard deviation s at sensitivity 1 is
mu-GDP with mu^2 = n/s^2. This includes exact noise on a grid, which is at least as private as the
noise that was calibrated (:mod:`dpmc.privacy.release`). Fits with mu_1, mu_2, ... are together
mu-GDP with mu^2 = mu_1^2 + mu_2^2 + ... (Dong, Roth and Su, "Gaussian differential privacy", JRSS B
2022, corollary 3.3). Sensitivities alone prove no smaller epsilon. A limit on this sum is a filter:
the settings of the next fit, including its budget, may depend on earlier releases (lemma 3 of
docs/local_bayes.md; Smith and Thakurta, "Fully adaptive composition for Gaussian differential
privacy", arXiv:2210.17520).

**Lists chosen privately.** Let d_i be the d of :mod:`dpmc.privacy.selection` for the list of fit i
(0 with a public list), and d = sum d_i.

**Theorem.** Suppose that the fits with the counts in place of the lists are together (epsilon',
delta')-private by their noise, as an adaptive composition. Then with the lists they are (epsilon' -
sum log(1 - d_i), delta' + d)-private.

*Proof.* Let P and Q be the distributions of all outputs for neighbouring data, and A_i the event
that fit i lists no item that only one of the two data sets has. Given the earlier outputs, A_i has
at least the probability 1 - d_i on either side. Let P' and Q' draw every fit conditionally on A_i,
given the earlier outputs. Their lists are made of counts that both sides have, so P' and Q' are
distributions of that adaptive composition and keep to (epsilon', delta'). Let A be the event that
all A_i hold. On A, the density of P is the density of P' times a product of numbers between 1 - d_i
and 1, and the same holds for Q. For any event S therefore

    P(S) <= P(not A) + P'(S and A) <= d + exp(epsilon') Q'(S and A) + delta'
         <= exp(epsilon' - sum log(1 - d_i)) Q(S) + delta' + d. QED.

**Other noise.** The losses of all releases, with the Gaussian ones as one release, are composed by
privacy-loss distributions, rounded up (:mod:`dpmc.privacy.compositions`). If these cannot be
computed, epsilons are added (basic composition). With other noise, and if lists are chosen
privately, the composed fits must be fixed beforehand: if the method, noise, budget or share of a
fit depends on earlier releases, the total is not a guarantee.

All results are for one relation and for one person (or rating) throughout. The ratings may grow and
change from fit to fit, as neighbours may in adaptive composition (Dwork, Rothblum and Vadhan,
"Boosting and differential privacy", FOCS 2010).
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Mechanism
from dpmc.privacy.accounting import ACCURACY, EPSILON
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.guarantee import ROUNDING
from dpmc.privacy.losses import Loss, kind

SMALLEST, LARGEST = 1e-6, 1e6
"""Epsilons of one more fit that are looked for."""
CLOSE = 1e-4
"""Relative, of the largest epsilon of one more fit."""


@dataclass(frozen=True)
class Cost:
    """The cost of one fit.

    ``noise`` is the noise on a release of sensitivity 1, and ``releases`` the number of such
    releases that cost as much as the fit. ``list_delta`` is the part of delta for the list: the
    largest probability that an item of a single user is listed.
    """

    epsilon: float
    delta: float
    noise: Mechanism
    releases: float = 1
    list_delta: float = 0.0

    def at(self, epsilon: float) -> "Cost":
        """Return the cost of the same fit at another epsilon.

        An InputError says that none has an epsilon so small, with this share for the list.
        """
        name, releases = kind(self.noise), 1 if self._gaussian else int(self.releases)
        alone = {"epsilon": epsilon + math.log1p(-self.list_delta)}
        alone["delta"] = self.delta - self.list_delta
        noise = calibrate(name, releases=releases, **alone).noise
        return replace(self, epsilon=epsilon, noise=noise, releases=releases)

    @property
    def _gaussian(self) -> bool:
        return isinstance(self.noise, Gaussian)

    @property
    def mu_squared(self) -> float:
        """mu^2 of the releases with Gaussian noise; 0 for others."""
        return self.releases / self.noise.scale**2 if isinstance(self.noise, Gaussian) else 0.0


def total(costs: Iterable[Cost], delta: float) -> tuple[float, str]:
    """Return an epsilon that costs keep to together at ``delta``, and how it is accounted for.

    Infinity means that there is none. Accountants are keys of
    :data:`dpmc.privacy.guarantee.ACCOUNTANTS`.
    """
    costs = list(costs)
    lists = sum(-math.log1p(-each.list_delta) for each in costs)
    left = delta - sum(each.list_delta for each in costs)
    mu = math.sqrt(sum(each.mu_squared for each in costs))
    others: Counter[Mechanism] = Counter()
    for each in costs:
        if not each._gaussian:
            others[each.noise] += int(each.releases)
    if mu and left <= 0:
        return math.inf, "exact"
    if not others:
        found = Gaussian().epsilon(mu, left) if mu else 0.0
        return found + lists, "exact"
    kinds = [(Loss(noise, 1.0), count) for noise, count in others.items()]
    kinds += [(Loss(Gaussian(), mu), 1)] if mu else []
    try:
        composed = EPSILON["pld"](kinds, left, ACCURACY)[1] + lists
    except InputError:  # losses so large, or so many, that no grid holds them
        composed = math.inf
    enough = sum(each.delta for each in costs) <= delta * ROUNDING
    basic = sum(each.epsilon for each in costs) if enough else math.inf
    return (composed, "pld") if composed < basic else (basic, "basic")


def keeps(costs: Iterable[Cost], epsilon: float, delta: float) -> bool:
    """Return whether costs keep to a budget together."""
    return total(costs, delta)[0] <= epsilon * ROUNDING


def left(costs: Sequence[Cost], epsilon: float, delta: float, like: Cost) -> float:
    """Return the largest epsilon, rounded down, of one more fit within a budget; 0: there is none.

    ``like`` is the cost of a fit such as it should be, at another epsilon.
    """
    from scipy.optimize import brentq

    best = 0.0

    @cache
    def excess(log_epsilon: float) -> float:
        nonlocal best
        tried = math.exp(log_epsilon)
        try:
            spent = total([*costs, like.at(tried)], delta)[0]
        except InputError:  # too small to choose a list within it
            return -1.0
        if spent <= epsilon * ROUNDING:
            best = max(best, tried)
        return math.log(min(max(spent / epsilon, 1 / LARGEST), LARGEST))

    spent = total(costs, delta)[0]
    low = math.log(max(epsilon - spent, SMALLEST))
    while excess(low) > 0 and low > math.log(SMALLEST):
        low = max(low - 1, math.log(SMALLEST))
    high = max(math.log(epsilon), low + CLOSE)
    while excess(high) <= 0 and high < math.log(LARGEST):
        high += 1
    if excess(low) < 0 < excess(high):
        excess(brentq(excess, low, high, xtol=CLOSE / 2) - CLOSE)
    return best
