"""A random search for hyper-parameters of private factorisation, on validation data of other seeds.

The choice looks at data, and no budget pays for it, as in the papers; the results say so. The
chosen values and their source are in ``hyperparameters.csv``. Synthetic data of the search are
independent of the data of the results, because their seed differs. Real ratings are the same ones
in another split, so the search trained or scored on most of a trial's test ratings.
"""

import json
import math
from collections.abc import Callable, Mapping

import numpy as np

from dpmc.errors import InputError, refuse_unknown
from dpmc.ratings import Ratings
from dpmc_studies.datasets.parts import VALIDATION
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.entries import public_range
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.user_level.spaces import SPACES, drawn, scales
from dpmc_studies.studies.dpals.cells import DPALS_COORDINATES, STANDARD, DpalsCell
from dpmc_studies.studies.dpals.jobs import FIT
from dpmc_studies.studies.dpals.settings import dpals_settings

TUNE = "tune"
KEPT = 5
TUNING_COLUMNS = (*DPALS_COORDINATES, "place", "rmse", "settings")


def cells(section: Section) -> list[DpalsCell]:
    """Return the cells whose hyper-parameters can be searched on the data sets of the tuning."""
    names = section["tuning"]["datasets"]
    refuse_unknown("data set in dpals.datasets", names, section["datasets"])
    return [
        cell
        for cell in section["cells"]
        if cell.dataset in names and cell.variant == STANDARD and cell.method in SPACES
    ]


def settings(section: Section, cell: DpalsCell) -> dict[str, object]:
    """Return what the cell of the grid uses, with the seed and the trials of the tuning, and
    ``candidates``: how many."""
    own = {name: section["tuning"][name] for name in ("seed", "trials", "candidates")}
    return dpals_settings(section, cell) | own


def units_of(
    method: str, settings: Mapping, training: Ratings
) -> dict[str, Callable[[float], float]]:
    """Return the units of a search: half the range, or 1 for drawn data, of deviation 1."""
    low, high = public_range(settings["data"])
    half = 1.0 if "ratings_factor" in settings["data"] else (high - low) / 2
    return scales(method, half, training.n_users, training.n_items)


def run(task: Task) -> list[dict[str, object]]:
    """Return the candidates of a cell, best first: rows with the keys :data:`TUNING_COLUMNS`.

    Of ``candidates`` the first is ``model`` itself. The best few are returned, with the mean RMSE
    over ``trials`` on validation entries; ``settings`` is JSON.
    """
    from dpmc_studies.frame.jobs.data import make_split  # imports numba

    cell, settings = task.cell, task.settings
    splits = [
        make_split(cell.dataset, settings, trial, task.ratings, part=VALIDATION)
        for trial in range(settings["trials"])
    ]
    rng = cell.stream(settings["seed"], TUNE)
    units = units_of(cell.method, settings, splits[0].training)
    candidates = [dict(settings["model"])]
    candidates += [
        candidates[0] | drawn(rng, SPACES[cell.method], units)
        for _ in range(settings["candidates"] - 1)
    ]
    scored = [(_score(cell, settings, each, splits), json.dumps(each)) for each in candidates]
    return [
        {**cell.coordinates(), "place": place, "rmse": found, "settings": text}
        for place, (found, text) in enumerate(sorted(scored)[:KEPT], start=1)
    ]


def _score(cell, settings, candidate, splits) -> float:
    from dpmc_studies.studies.dpals.trial import Clock, errors, fit  # imports numba

    found = []
    for trial, split in enumerate(splits):
        try:
            model = fit(cell, settings | {"model": candidate}, trial, split.training, Clock())
        except InputError:
            return math.inf  # two that do not fit together
        found.append(errors(model, split.test)["rmse"])
    return float(np.mean(found))


NAME = "candidate"
TABLES = {"tuning": TUNING_COLUMNS}
CELL = DpalsCell
inputs = FIT.inputs
modules = FIT.modules
TARGET = "dpals_tune"
