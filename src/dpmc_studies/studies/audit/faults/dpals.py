"""Faults planted into methods that protect users: mistakes of papers, or that are easily made."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import numpy as np

from dpmc.mechanisms import Gaussian
from dpmc.methods.kernels.private import column_counts
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_ease.method import LocalEase
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc_studies.methods.user_level.dpals import DPALS
from dpmc_studies.methods.user_level.dpals_features import DPALSWithFeatures
from dpmc_studies.methods.user_level.gradient import NoisyGradient
from dpmc_studies.studies.audit.dpals import audited_family
from dpmc_studies.studies.audit.faults import RUNS, Fault, FaultyMethod, Row
from dpmc_studies.studies.audit.featured import AuditedLists
from dpmc_studies.studies.audit.method_runs import method_rows
from dpmc_studies.studies.audit.neighbours import RATINGS_PER_USER

SIGMA = "sigma / sqrt(2)"
NO_K = "start without its factor k"
MEAN_SQRT_K = "private mean with sqrt(k)"
COUNTS_FREE = "counts not charged"
ROWS_NOT_CLIPPED = "rows of ratings not clipped"
ROWS_NOT_SHORTENED = "rows of offsets not shortened"
UPDATES_NOT_SHORTENED = "updates not shortened"
COVARIANCE_OF_LONG_ROWS = "covariance of long rows"
ERRORS_NOT_CLIPPED = "errors of users not clipped"
HALF_OF_GRADIENTS = "noise for half of a user's gradient"
COUNTS_NOT_SHORTENED = "counts of likes not shortened"
PAIRS_NOT_SHORTENED = "pairs of likes not shortened"
GAINS_NOT_CLIPPED = "gains of lists not clipped"
FEATURES_OF_RATINGS = "features made of ratings"


def faults() -> Iterator[Fault]:
    """Yield all of them, for ``seed``."""
    for fault in FAULTS:
        yield Fault(fault, {"dpals": fault}, partial(_rows, fault))


def _rows(fault, _, rng) -> Iterator[Row]:
    return faulty_rows(fault, RUNS, rng)


def faulty_rows(fault: str, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of a method with one of FAULTS, where users come or go.

    ``runs`` are made on each of two neighbouring data sets.
    """
    family, cls, noise = FAULTS[fault]
    method = audited_family(family, USER_ADD_REMOVE, cls=cls)
    key = {"method": family, "relation": USER_ADD_REMOVE, "mechanism": "gaussian"}
    return method_rows([(method, noise(method, rng))], runs, rng, key)


def _less_sensitive(cls: type, what: Sequence[str], factor: float) -> type:
    """Return a method that states a smaller sensitivity of some releases than they have."""

    class Faulty(cls):
        def __init__(self, **settings):
            super().__init__(**settings)
            for each in what:
                part = self.plan[each]
                self.plan[each] = replace(part, sensitivity=part.sensitivity / factor)

    return Faulty


class _UncountedDPALS(DPALS):
    """Counts are looked at without noise, and their share of the budget goes to the rest."""

    def __init__(self, **settings):
        super().__init__(**settings)
        left = 1 - self.plan.pop("counts").share
        self.plan = {
            what: replace(part, share=part.share / left) for what, part in self.plan.items()
        }

    def _popularity(self, ratings, released, randomness):
        sample = self._chosen(ratings, randomness)
        return column_counts(sample, ratings.n_items), self.centre + released.mean(sample)


class _UnclippedDPALS(DPALS):
    """The noise is for users whose ratings have a bounded norm, and nobody bounds it."""

    def __init__(self, **settings):
        super().__init__(**settings)
        self.row_bound = None


def _unshortened(cls: type, unshortened: str) -> type:
    """Return a method whose noise is for a bounded norm of a release, and which sends more."""

    class Faulty(cls):
        def _release(self, statistics, what, sent, *others):
            longer = 4 if what == unshortened else 1
            return super()._release(statistics, what, longer * sent, *others)

    return Faulty


class _FeaturesOfRatings(DPALSWithFeatures):
    def _features(self, ratings):
        return ratings.by_item.means(0.0)[:, None]


def _smaller_sigma(method, rng):
    return FloatNoise(Gaussian(method.calibration.noise.scale / 2**0.5), rng)


FAULTS: Mapping[str, FaultyMethod] = {
    SIGMA: FaultyMethod("dpals", noise=_smaller_sigma),
    NO_K: FaultyMethod("dpals_literal", _less_sensitive(DPALS, ["start"], RATINGS_PER_USER)),
    MEAN_SQRT_K: FaultyMethod(
        "dpals_frequent",
        _less_sensitive(DPALS, ["total_sum", "total_count"], RATINGS_PER_USER**0.5),
    ),
    COUNTS_FREE: FaultyMethod("dpals_frequent", _UncountedDPALS),
    ROWS_NOT_CLIPPED: FaultyMethod("dpals_h_free_clipped", _UnclippedDPALS),
    ROWS_NOT_SHORTENED: FaultyMethod("local_bayes", _unshortened(LocalBayes, "offsets")),
    UPDATES_NOT_SHORTENED: FaultyMethod("local_bayes", _unshortened(LocalBayes, "updates")),
    COVARIANCE_OF_LONG_ROWS: FaultyMethod(
        "local_bayes_directions", _unshortened(LocalBayes, "covariance")
    ),
    ERRORS_NOT_CLIPPED: FaultyMethod("local_bayes_held_out", _unshortened(LocalBayes, "worth")),
    HALF_OF_GRADIENTS: FaultyMethod(
        "dp_gradient_spectral", _less_sensitive(NoisyGradient, ["gradient"], 2)
    ),
    COUNTS_NOT_SHORTENED: FaultyMethod("local_ease", _unshortened(LocalEase, "counts")),
    PAIRS_NOT_SHORTENED: FaultyMethod("local_ease", _unshortened(LocalEase, "pairs")),
    GAINS_NOT_CLIPPED: FaultyMethod("local_ease_likes", _unshortened(AuditedLists, "check")),
    FEATURES_OF_RATINGS: FaultyMethod("dp_cmf", _FeaturesOfRatings),
}
"""By family."""
