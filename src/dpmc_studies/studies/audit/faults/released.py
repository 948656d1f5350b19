"""Faults planted into publications; an audit of queries of one shape would miss each of them."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import numpy as np

from dpmc.methods.factorization.private_als import PrivateALS
from dpmc.methods.private import PrivateMethod
from dpmc.methods.private_choice import Keyed
from dpmc.methods.released import fit_folder
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc_studies.studies.audit.faults import Fault, Row
from dpmc_studies.studies.audit.item_lists import Followed
from dpmc_studies.studies.audit.released import Publisher, publisher_rows
from dpmc_studies.studies.audit.released_items import choice_rows, listing_row
from dpmc_studies.studies.audit.released_rows import published_method


def faults() -> Iterator[Fault]:
    """Yield all of them, for ``seed``."""
    for fault in (*PUBLISHER_FAULTS, *CHOICE_FAULTS):
        key = {"published": fault}
        yield Fault(fault, key, lambda _, rng, fault=fault: faulty_published_rows(fault, rng))


def faulty_published_rows(fault: str, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of the audit with one of PUBLISHER_FAULTS or CHOICE_FAULTS."""
    if fault in CHOICE_FAULTS:
        followed = CHOICE_FAULTS[fault]
        yield from choice_rows("private_user_item_bias", USER_ADD_REMOVE, rng, followed)
        yield listing_row(USER_ADD_REMOVE, followed)
        return
    name, cls, options = PUBLISHER_FAULTS[fault]
    key = {"method": name, "relation": USER_ADD_REMOVE, "mechanism": "gaussian"}
    publisher = Publisher(published_method(**key, cls=cls), **options)
    yield from publisher_rows(publisher, rng, key)


class _TellingLengths(PrivateALS):
    def _fit(self, *arguments):
        super()._fit(*arguments)
        self.item_factors_ = self.item_factors_ + 1e-6 * np.mean(
            np.linalg.norm(self.user_factors_, axis=1)
        )


class _KeyedByNumber(Keyed):
    """A fault: the choice of ratings depends on the row number, which changes if a user leaves."""

    def __init__(self, ratings, key, rng):
        super().__init__(ratings, key, rng)
        self._users = np.arange(ratings.n_users)


def _counting_users(path: Path, model, parts, notes) -> list[str]:
    """A fault: the files are right, but also contain the number of users."""
    names = fit_folder.write(path, model, parts, notes)
    file = path / names[-1]  # the guarantee
    content = json.loads(file.read_text("utf-8")) | {"users": model.shape_[0]}
    file.write_text(json.dumps(content, indent=2) + "\n", encoding="utf-8")
    return names


class _WithoutRoom(Followed):
    @property
    def probability(self):
        return self.list_delta


class _Free(Followed):
    """A fault: the fit gets the whole budget, and the ledger does not know of the choice."""

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
    "users' exact mean length in the item factors": ("private_als", _TellingLengths, {}),
    "choice keyed by row numbers": ("private_user_item_bias", None, {"keyed": _KeyedByNumber}),
    "number of users in guarantee.json": (
        "private_user_item_bias", None, {"write": _counting_users},
    ),
}  # fmt: skip
"""Fault -> method or family, its class with the fault, and what else publishes otherwise."""

CHOICE_FAULTS = {
    "threshold without room for k items": _WithoutRoom,
    "choice of items not charged": _Free,
    "items listed in the order of exact counts": _ByCount,
}
"""Fault -> the private choice of items that has it."""
