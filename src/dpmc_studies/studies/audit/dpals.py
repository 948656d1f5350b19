"""Audit of DPALS and of the private methods that it is compared with.

The methods guarantee privacy of users. They divide their budget unequally among releases, so the
audit of losses also tests whether weights and sensitivities match.
"""

from collections.abc import Iterator, Mapping

from dpmc.privacy.ledger import FloatNoise
from dpmc.privacy.relations import USER_LEVEL
from dpmc_studies.methods import method_class
from dpmc_studies.studies.audit.method_runs import DELTA, EPSILON, method_rows
from dpmc_studies.studies.audit.neighbours import RANGE, RATINGS_PER_USER
from dpmc_studies.studies.audit.rows import AUDIT, stream

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
_WEIGHTS = {"sampling": "weights", "counts_share": 0.2, "weight_exponent": 0.5}
_ENCODED = {"feature_model": "encoded"}
_ROWS = {"ratings_per_user": RATINGS_PER_USER, "row_bound": 2.5}
_GRADIENT = {
    "rank": 1, "update_bound": 0.01, "item_ratings": 4.0, "iterations": 2, "inner_iterations": 2,
    "centring": "global",
}  # fmt: skip

FAMILIES: Mapping[str, tuple[str, Mapping[str, object]]] = {
    "dpals": ("dpals", _DPALS),
    "dpals_three_factors": ("dpals", {**_DPALS, "rank": 3, "centring": "user"}),
    "dpals_literal": ("dpals", {**_DPALS, **_STARTED, "literal": True}),
    "dpals_h_free_clipped": ("dpals", {**_DPALS, **_CLIPPED, "gram": "free"}),
    "dpals_analyze_gauss": ("dpals", {**_DPALS, **_CLIPPED, **_STARTED}),
    "dpals_frequent": ("dpals", {**_DPALS, **_FREQUENT}),
    "dpals_weights": ("dpals", {**_DPALS, **_WEIGHTS, "regularization_exponent": 0.5}),
    "dpals_weights_h_free": ("dpals", {**_DPALS, **_CLIPPED, **_WEIGHTS, "gram": "free"}),
    "dp_cmf": ("dpals_features", {**_DPALS, **_WEIGHTS}),
    "dp_cmf_h_free": ("dpals_features", {**_DPALS, **_CLIPPED, "gram": "free"}),
    "dp_encoder": ("dpals_features", {**_DPALS, **_ENCODED}),
    "dp_encoder_h_free": (
        "dpals_features", {**_DPALS, **_CLIPPED, **_ENCODED, "gram": "free", "start": "normal"},
    ),
    "dpfw": ("dpfw", {**_ROWS, "nuclear_bound": 5.0, "iterations": 3}),
    "dpfw_residual": (
        "dpfw", {**_ROWS, "nuclear_bound": 5.0, "iterations": 3, "noise": "residual_clip"},
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
    "dp_gradient_spectral": ("dp_gradient", {**_ROWS, **_GRADIENT, "start_share": 0.4}),
    "dpam": (
        "dp_gradient",
        {**_GRADIENT, **_WEIGHTS, "ratings_per_user": RATINGS_PER_USER, "start": "normal"},
    ),
    "dp_effects": ("dp_effects", {"pairs_share": 0.5, "item_share": 1.0}),
    "local_bayes": ("local_bayes", {"explained": 1e-6}),  # no covariance is asked for
    "local_bayes_directions": ("local_bayes", {"explained": 1e6}),  # one is, whatever the noise
    "local_bayes_held_out": ("local_bayes", {"explained": 1e-6, "held_out": 0.5}),
    # of so few likes, none mostly; pairs are asked for, whatever the noise
    "local_ease": ("local_ease", {"checked": 0.01, "pairs_from": 0.0}),
    "local_ease_counts": ("local_ease", {"checked": 0.01}),  # none are
    "local_ease_likes": (
        "local_ease",
        {"likes_from": sum(RANGE) / 2, "ratings_per_user": RATINGS_PER_USER, "checked": 0.5,
         "pairs_from": 0.0},
    ),
}  # fmt: skip
"""Name -> method and its settings: every kind of release in one of them at least."""


def audited_family(family: str, relation: str, epsilon: float = EPSILON, cls: type | None = None):
    """Return a small method of a family; its default budget is that of the audit.

    ``cls`` is the class to use, if the method has a planted fault.
    """
    name, settings = FAMILIES[family]
    return (cls or _class_of(family, name))(
        relation=relation, epsilon=epsilon, delta=DELTA, rating_range=RANGE, **settings
    )


def _class_of(family: str, method: str) -> type:
    # imports numba
    from dpmc_studies.studies.audit.featured import AuditedLists, AuditedWithFeatures

    if family == "local_ease_likes":
        return AuditedLists
    return AuditedWithFeatures if method == "dpals_features" else method_class(method)


def dpals_rows(settings: Mapping) -> Iterator[dict[str, object]]:
    """Yield the rows of all families under both relations.

    ``settings`` has ``seed`` and ``runs`` (of each family, on either of two neighbouring data
    sets).
    """
    for family in FAMILIES:
        for relation in USER_LEVEL:
            key = {"method": family, "relation": relation, "mechanism": "gaussian"}
            rng = stream(settings["seed"], AUDIT, key)
            method = audited_family(family, relation)
            noise = FloatNoise(method.calibration.noise, rng)
            yield from method_rows([(method, noise)], settings["runs"], rng, key)
