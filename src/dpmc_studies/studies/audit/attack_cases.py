"""The cases of the black-box attack: every kind of publication.

Each case runs as for publication: exact noise, fresh keys and fresh starts, without seeds. The
numbers therefore differ between two runs of this part. A correct method fails a row with a
probability of at most 1 - CONFIDENCE.
"""

import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from dpmc.errors import InputError
from dpmc.methods.factorization.private_baselines import PrivateUserItemBias
from dpmc.methods.private import PrivateMethod
from dpmc.methods.released import fit_folder
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.privacy.ledger import Ledger
from dpmc.privacy.relations import (
    ENTRY_ADD_REMOVE,
    ENTRY_CHANGE,
    USER_ADD_REMOVE,
    USER_LEVEL,
    USER_REPLACE,
)
from dpmc.privacy.release import GridNoise
from dpmc.privacy.selection import Selection
from dpmc.ratings import Ratings
from dpmc_studies.studies.audit.attack import Reading, lower_bound, read
from dpmc_studies.studies.audit.dpals import FAMILIES, audited_family
from dpmc_studies.studies.audit.item_lists import carriers
from dpmc_studies.studies.audit.method_runs import DELTA, audited_method
from dpmc_studies.studies.audit.neighbours import (
    RANGE,
    RATINGS_PER_USER,
    neighbours,
    of_people,
    with_labels,
)
from dpmc_studies.studies.audit.released import TARGET, files_of
from dpmc_studies.studies.audit.released_rows import FITTED, FITTED_FAMILIES
from dpmc_studies.studies.audit.rows import CONFIDENCE, bound_row

OTHER_RELATIONS = (
    ("private_user_item_bias", USER_REPLACE),
    ("private_als", USER_REPLACE),
    ("private_als", ENTRY_CHANGE),
    ("private_user_item_bias", ENTRY_ADD_REMOVE),
)
"""Beside users who come or go."""
ITEMS_SHARE = 0.3
"""Of the budget, for the private choice of items."""
CLAIMED = 2.0
"""Epsilon of what is attacked: 200 runs a side can show more, so that an attack can succeed."""
CROWD = 4
"""Users that stay, in the small data that are attacked."""
AGREEING, OWN_ITEMS, COMMON_ITEMS = 50, 20, 30
"""Users that stay and the items of one user and of all others, where a model has to be learnt."""


@dataclass(frozen=True, eq=False)
class Case:
    """One kind of publication, of the neighbouring data sets ``here`` and ``there``.

    ``publish(path, data)`` makes the folder; ``claim`` holds columns of the row.
    """

    claim: Mapping[str, object]
    here: object
    there: object
    publish: Callable[[Path, object], object]

    def rows(self, runs: int) -> Iterator[dict[str, object]]:
        """Yield the row of the attack, with the given number of publications of each data set."""
        from threadpoolctl import threadpool_limits

        one_thread = threadpool_limits(1, user_api="blas")
        with one_thread, tempfile.TemporaryDirectory() as parent:
            sides = [
                [self._reading(Path(parent) / f"{side}-{run}", data) for run in range(runs)]
                for side, data in enumerate((self.here, self.there))
            ]
            found = lower_bound(*sides, delta=self.claim["delta"], confidence=CONFIDENCE)
        claim = {"target": TARGET, "claimed_epsilon": CLAIMED, "samples": runs, **self.claim}
        yield bound_row("black_box", found, claim)

    def _reading(self, path: Path, data) -> Reading:
        try:
            self.publish(path, data)
        except InputError as refused:  # seen by everybody as well
            return read({"refusal": str(refused).encode()})
        return read({file.name: file.read_bytes() for file in sorted(path.iterdir())})


def attack_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of all kinds of publications; ``attacks`` counts those of each data set."""
    for case in cases():
        yield from case.rows(settings["attacks"])


def cases() -> Iterator[Case]:
    """Yield every method under one relation at least, and the choice of items."""
    for name in (*FITTED, *FITTED_FAMILIES):
        yield method_case(name, USER_ADD_REMOVE)
    for name, relation in OTHER_RELATIONS:
        yield method_case(name, relation)
    yield choice_case()


def method_case(name: str, relation: str) -> Case:
    """Return the case of a method or of a family, with Gaussian noise."""
    if name in FAMILIES:
        method = audited_family(name, relation, CLAIMED)
    else:
        method = audited_method(name, relation, "gaussian", epsilon=CLAIMED)
    learnt = isinstance(method, LocalBayes) and relation == USER_ADD_REMOVE
    return fit_case(name, method, *(agreeing() if learnt else extremes(relation)))


def extremes(relation: str) -> tuple[Ratings, Ratings]:
    """Return small neighbouring data: a user with the highest ratings among others with the lowest.

    Only the user rated the first item. The user is the first one, so all others get new numbers
    when the user leaves. Under replacement, the new user is the last one and rated other items. At
    entry level one rating changes or is removed.
    """
    if relation not in USER_LEVEL:
        return tuple(map(with_labels, neighbours(relation, np.random.default_rng(0))["extreme"]))
    n_items = 2 * RATINGS_PER_USER
    counting = np.arange(n_items) < RATINGS_PER_USER
    low, high = RANGE
    crowd = np.full((CROWD, n_items), low)
    crowd[:, 0] = np.nan
    victim, other = np.where([counting, ~counting], high, np.nan)
    labels = [f"person {number}" for number in range(CROWD + 2)]
    here = of_people(np.vstack([victim, crowd]), labels[:-1])
    if relation == USER_REPLACE:
        return here, of_people(np.vstack([crowd, other]), labels[1:])
    return here, of_people(crowd, labels[1:-1])


def agreeing() -> tuple[Ratings, Ratings]:
    """Return neighbouring data on which local Bayes reveals a user if its noise is too small.

    On :func:`extremes` a tenth of the noise would still hide the user: with so few ratings the
    published model stays close to its prior, and its uncertainty covers the rest. Here all other
    users agree: half of their items have the highest ratings, half the lowest. The first user has
    ratings of the same kind on items that nobody else rated.
    """
    n_items = OWN_ITEMS + COMMON_ITEMS
    own = np.arange(n_items) < OWN_ITEMS
    ratings = np.where(np.arange(n_items) % 2, RANGE[1], RANGE[0])
    rows = [np.where(own, ratings, np.nan)] + AGREEING * [np.where(own, np.nan, ratings)]
    labels = [f"person {number}" for number in range(1 + AGREEING)]
    return of_people(np.array(rows), labels), of_people(np.array(rows[1:]), labels[1:])


def choice_case() -> Case:
    """Return the case of a private choice of items: is the item of a single user in the list?"""
    selection = Selection(USER_ADD_REMOVE, RATINGS_PER_USER, CLAIMED, DELTA, ITEMS_SHARE)
    method = PrivateUserItemBias(
        relation=USER_ADD_REMOVE,
        epsilon=selection.fit_epsilon,
        delta=selection.fit_delta,
        rating_range=RANGE,
        ratings_per_user=RATINGS_PER_USER,
    )
    pair = carriers(USER_ADD_REMOVE, np.random.default_rng(0))
    return fit_case("private_choice_of_items", method, *pair, selection=selection)


def fit_case(name, method: PrivateMethod, here, there, *, selection=None, noise=GridNoise) -> Case:
    """Return the case of a method on neighbouring data.

    With ``selection`` the list of items is chosen privately. ``noise`` turns the calibrated
    mechanism into the noise that the ledger adds.
    """
    releases = method.releases_with(selection)

    def publish(path, ratings):
        ledger = Ledger(noise(method.calibration.noise), releases)
        method.fit(ratings, ledger=ledger, selection=selection)
        fit_folder.write(path, method, files_of(method), {})

    claim = {"method": name, "mechanism": "gaussian", "relation": method.relation, "delta": DELTA}
    return Case(claim, here, there, publish)
