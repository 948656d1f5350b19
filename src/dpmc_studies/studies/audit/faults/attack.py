"""Faults planted into publications that the black-box attack must catch, with files alone."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy as np

from dpmc.methods.factorization.private_baselines import PrivateUserItemBias
from dpmc.methods.private_choice import Seeded
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.privacy.release import GridNoise
from dpmc.ratings import Ratings
from dpmc_studies.studies.audit.attack_cases import CLAIMED, Case, agreeing, extremes, fit_case
from dpmc_studies.studies.audit.dpals import audited_family
from dpmc_studies.studies.audit.faults import Fault, Row
from dpmc_studies.studies.audit.item_lists import carriers
from dpmc_studies.studies.audit.method_runs import DELTA, audited_method
from dpmc_studies.studies.audit.neighbours import RANGE, RATINGS_PER_USER, of_people

NOISE_TENTH = "noise x 0.1"
NOISE_OF_BAYES = "noise of local Bayes x 0.1"
FIXED_CHOICE = "choice by a constant seed and row numbers"
RAW_LIST = "list of items taken from the ratings"
RUNS = 400
"""Of a faulty publication, on either data set: enough to show more than the claimed epsilon."""
MANY_USERS, MANY_ITEMS = 300, 8
"""Where the choices of all move along with one user: it shows as the root of their number."""


def faults() -> Iterator[Fault]:
    """Yield all of them; no setting counts, and the noise is exact."""
    for fault, plant in ATTACKED_FAULTS.items():
        yield Fault(fault, {}, partial(_rows, plant))


def _rows(plant, *_) -> Iterator[Row]:
    return plant().rows(RUNS)


class _FaintNoise(GridNoise):
    """Exact noise of a tenth of the scale."""

    def add(self, query, sensitivity, changed=None):
        return super().add(query, sensitivity / 10, changed)


class _FixedChoice(PrivateUserItemBias):
    """The review's: a generator with a constant seed, and a hash of row numbers."""

    def _randomness(self, *_):
        return Seeded(np.random.default_rng(0))


def renumbered_crowd() -> tuple[Ratings, Ratings]:
    """Return ratings of many users, without the first in the second: all others move up.

    Each rates every item, at random at either end of the range, so which ratings count decides what
    an item's mean is.
    """
    rows = np.random.default_rng(0).choice(RANGE, (MANY_USERS, MANY_ITEMS))
    labels = [f"person {number:03d}" for number in range(MANY_USERS)]
    return of_people(rows, labels), of_people(rows[1:], labels[1:])


def crowd_case(method: type[PrivateUserItemBias] = PrivateUserItemBias) -> Case:
    """Return the case of biases of :func:`renumbered_crowd`."""
    made = method(
        relation=USER_ADD_REMOVE, epsilon=CLAIMED, delta=DELTA, rating_range=RANGE,
        ratings_per_user=RATINGS_PER_USER,
    )  # fmt: skip
    return fit_case("private_user_item_bias", made, *renumbered_crowd())


def _faint(name) -> Case:
    method = audited_method(name, USER_ADD_REMOVE, "gaussian", epsilon=CLAIMED)
    return fit_case(name, method, *extremes(USER_ADD_REMOVE), noise=_FaintNoise)


def faint_bayes(family: str) -> Case:
    """Return the case of a family of local Bayes with a tenth of its noise."""
    method = audited_family(family, USER_ADD_REMOVE, CLAIMED)
    return fit_case(family, method, *agreeing(), noise=_FaintNoise)


def _raw_list() -> Case:
    """The items that occur in a file are published, as if everybody knew them."""
    method = PrivateUserItemBias(
        relation=USER_ADD_REMOVE, epsilon=CLAIMED, delta=DELTA, rating_range=RANGE,
        ratings_per_user=RATINGS_PER_USER,
    )  # fmt: skip
    pair = carriers(USER_ADD_REMOVE, np.random.default_rng(0))
    return fit_case("private_user_item_bias", method, *pair)


ATTACKED_FAULTS: Mapping[str, Callable[[], Case]] = {
    NOISE_TENTH: lambda: _faint("private_user_item_bias"),
    NOISE_OF_BAYES: lambda: faint_bayes("local_bayes"),
    FIXED_CHOICE: lambda: crowd_case(_FixedChoice),
    RAW_LIST: _raw_list,
}
"""Fault -> the case that has it."""
