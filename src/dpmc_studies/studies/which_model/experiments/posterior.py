"""How much of Local Bayes' lead is its local predictor? Other methods' item factors with it.

Every other method with factors, at its searched settings, gets Local Bayes' offsets of items and
posterior of users, for a share of the budget. Several values are tried for how much the factors
explain, and the best one counts (:mod:`dpmc_studies.studies.which_model.posterior`).
"""

from collections.abc import Iterable, Mapping

from dpmc_studies.datasets.parts import Split
from dpmc_studies.frame.api import Section
from dpmc_studies.frame.jobs.entries import inputs_of
from dpmc_studies.frame.jobs.hyperparameters import model_settings
from dpmc_studies.frame.jobs.seeds import NOISE, START
from dpmc_studies.frame.jobs.task import Task
from dpmc_studies.studies.which_model.cells import COLUMNS, FitCell
from dpmc_studies.studies.which_model.settings import data_settings, modules_of
from dpmc_studies.studies.which_model.variants import POSTERIOR, SEARCHED


def cells(section: Section) -> list[FitCell]:
    """Return every cell: a data set, a method, how much its factors explain, and a budget."""
    given = section["posterior"]
    return [
        FitCell(dataset, method, variant, float(epsilon))
        for dataset in given["datasets"]
        for method in given["methods"]
        for variant in _variants(section)
        for epsilon in given["epsilons"]
    ]


def _variants(section: Section) -> dict[str, float]:
    """Return how much factors explain, by the name of the variant."""
    return {f"{POSTERIOR}{share:g}": float(share) for share in section["posterior"]["explained"]}


def settings(section: Section, cell: FitCell) -> dict[str, object]:
    """Return exactly what a cell uses."""
    given = section["posterior"]
    place = {**cell.coordinates(), "variant": SEARCHED}
    return data_settings(section, cell, given["trials"]) | {
        "share": given["share"],
        "explained": _variants(section)[cell.variant],
        "model": model_settings(section["hyperparameters"], place),
    }


def run(task: Task) -> list[dict[str, object]]:
    """Fit one method at all budgets; how much its factors explain changes no fit."""
    from dataclasses import replace

    from dpmc_studies.studies.which_model.posterior import OffsetsOnly, combined, divided
    from dpmc_studies.studies.which_model.trial import budget_of, make_model, run_trials

    known: dict[tuple[float, int], tuple] = {}

    def fits(cell: FitCell, settings: Mapping, trial: int, split: Split) -> tuple:
        first, second = divided(cell.epsilon, settings["delta"], settings["share"])
        given = budget_of(cell, settings) | {"epsilon": first}
        same = replace(cell, variant=POSTERIOR)
        rngs = [same.stream(settings["seed"], each, trial=trial) for each in (START, NOISE)]
        biases = OffsetsOnly(**given).fit(split.training, rng=rngs[0], noise_rng=rngs[1])
        biases.epsilon = cell.epsilon
        other = make_model(replace(cell, epsilon=second), settings)
        other.fit(split.training, rng=rngs[0], noise_rng=rngs[1])
        return biases, other.item_factors_

    def fit(cell: FitCell, settings: Mapping, trial: int, split: Split):
        place = cell.epsilon, trial
        if place not in known:
            known[place] = fits(cell, settings, trial, split)
        return combined(*known[place], settings["explained"], split.training)

    return run_trials(task, fit)


def modules(section: Mapping, cell: object) -> Iterable[str]:
    """Return the modules that are imported by name."""
    return modules_of(cell.method)


TABLES = {"trials": COLUMNS}
CELL = FitCell
BY = ("dataset", "method")
inputs = inputs_of
