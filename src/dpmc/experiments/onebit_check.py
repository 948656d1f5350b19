"""Refusing a grid of one-bit cells that could not run, before anything runs.

A module of its own, so that a new data set in the registry does not rerun the trials.
"""

from collections.abc import Mapping

from dpmc.datasets import resolve
from dpmc.errors import InputError, did_you_mean
from dpmc.experiments.onebit import (
    BASELINES,
    CONSTRAINTS,
    PRIVATE,
    experiments_of,
    is_synthetic,
    onebit_cells,
)
from dpmc.onebit.links import link_of


def check_onebit(configuration: Mapping) -> None:
    """Refuse a grid of one-bit cells that could not run, before anything runs.

    Raises
    ------
    InputError
        An unknown link, mechanism, baseline, constraint or data set, a share that leaves nothing
        to observe or to test, an epsilon that is not positive, or a cell that comes twice.
    """
    onebit = configuration["onebit"]
    for link in onebit["links"]:
        link_of(link)
    _known("baseline", onebit["baselines"], BASELINES)
    for name, entry in onebit["datasets"].items():
        if not is_synthetic(entry):
            resolve(name, configuration["data"]["sets"])
    for name, experiment in experiments_of(onebit):
        _known("data set in onebit.datasets", [experiment["dataset"]], onebit["datasets"])
        _known("constraint", [experiment["constraint"]], CONSTRAINTS)
        _known("private mechanism", experiment["mechanisms"], PRIVATE)
        synthetic = is_synthetic(onebit["datasets"][experiment["dataset"]])
        for share in experiment["observed_shares"]:
            if not (0 < share < 1 or (synthetic and share == 1)):
                raise InputError(
                    f"onebit.experiments.{name}.observed_shares must lie between 0 and 1, "
                    f"got {share:g}."
                )
        for epsilon in experiment["epsilons"]:
            if not epsilon > 0:
                raise InputError(
                    f"onebit.experiments.{name}.epsilons must be above 0, got {epsilon:g}."
                )
    onebit_cells(onebit)


def _known(what: str, names, allowed) -> None:
    for name in names:
        if name not in allowed:
            raise InputError(
                f"There is no {what} {name!r}{did_you_mean(name, allowed)}; "
                f"known are {', '.join(allowed)}."
            )
