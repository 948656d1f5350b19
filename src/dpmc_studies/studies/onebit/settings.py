"""The section ``onebit``: its checks, its cells, and exactly the settings and inputs of each cell.

The jobs do not import this module. A new data set in the registry, or a change in this module,
therefore reruns a job only if the settings of the job change.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from dpmc.errors import refuse_unknown
from dpmc_studies.frame.api import OutputOf, Section, Source, ratings_of, refuse_unknown_data
from dpmc_studies.frame.jobs.cells import is_drawn, owners
from dpmc_studies.methods.onebit.links import link_of
from dpmc_studies.methods.onebit.noise import GRADIENT
from dpmc_studies.studies.onebit.cells import APPROXIMATE, BOTH, CLEAR, PRIVATE, OneBitCell


def prepare(section: Section, own_sets: Mapping[str, Mapping]) -> Section:
    """Return the section with its cells, checked."""
    refuse_unknown_data(section["datasets"], own_sets)
    for experiment in section["experiments"].values():
        refuse_unknown("data set in onebit.datasets", [experiment["dataset"]], section["datasets"])
        refuse_unknown("private mechanism", experiment["mechanisms"], PRIVATE)
    return {**section, "cells": onebit_cells(section)}


def onebit_cells(section: Section) -> dict[OneBitCell, Mapping]:
    """Return every cell with its experiment: clear cells first, and each curve's cells in a row.

    Corrected objective perturbation ("objp") appears only where it exists and differs from the
    paper's version: for a link that is not log-linear, both constraints, and above its smallest
    epsilon.
    """
    advice = "data sets, constraints or observed fractions"
    return owners("onebit", section["experiments"], partial(_cells_of, section), advice)


def _cells_of(section: Section, experiment: Mapping) -> Iterator[OneBitCell]:
    dataset, constraint = experiment["dataset"], experiment["constraint"]
    for fraction in experiment["observed_fractions"]:
        for link in section["links"]:
            clear = OneBitCell(dataset, link, constraint, float(fraction), CLEAR, None)
            yield clear
            for mechanism in experiment["mechanisms"]:
                for epsilon in _epsilons(section, experiment, link, mechanism):
                    yield replace(clear, mechanism=mechanism, epsilon=epsilon)


def _epsilons(section: Section, experiment: Mapping, link: str, mechanism: str) -> list[float]:
    """Return the epsilons of a curve; none if there is no such curve."""
    epsilons = [float(epsilon) for epsilon in experiment["epsilons"]]
    if mechanism != "objp":
        return epsilons
    alpha = section["datasets"][experiment["dataset"]]["alpha"]
    least = link_of(link).log_curvature_ratio(alpha)
    exists = least > 0 and experiment["constraint"] == BOTH
    return [epsilon for epsilon in epsilons if exists and epsilon > least]


def cell_settings(section: Section, cell: OneBitCell) -> dict[str, object]:
    """Return exactly the settings that a cell uses, as plain values.

    A setting that is not in here cannot change the cell's numbers, so it need not rerun.
    """
    experiment, data = section["cells"][cell], section["datasets"][cell.dataset]
    settings = {"seed": section["seed"], "trials": experiment["trials"], **data}
    largest = float(max(experiment["observed_fractions"]))  # the others are part of it
    if is_drawn(settings) and largest != cell.observed_fraction:
        settings["drawn_fraction"] = largest
    if cell.is_clear:
        settings["baselines"] = list(section["baselines"])
    if cell.mechanism in GRADIENT:
        settings |= section["grap"]
    if cell.mechanism in APPROXIMATE:
        settings["delta"] = float(section["delta"])
    return settings


def inputs_of(section: Section, cell: OneBitCell) -> dict[str, Source]:
    """Return the ratings of a real data set, and for output perturbation the solutions to noise."""
    noised = {CLEAR: OutputOf(CLEAR, cell.clear())} if cell.needs_clear else {}
    return ratings_of(section, cell) | noised
