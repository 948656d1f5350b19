"""Cells, the points of a study's grid: their format, their names and their random streams.

A study declares a frozen dataclass of typed fields for its cells. Only this module knows how cells
appear in paths, in tables and in the keys of random streams.
"""

import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import ClassVar, Self, get_args, get_type_hints

import numpy as np

from dpmc.errors import InputError
from dpmc_studies.frame.jobs import seeds

SYNTHETIC = "synthetic"


@dataclass(frozen=True)
class Cell:
    """A point of a grid with all its trials; the base class of frozen dataclasses.

    Each field is ``str``, ``int`` or ``float``, or one of them ``| None``. A class without fields
    is the single cell of a kind of job that runs once.
    """

    # name of a field to the name that it had when the numbers of the reference were drawn, and
    # keeps in the keys of random streams
    in_streams: ClassVar[Mapping[str, str]] = types.MappingProxyType({})

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """Return the names of the fields."""
        return tuple(field.name for field in fields(cls))

    @classmethod
    def parse(cls, texts: Mapping[str, str]) -> Self:
        """Return the cell of a row of a table; "" and "none" are read as None.

        Raises
        ------
        ValueError
            A text that is no number where one belongs.
        """
        return cls(**{name: _parsed(texts[name], *kind) for name, kind in _kinds(cls).items()})

    def coordinates(self) -> dict[str, object]:
        """Return the fields by name, in their order."""
        return {name: getattr(self, name) for name in self.names()}

    def formatted(self) -> dict[str, str]:
        """Return the fields as formatted in paths: 5, 0.5, none."""
        return {name: format_coordinate(value) for name, value in self.coordinates().items()}

    @property
    def name(self) -> str:
        """What it is called in ``settings.json``, see :func:`cell_name`."""
        return cell_name(self.coordinates())

    def stream(self, seed: int, purpose: str, *names: str, **more: object) -> np.random.Generator:
        """Return a random stream of its own, see :func:`dpmc_studies.frame.jobs.seeds.stream`.

        Parameters
        ----------
        *names : str
            The fields that it depends on; without any it depends on all.
        **more
            What it depends on beside them, such as ``trial``.
        """
        key = {name: getattr(self, name) for name in names or self.names()}
        return seeds.stream(seed, purpose, key | more, self.in_streams)


@cache
def _kinds(cell: type[Cell]) -> dict[str, tuple[type, bool]]:
    """Return the type of each field, and whether it may be None."""
    hints, found = get_type_hints(cell), {}
    for name in cell.names():
        choices = get_args(hints[name]) or (hints[name],)
        found[name] = choices[0], types.NoneType in choices
    return found


def _parsed(text: str, kind: type, optional: bool) -> object:
    return None if optional and text in ("", "none") else kind(text)


def is_drawn(entry: Mapping[str, object]) -> bool:
    """Return whether an entry of ``datasets``, or a cell's settings, describe a random matrix."""
    return "items" in entry


def owners(
    study: str,
    experiments: Mapping[str, Mapping],
    cells_of: Callable[[Mapping], Iterable[Cell]],
    advice: str,
) -> dict[Cell, Mapping]:
    """Return the cells of all experiments of a section, each with its experiment.

    Raises
    ------
    InputError
        Two have a cell in common: its trials could not have two numbers of trials. ``advice`` says
        what to give them.
    """
    names: dict[Cell, str] = {}
    for name, experiment in experiments.items():
        for cell in cells_of(experiment):
            if cell in names:
                raise InputError(
                    f"{study}.experiments.{names[cell]} and .{name} share the cell "
                    f"{', '.join(cell.formatted().values())}; give the two different {advice}."
                )
            names[cell] = name
    return {cell: experiments[name] for cell, name in names.items()}


def in_common(cells: Mapping[Cell, Mapping[str, object]]) -> dict[str, object]:
    """Return the settings that all of these cells, one or more, have in common."""
    first, *others = cells.values()
    return {
        name: value
        for name, value in first.items()
        if all(name in each and each[name] == value for each in others)
    }


def format_coordinate(value: object) -> str:
    """Format a coordinate for a file name: no trailing zeros, ``none`` for None."""
    if value is None:
        return "none"
    return format(value, ".12g") if isinstance(value, float) else str(value)


def cell_name(coordinates: Mapping[str, object]) -> str:
    """Name a cell by its coordinates, leaving out those it does not have.

    >>> cell_name({"dataset": "synthetic", "rank": 5, "variance": None, "method": "als"})
    'dataset=synthetic, rank=5, method=als'
    """
    present = {name: value for name, value in coordinates.items() if not _is_missing(value)}
    return ", ".join(f"{name}={format_coordinate(value)}" for name, value in present.items())


def _is_missing(value: object) -> bool:
    # pandas' NA equals nothing, not even itself, and is neither true nor false; pandas stays out
    return value is None or type(value).__name__ == "NAType" or value != value
