"""Public features of items: Local Bayes with and without them, and other methods with them.

The features are genres and years of films. As a control, Local Bayes also runs with the same
features of random other items, drawn again in each trial. Splits, starts and noise are the same for
the three variants of Local Bayes. Settings of other methods were searched with equal effort.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np

from dpmc.publication.features import Features
from dpmc.ratings import Ratings
from dpmc_studies.datasets.parts import Split
from dpmc_studies.frame.api import RatingsOf, Section
from dpmc_studies.frame.jobs.hyperparameters import model_settings
from dpmc_studies.frame.jobs.seeds import NOISE, START, stream
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.which_model.cells import COLUMNS, LOCAL_BAYES, FitCell
from dpmc_studies.studies.which_model.settings import data_settings, modules_of
from dpmc_studies.studies.which_model.variants import SEARCHED

WITHOUT, WITH, SHUFFLED = "no_features", "features", "shuffled_features"
VARIANTS = (WITHOUT, WITH, SHUFFLED)
FEATURES = "features"


def cells(section: Section) -> list[FitCell]:
    """Return every cell: a data set with features, a method and its variant, and a budget."""
    given = section["features"]
    compared = [(LOCAL_BAYES, each, given["epsilons"]) for each in VARIANTS]
    searched = [each for each in given["epsilons"] if each in section["search"]["epsilons"]]
    compared += [(method, WITH, searched) for method in given["methods"]]
    return [
        FitCell(dataset, method, variant, float(epsilon))
        for dataset in given["tables"]
        for method, variant, epsilons in compared
        for epsilon in epsilons
    ]


def settings(section: Section, cell: FitCell) -> dict[str, object]:
    """Return exactly what a cell uses."""
    own = data_settings(section, cell, section["features"]["trials"])
    if cell.method == LOCAL_BAYES:
        return own
    place = {**cell.coordinates(), "variant": SEARCHED}
    return own | {"model": model_settings(section["hyperparameters"], place)}


def inputs(section: Section, cell: FitCell) -> dict[str, RatingsOf]:
    """Return the ratings, and the table of features, which is stored as ratings are."""
    table = section["features"]["tables"][cell.dataset]
    return {"ratings": RatingsOf(cell.dataset), FEATURES: RatingsOf(table)}


def run(task: Task) -> list[dict[str, object]]:
    """Fit with, without and with shuffled features; nothing where there is no table of them."""
    # these import numba
    from dpmc_studies.studies.which_model.trial import make_model, run_trials

    table = Ratings.load_if_available(task.inputs[FEATURES])
    if table is None:
        return []
    features = features_of(table)

    def fit(cell: FitCell, settings: Mapping, trial: int, split: Split):
        shared = {"dataset": cell.dataset, "trial": trial}
        known = features if cell.variant != WITHOUT else None
        if cell.variant == SHUFFLED:
            known = shuffled(features, stream(settings["seed"], SHUFFLED, shared))
        same = ("dataset", "method", "epsilon")
        rng, noise_rng = (
            cell.stream(settings["seed"], purpose, *same, trial=trial) for purpose in (START, NOISE)
        )
        model = make_model(cell, {"model": {}, **settings})
        return model.fit(split.training, rng=rng, noise_rng=noise_rng, item_features=known)

    return run_trials(task, fit)


def features_of(table: Ratings) -> Features:
    """Return a table that is stored as ratings, items as its users, as features of items."""
    numbers = np.full((table.n_users, table.n_items), np.nan)
    numbers[table.users, table.items] = table.values
    names = tuple(str(name) for name in table.item_labels)
    return Features(names, list(table.user_labels), numbers)


def shuffled(features: Features, rng: np.random.Generator) -> Features:
    """Return the features of other items, drawn at random."""
    return replace(features, table=rng.permutation(features.table))


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return modules_of(cell.method)


TABLES = {"trials": COLUMNS}
CELL = FitCell
BY = ("dataset", "method")
