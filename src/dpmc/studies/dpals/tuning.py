"""Choosing hyper-parameters of private factorisation on the validation data of other seeds.

A random search. That choice looks at data and no budget pays for it, as in the papers: results say
so. What is chosen stands in ``config/dpals/hyperparameters.yaml`` with its source. Drawn data of
another seed are independent of those of the results. Real ratings are the same ones, split anew:
most of what a trial is tested on was learnt from, or scored, by the search.
"""

import json
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from dpmc.datasets.dpals_splits import VALIDATION
from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc.studies.dpals.cells import (
    DPALS_COORDINATES,
    STANDARD,
    DpalsCell,
    dpals_cells,
    dpals_settings,
    public_range,
)
from dpmc.studies.dpals.data import make_split
from dpmc.studies.dpals.trial import Clock, errors, fit
from dpmc.study.seeds import stream

TUNE = "tune"
TUNING_COLUMNS = (*DPALS_COORDINATES, "place", "rmse", "settings")
KEPT = 5

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
_FRANK_WOLFE = _ROW | {"nuclear_bound": (0.2, 0.5, 1.0, 2.0, 4.0), "iterations": (1, 2, 3, 5, 8)}
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
}
"""What is searched, by method; bounds are in units that :func:`scales` gives."""


def scales(
    method: str, settings: Mapping, training: Ratings
) -> dict[str, Callable[[float], float]]:
    """Return how bounds of a search become bounds of a method, from public numbers.

    The range of the ratings is public, and so is the shape of the matrix. Bounds of values and
    lengths of rows and updates are in units of half the range (of 1 for drawn data, whose
    deviation is 1); a nuclear norm in units of half the range times sqrt(users x items), numbers
    of ratings of an item in those of the users. As printed, DPALS keeps V^T V = I, so that users
    are sqrt(items) times as long: their bound and their regularization are for V^T V = items I.
    """
    low, high = public_range(settings["data"])
    half = 1.0 if "ratings_factor" in settings["data"] else (high - low) / 2
    size = math.sqrt(training.n_users * training.n_items)
    units = {
        "value_bound": lambda value: value * half,
        "row_bound": lambda value: value * half,
        "update_bound": lambda value: value * half,
        "item_ratings": lambda value: value * training.n_users,
        "nuclear_bound": lambda value: value * half * size,
    }
    if method == "dpals_literal":
        units["factor_bound"] = lambda value: value * math.sqrt(training.n_items)
        units["user_regularization"] = lambda value: value / training.n_items
    return units


def tuning_cells(dpals: Mapping) -> list[DpalsCell]:
    """Return the cells whose hyper-parameters can be searched on the data sets of the tuning."""
    names = dpals["tuning"]["datasets"]
    return [
        cell
        for cell in dpals_cells(dpals)
        if cell.dataset in names and cell.variant == STANDARD and cell.method in SPACES
    ]


def tuning_settings(
    dpals: Mapping, hyperparameters: Sequence[Mapping], cell: DpalsCell
) -> dict[str, object]:
    """Return the settings of :func:`tune` for a cell."""
    given = dpals["tuning"]
    changed = {name: given[name] for name in ("seed", "trials", "candidates")}
    return dpals_settings(dpals, hyperparameters, cell) | changed


def tune(
    cell: DpalsCell, settings: Mapping, *, ratings: Ratings | None = None
) -> list[dict[str, object]]:
    """Return the candidates of a cell, the best first.

    Parameters
    ----------
    cell : DpalsCell
        Of a method of :data:`SPACES`.
    settings : mapping
        What :func:`dpmc.studies.dpals.cells.dpals_settings` returns, with the seed of the tuning,
        and ``candidates``: how many, the first being ``model`` itself.
    ratings : Ratings, optional

    Returns
    -------
    list of dict
        Keys :data:`TUNING_COLUMNS`: the best few, with the mean RMSE over ``trials`` on validation
        entries; ``settings`` is JSON.
    """
    splits = [
        make_split(cell.dataset, settings, trial, ratings, part=VALIDATION)
        for trial in range(settings["trials"])
    ]
    rng = stream(settings["seed"], TUNE, cell.coordinates())
    units = scales(cell.method, settings, splits[0].training)
    candidates = [dict(settings["model"])]
    candidates += [
        candidates[0] | _drawn(rng, SPACES[cell.method], units)
        for _ in range(settings["candidates"] - 1)
    ]
    scored = [(_score(cell, settings, each, splits), json.dumps(each)) for each in candidates]
    return [
        {**cell.coordinates(), "place": place, "rmse": found, "settings": text}
        for place, (found, text) in enumerate(sorted(scored)[:KEPT], start=1)
    ]


def _drawn(rng, space, units):
    drawn = {name: values[rng.integers(len(values))] for name, values in space.items()}
    return {
        name: float(units[name](value)) if name in units else value for name, value in drawn.items()
    }


def _score(cell, settings, candidate, splits) -> float:
    found = []
    for trial, split in enumerate(splits):
        try:
            model = fit(cell, settings | {"model": candidate}, trial, split.training, Clock())
        except InputError:
            return math.inf  # two that do not fit together
        found.append(errors(model, split.test)["rmse"])
    return float(np.mean(found))
