"""Faults planted into methods that protect users: mistakes of papers, and easy mistakes."""

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from dpmc.mechanisms import Gaussian
from dpmc.methods.kernels.private import column_counts
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.local_ease.method import LocalEase
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc_studies.methods.user_level.dpals import DPALS
from dpmc_studies.studies.audit.dpals import audited_family
from dpmc_studies.studies.audit.faults import RUNS, Fault, FaultyMethod, Row
from dpmc_studies.studies.audit.featured import AuditedLists, AuditedWithFeatures
from dpmc_studies.studies.audit.method_runs import method_rows
from dpmc_studies.studies.audit.neighbours import RATINGS_PER_USER


def faults() -> Iterator[Fault]:
    """Yield all of them, for ``seed``."""
    for fault in FAULTS:
        key = {"dpals": fault}
        yield Fault(fault, key, lambda _, rng, fault=fault: faulty_rows(fault, RUNS, rng))


def faulty_rows(fault: str, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of a method with one of FAULTS, where users come or go.

    ``runs`` are made on each of two neighbouring data sets.
    """
    family, cls, noise = FAULTS[fault]
    method = audited_family(family, USER_ADD_REMOVE, cls=cls)
    key = {"method": family, "relation": USER_ADD_REMOVE, "mechanism": "gaussian"}
    return method_rows([(method, noise(method, rng))], runs, rng, key)


class _StartWithoutK(DPALS):
    """A fault: the stated sensitivity of the start is smaller than the true one."""

    def __init__(self, **settings):
        super().__init__(**settings)
        start = self.plan["start"]
        self.plan["start"] = replace(start, sensitivity=start.sensitivity / RATINGS_PER_USER)


class _UncountedDPALS(DPALS):
    """A fault: counts are used without noise; other releases get their share of the budget."""

    def __init__(self, **settings):
        super().__init__(**settings)
        left = 1 - self.plan.pop("counts").share
        self.plan = {
            what: replace(part, share=part.share / left) for what, part in self.plan.items()
        }

    def _popularity(self, ratings, released, randomness):
        sample = self._chosen(ratings, randomness)
        return column_counts(sample, ratings.n_items), self.centre + released.mean(sample)


def _unshortened(cls: type, unshortened: str) -> type:
    """Return a method whose noise assumes a bounded norm, while its releases exceed the bound."""

    class Faulty(cls):
        def _release(self, statistics, what, sent, *others):
            longer = 4 if what == unshortened else 1
            return super()._release(statistics, what, longer * sent, *others)

    return Faulty


class _FeaturesOfRatings(AuditedWithFeatures):
    def _features(self, ratings):
        return ratings.by_item.means(0.0)[:, None]


def _smaller_sigma(method, rng):
    return FloatNoise(Gaussian(method.calibration.noise.scale / 2**0.5), rng)


FAULTS: Mapping[str, FaultyMethod] = {
    "sigma / sqrt(2)": FaultyMethod("dpals", noise=_smaller_sigma),
    "start without its factor k": FaultyMethod("dpals_literal", _StartWithoutK),
    "counts not charged": FaultyMethod("dpals_frequent", _UncountedDPALS),
    "rows of offsets not shortened": FaultyMethod(
        "local_bayes", _unshortened(LocalBayes, "offsets")
    ),
    "updates not shortened": FaultyMethod("local_bayes", _unshortened(LocalBayes, "updates")),
    "covariance of long rows": FaultyMethod(
        "local_bayes_directions", _unshortened(LocalBayes, "covariance")
    ),
    "errors of users not clipped": FaultyMethod(
        "local_bayes_held_out", _unshortened(LocalBayes, "worth")
    ),
    "counts of likes not shortened": FaultyMethod("local_ease", _unshortened(LocalEase, "counts")),
    "pairs of likes not shortened": FaultyMethod("local_ease", _unshortened(LocalEase, "pairs")),
    "gains of lists not clipped": FaultyMethod(
        "local_ease_likes", _unshortened(AuditedLists, "check")
    ),
    "features made of ratings": FaultyMethod("dp_cmf", _FeaturesOfRatings),
}
"""By family."""
