"""Faults planted into what is published: each would get past an audit of queries of one shape."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

import numpy as np

from dpmc.methods.factorization.private_als import PrivateALS
from dpmc.methods.factorization.private_baselines import PrivateUserItemBias
from dpmc.methods.private import PrivateMethod
from dpmc.methods.private_choice import Keyed
from dpmc.methods.released import fit_folder
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.publication.folder import GUARANTEE
from dpmc_studies.studies.audit.faults import Fault, Row
from dpmc_studies.studies.audit.item_lists import Followed
from dpmc_studies.studies.audit.released import Publisher, publisher_rows
from dpmc_studies.studies.audit.released_items import choice_rows, listing_row
from dpmc_studies.studies.audit.released_rows import published_method

PENALTY = "item penalty grows with the number of users"
LENGTHS = "users' exact mean length in the item factors"
ROW_NUMBERS = "choice keyed by row numbers"
START = "start drawn after a number for each user"
USERS_TOLD = "number of users in guarantee.json"
UNRATED = "items that nobody rated left out of the file"
NO_ROOM = "threshold without room for k items"
WEIGHT = "choice of items with a hundredth of its weight"
NOT_CHARGED = "choice of items not charged"
ORDER = "items listed in the order of exact counts"


def faults() -> Iterator[Fault]:
    """Yield all of them, for ``seed``."""
    for fault in (*PUBLISHER_FAULTS, *CHOICE_FAULTS):
        yield Fault(fault, {"published": fault}, partial(_rows, fault))


def _rows(fault, _, rng) -> Iterator[Row]:
    return faulty_published_rows(fault, rng)


def faulty_published_rows(fault: str, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of the audit with one of PUBLISHER_FAULTS or CHOICE_FAULTS."""
    if fault in CHOICE_FAULTS:
        followed = CHOICE_FAULTS[fault]
        yield from choice_rows("private_user_item_bias", USER_ADD_REMOVE, rng, followed)
        yield listing_row(USER_ADD_REMOVE, rng, followed)
        return
    name, cls, options = PUBLISHER_FAULTS[fault]
    key = {"method": name, "relation": USER_ADD_REMOVE, "mechanism": "gaussian"}
    publisher = Publisher(published_method(**key, cls=cls), **options)
    yield from publisher_rows(publisher, rng, key)


class _PenalisedByUsers(PrivateALS):
    def _fit(self, ratings, *others):
        stated = self.regularization
        self.regularization *= 1 + 0.001 * ratings.n_users
        super()._fit(ratings, *others)
        self.regularization = stated


class _TellingLengths(PrivateALS):
    def _fit(self, *arguments):
        super()._fit(*arguments)
        self.item_factors_ = self.item_factors_ + 1e-6 * np.mean(
            np.linalg.norm(self.user_factors_, axis=1)
        )


class _StartingAfterUsers(PrivateALS):
    def _fit(self, ratings, statistics, randomness, callback):
        randomness.rng.random(ratings.n_users)
        super()._fit(ratings, statistics, randomness, callback)


class _KnowingRated(PrivateUserItemBias):
    def _fit(self, ratings, *others):
        super()._fit(ratings, *others)
        self.rated_ = np.isin(np.arange(ratings.n_items), ratings.items)


class _KeyedByNumber(Keyed):
    """Which ratings count goes by the number of the row, which changes when another one leaves."""

    def __init__(self, ratings, key, rng):
        super().__init__(ratings, key, rng)
        self._users = np.arange(ratings.n_users)


def _counting_users(path: Path, model, parts, notes) -> list[str]:
    """Write as it should be, and the number of users."""
    names = fit_folder.write(path, model, parts, notes)
    file = path / names[-1]
    assert names[-1].endswith(GUARANTEE)
    content = json.loads(file.read_text("utf-8")) | {"users": model.shape_[0]}
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return names


def _without_unrated(path: Path, model, parts, notes) -> list[str]:
    """Write as it should be, but for the items that nobody rated."""
    names = fit_folder.write(path, model, parts, notes)
    header, *lines = csv.reader(io.StringIO((path / names[0]).read_text("utf-8")))
    with open(path / names[0], "w", newline="", encoding="utf-8") as stream:
        kept = [line for line, rated in zip(lines, model.rated_, strict=True) if rated]
        csv.writer(stream, lineterminator="\n").writerows([header, *kept])
    return names


class _WithoutRoom(Followed):
    @property
    def probability(self):
        return self.list_delta


class _Weighted(Followed):
    def select(self, labels, counts, ledger):
        return super().select(labels, counts, _LighterLedger(ledger))


class _LighterLedger:
    """A ledger whose choices have a hundredth of the weight that was asked for."""

    def __init__(self, ledger):
        self._ledger = ledger
        self.releases = ledger.releases

    def select(self, *arguments, weight, **options):
        return self._ledger.select(*arguments, weight=weight / 100, **options)


class _Free(Followed):
    """The fit gets all of the budget, and the ledger does not hear of the choice."""

    @property
    def fit_epsilon(self):
        return self.epsilon

    @property
    def fit_delta(self):
        return self.delta

    @property
    def noise_multiplier(self):
        budget = {"epsilon": self.epsilon, "delta": self.delta}
        return calibrate("gaussian", releases=1, **budget).noise.scale

    def releases(self, of_fit):
        return of_fit

    def select(self, labels, counts, ledger):
        spent, ledger.spent = ledger.spent, 0.0
        found = super().select(labels, counts, ledger)
        ledger.spent = spent
        return found


class _ByCount(Followed):
    def select(self, labels, counts, ledger):
        listed, threshold = super().select(labels, counts, ledger)
        return listed[np.argsort(-counts[listed], kind="stable")], threshold


PUBLISHER_FAULTS: Mapping[str, tuple[str, type[PrivateMethod] | None, Mapping]] = {
    PENALTY: ("private_als", _PenalisedByUsers, {}),
    LENGTHS: ("private_als", _TellingLengths, {}),
    ROW_NUMBERS: ("private_user_item_bias", None, {"keyed": _KeyedByNumber}),
    START: ("private_als", _StartingAfterUsers, {}),
    USERS_TOLD: ("private_user_item_bias", None, {"write": _counting_users}),
    UNRATED: ("private_user_item_bias", _KnowingRated, {"write": _without_unrated}),
}
"""Fault -> method or family, its class with the fault, and what else publishes otherwise."""

CHOICE_FAULTS = {
    NO_ROOM: _WithoutRoom, WEIGHT: _Weighted, NOT_CHARGED: _Free, ORDER: _ByCount,
}  # fmt: skip
"""Fault -> the private choice of items that has it."""
