"""Faults planted into publications; the black-box attack must find them from the files alone."""

from collections.abc import Callable, Iterator, Mapping

import numpy as np

from dpmc.methods.factorization.private_baselines import PrivateUserItemBias
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.privacy.release import GridNoise
from dpmc_studies.studies.audit.attack_cases import CLAIMED, Case, agreeing, extremes, fit_case
from dpmc_studies.studies.audit.dpals import audited_family
from dpmc_studies.studies.audit.faults import Fault
from dpmc_studies.studies.audit.item_lists import carriers
from dpmc_studies.studies.audit.method_runs import DELTA, audited_method
from dpmc_studies.studies.audit.neighbours import RANGE, RATINGS_PER_USER

RUNS = 400
"""Of a faulty publication, on either data set: enough to show more than the claimed epsilon."""


def faults() -> Iterator[Fault]:
    """Yield all faults; no setting has an effect, and the noise is exact."""
    for fault, plant in ATTACKED_FAULTS.items():
        yield Fault(fault, {}, lambda *_, plant=plant: plant().rows(RUNS))


class _FaintNoise(GridNoise):
    """Exact noise of a tenth of the scale."""

    def add(self, query, sensitivity, changed=None):
        return super().add(query, sensitivity / 10, changed)


def _faint() -> Case:
    name = "private_user_item_bias"
    method = audited_method(name, USER_ADD_REMOVE, "gaussian", epsilon=CLAIMED)
    return fit_case(name, method, *extremes(USER_ADD_REMOVE), noise=_FaintNoise)


def faint_bayes(family: str = "local_bayes") -> Case:
    """Return the case of a family of local Bayes with a tenth of its noise."""
    method = audited_family(family, USER_ADD_REMOVE, CLAIMED)
    return fit_case(family, method, *agreeing(), noise=_FaintNoise)


def _raw_list() -> Case:
    """A fault: the items that occur in a file are published as if they were public."""
    method = PrivateUserItemBias(
        relation=USER_ADD_REMOVE, epsilon=CLAIMED, delta=DELTA, rating_range=RANGE,
        ratings_per_user=RATINGS_PER_USER,
    )  # fmt: skip
    pair = carriers(USER_ADD_REMOVE, np.random.default_rng(0))
    return fit_case("private_user_item_bias", method, *pair)


ATTACKED_FAULTS: Mapping[str, Callable[[], Case]] = {
    "noise x 0.1": _faint,
    "noise of local Bayes x 0.1": faint_bayes,
    "list of items taken from the ratings": _raw_list,
}
"""Fault -> the case that has it."""
