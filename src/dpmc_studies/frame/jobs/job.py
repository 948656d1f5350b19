"""Run a job: find its function, load its ratings, run it, write its tables."""

import importlib
import importlib.util
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from dpmc.files import atomic_path
from dpmc.ratings import Ratings
from dpmc_studies import tables
from dpmc_studies.frame.jobs.cells import Cell
from dpmc_studies.frame.jobs.task import Task

RATINGS = "ratings"


def run_job(
    run: Callable[[Task], Iterable | Mapping[str, Iterable]],
    columns: Mapping[str, Iterable[str]],
    outputs: Mapping[str, str],
    cells: Mapping[Cell, Mapping[str, object]],
    inputs: Mapping[str, str],
    file: str | None = None,
) -> None:
    """Run a job and write its tables, each whole or not at all.

    If the ratings are not available, the tables have no rows, and the other file is empty. ``run``
    is the function that :attr:`dpmc_studies.frame.api.Job.run` names. ``columns`` and ``outputs``
    map each table to its columns and to the file to write. For the others see :class:`Task`.
    """
    ratings = Ratings.load_if_available(inputs[RATINGS]) if RATINGS in inputs else None
    if RATINGS in inputs and ratings is None:
        rows: Mapping[str, Iterable] = dict.fromkeys(columns, ())
        if file is not None:
            with atomic_path(file):
                pass
    else:
        path = None if file is None else Path(file)
        made = run(Task(cells, inputs, ratings, path))
        rows = made if isinstance(made, Mapping) else dict(zip(columns, [made], strict=False))
    for name, path in outputs.items():
        tables.write(path, columns[name], rows[name])


def plain_cells(cells: Mapping[Cell, Mapping[str, object]]) -> list[tuple[dict, dict]]:
    """Return cells as Snakemake passes them to a job: pairs of fields and settings."""
    return [(cell.coordinates(), dict(settings)) for cell, settings in cells.items()]


def function(name: str) -> Callable:
    """Return the function, or the class, that ``"package.module:function"`` names."""
    module, _, attribute = name.partition(":")
    return getattr(importlib.import_module(module), attribute)


def make_importable(folder: str | Path | None) -> None:
    """Make the modules of a study in ``folder``, outside of this package, importable."""
    if folder is not None:
        parent = str(Path(folder).resolve().parent)
        if parent not in sys.path:
            sys.path.insert(0, parent)
