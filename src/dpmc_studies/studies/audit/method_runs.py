"""Audit of every calibrated method under every neighbouring relation."""

from collections.abc import Iterator, Mapping

import numpy as np

from dpmc.privacy.calibration import CALIBRATED
from dpmc.privacy.ledger import FloatNoise, Noise
from dpmc.privacy.relations import USER_LEVEL
from dpmc_studies.methods import method_class
from dpmc_studies.statistics.privacy_bounds import (
    fit_of_sample,
    independence,
    loss_bound,
    threshold_bound,
)
from dpmc_studies.studies.audit.neighbours import RANGE, RATINGS_PER_USER, neighbours
from dpmc_studies.studies.audit.parts import FACTOR_METHODS, METHODS
from dpmc_studies.studies.audit.rows import (
    AUDIT,
    CONFIDENCE,
    bound_row,
    p_value_row,
    sensitivity_row,
    stream,
)
from dpmc_studies.studies.audit.traces import Trace, follow

EPSILON, DELTA = 4.0, 0.05
"""The budget that audited methods get: one that a thousand runs can tell from a broken one."""
WORST = "extreme"
"""Name of the pair of neighbours whose losses are sampled."""
STARTS = 10
"""From so many each pair of neighbours is tried for the sensitivities."""


def audited_method(
    method: str,
    relation: str,
    mechanism: str,
    *,
    bare: bool = True,
    epsilon: float = EPSILON,
    cls: type | None = None,
):
    """Return a small method with the budget of the audit.

    A ``bare`` method has one factor and no offsets, so that on the audit's neighbours nearly all of
    its statistics change by the most that they may. Other methods use the defaults, with three
    factors. ``cls`` is the class of a method with a planted fault.
    """
    settings = {}
    if relation in USER_LEVEL:
        settings["ratings_per_user"] = RATINGS_PER_USER
    if method in FACTOR_METHODS:
        settings |= {"rank": 1, "offsets": False} if bare else {"rank": 3}
        settings |= {"iterations": 2, "regularization": 0.01}
    if method == "private_irls":
        settings |= {"inner_iterations": 2, "loss_parameter": 1.0}
    return (cls or method_class(method))(
        relation=relation,
        epsilon=epsilon,
        delta=DELTA,
        mechanism=mechanism,
        rating_range=RANGE,
        **settings,
    )


def relation_rows(settings: Mapping, relation: str) -> Iterator[dict[str, object]]:
    """Yield the rows of all methods and mechanisms under one relation.

    ``settings`` has ``seed`` and ``runs`` (of each method, on each of two neighbouring data sets).
    """
    for name in METHODS:
        for mechanism in CALIBRATED:
            key = {"method": name, "relation": relation, "mechanism": mechanism}
            rng = stream(settings["seed"], AUDIT, key)
            variants = (True, False) if name in FACTOR_METHODS else (True,)
            methods = [audited_method(**key, bare=bare) for bare in variants]
            noised = [(each, FloatNoise(each.calibration.noise, rng)) for each in methods]
            yield from method_rows(noised, settings["runs"], rng, key)


def method_rows(
    noised: list[tuple[object, Noise]], runs: int, rng: np.random.Generator, key: Mapping
) -> Iterator[dict[str, object]]:
    """Yield the rows of one method.

    ``noised`` holds pairs of a variant of the method and the noise of its runs. All variants are
    tested for their sensitivities; only the first is sampled. ``rng`` draws data and starts.
    ``key`` has ``method``, ``relation`` and ``mechanism``.
    """
    claim = {"target": "method", "claimed_epsilon": EPSILON, "delta": DELTA, **key}
    changes = [largest_changes(*each, key["relation"], rng) for each in noised]
    yield sensitivity_row(max(max(each.values()) for each in changes), claim)
    yield from sampled_rows(*noised[0], runs, rng, claim)


def largest_changes(
    method, noise: Noise, relation: str, rng: np.random.Generator
) -> dict[str, float]:
    """Return, for each statistic, its largest change over its stated sensitivity.

    The largest is over all pairs of neighbours, both directions, and STARTS starts each.
    """
    largest = {}
    for _ in range(STARTS):
        for pair in neighbours(relation, rng).values():
            for here, there in (pair, pair[::-1]):
                trace = follow(method, noise, here, there, int(rng.integers(2**32)))
                for what, change in trace.changes.items():
                    largest[what] = max(largest.get(what, 0.0), change)
    return largest


def sampled_rows(
    method, noise: Noise, runs: int, rng: np.random.Generator, claim: Mapping
) -> Iterator[dict[str, object]]:
    """Yield the rows from samples: ``runs`` runs of a method on each of two neighbouring data sets.

    ``noise`` is the noise that the runs really use; the method's calibration states the noise that
    they should use. ``rng`` draws the starts. ``claim`` holds columns of the rows.
    """
    here, there = neighbours(claim["relation"], rng)[WORST]
    claim = dict(claim, samples=runs)
    seed = int(rng.integers(2**32))  # the start is public: one and the same in all runs
    forth = [follow(method, noise, here, there, seed, whole=False) for _ in range(runs)]
    back = [follow(method, noise, there, here, seed, whole=False) for _ in range(runs)]
    yield from trace_rows(forth, back, method.calibration.noise.cdf, claim)


def trace_rows(
    forth: list[Trace], back: list[Trace], cdf, claim: Mapping
) -> Iterator[dict[str, object]]:
    """Yield the rows from the privacy losses and the noise of runs on two neighbouring data sets.

    ``forth`` holds the runs on the first data set, ``back`` the runs on the second. ``cdf`` is the
    distribution function of the noise at sensitivity 1. ``claim`` holds columns of the rows, with
    ``delta``.
    """
    losses = np.array([each.loss for each in forth]), -np.array([each.loss for each in back])
    for test, bound in (("likelihood_ratio", threshold_bound), ("privacy_loss", loss_bound)):
        found = bound(*losses, delta=claim["delta"], confidence=CONFIDENCE)
        yield bound_row(test, found, claim)
    residuals = [each.residuals for each in forth + back]
    pooled = np.concatenate([noise.ravel() for each in residuals for noise in each])
    yield p_value_row("kolmogorov_smirnov", fit_of_sample(pooled, cdf), claim)
    # of the releases that all runs made: what was released before may ask for more of them
    fewest = min(len(each) for each in residuals)
    shortest = min(noise.size for each in residuals for noise in each)
    common = np.array([[noise.ravel()[:shortest] for noise in each[:fewest]] for each in residuals])
    yield p_value_row("independence", independence(common, cdf), claim)
