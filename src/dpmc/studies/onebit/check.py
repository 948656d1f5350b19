"""Refusing a grid of one-bit cells that could not run, before anything runs.

A module of its own, so that a new data set in the registry does not rerun the trials.
"""

from collections.abc import Collection, Iterable, Mapping

from dpmc.datasets import resolve
from dpmc.errors import InputError, did_you_mean
from dpmc.studies.onebit.cells import PRIVATE, experiments_of, is_synthetic, onebit_cells


def check_onebit(configuration: Mapping) -> None:
    """Refuse a grid of one-bit cells that could not run: what the schema cannot see.

    Raises
    ------
    InputError
        An unknown data set or mechanism, or a cell that comes twice.
    """
    onebit = configuration["onebit"]
    for name, entry in onebit["datasets"].items():
        if not is_synthetic(entry):
            resolve(name, configuration["data"]["sets"])
    for _, experiment in experiments_of(onebit):
        _known("data set in onebit.datasets", [experiment["dataset"]], onebit["datasets"])
        _known("private mechanism", experiment["mechanisms"], PRIVATE)
    onebit_cells(onebit)


def _known(what: str, names: Iterable[str], allowed: Collection[str]) -> None:
    for name in names:
        if name not in allowed:
            raise InputError(
                f"There is no {what} {name!r}{did_you_mean(name, allowed)}; "
                f"known are {', '.join(allowed)}."
            )
