"""What the best attacker can find out, in numbers and in plain words.

The attacker sees everything that is published, knows everything except whether one person (or one
rating) was in the data, and computes without limit. A test has a rate of false positives a and a
rate of true positives of at most 1 - T(a), where T is the trade-off function of neighbouring data
(Dong, Roth and Su, "Gaussian differential privacy", JRSS B 84, 2022). All numbers are upper bounds.

**Gaussian noise.** Releases with mu_i = sensitivity / deviation have mu^2 = the sum of mu_i^2, and
1 - T(a) <= Phi(mu + Phi^-1(a)). Published noise is discrete and on a grid. By the theorem of
:mod:`dpmc.privacy.release`, its T is at least that of the continuous noise for which it was
calibrated, rounding included. mu is therefore a bound without slack in delta.

**A private choice of items** (:mod:`dpmc.privacy.selection`) is as private, unless an item of a
single person is listed, which has a probability of at most d. With P', Q' as there, P(S) <= d +
P'(S), and Q'(S) <= Q(S) / (1 - d). So 1 - T(a) <= d + Phi(mu + Phi^-1(a / (1 - d))), and P(S) -
Q(S) <= d + P'(S) - (1 - d) Q'(S) <= 2 d + 2 Phi(mu / 2) - 1. d is the *slack*.

**Other noise** has no mu. For every proven pair (epsilon, delta), the rate t of true positives has
t <= exp(epsilon) a + delta and 1 - a <= exp(epsilon) (1 - t) + delta. Both together give t - a <=
tanh(epsilon / 2) + 2 delta / (1 + exp(epsilon)); the smallest bound of all pairs counts. The pairs
come from the certified loss distribution, for which the theorem above holds as well.

**How sure.** Let L be the privacy loss and p = P(L > epsilon + log 2). On this event P >= 2
exp(epsilon) Q, so p <= exp(epsilon) Q + delta <= p / 2 + delta, and p <= 2 delta. Odds therefore
rise by more than 2 exp(epsilon) with a probability of at most 2 delta, and with delta = 0 never by
more than exp(epsilon). (A rise by more than exp(epsilon) can be more likely than delta.)
"""

import math
from dataclasses import dataclass

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian, Laplace, Mechanism
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.compositions import compose, grid_step
from dpmc.privacy.guarantee import Guarantee
from dpmc.privacy.losses import Loss
from dpmc.privacy.policy import (
    EXPECTED,
    REASONABLE,
    SMALL_DELTA,
    STRONG,
    TOO_LARGE_DELTA,
    for_users,
    most_users,
    tier,
)
from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_REPLACE,
)

FALSE_POSITIVES = (0.001, 0.01, 0.05, 0.1, 0.25, 0.5)
"""Rates at which that of true positives is stated."""
ACCURACY = 1e-4
"""Relative, of the losses that trade-off curves are made of."""
POINTS = 129
"""Epsilons whose deltas a curve is made of."""
COMPARED = (0.1, 1.0, 5.0, 10.0, 20.0)
"""Epsilons beside which one's own is put."""


@dataclass(frozen=True)
class Words:
    """Plain words for a relation, for readers from outside the field.

    ``protected`` names what is protected and what is not, ``one`` the subject of the worst case,
    and ``claim`` what an attacker wants to know. ``halves`` are persons or ratings for half of
    which the claim is true, ``absent`` is where it is false, and ``there`` where it is true.
    """

    protected: str
    one: str
    claim: str
    halves: str
    absent: str
    there: str


WORDS = {
    USER_ADD_REMOVE: Words(
        "whether a person took part at all, and every rating of that person", "person",
        "that a person took part", "persons, half of whom took part",
        "persons who did not take part", "those who did",
    ),
    USER_REPLACE: Words(
        "what a person rated, and how; not how many persons took part", "person",
        "that a person has these ratings and not those",
        "persons, half of whom have these ratings and half those",
        "persons with those ratings", "persons with these",
    ),
    ENTRY_ADD_REMOVE: Words(
        "whether a person rated one item, and how; all ratings of a person together are protected "
        "much less", "rating",
        "that a rating is there", "ratings, half of which are there",
        "ratings that are not there", "those that are",
    ),
    ENTRY_CHANGE: Words(
        "the value of one rating; not who rated what, and all ratings of a person together much "
        "less", "rating",
        "that a rating has this value and not that",
        "ratings, half of which have this value and half that",
        "ratings with that value", "ratings with this",
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Attacker:
    """Bounds on the best attacker.

    Attributes
    ----------
    mu : float or None
        mu of Gaussian differential privacy; None for noise that has none.
    slack : float
        Probability with which a private choice of items may reveal more.
    success : float
        Largest rate of right guesses if the claim is true in half of the cases: 1/2 is blind.
    false_positives, true_positives : tuple of float
        Rates of false positives, and the largest rate of true positives for each.
    """

    mu: float | None
    slack: float
    success: float
    false_positives: tuple[float, ...]
    true_positives: tuple[float, ...]


def attacker_of(guarantee: Guarantee, noise: Mechanism) -> Attacker:
    """Return the best attacker on a fit.

    ``noise`` is that on a release of sensitivity 1, with its shape, of which the guarantee has the
    standard deviation alone.
    """
    listed = guarantee.listed
    if not isinstance(noise, Gaussian):
        return _of_pairs(*_pairs(guarantee, noise))
    mu, slack = math.sqrt(guarantee.releases) / noise.scale, 0.0
    if listed:
        mu, slack = mu / math.sqrt(1 - listed.share), listed.delta
    unit = Gaussian()
    rates = np.array(FALSE_POSITIVES)
    found = slack + unit.sf(unit.isf(np.minimum(rates / (1 - slack), 1)) - mu)
    success = float(unit.cdf(mu / 2)) + slack
    return Attacker(mu, slack, min(success, 1.0), FALSE_POSITIVES, _rates(found))


def _of_pairs(epsilon: np.ndarray, delta: np.ndarray) -> Attacker:
    grown, shrunk = np.exp(np.minimum(epsilon, 700)), np.exp(-epsilon)
    apart = np.tanh(epsilon / 2) + 2 * delta * shrunk / (1 + shrunk)
    rates = np.array(FALSE_POSITIVES)[:, None]
    bounds = np.minimum(grown * rates + delta, 1 - shrunk * (1 - delta - rates))
    success = min((1 + float(apart.min())) / 2, 1.0)
    return Attacker(None, 0.0, success, FALSE_POSITIVES, _rates(bounds.min(axis=1)))


def _pairs(guarantee: Guarantee, noise: Mechanism) -> tuple[np.ndarray, np.ndarray]:
    """Return proven epsilons and deltas, that of the guarantee last."""
    loss = Loss(noise, 1.0)
    kinds = [(loss, guarantee.releases)]
    last = min(loss.largest * guarantee.releases, -math.log(FALSE_POSITIVES[0]))
    epsilon = np.linspace(0, last, POINTS)  # beyond, exp(epsilon) a is above 1
    try:
        if guarantee.releases == 1:
            delta = np.array([loss.delta(each) for each in epsilon])
        else:
            composed = compose(kinds, grid_step(kinds, guarantee.epsilon, ACCURACY))
            delta = np.array([composed.delta(each) for each in epsilon])
    except InputError:  # too much is lost, or too often, for a distribution
        epsilon = delta = np.empty(0)
    return np.append(epsilon, guarantee.epsilon), np.append(delta, guarantee.delta)


def _rates(found: np.ndarray) -> tuple[float, ...]:
    return tuple(np.minimum(found, 1.0).tolist())


def explain(
    relation: str,
    epsilon: float,
    delta: float,
    attacker: Attacker,
    users: int | None = None,
    *,
    small: float,
) -> list[str]:
    """Return what a guarantee means, in sentences for the person who decides about a publication.

    ``users`` is about how many there are, if that is public; ``small`` the epsilon at a small delta
    (:func:`dpmc.privacy.policy.at_small_delta`).
    """
    words = WORDS[relation]
    sentences = [
        f"What is protected: {words.protected}.",
        "From whom: from everybody who sees these files, whatever else they know or will know.",
        _sure(epsilon, delta, words),
        f"On average: whoever judges {words.halves}, is right about at most "
        f"{_percent(attacker.success)} of them; blind guesses are right about 50 %.",
        _judge_by(delta, words),
        f"Whoever accepts to be wrong about 1 % of {words.absent} finds at most "
        f"{_percent(attacker.true_positives[FALSE_POSITIVES.index(0.01)])} of {words.there}.",
        _size(epsilon, delta, small),
        _of_users(delta, users),
    ]
    if attacker.mu is not None:
        slack = f", but for a probability of {attacker.slack:g}" if attacker.slack else ""
        sentences.append(
            f"In one number for specialists: {_up(attacker.mu):.4g}-Gaussian differential "
            f"privacy{slack}."
        )
    return sentences


def comparison(relation: str, delta: float) -> list[str]:
    """Return a Markdown table of the meaning of some epsilons, with a line that explains it.

    For Gaussian noise, at this delta if it is above 0 and small.
    """
    words = WORDS[relation]
    if not 0 < delta < TOO_LARGE_DELTA:
        delta = SMALL_DELTA
    lines = [
        f"What epsilons mean, with Gaussian noise at delta {delta:g}. At worst: how sure somebody "
        f"who gave 50 % {words.claim} can be of it afterwards. On average: the share of "
        f"{words.halves}, about whom the best attacker is right.",
        "",
        "| epsilon | at worst | on average |",
        "| ---: | ---: | ---: |",
    ]
    unit = Gaussian()
    for each in COMPARED:
        mu = 1 / calibrate("gaussian", releases=1, epsilon=each, delta=delta).noise.std()
        average = _percent(float(unit.cdf(mu / 2)))
        lines.append(f"| {each:g} | {_percent(_surest(each, delta))} | {average} |")
    return lines


def _surest(epsilon: float, delta: float) -> float:
    return 1 / (1 + math.exp(-epsilon - (math.log(2) if delta else 0.0)))


def _sure(epsilon: float, delta: float, words: Words) -> str:
    if delta >= TOO_LARGE_DELTA:
        return (
            f"At worst: there is no limit, because everything about a {words.one} may be told "
            f"with probability {delta:g}, the delta."
        )
    sure = _percent(_surest(epsilon, delta))
    text = f"At worst: whoever gave 50 % {words.claim} is at most {sure} sure of it afterwards"
    return f"{text}, but for a probability of {2 * delta:g}." if delta else f"{text}."


def _judge_by(delta: float, words: Words) -> str:
    if delta >= TOO_LARGE_DELTA:
        return "Judge by delta: what is said on average hides whom the worst case meets."
    return (
        f'Judge by "at worst", which is promised to every single {words.one}. "On average" is what '
        f"an attacker reaches over many {words.one}s; it compares fits, and hides those who are "
        "found out."
    )


def _size(epsilon: float, delta: float, small: float) -> str:
    times = f"e^{epsilon:g}"
    if epsilon < 20:
        times += f" = {math.exp(epsilon):.3g}"
    here = "this one is"
    if delta > SMALL_DELTA:
        at = "no epsilon holds" if small == math.inf else f"it has epsilon {small:.3g}"
        here = f"at delta {SMALL_DELTA:g} {at}, so this one is"
    return (
        f"Epsilon {epsilon:g}: nothing that is published is more than {times} times as likely from "
        "one of two neighbouring tables as from the other, up to delta. Ponomareva et al. (How to "
        f"DP-fy ML, 2023) call a guarantee strong up to epsilon {STRONG:g}, reasonable up to "
        f"{REASONABLE:g}, and weak above, at a small delta: {here} {tier(small)} for what it "
        "protects."
    )


def _of_users(delta: float, users: int | None) -> str:
    if delta == 0:
        return "Delta is 0: there is no exception to that."
    fits = for_users(delta)
    if users is None:
        return f"Delta {delta:g} is {fits}; how many there are is in no file unless it is public."
    verdict = "fits" if users <= most_users(delta) else "is too large for"
    return (
        f"Delta {delta:g} {verdict} about {users} users: delta times their number is "
        f"{delta * users:.2g}, and must be at most {EXPECTED:g}."
    )


def _percent(rate: float) -> str:
    """Round up: all rates are bounds from above. Near 1, to a digit that tells it from 1."""
    left = 100 * (1 - rate)
    if 1e-9 < left < 0.1:
        digits = -math.floor(math.log10(left))
        return f"{100 - math.floor(left * 10**digits * (1 + 1e-9)) / 10**digits:.{digits}f} %"
    return f"{math.ceil(rate * 1000 * (1 - 1e-12)) / 10:g} %"


def _up(number: float) -> float:
    """Return four digits, rounded up."""
    step = 10.0 ** (math.floor(math.log10(number)) - 3)
    return math.ceil(number / step * (1 - 1e-12)) * step


def event_of(guarantee: Guarantee, noise: Gaussian | Laplace) -> dict[str, object]:
    """Return the fit as an event of dp-accounting.

    Keys are as in its ``to_named_tuple``: ``module_name``, ``class_name`` and the fields of the
    class. Sensitivities are already for the relation of the guarantee: an accountant must take them
    as the distance of neighbours (``ADD_OR_REMOVE_ONE``). A private choice of items adds its slack
    d: epsilon at delta is the event's epsilon at delta - d, less log(1 - d).
    """
    name, listed = f"{type(noise).__name__}DpEvent", guarantee.listed
    one = _event(name, noise_multiplier=noise.scale)
    fit = _event("SelfComposedDpEvent", event=one, count=guarantee.releases)
    if not listed:
        return fit
    weight = math.sqrt((1 - listed.share) / (listed.share * guarantee.releases))
    counts = _event(name, noise_multiplier=noise.scale * weight)
    return _event("ComposedDpEvent", events=[counts, fit])


def _event(name: str, **fields: object) -> dict[str, object]:
    return {"module_name": "dp_accounting.dp_event", "class_name": name, **fields}
