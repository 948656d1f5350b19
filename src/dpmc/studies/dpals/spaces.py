"""Which hyper-parameters :mod:`dpmc.studies.dpals.experiments.tuning` searches."""

from collections.abc import Mapping

_DPALS = {
    "rank": (1, 2, 3, 4, 5, 8),
    "iterations": (1, 2, 3, 4, 6),
    "ratings_per_user": (20, 40, 80, 150),
    "value_bound": (0.25, 0.5, 0.75, 1.0),
    "factor_bound": (0.03, 0.1, 0.3),
    "user_regularization": (1e-3, 1.0, 5.0, 10.0, 20.0, 40.0, 80.0, 160.0),
    "item_regularization": (1.0, 3.0, 10.0, 30.0, 100.0, 300.0),
}
_ROW = {"row_bound": (0.7, 1.5, 2.5, 4.0, 6.0, 9.0)}
_FREE = {name: values for name, values in _DPALS.items() if name != "item_regularization"}
_NOT_PRIVATE = {
    "rank": (1, 2, 3, 5, 8, 12),
    "regularization": (1e-6, 0.3, 1.0, 3.0, 10.0, 20.0),
    "iterations": (5, 10, 15),
}
# a drawn matrix of rank r and deviation 1 has the nuclear norm sqrt(r): 2.24
_FRANK_WOLFE = _ROW | {
    "nuclear_bound": (0.2, 0.5, 1.1, 1.7, 2.24, 2.8, 4.0),
    "iterations": (1, 2, 3, 5, 10, 15),
}
SPACES: Mapping[str, Mapping[str, tuple]] = {
    "als": _NOT_PRIVATE,
    "dpals": _DPALS,
    "dpals_literal": _DPALS,
    "dpals_h_free": _FREE,
    "dpals_h_free_clipped": _FREE | _ROW,
    "dpals_analyze_gauss": _DPALS | _ROW,
    "dpfw": _FRANK_WOLFE,
    "dpfw_jain": _FRANK_WOLFE,
    "dpfw_residual": _FRANK_WOLFE,
    "dp_altmin": _ROW
    | {
        "rank": (1, 2, 3, 5),
        "iterations": (1, 2, 3, 4, 6, 8),
        "user_regularization": (1e-3, 1.0, 10.0, 40.0, 160.0),
        "update_bound": (0.1, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0),
        "item_ratings": (0.03, 0.1, 0.3, 1.0),
        "start_share": (0.1, 0.2, 0.4, 0.6),
    },
    "dp_saltls": {name: _DPALS[name] for name in _DPALS if name != "value_bound"},
    "dp_svd": _ROW | {"rank": (1, 2, 3, 5), "user_regularization": (1e-3, 1.0, 10.0, 40.0, 160.0)},
    "private_als": {
        "rank": (1, 2, 3, 5),
        "iterations": (1, 2, 3, 5),
        "ratings_per_user": (20, 40, 80, 150),
        "factor_bound": (0.35, 0.5, 0.7, 1.0, 1.4),
        "residual_bound": (0.25, 0.5, 1.0),
        "regularization": (0.1, 1.0, 10.0, 100.0, 1000.0),
        "user_regularization": (0.03, 0.3, 1.0, 3.0, 10.0),
    },
    "private_user_item_bias": {
        "ratings_per_user": (20, 40, 80, 150),
        "shrinkage": (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0),
    },
}
"""What is searched, by method; bounds in units of ``scales`` of that module."""
