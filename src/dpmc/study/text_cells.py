"""Jobs whose cells are still text: what is left of the time before :class:`dpmc.study.cells.Cell`.

To be removed with the last study that declares its jobs with :func:`text_job`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dpmc.study.api import Effort, Job, OutputOf, Section, Source, nothing
from dpmc.study.cells import Cell

Coordinates = Mapping[str, str]
"""Names of a job's coordinates to their formatted values, in the order of its path."""


@dataclass(frozen=True)
class TextCell(Cell):
    """The formatted coordinates of a job."""

    values: tuple[tuple[str, str], ...]

    def __getattr__(self, name: str) -> str:
        """Return a coordinate."""
        try:
            return dict(object.__getattribute__(self, "values"))[name]
        except KeyError:
            raise AttributeError(name) from None


def text_cell(coordinates: Coordinates) -> TextCell:
    """Return the cell of formatted coordinates."""
    return TextCell(tuple(coordinates.items()))


@dataclass(frozen=True)
class Made:
    """An input: the file that another job makes."""

    job: str
    coordinates: Coordinates


def text_job(
    name: str,
    run: str,
    tables: Mapping[str, tuple[str, ...]] = {},
    coordinates: tuple[str, ...] = (),
    cells: Callable[[Section], list[Coordinates]] | None = None,
    settings: Callable[[Section, Coordinates], Mapping[str, object]] = nothing,
    inputs: Callable[[Section, Coordinates], Mapping[str, Source | Made]] = nothing,
    modules: Callable = nothing,
    effort: Callable[[Section, Coordinates], Effort] | None = None,
    **others,
) -> Job:
    """Return a kind of job whose functions take formatted coordinates."""

    def sources(section, cell):
        found = inputs(section, dict(cell.values))
        return {
            key: OutputOf(each.job, text_cell(each.coordinates)) if isinstance(each, Made) else each
            for key, each in found.items()
        }

    return Job(
        name,
        run,
        tables,
        cell=TextCell,
        cells=lambda section: map(text_cell, cells(section) if cells else [{}]),
        by=coordinates,
        settings=lambda section, cell: settings(section, dict(cell.values)),
        inputs=sources,
        modules=lambda section, cell: modules(section, dict(cell.values)),
        effort=lambda section, found: (
            Effort() if effort is None else effort(section, dict(next(iter(found)).values))
        ),
        **others,
    )
