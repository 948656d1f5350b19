"""Audit of the private choice of items, on neighbours with items that nobody else has.

A replay needs a list of items that both neighbours can publish. We therefore condition on event A
of :mod:`dpmc.privacy.selection`: no item of the one user alone was listed. Then the counts of
common items change by at most their sensitivity, the items that only one side has are few and have
counts of 1, and everything after the choice replays as if the list were public. Draws of the exact
noise count how often such an item is listed, and the transcript gives the budget spent.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from dpmc.errors import InputError
from dpmc.mechanisms import Gaussian
from dpmc.privacy.ledger import FloatNoise, Ledger, PrivacyViolation
from dpmc.privacy.relations import USER_LEVEL
from dpmc.privacy.release import GridNoise
from dpmc_studies.methods import method_class
from dpmc_studies.statistics.privacy_bounds import clopper_pearson
from dpmc_studies.studies.audit.item_lists import Followed, ReplayOfList, carriers
from dpmc_studies.studies.audit.method_runs import DELTA, EPSILON
from dpmc_studies.studies.audit.neighbours import RANGE, RATINGS_PER_USER
from dpmc_studies.studies.audit.released import TARGET, Publisher, differing_bytes
from dpmc_studies.studies.audit.rows import (
    AUDIT,
    SIGNIFICANCE,
    difference_row,
    sensitivity_row,
    share_row,
    stream,
)
from dpmc_studies.studies.audit.traces import asked

SHARE = 0.3
"""Of the budget, for the list."""
AUDITED = {
    "private_user_item_bias": {},
    "private_als": {"rank": 3, "regularization": 0.01},
    "local_bayes": {"explained": 1e6, "held_out": 0.5},  # every kind of release that it has
    "local_ease": {"pairs_from": 0.0},
}
"""Methods that follow the choice, and their settings."""
STARTS = 20
"""With so many keys and starts each pair of neighbours is tried."""
ATTEMPTS = 50
"""Runs until one lists no item of the user alone: far more than it takes."""
LARGE_DELTA, MANY = 0.1, 8
"""Delta, and ratings per user, where it is counted how often an item of one user is listed: an
error in the room for several items shows most if there are several."""
DRAWS = 3000
"""Of the noise on the counts of a user's own items."""


@dataclass(frozen=True, eq=False)
class Choice:
    """The differences between a run with a private choice and its replay; infinite if refused."""

    change: float  # the largest of a query over its sensitivity; of counts, of common items
    own: float  # items that one side alone has over how many there may be, or their largest count
    spent: float  # epsilon of all that the transcript shows over the one that is stated
    differing: int  # published bytes


REFUSED = Choice(np.inf, np.inf, np.inf, 0)


def selection_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of the private choice of items with the methods that follow it.

    ``settings`` has ``seed``.
    """
    for relation in USER_LEVEL:
        for method in AUDITED:
            rng = stream(settings["seed"], AUDIT, {"items": method, "relation": relation})
            yield from choice_rows(method, relation, rng)
        yield listing_row(relation)


def choice_rows(
    method: str, relation: str, rng: np.random.Generator, followed: type[Followed] = Followed
) -> Iterator[dict[str, object]]:
    """Yield the rows of one method, a key of :data:`AUDITED`, after a choice of items.

    ``rng`` draws data, keys, starts and noise. ``followed`` makes the choice; a faulty one takes
    its place.
    """
    claim = {"target": TARGET, "mechanism": "gaussian", "relation": relation}
    claim |= {"method": "private_choice_of_items", "claimed_epsilon": EPSILON, "delta": DELTA}
    found = []
    for _ in range(STARTS):
        here, there = carriers(relation, rng)
        for pair in ((here, there), (there, here)):
            found.append(_follow(method, relation, *pair, rng, followed))
    yield sensitivity_row(max(each.change for each in found), claim)
    yield share_row("selection", max(each.own for each in found), claim)
    yield share_row("accounting", max(each.spent for each in found), claim)
    yield difference_row("published", sum(each.differing for each in found), claim)


def listing_row(relation: str, followed: type[Followed] = Followed) -> dict[str, object]:
    """Return the row for the probability that an item of one user alone is listed, as a share of d.

    The row shows a Clopper-Pearson lower bound, which exceeds the true probability with a
    probability of at most SIGNIFICANCE. The case is the worst one: the true probability is as large
    as the guarantee allows. The noise is that of publications, so nobody can reproduce its bits.
    ``followed`` makes the choice of items.
    """
    selection = followed(relation, MANY, EPSILON, LARGE_DELTA, 0.5)
    noise = Gaussian(selection.noise_multiplier / (1 - selection.share) ** 0.5)
    own = np.array([f"own {number}" for number in range(MANY)])
    listed = 0
    for _ in range(DRAWS):
        ledger = Ledger(GridNoise(noise), selection.releases(1))
        listed += selection.select(own, np.ones(MANY), ledger)[0].size > 0
    lower, _ = clopper_pearson(listed, DRAWS, SIGNIFICANCE)
    claim = {"target": TARGET, "mechanism": "gaussian", "relation": relation, "samples": DRAWS}
    claim |= {"method": "private_choice_of_items", "claimed_epsilon": EPSILON}
    claim |= {"delta": LARGE_DELTA}
    return share_row("selection", float(lower) / selection.list_delta, claim, 1 - SIGNIFICANCE)


def _method(name, selection):
    settings = {"ratings_per_user": RATINGS_PER_USER} | AUDITED[name]
    budget = {"epsilon": selection.fit_epsilon, "delta": selection.fit_delta}
    return method_class(name)(relation=selection.relation, rating_range=RANGE, **budget, **settings)


def _follow(name, relation, here, there, rng, followed) -> Choice:
    """Run until no own item is listed; replay; compare."""
    choices = [followed(relation, RATINGS_PER_USER, EPSILON, DELTA, SHARE) for _ in range(2)]
    publisher = Publisher(_method(name, choices[0]))
    mechanism, common = publisher.method.calibration.noise, set(there.item_labels.tolist())
    key, seed = rng.bytes(16), int(rng.integers(2**32))
    try:
        for _ in range(ATTEMPTS):
            try:
                first, run = publisher.fit(here, FloatNoise(mechanism, rng), key, seed, choices[0])
            except InputError:  # too few items were listed for the method
                continue
            if common.issuperset(first.item_labels_.tolist()):
                break
        else:
            return REFUSED
        outputs = [each.output for each in run.transcript]
        noise = ReplayOfList(outputs, choices[0].counted[-1], choices[1], mechanism)
        second, replay = publisher.fit(there, noise, key, seed, choices[1])
    except PrivacyViolation:
        return REFUSED
    counts = [
        dict(zip(choice.counted[-1].tolist(), each.transcript[0].query.tolist(), strict=True))
        for choice, each in zip(choices, (run, replay), strict=True)
    ]
    publications = [publisher.publication(model) for model in (first, second)]
    return Choice(
        _largest_change(run, replay, counts),
        _own_items(counts, choices[0]),
        _spent(run, mechanism, first.guarantee_),
        differing_bytes(*publications),
    )


def _largest_change(run, replay, counts) -> float:
    if asked(run) != asked(replay):
        return np.inf
    shared = counts[0].keys() & counts[1].keys()
    moved = np.linalg.norm([counts[0][label] - counts[1][label] for label in shared])
    changes = [moved / run.transcript[0].sensitivity]
    for first, second in zip(run.transcript[1:], replay.transcript[1:], strict=True):
        change = np.linalg.norm((first.query - second.query).ravel())
        changes.append(change / first.sensitivity)
    return float(max(changes))


def _own_items(counts, selection) -> float:
    """Return the items that one side alone counts over their limit, or the largest such count."""
    first, second = counts
    own = [side[label] for side in counts for label in side.keys() - (first.keys() & second.keys())]
    return max(len(own) / selection.changed, *own, 0.0)


def _spent(ledger, mechanism, guarantee) -> float:
    """Return epsilon by Gaussian differential privacy of the noise that was added, over the stated.

    A part d of the stated delta is for the list (see :mod:`dpmc.privacy.selection`).
    """
    own = guarantee.listed.delta
    squares = [
        (each.sensitivity / (each.scale * mechanism.std())) ** 2 for each in ledger.transcript
    ]
    epsilon = Gaussian(sum(squares) ** -0.5).epsilon(1.0, guarantee.delta - own)
    return (epsilon - np.log1p(-own)) / guarantee.epsilon
