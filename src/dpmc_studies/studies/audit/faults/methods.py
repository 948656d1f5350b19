"""Faults planted into noise and calibrated methods.

The faults are: noise at 0.8 times the right scale, the inverse CDF with the published sign, a
release that the accounting omits, noise that is drawn once and used in every release, and rows of
factors or ratings that are not clipped.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial

import numpy as np

from dpmc.mechanisms.huber import Huber
from dpmc.methods.factorization.private_als import PrivateALS
from dpmc.methods.factorization.private_baselines import PrivateItemBias
from dpmc.methods.private import bounded
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.privacy.sensitivity import Sensitivities
from dpmc_studies.mechanism_facts import published_inverse_cdf
from dpmc_studies.studies.audit.faults import RUNS, Fault, FaultyMethod, Row
from dpmc_studies.studies.audit.mechanisms import claim_of, float_claims
from dpmc_studies.studies.audit.method_runs import audited_method, method_rows
from dpmc_studies.studies.audit.noise import NoiseClaim, noise_rows

SCALE = "scale x 0.8"
NOT_COUNTED = "one release not counted"
WRONG_SIGN = "wrong sign in the inverse CDF"
FACTOR = 0.8
ROOM = 1000.0
"""That sums of unclipped numbers find, in multiples of the bound: else adding up refuses them."""


def faults() -> Iterator[Fault]:
    """Yield all of them, for ``seed`` and ``samples`` (outputs of a mechanism)."""
    for fault, claim in faulty_claims():
        key = {"mechanism": claim.mechanism, "fault": fault}
        yield Fault(fault, key, partial(_claim_rows, claim))
    for fault in METHOD_FAULTS:
        key = {"relation": USER_ADD_REMOVE, "mechanism": "gaussian", "fault": fault}
        yield Fault(fault, key, lambda _, rng, fault=fault: faulty_method_rows(fault, RUNS, rng))


def _claim_rows(claim, settings, rng) -> Iterator[Row]:
    return noise_rows(claim, settings["samples"], rng)


def faulty_method_rows(fault: str, runs: int, rng: np.random.Generator) -> Iterator[Row]:
    """Yield the rows of a method with one of METHOD_FAULTS, where users come or go."""
    name, cls, noise = METHOD_FAULTS[fault]
    key = {"method": name, "relation": USER_ADD_REMOVE, "mechanism": "gaussian"}
    method = audited_method(**key, cls=cls)
    return method_rows([(method, noise(method, rng))], runs, rng, key)


def faulty_claims() -> Iterator[tuple[str, NoiseClaim]]:
    """Yield (fault, claim) for samplers that do not do what the claim states."""
    for claim in float_claims():
        if claim.releases == 1:
            yield SCALE, replace(claim, draw=_smaller(claim.draw))
        elif claim.delta:
            budget = {"epsilon": claim.epsilon, "delta": claim.delta}
            fewer = calibrate(claim.mechanism, releases=claim.releases - 1, **budget).noise
            yield NOT_COUNTED, replace(claim, draw=fewer.rvs)
    noise = Huber(1.0)

    def wrong_sign(size, rng):
        return published_inverse_cdf(np.maximum(rng.random(size), 2.0**-54), noise.a)

    claim = claim_of("huber", noise, noise.epsilon(1.0), 0.0)
    yield WRONG_SIGN, replace(claim, draw=wrong_sign)


def _smaller(draw):
    return lambda size, rng: FACTOR * draw(size, rng)


class _ReusedNoise(FloatNoise):
    """The same noise in all releases of a run."""

    def __init__(self, method, rng):
        super().__init__(method.calibration.noise, rng)
        self._runs, self._releases, self._made = rng, method.releases, 0

    def add(self, query, sensitivity):
        if self._made % self._releases == 0:
            self._seed = self._runs.integers(2**32)
        self._made += 1
        self.rng = np.random.default_rng(self._seed)
        return super().add(query, sensitivity)


@dataclass(frozen=True)
class _Unchecked(Sensitivities):
    """A fault: sensitivities assume clipping, but neither users nor the sum clip anything."""

    def __post_init__(self):
        super().__post_init__()
        object.__setattr__(self, "claimed", self.factor_bound)
        object.__setattr__(self, "factor_bound", ROOM * self.factor_bound)

    def gram(self):
        return self.counts() * self.claimed**2

    def right_hand_side(self, value_bound=None):
        return self.sums(value_bound) * self.claimed

    def check_factors(self, factors):
        pass

    def check_values(self, values, value_bound=None):
        pass


class _UnclippedFactors(PrivateALS):
    def _bounds(self, factor_bound):
        return _Unchecked(**asdict(super()._bounds(factor_bound)))

    def _clipped(self, factors):
        return factors


class _UnclippedRatings(PrivateItemBias):
    def _bounds(self, factor_bound):
        return _Unchecked(**asdict(super()._bounds(factor_bound)))

    @property
    def _bounding(self):
        return partial(bounded, (-np.inf, np.inf), self.centre)


METHOD_FAULTS: Mapping[str, FaultyMethod] = {
    "noise reused": FaultyMethod("private_als", noise=_ReusedNoise),
    "factors not clipped": FaultyMethod("private_als", _UnclippedFactors),
    "ratings not clipped": FaultyMethod("private_item_bias", _UnclippedRatings),
}
