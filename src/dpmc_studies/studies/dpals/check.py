"""Checks that refuse a grid of private factorisation that cannot run, before anything runs.

This is a separate module, so that a new data set in the registry does not rerun the trials.
"""

import math
from collections.abc import Mapping, Sequence

from dpmc.datasets import resolve
from dpmc.errors import InputError, refuse_unknown
from dpmc_studies.datasets.parts import LIANG
from dpmc_studies.frame.api import Job
from dpmc_studies.frame.jobs.entries import public_range, stored
from dpmc_studies.frame.jobs.experiments import experiments_in
from dpmc_studies.studies.dpals.experiments import timing
from dpmc_studies.studies.dpals.methods import (
    METHODS,
    ONLY_RANKING,
    PREPARED,
    RANKING,
    make_model,
    taken_settings,
)
from dpmc_studies.studies.dpals.settings import (
    dpals_cells,
    dpals_settings,
    experiments_of,
    variants_of,
)
from dpmc_studies.studies.dpals.variant_names import named_settings

PROJECTED = {"projection": True}  # where a method's settings do not say


def check_dpals(dpals: Mapping, sets: Mapping) -> None:
    """Refuse settings that the schema accepts but that would fail later.

    The check constructs every model of the grid once, without data. ``dpals`` is the section of the
    configuration with the table of hyper-parameters; ``sets`` are the user's own data sets.
    """
    datasets = dpals["datasets"]
    for file in {stored(dpals, name): None for name in datasets}:
        if file is not None:
            resolve(file, sets)
    experiments = experiments_of(dpals)
    for experiment in experiments.values():
        refuse_unknown("data set in dpals.datasets", experiment["datasets"], datasets)
        refuse_unknown("method", experiment["methods"], METHODS)
        _check_tasks(experiment, datasets)
    _check_variants(experiments)
    _check_rows(dpals["hyperparameters"])
    dpals = {**dpals, "cells": dpals_cells(dpals)}
    for job in map(Job.of, experiments_in("dpmc_studies.studies.dpals.experiments")):
        for cell in job.cells(dpals):
            job.settings(dpals, cell)
    for cell in dpals["cells"]:
        settings = dpals_settings(dpals, cell)
        where = f"dpals, {', '.join(cell.formatted().values())}"
        _check_name(where, cell.variant, settings["model"])
        _check_rank(where, settings)
        budget = cell.epsilon, settings.get("delta")
        _check_model(where, cell.method, settings["model"], settings["data"], budget)
    timed = timing.settings(dpals)
    for method, model in timed["models"].items():
        budget = timed["epsilon"], timed["delta"]
        _check_model("dpals.timing", method, model, {"rating_range": timing.RATING_RANGE}, budget)


def _check_tasks(experiment: Mapping, datasets: Mapping) -> None:
    """Refuse rankings by methods that cannot fit held-out users, and ratings by ranking methods."""
    for dataset in experiment["datasets"]:
        ranked = datasets[dataset].get("split") == LIANG
        for method in experiment["methods"]:
            if ranked and method not in RANKING:
                raise InputError(
                    f"{dataset} asks for rankings for users held out; of the methods "
                    f"{', '.join(RANKING)} make these, not {method}."
                )
            if not ranked and method in ONLY_RANKING:
                raise InputError(
                    f"{method} ranks items and predicts no ratings; use it with data sets of the "
                    f"split {LIANG}, not with {dataset}."
                )


def _check_variants(experiments: Mapping[str, Mapping]) -> None:
    """A setting that a variant changes is one of some method's; the others do without it."""
    for name, experiment in experiments.items():
        methods = experiment["methods"]
        taken = dict.fromkeys(key for each in methods for key in taken_settings(each))
        for variant, settings in variants_of(experiment).items():
            refuse_unknown(
                f"setting of the methods of dpals.experiments.{name}.variants.{variant}",
                settings,
                taken,
            )


def _check_name(where: str, variant: str, model: Mapping) -> None:
    """Figures and claims read the names of variants: these must say what the settings are."""
    for setting, said in named_settings(variant).items():
        if model.get(setting, PROJECTED.get(setting)) != said:
            raise InputError(
                f"{where}: the name of the variant says that {setting} is {said}, its settings say "
                f"{model.get(setting, 'nothing')}; make them agree, or give it another name."
            )


def _check_rank(where: str, settings: Mapping) -> None:
    """A matrix of known size has no larger rank, nor has one of a share of its items."""
    data, model = settings["data"], settings["model"]
    items = data.get("items", data.get("top_items", math.inf)) * model.get("item_share", 1)
    largest = min(items, data.get("users", math.inf))
    if model.get("rank", 1) > max(1, largest):
        raise InputError(
            f"{where}: rank {model['rank']} is more than a matrix with {largest:g} users or items "
            "with factors has; lower it."
        )


def _check_rows(hyperparameters: Sequence[Mapping]) -> None:
    """A row names the methods that it holds for, and each takes all of its settings."""
    for number, row in enumerate(hyperparameters, 1):
        refuse_unknown("method", row.get("methods", METHODS), METHODS)
        for method in row.get("methods", METHODS):
            what = f"setting of {method} (row {number} of the hyper-parameters)"
            refuse_unknown(what, row["settings"], taken_settings(method))


def _check_model(where, method, model, entry, budget) -> None:
    missing = {*PREPARED.get(method, ())} & {"ratings_per_user"} - {*model}
    if missing:
        raise InputError(
            f"{where}: {method} needs {', '.join(missing)} among its hyper-parameters."
        )
    limits, (epsilon, delta) = public_range(entry), budget
    try:
        make_model(method, model, rating_range=limits, epsilon=epsilon, delta=delta)
    except InputError as error:
        raise InputError(f"{where}: {error}") from error
