"""Hyperparameter values from which a random search draws, by method, and their units."""

import math
from collections.abc import Callable, Mapping

import numpy as np

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
_WEIGHTS = {
    "weight_exponent": (0.25, 1 / 3, 0.5, 1.0),
    "counts_share": (0.05, 0.1, 0.2),
    "mean_share": (0.0, 0.02),
}
_GRADIENT = {name: _DPALS[name] for name in ("rank", "ratings_per_user", "user_regularization")} | {
    "iterations": (1, 2, 3, 5, 10),
    "factor_bound": (0.1, 0.3, 0.6, 1.0),
    "update_bound": (0.25, 0.5, 1.0, 2.0, 4.0, 8.0),
    "item_ratings": (0.01, 0.03, 0.1, 0.3, 1.0),
    "coherence": (1.0, 3.0, math.inf),
}
_PRIVATE_ALS = {
    "rank": (1, 2, 3, 5),
    "iterations": (1, 2, 3, 5),
    "ratings_per_user": (20, 40, 80, 150),
    "factor_bound": (0.35, 0.5, 0.7, 1.0, 1.4),
    "residual_bound": (0.25, 0.5, 1.0),
    "regularization": (0.1, 1.0, 10.0, 100.0, 1000.0),
    "user_regularization": (0.03, 0.3, 1.0, 3.0, 10.0),
}
_BIASES = {
    "ratings_per_user": (20, 40, 80, 150),
    "shrinkage": (0.0, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0),
}
_FEATURES = {
    "start": ("normal", "features"),
    "feature_weight": (0.3, 1.0, 3.0, 10.0, 30.0, 100.0),
}
_WITH_GRAM_MATRICES = _DPALS | _WEIGHTS | {"regularization_exponent": (0.0, 0.25, 0.5)} | _FEATURES
_WITHOUT = _FREE | _ROW | _FEATURES | {"item_regularization": (0.1, 0.3, 1.0, 3.0, 10.0, 30.0)}
SPACES: Mapping[str, Mapping[str, tuple]] = {
    "als": _NOT_PRIVATE,
    "dpals": _DPALS,
    "dpals_literal": _DPALS,
    "dpals_h_free": _FREE,
    "dpals_h_free_clipped": _FREE | _ROW,
    "dpals_analyze_gauss": _DPALS | _ROW,
    "dpals_weights": _DPALS | _WEIGHTS | {"regularization_exponent": (0.0, 0.25, 0.5)},
    "dpals_weights_h_free": _FREE | _ROW | _WEIGHTS,
    "dpam": _GRADIENT | _ROW | _WEIGHTS | {"inner_iterations": (1, 2, 4)},
    "dp_gradient_spectral": _GRADIENT | _ROW | {"start_share": (0.1, 0.2, 0.4)},
    "dp_effects": {
        "rank": (1, 2, 3, 5),
        "value_bound": (0.25, 0.5, 0.75, 1.0),
        "shrinkage": (0.0, 1.0, 3.0, 10.0),
        "user_shrinkage": (0.0, 2.0, 5.0, 10.0),
        "effects_share": (0.3, 0.5, 0.7, 0.9, 0.98),
        "pairs_share": (0.0, 0.2, 0.5),
        "pairs_shrinkage": (1.0, 3.0, 10.0, 30.0),
        "item_share": (0.03, 0.1, 0.3, 1.0),
        "user_regularization": (5.0, 20.0, 40.0, 80.0, 160.0),
        "neighbours": (None, 10, 30),
    },
    "dp_cmf": _WITH_GRAM_MATRICES,
    "dp_cmf_h_free": _WITHOUT,
    "dp_encoder": _WITH_GRAM_MATRICES,
    "dp_encoder_h_free": _WITHOUT,
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
    "private_als": _PRIVATE_ALS,
    "private_irls": _PRIVATE_ALS
    | {"inner_iterations": (1, 2), "loss_parameter": (0.25, 0.5, 1.0, 2.0)},
    "private_item_bias": _BIASES,
    "private_user_item_bias": _BIASES,
}
"""Searched values of hyperparameters by method; bounds in units of :func:`scales`."""


def scales(method: str, half: float, users: int, items: int) -> dict[str, Callable[[float], float]]:
    """Return the functions that convert bounds of a search to bounds of a method.

    They use public numbers only: the range of the ratings and the shape of the matrix. Value bounds
    and lengths of rows and updates are in units of ``half`` the range. A nuclear norm is in units
    of half the range times sqrt(users x items), and an item's number of ratings in units of the
    number of users. DPALS as published keeps V^T V = I, which makes users sqrt(items) times as
    long; the bound and the regularization of users are therefore stated for V^T V = items I.
    """
    size = math.sqrt(users * items)
    units = {
        "value_bound": lambda value: value * half,
        "row_bound": lambda value: value * half,
        "update_bound": lambda value: value * half,
        "residual_bound": lambda value: value * half,
        "item_ratings": lambda value: value * users,
        "nuclear_bound": lambda value: value * half * size,
    }
    if method == "dpals_literal":
        units["factor_bound"] = lambda value: value * math.sqrt(items)
        units["user_regularization"] = lambda value: value / items
    return units


def drawn(
    rng: np.random.Generator,
    space: Mapping[str, tuple],
    units: Mapping[str, Callable[[float], float]],
) -> dict[str, object]:
    """Draw settings of a space at random."""
    found = {name: values[rng.integers(len(values))] for name, values in space.items()}
    return {
        name: float(units[name](value)) if name in units else value for name, value in found.items()
    }
