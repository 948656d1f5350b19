"""Audit of DPALS and of the private methods that it is compared with, and faults planted into it.

The methods guarantee user level. They deal out their budget in unequal shares, so the audit of
losses shows whether weights and sensitivities fit each other, too. The planted faults are mistakes
that the papers make, or that are easily made.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from unittest.mock import patch

import numpy as np

from dpmc.mechanisms import Gaussian
from dpmc.methods import method_class
from dpmc.methods.user_level import dpals, item_step
from dpmc.methods.user_level.dpals import DPALS
from dpmc.methods.user_level.local_bayes import directions, offsets, refinement, worth
from dpmc.methods.user_level.local_bayes.method import LocalBayes
from dpmc.methods.user_level.sampling import clip_values
from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import USER_ADD_REMOVE, USER_LEVEL
from dpmc.studies.audit.method_runs import DELTA, EPSILON, method_rows
from dpmc.studies.audit.neighbours import RANGE, RATINGS_PER_USER
from dpmc.studies.audit.rows import AUDIT, caught_row
from dpmc.studies.audit.streams import stream

_DPALS = {
    "ratings_per_user": RATINGS_PER_USER, "rank": 1, "factor_bound": 0.01,
    "user_regularization": 0.1, "item_regularization": 0.1, "centring": "global",
}  # fmt: skip
_CLIPPED = {"row_bound": 2.5}
_STARTED = {"start": "analyze_gauss", "start_share": 0.4, "iterations": 1}
_FREQUENT = {
    "item_share": 0.5, "sampling": "adaptive", "counts_share": 0.2, "mean_share": 0.2,
    "global_penalty": 0.5,
}  # fmt: skip
_ROWS = {"ratings_per_user": RATINGS_PER_USER, "row_bound": 2.5}

FAMILIES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "dpals": ("dpals", _DPALS),
    "dpals_three_factors": ("dpals", {**_DPALS, "rank": 3, "centring": "user"}),
    "dpals_literal": ("dpals", {**_DPALS, **_STARTED, "literal": True}),
    "dpals_h_free_clipped": ("dpals", {**_DPALS, **_CLIPPED, "gram": "free"}),
    "dpals_analyze_gauss": ("dpals", {**_DPALS, **_CLIPPED, **_STARTED}),
    "dpals_frequent": ("dpals", {**_DPALS, **_FREQUENT}),
    "dpfw": ("dpfw", {**_ROWS, "nuclear_bound": 5.0, "iterations": 3}),
    "dpfw_residual": (
        "dpfw", {**_ROWS, "nuclear_bound": 5.0, "iterations": 3, "noise": "residual_clip"},
    ),
    "dpfw_oja": (
        "dpfw", {**_ROWS, "nuclear_bound": 5.0, "iterations": 2, "eigenvector": "oja"},
    ),
    "dp_altmin": (
        "dp_altmin",
        {**_ROWS, "rank": 1, "update_bound": 0.1, "item_ratings": 4.0, "iterations": 2},
    ),
    "dp_saltls": (
        "dp_saltls",
        {
            "ratings_per_user": RATINGS_PER_USER, "rank": 1, "groups": 2, "iterations": 2,
            "factor_bound": 0.01,
        },
    ),
    "dp_svd": ("dp_svd", {**_ROWS, "rank": 2, "item_share": 0.75, "counts_share": 0.3}),
    "local_bayes": ("local_bayes", {"explained": 1e-6}),  # no covariance is asked for
    "local_bayes_directions": ("local_bayes", {"explained": 1e6}),  # one is, whatever the noise
    "local_bayes_held_out": ("local_bayes", {"explained": 1e-6, "held_out": 0.5}),
}  # fmt: skip
"""Name -> method and its settings: every kind of release in one of them at least."""

SIGMA = "sigma / sqrt(2)"
NO_K = "start without its factor k"
MEAN_SQRT_K = "private mean with sqrt(k)"
COUNTS_FREE = "counts not charged"
ROWS_NOT_CLIPPED = "rows of ratings not clipped"
ROWS_NOT_SHORTENED = "rows of offsets not shortened"
UPDATES_NOT_SHORTENED = "updates not shortened"
COVARIANCE_OF_LONG_ROWS = "covariance of long rows"
ERRORS_NOT_CLIPPED = "errors of users not clipped"
RUNS = 250
"""Of a faulty method, on each of two neighbouring data sets: enough to see these faults."""


def audited_family(family: str, relation: str, epsilon: float = EPSILON):
    """Return a small method of a family with the budget of the audit, unless told another."""
    name, settings = FAMILIES[family]
    return method_class(name)(
        relation=relation, epsilon=epsilon, delta=DELTA, rating_range=RANGE, **settings
    )


def dpals_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of all families under both relations, then of the planted faults.

    Parameters
    ----------
    settings : mapping
        ``seed`` and ``runs`` (of each family, on either of two neighbouring data sets).
    """
    for family in FAMILIES:
        for relation in USER_LEVEL:
            key = {"method": family, "relation": relation, "mechanism": "gaussian"}
            rng = stream(settings["seed"], AUDIT, key)
            method = audited_family(family, relation)
            noise = FloatNoise(method.calibration.noise, rng)
            yield from method_rows([(method, noise)], settings["runs"], rng, key)
    for fault in FAULTS:
        rng = stream(settings["seed"], AUDIT, {"dpals": fault})
        yield caught_row(fault, faulty_rows(fault, RUNS, rng))


def faulty_rows(fault: str, runs: int, rng: np.random.Generator) -> Iterator[dict[str, object]]:
    """Yield the rows of DPALS with one of FAULTS.

    Parameters
    ----------
    fault : str
    runs : int
        On each of two neighbouring data sets.
    rng : numpy.random.Generator
        Draws data, starts and noise.
    """
    family, plant = FAULTS[fault]
    method = audited_family(family, USER_ADD_REMOVE)
    noise = plant(method, rng) or FloatNoise(method.calibration.noise, rng)
    key = {"method": family, "relation": USER_ADD_REMOVE, "mechanism": "gaussian"}
    return method_rows([(method, noise)], runs, rng, key)


class _UncountedDPALS(DPALS):
    """Counts are looked at without noise, and their share of the budget goes to the rest."""

    def _fit(self, *arguments):
        exact = patch.object(
            item_step.ItemStatistics,
            "counts",
            lambda _, rows, n_items: item_step.column_counts(rows, n_items),
        )
        with exact:
            super()._fit(*arguments)


class _UnclippedDPALS(DPALS):
    """The norm of a user's ratings is taken to be bounded, which nobody looks at."""

    def _fit(self, *arguments):
        unclipped = patch.object(
            dpals, "clip_values", lambda rows, value_bound, _: clip_values(rows, value_bound, None)
        )
        unchecked = patch.object(item_step, "check_row_lengths", lambda rows, bound: None)
        with unclipped, unchecked:
            super()._fit(*arguments)


class _UnshortenedBayes(LocalBayes):
    """A norm of what users send is taken to be bounded, which nobody looks at."""

    unshortened = ""

    def _fit(self, *arguments):
        module = {
            ROWS_NOT_SHORTENED: offsets,
            UPDATES_NOT_SHORTENED: refinement,
            COVARIANCE_OF_LONG_ROWS: directions,
            ERRORS_NOT_CLIPPED: worth,
        }[self.unshortened]
        right = module.statistic

        def longer(*given):
            sent, longest = right(*given)
            return 4 * sent, longest

        with patch.object(module, "statistic", longer):
            super()._fit(*arguments)


def _unshortened(fault: str) -> Callable[[LocalBayes, object], None]:
    def plant(method, _):
        method.__class__ = _UnshortenedBayes
        method.unshortened = fault

    return plant


def _smaller_sigma(method, rng):
    return FloatNoise(Gaussian(method.calibration.noise.scale / 2**0.5), rng)


def _less_sensitive(factor: float, *statistics: str) -> Callable[[DPALS, object], None]:
    """Return what divides the stated sensitivities of some statistics by ``factor``."""

    def plant(method, _):
        for what in statistics:
            part = method.plan[what]
            method.plan[what] = replace(part, sensitivity=part.sensitivity / factor)

    return plant


def _counts_free(method, _):
    method.__class__ = _UncountedDPALS
    left = 1 - method.plan.pop("counts").share
    method.plan = {
        what: replace(part, share=part.share / left) for what, part in method.plan.items()
    }


def _rows_unclipped(method, _):
    method.__class__ = _UnclippedDPALS


_K = float(RATINGS_PER_USER)

FAULTS = {
    SIGMA: ("dpals", _smaller_sigma),
    NO_K: ("dpals_literal", _less_sensitive(_K, "start")),
    MEAN_SQRT_K: ("dpals_frequent", _less_sensitive(_K**0.5, "total_sum", "total_count")),
    COUNTS_FREE: ("dpals_frequent", _counts_free),
    ROWS_NOT_CLIPPED: ("dpals_h_free_clipped", _rows_unclipped),
    ROWS_NOT_SHORTENED: ("local_bayes", _unshortened(ROWS_NOT_SHORTENED)),
    UPDATES_NOT_SHORTENED: ("local_bayes", _unshortened(UPDATES_NOT_SHORTENED)),
    COVARIANCE_OF_LONG_ROWS: (
        "local_bayes_directions", _unshortened(COVARIANCE_OF_LONG_ROWS),
    ),
    ERRORS_NOT_CLIPPED: ("local_bayes_held_out", _unshortened(ERRORS_NOT_CLIPPED)),
}  # fmt: skip
"""Fault -> family, and what plants the fault into a method of it and maybe returns its noise."""
