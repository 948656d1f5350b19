"""Faults planted into noise and methods: an audit is worth what it catches.

Each is a mistake that is easily made: noise of 0.8 times the scale, the inverse CDF with the sign
as published, a release that the accounting forgot, noise that is drawn once and used in every
release, rows of factors or ratings that nobody clips.
"""

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from unittest.mock import patch

import numpy as np

from dpmc.mechanisms.facts import published_inverse_cdf
from dpmc.mechanisms.huber import Huber
from dpmc.methods.factorization import private_als
from dpmc.methods.factorization.private_als import PrivateALS
from dpmc.privacy.calibration import calibrate
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import USER_ADD_REMOVE
from dpmc.privacy.sensitivity import Sensitivities
from dpmc.studies.audit.mechanisms import claim_of, float_claims
from dpmc.studies.audit.method_runs import MECHANISMS, audited_method, method_rows
from dpmc.studies.audit.noise import NoiseClaim, noise_rows
from dpmc.studies.audit.rows import AUDIT, caught_row
from dpmc.studies.audit.streams import stream

SCALE = "scale x 0.8"
WRONG_SIGN = "wrong sign in the inverse CDF"
NOT_COUNTED = "one release not counted"
REUSED = "noise reused"
FACTORS_NOT_CLIPPED = "factors not clipped"
RATINGS_NOT_CLIPPED = "ratings not clipped"
FACTOR = 0.8
RUNS = 250
"""Of a method, on each of two neighbouring data sets: enough to see these faults."""
ANYTHING = 2.0**30


def fault_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield a row for every planted fault; passed means that a test caught it.

    Parameters
    ----------
    settings : mapping
        ``seed`` and ``samples``.
    """
    for fault, claim in faulty_claims():
        key = {"mechanism": claim.mechanism, "fault": fault}
        rng = stream(settings["seed"], AUDIT, key)
        yield caught_row(fault, noise_rows(claim, settings["samples"], rng))
    for fault in METHOD_FAULTS:
        for mechanism in MECHANISMS:
            key = {"relation": USER_ADD_REMOVE, "mechanism": mechanism}
            rng = stream(settings["seed"], AUDIT, key | {"fault": fault})
            yield caught_row(fault, faulty_method_rows(fault, RUNS, rng, key))


def faulty_method_rows(
    fault: str, runs: int, rng: np.random.Generator, key: Mapping
) -> Iterator[dict[str, object]]:
    """Yield the rows of a method with one of METHOD_FAULTS.

    Parameters
    ----------
    fault : str
    runs : int
    rng : numpy.random.Generator
    key : mapping
        ``relation`` and ``mechanism``.
    """
    name, plant = METHOD_FAULTS[fault]
    method = audited_method(name, **key)
    noise = plant(method, rng)
    return method_rows([(method, noise)], runs, rng, {"method": name, **key})


def faulty_claims() -> Iterator[tuple[str, NoiseClaim]]:
    """Yield (fault, claim) where the sampler does not do what is claimed of it."""
    for claim in float_claims():
        if claim.releases == 1:
            yield SCALE, replace(claim, draw=_smaller(claim.draw))
        elif claim.delta:
            budget = {"epsilon": claim.epsilon, "delta": claim.delta}
            fewer = calibrate(claim.mechanism, releases=claim.releases - 1, **budget).noise
            yield NOT_COUNTED, replace(claim, draw=fewer.rvs)
            yield REUSED, replace(claim, draw=_repeated(claim.draw))
    noise = Huber(1.0)

    def wrong_sign(size, rng):
        return published_inverse_cdf(np.maximum(rng.random(size), 2.0**-54), noise.a)

    claim = claim_of("huber", noise, noise.epsilon(1.0), 0.0)
    yield WRONG_SIGN, replace(claim, draw=wrong_sign)


def _smaller(draw):
    return lambda size, rng: FACTOR * draw(size, rng)


def _repeated(draw):
    return lambda size, rng: np.broadcast_to(draw((1, size[1]), rng), size)


class _SmallerNoise(FloatNoise):
    def add(self, query, sensitivity):
        return super().add(query, FACTOR * sensitivity)


class _ReusedNoise(FloatNoise):
    """The same noise in all releases of a run."""

    def __init__(self, mechanism, rng, releases):
        super().__init__(mechanism, rng)
        self._runs, self._releases, self._made = rng, releases, 0

    def add(self, query, sensitivity):
        if self._made % self._releases == 0:
            self._seed = self._runs.integers(2**32)
        self._made += 1
        self.rng = np.random.default_rng(self._seed)
        return super().add(query, sensitivity)


@dataclass(frozen=True)
class _Unchecked(Sensitivities):
    """Sensitivities as if everything were clipped, which nobody looks at."""

    def check_factors(self, factors):
        pass

    def check_values(self, values, value_bound=None):
        pass


class _Unclipped(PrivateALS):
    def _fit(self, *arguments):
        with patch.object(private_als, "clip_rows", lambda rows, bound, norm: rows):
            super()._fit(*arguments)


def _fewer_releases(method, rng):
    budget = {"epsilon": method.epsilon, "delta": method.delta}
    noise = calibrate(method.mechanism, releases=method.releases - 1, **budget).noise
    return FloatNoise(noise, rng)


def _without_factor_clip(method, rng):
    method.__class__ = _Unclipped
    method.bounds = _Unchecked(**asdict(method.bounds))
    return FloatNoise(method.calibration.noise, rng)


def _without_rating_clip(method, rng):
    method.rating_range = (method.centre - ANYTHING, method.centre + ANYTHING)
    method.bounds = _Unchecked(**asdict(method.bounds))
    return FloatNoise(method.calibration.noise, rng)


METHOD_FAULTS = {
    SCALE: ("private_als", lambda method, rng: _SmallerNoise(method.calibration.noise, rng)),
    NOT_COUNTED: ("private_als", _fewer_releases),
    REUSED: (
        "private_als",
        lambda method, rng: _ReusedNoise(method.calibration.noise, rng, method.releases),
    ),
    FACTORS_NOT_CLIPPED: ("private_als", _without_factor_clip),
    RATINGS_NOT_CLIPPED: ("private_item_bias", _without_rating_clip),
}
"""Fault -> method, and what plants the fault into it and returns its noise."""
