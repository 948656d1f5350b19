"""A search of the opponents' settings, with equal effort for each, on splits of their own.

Every data set, method and budget gets the same number of random candidates from the method's space
(:mod:`dpmc_studies.methods.user_level.spaces`). Settings that the table already has for this budget
or a smaller one also take part: those of another search and of the papers' study. Mean RMSE on
validation ratings selects among them in three rounds: all candidates on one split, the best third
(at most 20) on three splits, and the best three on seven. The best settings at a smaller budget
stay until the end, so the choice at a larger budget never has a higher RMSE on these splits. All
candidates have the same splits, starts and noise.

The search is a separate target: somebody copies its result into ``hyperparameters.csv`` by hand, as
the variant "searched". No budget pays for it.
"""

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

import numpy as np

from dpmc.errors import InputError
from dpmc.ratings import Ratings
from dpmc_studies.frame.api import RatingsOf, Section
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.entries import inputs_of, public_range
from dpmc_studies.frame.jobs.hyperparameters import model_settings
from dpmc_studies.frame.jobs.seeds import NOISE, START, stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.methods.user_level.spaces import SPACES, drawn, scales
from dpmc_studies.statistics.errors import rmse
from dpmc_studies.studies.which_model.cells import FitCell
from dpmc_studies.studies.which_model.experiments.features import FEATURES, features_of
from dpmc_studies.studies.which_model.settings import data_settings, modules_of

TARGET, SEARCH = "which_model_search", "search"
COLUMNS = ("dataset", "method", "epsilon", "place", "rmse", "splits", "fits", "settings")
RUNGS = (1, 3, 7)
"""On so many splits are those compared that are left."""
THIRD, MOST, FINALISTS, KEPT = 3, 20, 3, 3
KNOWN, BUDGETS = ("tuned", "standard", "weighted"), (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)


@dataclass(frozen=True)
class SearchCell(Cell):
    """A method on a data set, at all its budgets."""

    dataset: str
    method: str


def cells(section: Section) -> list[SearchCell]:
    """Return every cell."""
    given, featured = section["search"], section["features"]
    found = [*product(given["datasets"], given["methods"])]
    found += product(featured["tables"], featured["methods"])
    return [SearchCell(*each) for each in found]


def settings(section: Section, cell: SearchCell) -> dict[str, object]:
    """Return exactly what a cell uses."""
    given = section["search"]
    if cell.method not in SPACES:
        raise InputError(f"which_model.search: there is no space of settings for {cell.method}.")
    return {
        **data_settings(section, cell, RUNGS[-1]),
        "seed": given["seed"],
        "candidates": given["candidates"],
        "fixed": given["fixed"].get(cell.method, {}),
        "epsilons": sorted(float(epsilon) for epsilon in given["epsilons"]),
        "known": known(section, cell),
    }


def known(section: Section, cell: SearchCell) -> list[tuple[float, Mapping]]:
    """Return the settings that the table has already, each with the least budget it is for."""
    found: dict[str, tuple[float, Mapping]] = {}
    for epsilon in BUDGETS:
        for variant in KNOWN:
            place = {**cell.coordinates(), "variant": variant, "epsilon": epsilon}
            own = model_settings(section["hyperparameters"], place)
            if own:
                found.setdefault(json.dumps(own, sort_keys=True), (epsilon, own))
    return list(found.values())


def inputs(section: Section, cell: SearchCell) -> dict[str, object]:
    """Return the data, and features for a method that takes them."""
    found = inputs_of(section, cell)
    if cell.method in section["features"]["methods"]:
        found |= {FEATURES: RatingsOf(section["features"]["tables"][cell.dataset])}
    return found


def run(task: Task) -> list[dict[str, object]]:
    """Return the best candidates at each budget, best first."""
    from dpmc_studies.datasets.parts import VALIDATION
    from dpmc_studies.frame.jobs.data import make_split

    settings, cell = task.settings, task.cell
    splits = [
        make_split(cell.dataset, settings, trial, task.ratings, part=VALIDATION)
        for trial in range(RUNGS[-1])
    ]
    training, (low, high) = splits[0].training, public_range(settings["data"])
    units = scales(cell.method, (high - low) / 2, training.n_users, training.n_items)
    rng = stream(settings["seed"], SEARCH, cell.coordinates())
    candidates = [
        settings["fixed"] | drawn(rng, SPACES[cell.method], units)
        for _ in range(settings["candidates"])
    ]
    rows, best, known = [], [], {}
    if FEATURES in task.inputs:
        table = Ratings.load_if_available(task.inputs[FEATURES])
        if table is None:
            return []
        known = {"item_features": features_of(table)}
    for epsilon in settings["epsilons"]:
        place = FitCell(cell.dataset, cell.method, SEARCH, epsilon)
        one = errors_of(place, settings, splits, known)

        def mean(candidate: Mapping, splits: int, one=one) -> float:
            text = json.dumps(candidate, sort_keys=True)
            return float(np.mean([one(text, number) for number in range(splits)]))

        there = [own for least, own in settings["known"] if least <= epsilon]
        left = [*best, *there, *candidates]
        third = min(-(-len(left) // THIRD), MOST)
        for rung, keep in zip(RUNGS[:-1], (third, FINALISTS), strict=True):
            left = sorted(left, key=lambda each, of=rung, mean=mean: mean(each, of))[:keep]
        finalists = [*best, *(each for each in left if each not in best)]
        ranked = sorted(finalists, key=lambda each, mean=mean: mean(each, RUNGS[-1]))
        best = ranked[:1]
        fits = one.cache_info().misses
        for number, each in enumerate(ranked[:KEPT], start=1):
            found = {"place": number, "rmse": mean(each, RUNGS[-1]), "splits": RUNGS[-1]}
            named = {**cell.coordinates(), "epsilon": epsilon}
            rows.append(named | found | {"fits": fits, "settings": json.dumps(each)})
    return rows


def errors_of(cell: FitCell, settings: Mapping, splits: Sequence, given: Mapping):
    """Return a function of a candidate, as JSON, and a split: its RMSE, from a fit made once."""
    from dpmc_studies.studies.which_model.trial import make_model

    @cache
    def one(candidate: str, number: int) -> float:
        split = splits[number]
        rng, noise_rng = (
            cell.stream(settings["seed"], purpose, trial=number) for purpose in (START, NOISE)
        )
        try:
            model = make_model(cell, {**settings, "model": json.loads(candidate)})
            model.fit(split.training, rng=rng, noise_rng=noise_rng, **given)
        except InputError:
            return math.inf  # settings that do not fit together
        return rmse(model.predict(split.test.users, split.test.items), split.test.values)

    return one


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return modules_of(cell.method)


NAME = "candidate"
TABLES = {"search": COLUMNS}
CELL = SearchCell
TARGET = TARGET
