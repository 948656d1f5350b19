"""Refusing a comparison that could not run, before anything runs."""

from collections.abc import Mapping

from dpmc.datasets import resolve
from dpmc.errors import InputError, refuse_unknown
from dpmc_studies.frame.api import Job
from dpmc_studies.frame.jobs.entries import stored
from dpmc_studies.frame.jobs.experiments import experiments_in
from dpmc_studies.methods import METHODS, PRIVATE, VARIANTS, parameters_of, variant
from dpmc_studies.studies.which_model.settings import experiments_of, fit_cells, fit_settings
from dpmc_studies.studies.which_model.trial import make_model

KNOWN = [name for name in (*METHODS, *VARIANTS) if variant(name).of in PRIVATE]


def check(section: Mapping, sets: Mapping) -> None:
    """Refuse what the schema cannot see: unknown data sets, methods and settings.

    Every model is constructed once, without data. ``sets`` are the user's own data sets.
    """
    datasets = section["datasets"]
    for file in {stored(section, name): None for name in datasets}:
        if file is not None:
            resolve(file, sets)
    for experiment in experiments_of(section).values():
        refuse_unknown("data set in which_model.datasets", experiment["datasets"], datasets)
        refuse_unknown("private method", experiment["methods"], KNOWN)
    compared, tables = section["ablations"]["datasets"], section["features"]["tables"]
    ranked, likes_from = section["ranking"]["datasets"], section["ranking"]["likes_from"]
    refuse_unknown("data set in which_model.ranking.likes_from", ranked, likes_from)
    refuse_unknown("data set in which_model.datasets", [*compared, *tables, *ranked], datasets)
    for table in tables.values():
        resolve(table, sets)
    fixed = section["search"]["fixed"]
    searched = [*fixed, *section["search"]["methods"], *section["features"]["methods"]]
    refuse_unknown("private method", searched, KNOWN)
    for method, own in fixed.items():
        taken = parameters_of(variant(method).factory())
        refuse_unknown(f"setting of {method} in which_model.search.fixed", own, taken)
    section = {**section, "cells": fit_cells(section)}
    for cell in section["cells"]:
        try:
            make_model(cell, fit_settings(section, cell))
        except (InputError, TypeError) as error:
            where = ", ".join(cell.formatted().values())
            raise InputError(f"which_model, {where}: {error}") from error
    for job in map(Job.of, experiments_in("dpmc_studies.studies.which_model.experiments")):
        for cell in job.cells(section):
            job.settings(section, cell)
